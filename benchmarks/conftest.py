"""Benchmarks run on BOOLSIEVE_BENCH_SIZE expressions, 100,000 unless told otherwise."""

from __future__ import annotations

import os

import pytest

import boolsieve as bs
import workload


def pytest_configure() -> None:
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


@pytest.fixture(scope="session")
def size() -> int:
    return int(os.environ.get("BOOLSIEVE_BENCH_SIZE", "100000"))


@pytest.fixture(scope="session", params=bs.engines.names())
def index(request: pytest.FixtureRequest, size: int) -> bs.Index:
    """Conjunctions of seven predicates, on every engine."""
    index = bs.Index(engine=request.param)
    index.add_many(range(size), workload.conjunctions(size))
    return index
