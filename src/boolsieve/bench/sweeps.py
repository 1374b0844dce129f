"""Runs sweeps: every contender at every point, checked against each other first, then timed within a budget.

At a point all contenders get the same texts and the same events. They are built one after the other; the events that
they match while being checked are those that are timed, so a slow one is timed on fewer. As many as fit GROUP_BYTES are
in memory at once, and passes over the events go round them, so that noise does not hit one alone. The best pass counts.

In a sweep with `updates` a contender lives from the first point to the last, and takes what is new one by one.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from inspect import signature
from math import floor, log10
from pathlib import Path
from time import perf_counter
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from boolsieve.bench import rivals
from boolsieve.bench.figures import Panel, Point, Sweep, short
from boolsieve.bench.records import Record, machine
from boolsieve.bench.rivals import Rival
from boolsieve.errors import BoolsieveError
from boolsieve.index import Index
from boolsieve.workloads import Workload

PASSES = 5
# What an engine may take to build, and again to match, at a point: seconds, or so much an expression if that is more.
SECONDS, SECONDS_AN_EXPRESSION = 5.0, 1e-4
CHECK_SHARE = 0.25  # of the time to match
GROUP_BYTES = 1 << 30
# An index of short conjunctions: 223 bytes a clause for scan, up to about 600 for engines with lists of their own.
BYTES_A_CLAUSE = 600
# A contender is first tried on a sixteenth of a point, but no fewer expressions, to see if all would take too long.
PROBE = 64
SAMPLE = 200  # expressions whose texts tell how long texts are

Event = Mapping[str, Any]


class Matcher(Protocol):
    """A built contender."""

    def counts(self, events: Sequence[Event]) -> list[int]: ...
    def seconds(self, events: Sequence[Event]) -> NDArray[np.float64]: ...
    def facts(self) -> dict[str, Any]: ...
    def update(self, texts: Sequence[str]) -> None: ...


class EngineMatcher:
    """An index with a registered engine."""

    def __init__(self, name: str, texts: list[str]) -> None:
        self._index = Index(engine=name)
        self._index.add_many(range(len(texts)), texts)

    def update(self, texts: Sequence[str]) -> None:
        """Hold these expressions instead: those that differ are removed and added, each by itself."""
        for id_, text in enumerate(texts):
            if id_ not in self._index:
                self._index.add(id_, text)
            elif str(self._index[id_]) != text:
                self._index.remove(id_)
                self._index.add(id_, text)

    def counts(self, events: Sequence[Event]) -> list[int]:
        return [self._index.match_count(event) for event in events]

    def seconds(self, events: Sequence[Event]) -> NDArray[np.float64]:
        """The time of each event."""
        count, stamps = self._index.match_count, [perf_counter()]
        for event in events:
            count(event)
            stamps.append(perf_counter())
        return np.diff(stamps)

    def facts(self) -> dict[str, Any]:
        """Bytes, and evaluations an event of those matched so far."""
        stats = self._index.stats()
        return {
            "bytes": stats["bytes"],
            "evaluations": stats["predicates_evaluated"] / max(1, stats["events_matched"]),
        }


class RivalMatcher:
    """Another package; it answers all events at once."""

    def __init__(self, kind: type[Rival], texts: list[str]) -> None:
        self._rival = kind(texts)

    def counts(self, events: Sequence[Event]) -> list[int]:
        return self._rival.counts(events)

    def seconds(self, events: Sequence[Event]) -> NDArray[np.float64]:
        """The same share of the time for each event."""
        begin = perf_counter()
        self._rival.counts(events)
        return np.full(len(events), (perf_counter() - begin) / len(events))

    def facts(self) -> dict[str, Any]:
        return {}

    def update(self, texts: Sequence[str]) -> None:
        raise NotImplementedError("expressions cannot be replaced one by one")


@dataclass(frozen=True)
class Contender:
    """Something to measure, by name; `refusals` are the errors by which it declines a workload."""

    name: str
    kind: str
    build: Callable[[list[str]], Matcher]
    refusals: tuple[type[Exception], ...]


def engine(name: str) -> Contender:
    """A registered engine as a contender."""
    return Contender(name, "engine", partial(EngineMatcher, name), (BoolsieveError, MemoryError))


def all_rivals() -> list[Contender]:
    """What users would pick instead; packages that are absent refuse every workload, and say how to get them."""
    present = [
        Contender(kind.name, "rival", partial(RivalMatcher, kind), (Exception,)) for kind in rivals.rivals()
    ]
    return present + [
        Contender(name, "rival", partial(_absent, why), (Exception,))
        for name, why in rivals.missing().items()
    ]


def _absent(why: str, _: list[str]) -> Matcher:
    raise ImportError(why)


class DisagreementError(Exception):
    """Two contenders count different matches for one event."""


@dataclass
class _Run:
    """A contender at a point: what it has shown so far."""

    contender: Contender
    matcher: Matcher
    size: int
    build_seconds: float
    counts: list[int]
    check_seconds: float
    facts: dict[str, Any]
    best: NDArray[np.float64] | None = None
    mean: float | None = None
    spent: float = 0.0

    @property
    def costs(self) -> tuple[int, float, float]:
        """How many expressions, and the seconds it took to build them and to match an event."""
        return self.size, self.build_seconds, self.check_seconds / len(self.counts)

    def time(self, events: Sequence[Event], budget: float) -> None:
        """One more pass, if the budget allows it. If the check alone took more, its time counts."""
        if self.mean is None and self.check_seconds > budget:
            self.mean = self.check_seconds / len(self.counts)
        if self.mean is not None and self.spent + self.mean * len(self.counts) > budget:
            return
        collecting = gc.isenabled()
        gc.disable()
        try:
            taken = self.matcher.seconds(events[: len(self.counts)])
        finally:
            if collecting:
                gc.enable()
        self.spent += float(taken.sum())
        self.mean = min(self.mean or np.inf, float(taken.mean()))
        self.best = taken if self.best is None else np.minimum(self.best, taken)


class Plan:
    """Panels to run at a scale, checked: parameters can be met, and the largest point fits into memory."""

    def __init__(
        self, panels: Sequence[Panel], *, scale: float | None, seed: int, changes: Mapping[str, str]
    ) -> None:
        self.panels, self.seed = panels, seed
        self.sweeps: list[Sweep] = []
        self._scale = scale
        self._changes: list[dict[str, Any]] = []
        self._bytes: list[float] = []  # of an expression at the heaviest point of each sweep
        for panel in panels:
            for sweep in panel.sweeps:
                if sweep in self.sweeps:
                    continue
                own = typed_changes(sweep, changes, panel.id)
                self.sweeps.append(sweep)
                self._changes.append(own)
                self._check(panel, sweep)

    def scale(self, sweep: Sweep) -> float:
        """The scale of a sweep: what was asked for, or its own."""
        return sweep.default_scale if self._scale is None else self._scale

    def changes(self, sweep: Sweep) -> dict[str, Any]:
        """What was asked to be other than the sweep's own."""
        return self._changes[self.sweeps.index(sweep)]

    def generators(self, sweep: Sweep) -> Iterator[tuple[Point, Workload]]:
        """Each point with its workload; points that differ in size alone share one."""
        last: tuple[Mapping[str, Any], Workload] | None = None
        for point in sweep.points:
            if last is None or last[0] != point.parameters:
                last = point.parameters, sweep.make(point, self.seed, self.changes(sweep))
            yield point, last[1]

    def bytes_an_expression(self, sweep: Sweep) -> float:
        """What an expression takes at most, roughly: its text, and an index."""
        return self._bytes[self.sweeps.index(sweep)]

    def _check(self, panel: Panel, sweep: Sweep) -> None:
        scale, needed, most = self.scale(sweep), 0.0, 0
        self._bytes.append(0.0)
        sampled: Workload | None = None
        try:
            for point, workload in self.generators(sweep):
                if workload is not sampled:
                    sampled, each = workload, bytes_an_expression(sweep, workload)
                    self._bytes[-1] = max(self._bytes[-1], each)
                needed, most = max(
                    (needed, most), (sweep.size(point, scale) * each, sweep.size(point, scale))
                )
        except ValueError as error:
            raise ValueError(f"{panel.id}: {error}") from error
        available = available_bytes()
        if needed > available:
            fits = scale * available / needed
            digits = 10.0 ** (floor(log10(fits)) - 1)
            raise ValueError(
                f"{panel.id}: {most:,} expressions need about {needed / 1e9:,.1f} GB, and {available / 1e9:,.1f} GB "
                f"are available; the largest scale that fits is {floor(fits / digits) * digits:.2g}"
            )


