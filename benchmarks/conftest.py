"""What the benchmarks share. All scenario files are checked before anything runs.

BOOLSIEVE_BENCH_SIZE sets the number of expressions of all scenarios. What a benchmark measured goes into its
`extra_info`, which `records.py` and `compare.py` read: who did it, what, on which scenario, and how much.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any

import pytest

import boolsieve as bs
import scenarios
from scenarios import Scenario

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

ROUNDS = 5  # the best counts, so a few do; more would make many engines take long


def sized_scenarios() -> list[Scenario]:
    size = os.environ.get("BOOLSIEVE_BENCH_SIZE", "")
    if size and not (size.isdecimal() and int(size)):
        raise pytest.UsageError(f"BOOLSIEVE_BENCH_SIZE: expected a number of expressions, not {size!r}")
    try:
        found = scenarios.load_all()
    except scenarios.ScenarioError as error:
        raise pytest.UsageError(f"benchmarks/scenarios/{error}") from None
    return [scenario.resized(int(size)) for scenario in found] if size else found


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Over all scenarios, and over all engines of each. Session scope keeps the tests of one index together."""
    if "built" in metafunc.fixturenames:
        pairs = [(scenario, engine) for scenario in SCENARIOS for engine in scenario.engines]
        ids = [f"{scenario.name}-{engine}" for scenario, engine in pairs]
        metafunc.parametrize("built", pairs, ids=ids, indirect=True, scope="session")
    elif "scenario" in metafunc.fixturenames:
        metafunc.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name, scope="session")


SCENARIOS: list[Scenario] = []


def pytest_configure() -> None:
    SCENARIOS[:] = sized_scenarios()


class Built:
    """An index over a scenario's expressions, which gave the expected count."""

    def __init__(self, scenario: Scenario, engine: str) -> None:
        self.scenario, self.engine = scenario, engine
        assert scenario.texts  # made before the clock runs
        start = time.perf_counter()
        self.index = scenario.index(engine)
        self.seconds = time.perf_counter() - start
        check(self.index, scenario)


def check(index: bs.Index, scenario: Scenario) -> None:
    """The expected count, by single events and by a batch."""
    assert sum(map(index.match_count, scenario.dicts)) == scenario.expected
    assert index.match_batch(scenario.dicts).total == scenario.expected


@pytest.fixture(scope="session")
def built(request: pytest.FixtureRequest) -> Built:
    return Built(*request.param)


Measure = Callable[..., Any]


@pytest.fixture
def measure(benchmark: Any) -> Measure:
    """Times a function in rounds of one call each, and notes what it did."""

    def run(
        function: Callable[..., Any],
        *arguments: Any,
        scenario: str,
        who: str,
        operation: str,
        items: int,
        rounds: int = ROUNDS,
        setup: Callable[[], Any] | None = None,
        **info: Any,
    ) -> Any:
        benchmark.extra_info |= {
            "scenario": scenario,
            "who": who,
            "operation": operation,
            "items": items,
            **info,
        }
        if setup:
            return benchmark.pedantic(function, setup=setup, rounds=rounds)
        return benchmark.pedantic(function, arguments, rounds=rounds)

    return run
