"""Sweeps: what is measured is right, contenders are checked against each other, and none takes too long."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import boolsieve as bs
from boolsieve.bench import rivals, sweeps
from boolsieve.bench.figures import Point, Sweep, select
from boolsieve.bench.records import Record
from boolsieve.bench.sweeps import (
    Contender,
    DisagreementError,
    EngineMatcher,
    Matcher,
    Plan,
    all_rivals,
    engine,
    run_sweep,
)
from boolsieve.workloads import BEGen

SCALE = 1e-4  # 10 to 100 expressions


def run(
    name: str,
    contenders: Sequence[Contender],
    scale: float = SCALE,
    seconds: float | None = None,
    events: int = 5,
) -> list[Record]:
    panel = select(name)[0]
    plan = Plan([panel], scale=scale, seed=3, changes={})
    return run_sweep(
        plan, panel.sweeps[0], contenders, figure=name, events=events, seconds=seconds, step=lambda: None
    )


class Wrong(EngineMatcher):
    """Counts one more for the third event."""

    def counts(self, events: Sequence[Any]) -> list[int]:
        right = super().counts(events)
        self.asked = getattr(self, "asked", 0)
        wrong = [count + (self.asked + at == 2) for at, count in enumerate(right)]
        self.asked += len(right)
        return wrong


def contender(name: str, build: Callable[[list[str]], Matcher]) -> Contender:
    return Contender(name, "engine", build, (bs.BoolsieveError,))


def test_records_hold_what_an_index_says() -> None:
    records = run("betree-5a", [engine("scan")])
    assert [record.expressions for record in records] == [10, 40, 70, 100]
    for record in records:
        workload = BEGen(seed=3)
        index = bs.Index("scan")
        index.add_many(range(record.expressions), workload.expressions(record.expressions).texts())
        events = workload.events(5).dicts()
        assert record.matches == sum(map(index.match_count, events))
        stats = index.stats()
        assert record.bytes == stats["bytes"]
        assert record.evaluations == stats["predicates_evaluated"] / 5
        assert (record.events, record.x, record.seed, record.note) == (5, record.expressions, 3, "")
        assert record.event_seconds is not None
        assert record.event_seconds > 0
        assert record.event_deviation is not None
        assert record.build_seconds is not None
        assert record.workload == "BEGen()"


def test_a_disagreement_names_engine_point_and_event() -> None:
    wrong = contender("wrong", lambda texts: Wrong("scan", texts))
    with pytest.raises(
        DisagreementError, match=r"betree-5a at .*N = 10: wrong finds \d+ matches of event 2, scan"
    ):
        run("betree-5a", [engine("scan"), wrong])


def test_an_engine_that_refuses_is_noted_and_others_go_on() -> None:
    def refuse(texts: list[str]) -> Matcher:
        if len(texts) > 40:
            raise bs.BudgetError(f"{len(texts)} are too many\nsecond line")
        return EngineMatcher("scan", texts)

    records = run("betree-5a", [engine("scan"), contender("small", refuse)])
    notes = {(record.engine, record.expressions): record.note for record in records}
    assert notes["small", 40] == ""
    assert notes["small", 70] == "BudgetError: 70 are too many"
    refused = [record for record in records if record.note]
    assert all(record.event_seconds is None and record.events == 0 for record in refused)
    assert not any(record.note for record in records if record.engine == "scan")


def test_errors_that_are_no_refusals_are_not_hidden() -> None:
    def fail(texts: list[str]) -> Matcher:
        raise RuntimeError("a bug")

    with pytest.raises(RuntimeError, match="a bug"):
        run("betree-5a", [contender("buggy", fail)])


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Time that passes only when a test says so."""
    now = [0.0]
    monkeypatch.setattr(sweeps, "perf_counter", lambda: now[0])
    return now


