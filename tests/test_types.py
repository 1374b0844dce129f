"""The types: mypy passes on the package, a program that uses the API is typed as promised, stubs fit the modules."""

from __future__ import annotations

import pkgutil
import subprocess
import sys
from importlib.machinery import EXTENSION_SUFFIXES
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

from typing import assert_type

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
    command = [sys.executable, "-m", "mypy", "--strict", f"--cache-dir={cwd / 'cache'}", *arguments]
    return subprocess.run(command, cwd=cwd, env={"MYPYPATH": str(SOURCE)}, capture_output=True, text=True)


def compiled_modules() -> list[str]:
    return sorted(
        found.name
        for found in pkgutil.walk_packages(bs.__path__, "boolsieve.")
        if "._" not in found.name
        and (spec := found.module_finder.find_spec(found.name, None))  # type: ignore[call-arg]
        and (spec.origin or "").endswith(tuple(EXTENSION_SUFFIXES))
    )


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


def test_compiled_modules_have_stubs() -> None:
    names = compiled_modules()
    assert names
    without = [name for name in names if not (SOURCE / (name.replace(".", "/") + ".pyi")).exists()]
    assert without == []


def test_stubs_fit_the_compiled_modules(workspace: Path) -> None:
    """Names must agree both ways. Signatures are not compared: compiled functions do not tell theirs."""
    command = [sys.executable, "-m", "mypy.stubtest", *compiled_modules()]
    allowed = workspace / "allowed.txt"
    allowed.write_text(".*\\.__.*__\n.*\\.__pyx_.*\n")
    result = subprocess.run(
        [*command, "--ignore-positional-only", "--allowlist", str(allowed), "--ignore-unused-allowlist"],
        cwd=workspace,
        env={"MYPYPATH": str(SOURCE), "PYTHONPATH": str(SOURCE)},
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stdout + result.stderr
