"""The package, built and installed for real from a copy of the sources: sdist, wheel from it, editable."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from email import message_from_bytes
from pathlib import Path

import pytest

pytestmark = pytest.mark.packaging

ROOT = Path(__file__).parents[2]
COPIED = ("pyproject.toml", "setup.py", "README.md", "CHANGELOG.md", "LICENSE", "Makefile", "csrc", "src")
# What a caller would do first; it runs outside the source tree.
USE = """
import importlib, pathlib, boolsieve as bs
home = pathlib.Path(bs.__file__).parent
for module in home.rglob("*.so"):
    parts = module.relative_to(home).with_name(module.name.split(".")[0]).parts
    importlib.import_module(".".join(("boolsieve", *parts)))
index = bs.Index()
index.add("alice", "model = 'iphone5s' AND price <= 580")
index.add("bob", bs.attr("price") > 580)
assert index.match({"model": "iphone5s", "price": 550}) == ["alice"]
print(home)
"""


def run(*command: object, cwd: Path) -> str:
    """Run a command without the test run's own import paths; a failure shows all that it said."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    done = subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env=clean,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        text=True,
    )
    if done.returncode:
        pytest.fail(f"{' '.join(map(str, command))}\n{done.stdout}", pytrace=False)
    return done.stdout.strip()


def fresh_python(folder: Path) -> Path:
    venv.create(folder, with_pip=False)
    return folder / "bin" / "python"


def pip_install(python: Path, *arguments: object) -> None:
    pip = (sys.executable, "-m", "pip", "--python", python)
    run(*pip, "install", "--no-compile", *arguments, cwd=python.parent)


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what the package is made from, without what earlier builds left in it."""
    copy = tmp_path_factory.mktemp("sources") / "boolsieve"
    copy.mkdir()
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(
                ROOT / name, copy / name, ignore=shutil.ignore_patterns("*.so", "*.egg-info", "__pycache__")
            )
        else:
            shutil.copy(ROOT / name, copy / name)
    return copy


@pytest.fixture(scope="module")
def package_files(sources: Path) -> set[str]:
    return {str(path.relative_to(sources / "src")) for path in (sources / "src").rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def sdist(sources: Path, package_files: set[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    # A development build leaves its modules in src: neither the sdist nor the wheel may take this one up.
    (sources / "src/boolsieve/left_over.cpython-310-x86_64-linux-gnu.so").touch()
    folder = tmp_path_factory.mktemp("sdist")
    build = f"from scikit_build_core.setuptools import build_meta; build_meta.build_sdist({str(folder)!r})"
    run(sys.executable, "-c", build, cwd=sources)
    (archive,) = folder.iterdir()
    return archive


@pytest.fixture(scope="module")
def wheel(sdist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "pip", "wheel", "--no-deps", "--wheel-dir", folder, sdist, cwd=folder)
    (archive,) = folder.iterdir()
    return archive


@pytest.fixture(scope="module")
def wheel_files(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_sdist_holds_every_source_and_nothing_built(
    sources: Path, package_files: set[str], sdist: Path
) -> None:
    with tarfile.open(sdist) as archive:
        held = {member.name.split("/", 1)[1] for member in archive if member.isfile()}
    assert {f"src/{name}" for name in package_files} <= held
    assert {str(path.relative_to(sources)) for path in (sources / "csrc").rglob("*.*")} <= held | {"csrc"}
    assert {"LICENSE", "README.md", "CHANGELOG.md", "Makefile", "pyproject.toml", "setup.py"} <= held
    assert not [name for name in held if name.endswith((".so", ".cpp", ".o", ".pyc"))]


def test_wheel_holds_a_module_for_every_pyx(package_files: set[str], wheel_files: dict[str, bytes]) -> None:
    modules = {name.split(".")[0] for name in wheel_files if name.endswith(".so")}
    assert modules == {name[:-4] for name in package_files if name.endswith(".pyx")} | {"boolsieve/_cython"}


def test_wheel_holds_python_declarations_and_stubs_alone(
    package_files: set[str], wheel_files: dict[str, bytes]
) -> None:
    shipped = {name for name in wheel_files if name.startswith("boolsieve/") and not name.endswith(".so")}
    assert shipped == {name for name in package_files if not name.endswith(".pyx")}
    assert "boolsieve/py.typed" in shipped
    assert {name.split("/")[0].split("-")[0] for name in wheel_files} == {"boolsieve"}


def test_modules_in_the_wheel_are_stripped(wheel_files: dict[str, bytes]) -> None:
    for name, content in wheel_files.items():
        if name.endswith(".so"):
            assert content.startswith(b"\x7fELF"), name
            assert b"\0.symtab\0" not in content, name
            assert b"\0.debug_info\0" not in content, name


def test_wheel_says_its_licence_and_needs_numpy_alone(wheel_files: dict[str, bytes]) -> None:
    (metadata,) = (
        message_from_bytes(text) for name, text in wheel_files.items() if name.endswith("/METADATA")
    )
    assert metadata["License-Expression"] == "Apache-2.0"
    assert metadata["Requires-Python"] == ">=3.10"
    needed = [line for line in metadata.get_all("Requires-Dist") if "extra ==" not in line]
    assert [line.split(">")[0] for line in needed] == ["numpy"]
    assert any(name.endswith("/licenses/LICENSE") for name in wheel_files)


def test_installed_wheel_works_in_a_fresh_environment(wheel: Path, tmp_path: Path) -> None:
    python = fresh_python(tmp_path / "environment")
    pip_install(python, wheel)
    home = run(python, "-c", USE, cwd=tmp_path)
    assert Path(home).is_relative_to(tmp_path / "environment")


def test_editable_install_finds_a_new_pyx_and_runs_the_sources_in_place(
    sources: Path, tmp_path: Path
) -> None:
    # Compiling all modules once, for the wheel, is enough: here a single new one stands for them.
    copy = tmp_path / "boolsieve"
    shutil.copytree(sources, copy, ignore=shutil.ignore_patterns("*.so", "*.egg-info", "*.pyx"))
    package = copy / "src/boolsieve"
    (package / "__init__.py").write_text("GREETING = 'hello'\n")
    (package / "fresh.pyx").write_text(
        "from boolsieve.language.tree cimport OP_OR\n\n\ndef answer():\n    return OP_OR\n"
    )
    python = fresh_python(tmp_path / "environment")
    pip_install(python, "--no-deps", "--editable", copy)

    use = "import boolsieve, boolsieve.fresh as fresh; "
    shown = run(
        python, "-c", f"{use} print(boolsieve.GREETING, fresh.answer(), fresh.__file__)", cwd=tmp_path
    )
    assert shown.startswith(f"hello 1 {package}/fresh.")
    (package / "__init__.py").write_text("GREETING = 'changed'\n")
    assert run(python, "-c", f"{use} print(boolsieve.GREETING)", cwd=tmp_path) == "changed"
