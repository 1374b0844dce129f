"""Every engine on every scenario: build, match, batch, update, memory, load; and encoding, which engines share.

The index has given the expected count before anything is timed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import boolsieve as bs
from conftest import Built, Measure, check
from scenarios import Scenario

UPDATES = 500


def told(built: Built, operation: str, items: int) -> dict[str, Any]:
    return {"scenario": built.scenario.name, "who": built.engine, "operation": operation, "items": items}


def test_build(measure: Measure, built: Built) -> None:
    scenario = built.scenario
    index = measure(scenario.index, built.engine, rounds=3, **told(built, "build", scenario.expressions))
    check(index, scenario)


def test_match(measure: Measure, built: Built) -> None:
    index, events = built.index, built.scenario.dicts

    def match() -> None:
        for event in events:
            index.match_count(event)

    measure(match, **told(built, "match", len(events)))


def test_batch(measure: Measure, built: Built) -> None:
    events = built.scenario.dicts
    found = measure(built.index.match_batch, events, **told(built, "batch", len(events)))
    assert found.total == built.scenario.expected


def test_update(measure: Measure, built: Built) -> None:
    """An expression leaves and comes back."""
    scenario = built.scenario
    ids = np.random.default_rng(1).permutation(scenario.expressions)[:UPDATES].tolist()
    changes = [(id_, scenario.texts[id_]) for id_ in ids]
    copies: list[bs.Index] = []

    def update() -> None:
        index = copies[-1]
        for id_, text in changes:
            index.remove(id_)
            index.add(id_, text)

    measure(
        update,
        setup=lambda: copies.append(built.index.copy()),
        rounds=3,
        **told(built, "update", len(changes)),
    )
    check(copies[-1], scenario)


def test_memory(measure: Measure, built: Built) -> None:
    """Bytes, not seconds: they are what is recorded."""
    size = built.index.stats()["bytes"]
    measure(built.index.stats, rounds=1, bytes=size, **told(built, "memory", built.scenario.expressions))


def test_load(measure: Measure, built: Built, tmp_path: Path, benchmark: Any) -> None:
    path = tmp_path / "index.bsv"
    built.index.save(path)
    index = measure(bs.Index.load, path, **told(built, "load", built.scenario.expressions))
    check(index, built.scenario)
    if benchmark.stats is not None:  # measured, not only tried
        benchmark.extra_info["build_to_load"] = round(built.seconds / benchmark.stats.stats.min)


@pytest.mark.parametrize("form", ["dicts", "Arrow"])
def test_encode(measure: Measure, scenario: Scenario, form: str) -> None:
    """All attributes are known, and one conjunction asks for values that no event has: what is left is encoding."""
    columns = scenario.event_columns
    asked = [
        bs.attr(columns.space.names[at]) == ("no such word" if columns.space.textual[at] else -987654321)
        for at in np.unique(columns.attributes).tolist()
    ]
    index = bs.Index(engine="scan")
    index.add(0, " AND ".join(map(str, asked)))
    events = scenario.dicts if form == "dicts" else columns.arrow()
    found = measure(
        index.match_batch,
        events,
        scenario=scenario.name,
        who=form,
        operation="encode",
        items=scenario.events,
    )
    assert found.total == 0
