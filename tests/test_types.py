"""The types: mypy passes on the package, a program that uses the API is typed as promised, stubs fit the modules."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import boolsieve as bs

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src"

pytestmark = pytest.mark.skipif(
    not Path(bs.__file__).is_relative_to(SOURCE),
    reason="types are those of the sources, not of another build",
)

PROGRAM = '''
"""Uses the public API; each line of it must type-check, those marked as errors must not."""

from __future__ import annotations

from typing_extensions import assert_type

import boolsieve as bs

index = bs.Index()
named = bs.Index(engine="scan", max_clauses=100)
with_object = bs.Index(engine=bs.engines.Scan())
index.add("alice", "model = 'iphone5s' AND price <= 580")
index.add(42, (bs.attr("genre") == "classics") & bs.attr("price").between(20, 40) & ~(bs.attr("ranking") < 5))
report = index.add_many([1, 2], ["a = 1", "a = 2"], errors="skip", progress=False)
for record in report:
    assert_type(record.position, int)
    print(record.id, record.error)
assert_type(index.match({"price": 5}), list[int | str])
assert_type(index.match_count({"price": 5}), int)
index.add("bob", "a = 1", weight=2, weights={"a": 1.5})
assert_type(index.top_k({"a": 1}, 3, {"a": 2}), list[tuple[int | str, float]])
assert_type(index.weights("bob"), dict[str, float])
assert_type(index.matches({"price": 5}, "alice"), bool)
for ids in index.match_batch([{"price": 5}], threads=2):
    assert_type(ids, list[int | str])
assert_type(index["alice"], bs.Expr)
index["alice"] = "price < 500"
index["bob"] = bs.parse("price < 500")
del index["alice"]
assert_type("alice" in index, bool)
assert_type(len(index), int)
for id_, expression in index.items():
    assert_type(id_, int | str)
    assert_type(expression, bs.Expr)
assert_type(index.explain({"price": 5}, 42).outcome, bool | None)
index.stats()["bytes"]
assert_type(bs.engines.names(), list[str])
try:
    bs.parse("a =")
except bs.ParseError as error:
    assert_type(error.line, int)

index.add(1.5, "a = 1")  # type: ignore[arg-type]
index.add(1, 5)  # type: ignore[arg-type]
index.match(5)  # type: ignore[arg-type]
'''


def mypy(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "mypy", "--strict", f"--config-file={ROOT / 'pyproject.toml'}"]
    command += [f"--cache-dir={cwd / 'cache'}", *arguments]
    return subprocess.run(command, cwd=cwd, env={"MYPYPATH": str(SOURCE)}, capture_output=True, text=True)


def stubbed_modules() -> list[str]:
    """The compiled modules with a stub. mypy itself asks for one where Python code imports the module."""
    stubs = sorted(SOURCE.rglob("*.pyi"))
    return [".".join(stub.relative_to(SOURCE).with_suffix("").parts) for stub in stubs]


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for all runs, so that they share mypy's cache."""
    return tmp_path_factory.mktemp("types")


def test_package_is_typed_strictly(workspace: Path) -> None:
    result = mypy("-p", "boolsieve", cwd=workspace)
    assert result.returncode == 0, result.stdout + result.stderr


def test_program_that_uses_the_api_is_typed(workspace: Path) -> None:
    program = workspace / "program.py"
    program.write_text(PROGRAM)
    result = mypy(str(program), cwd=workspace)
    assert result.returncode == 0, result.stdout + result.stderr


def test_stubs_promise_nothing_that_is_not_there(workspace: Path) -> None:
    """What only Cython code uses may be left out of a stub. Special methods differ in compiled classes."""
    modules = stubbed_modules()
    assert "boolsieve.index" in modules
    allowed = workspace / "allowed.txt"
    allowed.write_text(".*\\.__.*__\n")
    options = ["--ignore-missing-stub", "--ignore-positional-only", "--ignore-unused-allowlist"]
    options += ["--allowlist", str(allowed), "--mypy-config-file", str(ROOT / "pyproject.toml")]
    stubtest = [sys.executable, "-m", "mypy.stubtest"]
    # Newer versions ask for a decorator on compiled classes that older ones do not know.
    if (
        "--ignore-disjoint-bases"
        in subprocess.run([*stubtest, "--help"], capture_output=True, text=True).stdout
    ):
        options.append("--ignore-disjoint-bases")
    environment = {"MYPYPATH": str(SOURCE), "PYTHONPATH": str(SOURCE)}
    result = subprocess.run(
        [*stubtest, *modules, *options], cwd=workspace, env=environment, capture_output=True, text=True
    )
    assert result.returncode == 0, result.stdout + result.stderr