def test_slow_construction_ends_a_contender_before_it_exceeds_the_budget(clock: list[float]) -> None:
    built = []

    def slow(texts: list[str]) -> Matcher:
        built.append(len(texts))
        clock[0] += 0.05 * len(texts)
        return EngineMatcher("scan", texts)

    records = run("betree-5a", [contender("slow", slow)], seconds=3)
    assert built == [10, 40]
    assert [record.note for record in records] == [
        "",
        "",
        "too slow: construction takes about 3.5 s, more than 3 s",
        "too slow: construction takes about 3.5 s, more than 3 s",
    ]


def test_the_first_point_is_probed_on_a_part(clock: list[float]) -> None:
    built = []

    def slow(texts: list[str]) -> Matcher:
        built.append(len(texts))
        clock[0] += len(texts)
        return EngineMatcher("scan", texts)

    records = run("betree-5a", [contender("slow", slow)], scale=0.02, seconds=100)
    assert built == [2_000 // 16]
    assert all("construction takes about" in record.note for record in records)


class Slow(EngineMatcher):
    """A second an event."""

    def __init__(self, clock: list[float], texts: list[str]) -> None:
        super().__init__("scan", texts)
        self._clock = clock

    def counts(self, events: Sequence[Any]) -> list[int]:
        self._clock[0] += len(events)
        return super().counts(events)

    def seconds(self, events: Sequence[Any]) -> Any:
        self._clock[0] += len(events)
        return np.ones(len(events))


def test_slow_matching_is_timed_on_fewer_events(clock: list[float]) -> None:
    records = run(
        "betree-5a",
        [engine("scan"), contender("slow", lambda texts: Slow(clock, texts))],
        seconds=32,
        events=50,
    )
    slow = [record for record in records if record.engine == "slow"]
    # 1 + 1 + 2 + 4 events take 8 of 32 seconds, the share for checks; the rest is for passes.
    assert slow[0].events == 8
    assert slow[0].event_seconds == 1.0
    fast = next(record for record in records if record.engine == "scan")
    assert fast.events == 50


def test_a_check_that_takes_all_time_is_the_measurement(clock: list[float]) -> None:
    (first, *_) = run("betree-5a", [contender("slow", lambda texts: Slow(clock, texts))], seconds=1)
    assert (first.events, first.event_seconds) == (1, 1.0)


def test_contenders_that_do_not_fit_together_go_one_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    alive: list[str] = []
    most = [0]

    class Counted(EngineMatcher):
        def __init__(self, texts: list[str]) -> None:
            super().__init__("scan", texts)
            alive.append("")
            most[0] = max(most[0], len(alive))

        def __del__(self) -> None:
            alive.pop()

    contenders = [contender(f"c{at}", Counted) for at in range(3)]
    assert len(run("betree-5a", contenders)) == 12
    assert most[0] == 3
    most[0] = 0
    monkeypatch.setattr(sweeps, "GROUP_BYTES", 1)
    together = run("betree-5a", contenders)
    assert most[0] <= 2  # one, and the next while it is built
    assert [record.engine for record in together[:3]] == ["c0", "c1", "c2"]


def test_impossible_parameters_are_refused_before_any_work() -> None:
    with pytest.raises(
        ValueError, match=r"opindex-10b: max_size: 16 distinct attributes cannot be drawn from 12"
    ):
        Plan(select("opindex-10b"), scale=SCALE, seed=0, changes={"dimensions": "12", "max_event_size": "10"})
    with pytest.raises(ValueError, match=r"betree-6a: dimensions is what the figure varies"):
        Plan(select("betree-6"), scale=SCALE, seed=0, changes={"dimensions": "12"})
    with pytest.raises(ValueError, match=r"no parameter 'sise'; there are dimensions, cardinality"):
        Plan(select("betree-5"), scale=SCALE, seed=0, changes={"sise": "12"})
    with pytest.raises(ValueError, match=r"dimensions is of type int, which 'x' is not"):
        Plan(select("betree-5"), scale=SCALE, seed=0, changes={"dimensions": "x"})


def test_changes_reach_the_workload() -> None:
    plan = Plan(select("betree-5b"), scale=SCALE, seed=9, changes={"dimensions": "50", "range_size": "0.5"})
    for _, workload in plan.generators(plan.sweeps[0]):
        assert isinstance(workload, BEGen)
        assert (workload.dimensions, workload.range_size, workload.seed) == (50, 0.5, 9)
        assert workload.zipf > 0


def test_a_scale_that_does_not_fit_memory_says_which_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sweeps, "available_bytes", lambda: 10_000_000)
    with pytest.raises(
        ValueError, match=r"100,000 expressions need about 0\.\d GB, and 0\.0 GB are"
    ) as caught:
        Plan(select("betree-5a"), scale=0.1, seed=0, changes={})
    fits = float(str(caught.value).rpartition(" ")[2])
    assert 0 < fits < 0.1
    Plan(select("betree-5a"), scale=fits, seed=0, changes={})


