"""The fixture `new_index`: every registered engine, in every variant that its class lists in `test_variants`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import boolsieve as bs


def configurations() -> list[Any]:
    """One parameter an engine and variant: a function that gives what `Index(engine=...)` takes.

    `test_variants` is a list of keyword arguments for the engine's class.
    """
    found = []
    for name in bs.engines.names():
        found.append(pytest.param(lambda name=name: name, id=name))
        engine = type(bs.engines.create(name))
        for options in getattr(engine, "test_variants", []):
            label = "-".join([name, *(f"{option}={value}" for option, value in options.items())])
            found.append(pytest.param(lambda engine=engine, options=options: engine(**options), id=label))
    return found


@pytest.fixture(scope="session", params=configurations())
def new_index(request: pytest.FixtureRequest) -> Callable[[], bs.Index]:
    """Makes an empty index. Random expressions may need many clauses, so the budget is wide."""
    return lambda: bs.Index(engine=request.param(), max_clauses=100_000)