def typed_changes(sweep: Sweep, changes: Mapping[str, str], figure: str) -> dict[str, Any]:
    """Texts as values of the workload's parameters. ValueError for a parameter that it does not have."""
    known = {
        name: sweep.fixed.get(name, parameter.default)
        for name, parameter in signature(sweep.workload).parameters.items()
        if name != "seed" and isinstance(sweep.fixed.get(name, parameter.default), (int, float, str))
    }
    typed: dict[str, Any] = {}
    for name, text in changes.items():
        if name in sweep.varied:
            raise ValueError(f"{figure}: {name} is what the figure varies")
        if name not in known:
            raise ValueError(f"{figure}: there is no parameter {name!r}; there are {', '.join(known)}")
        try:
            typed[name] = type(known[name])(text)
        except ValueError:
            kind = type(known[name]).__name__
            raise ValueError(f"{figure}: {name} is of type {kind}, which {text!r} is not") from None
    return typed


def bytes_an_expression(sweep: Sweep, workload: Workload) -> float:
    """What an expression takes, roughly: its text, and an index."""
    length = sum(map(len, workload.expressions(SAMPLE).iter_texts())) / SAMPLE
    return 3 * length + 100 + sweep.clauses * (BYTES_A_CLAUSE + length)


def available_bytes() -> int:
    """The memory that can be had without swapping."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:
        return 1 << 62
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable")), 1 << 62)


def run_sweep(
    plan: Plan,
    sweep: Sweep,
    contenders: Sequence[Contender],
    *,
    figure: str,
    events: int | None,
    seconds: float | None,
    step: Callable[[], None],
) -> list[Record]:
    """The records of one sweep, of the panel `figure`. DisagreementError if contenders count differently."""
    scale, here = plan.scale(sweep), machine()
    records: list[Record] = []
    # Of each event at a point: who counted first, and how many matches.
    known: dict[float | str, list[tuple[str, int]]] = {}

    def together(size: int) -> int:
        return max(1, int(GROUP_BYTES / (size * plan.bytes_an_expression(sweep))))

    lasting = together(sweep.size(sweep.points[0], scale)) if sweep.updates else len(contenders)
    for first in range(0, len(contenders), lasting):
        pace = _Pace(sweep.updates)
        for point, workload in plan.generators(sweep):
            x, size = sweep.x(point, scale), sweep.size(point, scale)
            budget = max(SECONDS, SECONDS_AN_EXPRESSION * size) if seconds is None else seconds
            texts = workload.expressions(size).texts()
            drawn = workload.events(sweep.events if events is None else events).dicts()
            place = f"{figure} at {sweep.axis} = {short(x)}"
            common: dict[str, Any] = {
                "figure": figure,
                "series": sweep.label,
                "x": x,
                "expressions": size,
                "workload": sweep.describe(plan.changes(sweep)),
                "scale": scale,
                "seed": plan.seed,
                "machine": here,
            }
            group = contenders[first : first + lasting]
            for start in range(0, len(group), together(size)):
                runs: list[_Run] = []
                for contender in group[start : start + together(size)]:
                    run = pace.enter(contender, texts, drawn, budget)
                    if isinstance(run, _Run):
                        _compare(run, known.setdefault(x, []), place)
                        runs.append(run)
                    else:
                        records.append(
                            Record(engine=contender.name, kind=contender.kind, events=0, note=run, **common)
                        )
                    step()
                for _ in range(PASSES):
                    for run in runs:
                        run.time(drawn, budget * (1 - CHECK_SHARE))
                records += [_record(run, common) for run in runs]
    order = {contender.name: place for place, contender in enumerate(contenders)}
    xs = {sweep.x(point, scale): place for place, point in enumerate(sweep.points)}
    return sorted(records, key=lambda record: (xs[record.x], order[record.engine]))


class _Pace:
    """Who takes too long in a sweep, times being taken to grow with the size; and who lives on if there are updates."""

    def __init__(self, updates: bool) -> None:
        self._updates = updates
        self._living: dict[str, Matcher] = {}
        self._stopped: dict[str, str] = {}
        self._costs: dict[str, tuple[int, float, float]] = {}  # when it was last run

    def enter(
        self, contender: Contender, texts: list[str], events: Sequence[Event], budget: float
    ) -> _Run | str:
        """The contender, built and checked; or why it is left out."""
        name, size = contender.name, len(texts)
        if name not in self._costs and size > PROBE:
            probe = _begin(contender, texts[: max(PROBE, size // 16)], events[:1], budget)
            if isinstance(probe, _Run):
                self._costs[name] = probe.costs
        if name not in self._stopped and name in self._costs:
            last, *taken = self._costs[name]
            for what, seconds in zip(("construction", "an event"), taken, strict=True):
                expected = seconds * max(1.0, size / last)
                if expected > budget:
                    self._stopped[name] = f"{what} takes about {expected:.1f} s, more than {budget:g} s"
        if name in self._stopped:
            self._living.pop(name, None)
            return f"too slow: {self._stopped[name]}"
        run = _begin(contender, texts, events, budget, self._changed if self._updates else None)
        if isinstance(run, _Run):
            self._costs[name] = run.costs
        return run

    def _changed(self, contender: Contender, texts: list[str]) -> Matcher:
        """The contender, with what is new taken in."""
        if contender.name not in self._living:
            self._living[contender.name] = contender.build([])
        self._living[contender.name].update(texts)
        return self._living[contender.name]


def _begin(
    contender: Contender,
    texts: list[str],
    events: Sequence[Event],
    budget: float,
    build: Callable[[Contender, list[str]], Matcher] | None = None,
) -> _Run | str:
    """Build, and count matches until a share of the budget is spent or all events are done; or why that failed."""
    try:
        gc.collect()
        begin = perf_counter()
        matcher = build(contender, texts) if build else contender.build(texts)
        built = perf_counter()
        counts: list[int] = []
        share = 1
        while len(counts) < len(events):
            counts += matcher.counts(events[len(counts) : len(counts) + share])
            spent = perf_counter() - built
            # The next step doubles what is done, and with it the time.
            if 2 * spent > CHECK_SHARE * budget:
                break
            share = len(counts)
        return _Run(
            contender, matcher, len(texts), built - begin, counts, perf_counter() - built, matcher.facts()
        )
    except contender.refusals as error:
        lines = str(error).splitlines()
        text = lines[0] if lines else ""
        return f"{type(error).__name__}: {text[:150]}{'...' if len(text) > 150 else ''}"


def _compare(run: _Run, known: list[tuple[str, int]], place: str) -> None:
    """Compare the counts with those of the contenders before it, and remember those of further events."""
    for at, (count, (other, expected)) in enumerate(zip(run.counts, known, strict=False)):
        if count != expected:
            raise DisagreementError(
                f"{place}: {run.contender.name} finds {count} matches of event {at}, {other} finds {expected}"
            )
    known += [(run.contender.name, count) for count in run.counts[len(known) :]]


def _record(run: _Run, common: Mapping[str, Any]) -> Record:
    # Rivals answer all events at once.
    deviation = float(np.std(run.best)) if run.best is not None and run.contender.kind == "engine" else None
    return Record(
        engine=run.contender.name,
        kind=run.contender.kind,
        events=len(run.counts),
        event_seconds=run.mean,
        event_deviation=deviation,
        matches=sum(run.counts),
        build_seconds=run.build_seconds,
        **run.facts,
        **common,
    )
