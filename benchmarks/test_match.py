"""Matching one event, and a batch of mappings; for `scan` also the loops it is measured against."""

from __future__ import annotations

from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

import boolsieve as bs
import workload
from rivals import PlainLoop, closure

EVENTS = workload.events(64)
HELD_BY_ONE = "a3 = 5 AND a7 > 2"


def test_match(benchmark: Any, index: bs.Index) -> None:
    events = cycle(EVENTS)
    reference = index.match_batch(EVENTS).counts().tolist()
    assert [index.match_count(event) for event in EVENTS] == reference
    benchmark(lambda: index.match_count(next(events)))


def test_match_batch(benchmark: Any, index: bs.Index) -> None:
    rows = EVENTS * 16
    total = sum(index.match_count(event) for event in EVENTS)
    assert benchmark(index.match_batch, rows).total == 16 * total
    benchmark.extra_info["microseconds an event"] = round(benchmark.stats["min"] / len(rows) * 1e6, 2)


def test_plain_loop(benchmark: Any, size: int, tmp_path: Path) -> None:
    index = bs.Index(engine="scan")
    index.add_many(range(size), workload.conjunctions(size))
    loop = PlainLoop(index, tmp_path)
    keys = [loop.encode(event) for event in EVENTS]
    assert [loop.count(k) for k in keys] == [index.match_count(event) for event in EVENTS]
    turns = cycle(keys)
    benchmark(lambda: loop.count(next(turns)))


def test_closures(benchmark: Any, size: int) -> None:
    checks = [closure(clause) for clause in workload.terms(size)]
    index = bs.Index(engine="scan")
    index.add_many(range(size), workload.conjunctions(size))
    event = EVENTS[0]
    found = benchmark.pedantic(lambda: [i for i, check in enumerate(checks) if check(event)], rounds=3)
    assert found == index.match(event)


@pytest.mark.parametrize("job", ["match", "build the dict"])
def test_one_expression(benchmark: Any, job: str) -> None:
    """A match against one expression beside what it costs to build the event."""
    index = bs.Index()
    index.add("a", HELD_BY_ONE)
    source = "{" + ", ".join(f"'a{i}': {i + 0.5 if i % 3 == 0 else i}" for i in range(15)) + "}"
    build = eval(f"lambda: {source}")
    event = build()
    assert index.match(event) == []
    assert index.match({**event, "a3": 5}) == ["a"]
    if job == "match":
        benchmark(index.match, event)
    else:
        benchmark(build)