def test_available_memory_is_known() -> None:
    assert 1 << 20 < sweeps.available_bytes() < 1 << 50


def test_panels_that_share_a_sweep_run_it_once() -> None:
    assert len(Plan(select("opindex-1"), scale=SCALE, seed=0, changes={}).sweeps) == 1
    assert len(Plan(select("opindex-13a"), scale=SCALE, seed=0, changes={}).sweeps) == 2


def test_rivals_count_as_engines_do() -> None:
    # On a busy machine too, all of them are to match all events.
    records = run("tatbul-8", [engine("scan"), *all_rivals()], scale=0.2, seconds=600)
    first = [record for record in records if record.x == 0.1]
    measured = {record.engine: record.matches for record in first if not record.note}
    assert {kind.name for kind in rivals.rivals()} <= set(measured)
    assert len(set(measured.values())) == 1
    assert all(record.event_deviation is None for record in first if record.kind == "rival")


def test_absent_rivals_are_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rivals, "rivals", list)
    monkeypatch.setattr(rivals, "missing", lambda: {"ghost": "needs ghost: pip install ghost"})
    records = run("betree-5a", [engine("scan"), *all_rivals()])
    assert {record.note for record in records if record.engine == "ghost"} == {
        "ImportError: needs ghost: pip install ghost"
    }


def test_sweep_by_name_has_one_record_a_name() -> None:
    sweep = Sweep(
        "data", BEGen, (Point("few", 10, {"dimensions": 20}), Point("many", 10, {"dimensions": 40}))
    )
    panel = select("betree-table5a")[0]
    plan = Plan([panel.__class__(**{**vars(panel), "sweeps": (sweep,)})], scale=1, seed=0, changes={})
    records = run_sweep(plan, sweep, [engine("scan")], figure="x", events=3, seconds=None, step=lambda: None)
    assert [record.x for record in records] == ["few", "many"]


def test_a_contender_lives_through_a_sweep_with_updates() -> None:
    built: list[int] = []
    updated: list[list[str]] = []

    class Watched(EngineMatcher):
        def __init__(self, texts: list[str]) -> None:
            built.append(len(texts))
            super().__init__("scan", texts)

        def update(self, texts: Sequence[str]) -> None:
            super().update(texts)
            updated.append(list(texts))
            assert [str(self._index[id_]) for id_ in range(len(texts))] == updated[-1]

    panel = select("betree-13a")[0]
    records = run("betree-13a", [contender("watched", Watched), engine("scan"), *all_rivals()], scale=4e-5)
    assert built == [0]
    plan = Plan([panel], scale=4e-5, seed=3, changes={})
    expected = [workload.expressions(40).texts() for _, workload in plan.generators(panel.sweeps[0])]
    assert updated == expected
    assert expected[0] == expected[-1] != expected[4]
    notes = {record.note for record in records if record.kind == "rival"}
    assert notes == {"NotImplementedError: expressions cannot be replaced one by one"}
    for x in (0, 1, 2):
        index = bs.Index("scan")
        index.add_many(range(40), expected[4 * x])
        events = list(plan.generators(panel.sweeps[0]))[4 * x][1].events(5).dicts()
        counted = {r.matches for r in records if r.x == x and r.kind == "engine"}
        assert counted == {sum(map(index.match_count, events))}
