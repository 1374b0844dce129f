"""Beside the engines: what users would pick instead, a plain C++ loop, and the costs that do not grow with an index."""

from __future__ import annotations

from pathlib import Path

import pytest

import boolsieve as bs
from boolsieve.bench.rivals import Rival, UnsupportedError, rivals
from conftest import SCENARIOS, Measure
from plain_loop import PlainLoop
from scenarios import Scenario

# Expressions and events that a rival gets at most: what it answers in about a second.
LIMITS = {
    "closures": (10_000, 16),
    "pandas eval": (20, 256),
    "DuckDB SQL": (200, 256),
    "DuckDB interval join": (10_000, 256),
    "polars join_where": (10_000, 64),
    "rule-engine": (200, 8),
}
CALLS = 1_000
HELD_BY_ONE = "a3 = 5 AND a7 > 2"


@pytest.mark.parametrize("rival", rivals(), ids=lambda rival: rival.name)
def test_rival(measure: Measure, scenario: Scenario, rival: type[Rival]) -> None:
    expressions, events = LIMITS[rival.name]
    texts, asked = scenario.texts[:expressions], scenario.dicts[:events]
    try:
        contender = rival(texts)
    except UnsupportedError as error:
        pytest.skip(str(error))
    index = bs.Index(engine="scan")
    index.add_many(range(len(texts)), texts)
    assert contender.counts(asked) == index.match_batch(asked).counts().tolist()
    measure(
        contender.counts,
        asked,
        rounds=2,
        scenario=scenario.name,
        who=rival.name,
        operation="batch",
        items=len(asked),
        expressions=len(texts),
    )


def test_plain_loop(measure: Measure, tmp_path: Path) -> None:
    """The arrays of `scan` in a loop without anything around it."""
    scenario = next(scenario for scenario in SCENARIOS if scenario.name == "begen")
    index = scenario.index("scan")
    loop = PlainLoop(index, tmp_path)
    keys = [loop.encode(event) for event in scenario.dicts]
    assert sum(map(loop.count, keys)) == scenario.expected
    measure(
        lambda: [loop.count(key) for key in keys],
        scenario=scenario.name,
        who="plain C++ loop",
        operation="match",
        items=len(keys),
    )


@pytest.mark.parametrize("who", ["one match", "building the dict"])
def test_one_expression(measure: Measure, who: str) -> None:
    """A match against one expression, beside what it costs to build the event."""
    index = bs.Index()
    index.add("a", HELD_BY_ONE)
    source = "{" + ", ".join(f"'a{i}': {i + 0.5 if i % 3 == 0 else i}" for i in range(15)) + "}"
    build = eval(f"lambda: {source}")
    event = build()
    assert index.match(event) == []
    assert index.match({**event, "a3": 5}) == ["a"]
    many = range(CALLS)
    calls = {
        "one match": lambda: [index.match(event) for _ in many],
        "building the dict": lambda: [build() for _ in many],
    }
    measure(calls[who], scenario="one expression, 15 pairs", who=who, operation="match", items=CALLS)


def test_parse(measure: Measure) -> None:
    text = "a17 = 5 AND b4 >= 17 AND c8 IN (3, 10, 303) AND name = 'v77'"
    parsed = measure(
        lambda: [bs.parse(text) for _ in range(CALLS)],
        scenario="text of four predicates",
        who="bs.parse",
        operation="parse",
        items=CALLS,
    )
    assert parsed[0] == bs.parse(text)
