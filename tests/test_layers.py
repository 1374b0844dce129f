"""Imports point one way: a layer knows only the layers before it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "boolsieve"

LAYERS = [  # modules of one line may know each other
    ["errors"],
    ["memory"],
    ["structures"],
    ["language"],
    ["normal"],
    ["encoding"],
    ["engines"],
    ["storage"],
    ["attributes", "columns", "explanation", "index", "matches", "progress"],
    ["joins"],
    ["workloads"],
    ["bench"],
    ["spark"],
    ["__main__", "cli", "demo"],
]
LEVELS = {name: level for level, names in enumerate(LAYERS) for name in names}
ENGINES_KNOW = {"errors", "memory", "structures", "encoding", "engines"}
# The flat tree is the border between the language and what comes after it.
ENCODING_KNOWS_OF_LANGUAGE = {"boolsieve.language.tree"}

SOURCES = sorted(
    path for path in PACKAGE.rglob("*") if path.suffix in (".py", ".pyi", ".pyx", ".pxd", ".pxi")
)
CYTHON_IMPORT = re.compile(
    r"^\s*(?:from\s+([.\w]+)\s+c?import\s+([^#\n]+)|c?import\s+([^#\n]+))", re.MULTILINE
)


def absolute(module: str, path: Path, level: int) -> str:
    """The full name of what `path` imports as `module` with `level` leading dots."""
    if level == 0:
        return module
    parent = ["boolsieve", *path.relative_to(PACKAGE).parent.parts]
    base = parent[: len(parent) - level + 1]
    return ".".join([*base, module] if module else base)


def imports_of_text(text: str, path: Path) -> Iterator[str]:
    """Imports and cimports of Cython code. Parentheses are joined to one line first."""
    text = re.sub(r"\(([^()]*)\)", lambda inside: " " + " ".join(inside[1].split()) + " ", text)
    for found in CYTHON_IMPORT.finditer(text):
        if found[3]:
            yield from (name.split(" as ")[0].strip() for name in found[3].split(","))
            continue
        module = found[1].lstrip(".")
        base = absolute(module, path, len(found[1]) - len(module))
        yield from (f"{base}.{name.split(' as ')[0].strip()}" for name in found[2].split(",") if name.strip())


def imports_of_python(text: str, path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = absolute(node.module or "", path, node.level)
            yield from (f"{base}.{alias.name}" for alias in node.names)


def own_imports(path: Path) -> list[str]:
    """The full names below boolsieve that a source imports; a name may be a module or something inside one."""
    text = path.read_text(encoding="utf-8")
    found = imports_of_python(text, path) if path.suffix in (".py", ".pyi") else imports_of_text(text, path)
    return [name for name in found if name.split(".")[0] == "boolsieve"]


def layer_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].split(".")[0]


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_point_upwards(path: Path) -> None:
    layer = layer_of(path)
    if layer == "__init__":  # the public face shows all layers
        return
    assert layer in LEVELS, f"{layer} has no place in the order of layers"
    for name in own_imports(path):
        parts = name.split(".")
        if len(parts) == 1:  # the public face, which only what stands above all layers may use
            assert layer in LAYERS[-1], f"{path.name} imports the whole package"
            continue
        assert parts[1] in LEVELS, f"{path.name} imports {name}, which is in no layer"
        assert LEVELS[parts[1]] <= LEVELS[layer], f"{path.name} in {layer} imports {name}"
        if layer == "engines":
            assert parts[1] in ENGINES_KNOW, f"{path.name} is an engine's and imports {name}"
        if layer == "encoding" and parts[1] == "language":
            assert ".".join(parts[:3]) in ENCODING_KNOWS_OF_LANGUAGE, (
                f"{path.name} in encoding imports {name}"
            )


def test_there_are_sources_to_check() -> None:
    assert {path.suffix for path in SOURCES} >= {".py", ".pyx", ".pxd"}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("from boolsieve.language cimport tree", ["boolsieve.language.tree"]),
        ("cimport boolsieve.errors as e, numpy", ["boolsieve.errors"]),
        ("from ..language.tree cimport (\n    Tree,\n    Node as N,\n)", ["boolsieve.language.tree.Tree"]),
        ("from . import base", ["boolsieve.engines.base"]),
        ("    import boolsieve.cli  # late", ["boolsieve.cli"]),
        ("from libc.stdint cimport int64_t", []),
    ],
)
def test_imports_of_cython_are_found(text: str, names: list[str]) -> None:
    found = [
        name
        for name in imports_of_text(text, PACKAGE / "engines" / "some.pyx")
        if name.startswith("boolsieve")
    ]
    assert found[: len(names)] == names
    assert bool(found) == bool(names)


def test_cpp_helpers_know_no_python() -> None:
    sources = [path for path in (ROOT / "csrc").rglob("*") if path.suffix in (".hpp", ".h", ".cpp", ".cc")]
    assert sources
    for path in sources:
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"#\s*include\s*[<\"](Python|numpy/)", text), path
        assert not re.search(r"\b(printf|std::cout|std::cerr|abort|exit)\s*(\(|<<)", text), path
