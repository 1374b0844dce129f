"""What the documentation shows is true: examples with prompts run, in the Markdown pages and in the docstrings."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
from pathlib import Path
from types import ModuleType

import pytest

import boolsieve as bs

ROOT = Path(__file__).parent.parent
PAGES = [path for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))] if path.exists()]
FENCE = re.compile(r"^```python[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS

# Modules that need something which is not installed everywhere.
OPTIONAL = {"pyspark", "typer", "rich"}


def modules() -> list[str]:
    return sorted(
        found.name for found in pkgutil.walk_packages(bs.__path__, "boolsieve.") if "._" not in found.name
    )


def run(test: doctest.DocTest) -> None:
    output: list[str] = []
    outcome = doctest.DocTestRunner(optionflags=FLAGS, verbose=False).run(test, out=output.append)
    assert outcome.failed == 0, "".join(output)


def load(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        if (error.name or "").split(".")[0] in OPTIONAL:
            pytest.skip(str(error))
        raise


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_examples_of_the_page_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The blocks of a page share their names, in order. A block with prompts is checked, one without must run."""
    monkeypatch.chdir(tmp_path)
    text = page.read_text(encoding="utf-8")
    names: dict[str, object] = {}
    for block in FENCE.finditer(text):
        line = text.count("\n", 0, block.start(1))
        if ">>>" in block[1]:
            test = doctest.DocTestParser().get_doctest(block[1], names, page.name, str(page), line)
            output: list[str] = []
            runner = doctest.DocTestRunner(optionflags=FLAGS, verbose=False)
            assert runner.run(test, out=output.append, clear_globs=False).failed == 0, "".join(output)
            names = test.globs
        else:
            compile(block[1], f"{page.name}:{line}", "exec")


@pytest.mark.parametrize("name", ["boolsieve", *modules()])
def test_docstring_examples_run(name: str) -> None:
    for test in doctest.DocTestFinder(exclude_empty=True).find(load(name), name):
        run(test)


@pytest.mark.parametrize("name", sorted(set(bs.__all__)))
def test_public_names_have_docstrings(name: str) -> None:
    assert getattr(bs, name).__doc__


def test_readme_shows_an_example_with_its_output() -> None:
    assert ">>>" in (ROOT / "README.md").read_text(encoding="utf-8")
