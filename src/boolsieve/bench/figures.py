"""The papers' figures as a table: what varies, over which workload, what is measured, and what the paper says of it.

A panel is one diagram, `opindex-10a`. It shows one measure of one sweep (of two, where the paper draws two kinds of
workload into one diagram). Numbers and letters are the papers'. Our copies have lost the pictures: the letters of
OpIndex 12, which its text does not name one by one, follow the order of its figure 11.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Any

import numpy as np

from boolsieve.workloads import (
    Advertisements,
    BEGen,
    BEGenTransition,
    Dexin,
    OpIndexKeywords,
    OpIndexNormalForm,
    OpIndexPrefix,
    OpIndexProducts,
    OpIndexSynthetic,
    PSTreeDense,
    PSTreeSparse,
    QGrams,
    QueryLog,
    Tatbul,
    Workload,
    vocabulary,
)

# Expressions at the largest point of a sweep, at most, if no scale is asked for: seconds an engine.
DEFAULT_EXPRESSIONS = 50_000
# CNF and DNF expressions are many clauses each.
DEFAULT_NORMAL_FORMS = 5_000

K, M = 1_000, 1_000_000
# The papers name no exponents of their Zipf distributions. With 2 an event satisfies some predicate in 79 percent of
# BEGen's expressions (with 1 in 47); BE-Tree's text says in 80 to 90.
BETREE_ZIPF = 2.0
DEXIN_ZIPF = 1.0


@dataclass(frozen=True)
class Paper:
    """Where figures come from."""

    name: str
    reference: str


PAPERS = {
    "opindex": Paper(
        "OpIndex",
        "D. Zhang, C.-Y. Chan, K.-L. Tan: An Efficient Publish/Subscribe Index for E-Commerce Databases, VLDB 2014",
    ),
    "betree": Paper(
        "BE-Tree",
        "M. Sadoghi, H.-A. Jacobsen: BE-Tree: An Index Structure to Efficiently Match Boolean Expressions over "
        "High-dimensional Discrete Space, SIGMOD 2011",
    ),
    "dexin": Paper(
        "DEXIN",
        "W. Fan, Y. Liu, B. Tang: DEXIN: A Fast Content-based Multi-attribute Event Matching Algorithm Using Dynamic "
        "Exclusive and Inclusive Methods, FGCS 2016",
    ),
    "pstree": Paper(
        "PS-Tree",
        "S. Ji, H.-A. Jacobsen: PS-Tree-based Efficient Boolean Expression Matching for High-dimensional and Dense "
        "Workloads, VLDB 2018",
    ),
    "tatbul": Paper(
        "Tatbul", "N. Tatbul: Index Structures and Algorithms for Efficient Profile Matching, 2001"
    ),
}


@dataclass(frozen=True)
class Measure:
    """What a diagram shows: a column of the records times a factor."""

    what: str
    unit: str
    column: str
    factor: float = 1.0

    @property
    def label(self) -> str:
        return f"{self.what} ({self.unit})" if self.unit else self.what


MEASURES = {
    "time": Measure("matching time", "ms an event", "event_seconds", 1e3),
    "deviation": Measure("standard deviation of the matching time", "ms", "event_deviation", 1e3),
    "build": Measure("construction time", "s", "build_seconds"),
    "memory": Measure("memory", "MB", "bytes", 1e-6),
    "evaluations": Measure("predicates evaluated an event", "", "evaluations"),
}


@dataclass(frozen=True)
class Point:
    """One x of a sweep: the paper's number of expressions, and the parameters that are particular to it."""

    x: float | str
    expressions: int
    parameters: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Sweep:
    """Points over one workload. If `by_size`, x is the number of expressions, and scales with it."""

    axis: str
    workload: Callable[..., Workload]
    points: tuple[Point, ...]
    fixed: Mapping[str, Any] = field(default_factory=dict)
    label: str = ""
    by_size: bool = False
    log_x: bool = False
    most: int = DEFAULT_EXPRESSIONS
    clauses: int = 1  # of an expression's normal form, on average: how much memory it takes
    events: int = 200
    updates: bool = False  # whether expressions become those of the next point by single removals and inserts

    @property
    def largest(self) -> int:
        """The paper's number of expressions at the largest point."""
        return max(point.expressions for point in self.points)

    @property
    def default_scale(self) -> float:
        """The greatest of 1, 0.5, 0.2, 0.1, ... that keeps to `most` expressions."""
        steps = (digit * 10.0**power for power in range(0, -9, -1) for digit in (1, 0.5, 0.2))
        return next(round(step, 12) for step in steps if step * self.largest <= self.most)

    @property
    def is_categorical(self) -> bool:
        """Whether the points have names instead of numbers."""
        return isinstance(self.points[0].x, str)

    @property
    def varied(self) -> set[str]:
        """The parameters that differ from point to point."""
        return {name for point in self.points for name in point.parameters}

    def size(self, point: Point, scale: float) -> int:
        """How many expressions a point has at a scale."""
        return max(1, round(point.expressions * scale))

    def x(self, point: Point, scale: float) -> float | str:
        """A point's place on the axis at a scale."""
        return self.size(point, scale) if self.by_size else point.x

    def describe(self, changes: Mapping[str, Any]) -> str:
        """The generator and what is fixed of its parameters."""
        fixed = ", ".join(f"{name}={value!r}" for name, value in {**self.fixed, **changes}.items())
        return f"{self.workload.__name__}({fixed})"

    def make(self, point: Point, seed: int, changes: Mapping[str, Any]) -> Workload:
        """The generator of a point. ValueError for parameters that cannot be met."""
        return self.workload(**{**self.fixed, **changes, **point.parameters, "seed": seed})


@dataclass(frozen=True)
class Panel:
    """A diagram: a measure of one or two sweeps, and the paper's claim about it in a sentence."""

    paper: str
    number: str
    letter: str
    measure: str
    sweeps: tuple[Sweep, ...]
    claim: str
    log_y: bool = True

    @property
    def id(self) -> str:
        return f"{self.figure}{self.letter}"

    @property
    def figure(self) -> str:
        """The figure that the panel belongs to."""
        return f"{self.paper}-{self.number}"

    @property
    def name(self) -> str:
        """As people cite it: BE-Tree, figure 5a."""
        kind, number = (
            ("table", self.number[5:]) if self.number.startswith("table") else ("figure", self.number)
        )
        return f"{PAPERS[self.paper].name}, {kind} {number}{self.letter}"

    @property
    def varies(self) -> str:
        """What varies, from where to where, in the paper."""
        sweep = self.sweeps[0]
        if sweep.is_categorical:
            return f"{sweep.axis}: {', '.join(str(point.x) for point in sweep.points)}"
        kinds = " and ".join(each.label or each.describe({}) for each in self.sweeps)
        return f"{sweep.axis}: {short(sweep.points[0].x)} to {short(sweep.points[-1].x)}; {kinds}"


def short(number: float | str) -> str:
    """A number as papers write it.

    >>> short(1_500_000), short(300_000), short(0.001), short("Zipf")
    ('1.5M', '300K', '0.001', 'Zipf')
    """
    if isinstance(number, str):
        return number
    for unit, letter in ((M, "M"), (K, "K")):
        if number >= unit:
            return f"{number / unit:.4g}{letter}"
    return f"{number:.4g}"


def amount(value: float) -> str:
    """A measured value with three digits.

    >>> amount(0.012345), amount(12.345), amount(12345.6)
    ('0.0123', '12.3', '12,346')
    """
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def _by_size(workload: Callable[..., Workload], sizes: Iterable[float], **more: Any) -> Sweep:
    points = tuple(Point(int(size), int(size)) for size in sizes)
    return Sweep("expressions, N", workload, points, by_size=True, **more)


def _by(
    axis: str,
    name: str,
    workload: Callable[..., Workload],
    values: Sequence[float],
    expressions: float,
    **more: Any,
) -> Sweep:
    points = tuple(Point(value, int(expressions), {name: value}) for value in values)
    return Sweep(axis, workload, points, **more)


def authors(*, strings: int = 50_000, seed: int = 0) -> QGrams:
    """Made-up names of two words, with about 8 q-grams: stand for the authors of DBLP."""
    return QGrams(strings=_made_up(strings, 2, 6, seed), seed=seed)


def titles(*, strings: int = 20_000, seed: int = 0) -> QGrams:
    """Made-up titles of six words, with about 35 q-grams: stand for the titles of DBLP."""
    return QGrams(strings=_made_up(strings, 6, 9, seed), seed=seed)


def _made_up(count: int, words: int, longest: int, seed: int) -> list[str]:
    known = np.array([word for word in vocabulary(20_000, seed=seed) if len(word) <= longest])
    drawn = np.random.default_rng([seed, *b"strings"]).integers(0, len(known), (count, words))
    return [" ".join(row) for row in known[drawn].tolist()]


# OpIndex, section 7 and table 3. The default of N is not legible in our copy: 1M is the first of its row.

_OP_N = _by_size(OpIndexSynthetic, (M, 10 * M, 20 * M, 30 * M, 40 * M))
_OP_D = _by("dimensions, d", "dimensions", OpIndexSynthetic, (20 * K, 30 * K, 40 * K, 50 * K, 60 * K), M)
_OP_SIZE = _by("largest expression size, Γmax", "max_size", OpIndexSynthetic, (4, 8, 12, 16, 20), M)
_OP_EVENT = _by("largest event size, m", "max_event_size", OpIndexSynthetic, (20, 40, 60, 80, 100, 120), M)
_OP_EQUAL = _by("share of =, θ1", "equality", OpIndexSynthetic, (0.2, 0.4, 0.6, 0.8, 1.0), M)
_OP_VALUES = _by(
    "values of an attribute, σ", "value_space", OpIndexSynthetic, (50, 200, 800, 3200, 12800), M, log_x=True
)
_OP_ZIPF = _by("exponent of Zipf", "zipf", OpIndexSynthetic, (0.0, 0.2, 0.4, 0.6, 0.8, 1.0), M)
_AOL = (M, 2 * M, 3 * M, 4 * M, 5 * M)
_TWEETS = {"document_size": 5}
_AOL_EQ = _by_size(OpIndexKeywords, _AOL, fixed={"operator": "="})
_AOL_IN = _by_size(OpIndexKeywords, _AOL, fixed={"operator": "BETWEEN"})
_EBAY_EQ = _by_size(OpIndexProducts, _AOL, fixed={"membership": 0.0})
_EBAY_IN = _by_size(OpIndexProducts, _AOL, fixed={"membership": 1.0})
_EBAY_SIZE_EQ = replace(_OP_SIZE, workload=OpIndexProducts, fixed={"membership": 0.0})
_EBAY_SIZE_IN = replace(_OP_SIZE, workload=OpIndexProducts, fixed={"membership": 1.0})
_FORMS = tuple(
    _by_size(
        OpIndexNormalForm,
        (M, 5 * M, 10 * M, 15 * M, 20 * M),
        fixed={"form": form},
        label=form.upper(),
        clauses=clauses,
        most=DEFAULT_NORMAL_FORMS,
    )
    for form, clauses in (("cnf", 32), ("dnf", 3))
)
# Up to 5 clauses, as many as fit the budget of 1,024 conjunctions that an index has (4 predicates a clause).
_FORMS_SIZE = tuple(
    replace(
        _by("most clauses of an expression", "max_clauses", OpIndexNormalForm, (1, 2, 3, 4, 5), M),
        fixed=each.fixed,
        label=each.label,
        clauses=each.clauses,
        most=each.most,
    )
    for each in _FORMS
)
_PREFIX = _by("share of prefix predicates", "prefix_share", OpIndexPrefix, (0.2, 0.4, 0.6, 0.8, 1.0), M)
_PREFIX_LENGTH = _by("characters of a prefix", "prefix_length", OpIndexPrefix, (1, 2, 3, 4, 5), M)

_SLOW_BUILD = (
    "Construction in very high dimensions takes BE-Tree orders of magnitude longer than OpIndex; k-index is about as "
    "fast with = alone and slower once {} has to be enumerated."
)
_TWITTER = "Short events: OpIndex is 4 to 9 times as fast as BE-Tree and two orders of magnitude faster than k-index."
_WIKIPEDIA = "With events of more than 100 words OpIndex is still the fastest."
_EBAY = "OpIndex has the best matching time at every N."
_EBAY_LONG = "OpIndex is the fastest, and its lead over BE-Tree grows with the size of the expressions."


def _opindex() -> Iterator[Panel]:
    for number, letter, measure, sweeps, claim in (
        (
            "1",
            "a",
            "build",
            _OP_D,
            "k-index and OpIndex are built far faster than BE-Tree as dimensions grow.",
        ),
        (
            "1",
            "b",
            "time",
            _OP_D,
            "Inverted lists (k-index) scale better with dimensions than BE-Tree; OpIndex is faster than both.",
        ),
        (
            "8",
            "a",
            "memory",
            _OP_N,
            "Memory grows slowly; BE-Tree takes about twice as much as OpIndex, k-index seven times as much.",
        ),
        (
            "8",
            "b",
            "memory",
            _OP_VALUES,
            "OpIndex' memory does not depend on the value space; BE-Tree's grows tenfold, k-index runs out of memory.",
        ),
        (
            "9",
            "a",
            "build",
            _OP_N,
            "OpIndex inserts three orders of magnitude faster than BE-Tree and one faster than k-index.",
        ),
        (
            "9",
            "b",
            "build",
            _OP_SIZE,
            "OpIndex keeps the lowest insertion time as expressions get longer; k-index pays for each range.",
        ),
        (
            "10",
            "a",
            "time",
            _OP_N,
            "OpIndex has the best matching time at every N, 10 times and more below k-index; BE-Tree scales well.",
        ),
        (
            "10",
            "b",
            "time",
            _OP_SIZE,
            "OpIndex scales best with the size of expressions; k-index grows linearly, BE-Tree gets far slower at 20.",
        ),
        (
            "10",
            "c",
            "time",
            _OP_EVENT,
            "All are sensitive to the size of events: OpIndex grows as BE-Tree does, k-index is worst.",
        ),
        (
            "10",
            "d",
            "time",
            _OP_EQUAL,
            "All get faster with more equalities, k-index and BE-Tree far more so than OpIndex.",
        ),
        ("10", "e", "time", _OP_VALUES, "Matching time hardly depends on the value space, for all indexes."),
        (
            "10",
            "f",
            "time",
            _OP_ZIPF,
            "OpIndex is the fastest at every skew and scales better with it than k-index.",
        ),
        ("11", "a", "build", _AOL_EQ, _SLOW_BUILD.format("an interval")),
        ("11", "b", "build", _AOL_IN, _SLOW_BUILD.format("an interval")),
        ("11", "c", "time", replace(_AOL_EQ, fixed={**_AOL_EQ.fixed, **_TWEETS}), _TWITTER),
        ("11", "d", "time", replace(_AOL_IN, fixed={**_AOL_IN.fixed, **_TWEETS}), _TWITTER),
        ("11", "e", "time", _AOL_EQ, _WIKIPEDIA),
        ("11", "f", "time", _AOL_IN, _WIKIPEDIA),
        ("12", "a", "build", _EBAY_EQ, _SLOW_BUILD.format("a set")),
        ("12", "b", "build", _EBAY_IN, _SLOW_BUILD.format("a set")),
        ("12", "c", "time", _EBAY_EQ, _EBAY),
        ("12", "d", "time", _EBAY_IN, _EBAY),
        ("12", "e", "time", _EBAY_SIZE_EQ, _EBAY_LONG),
        ("12", "f", "time", _EBAY_SIZE_IN, _EBAY_LONG),
        (
            "13",
            "a",
            "time",
            _FORMS,
            "DNF scales better with N than CNF, because a CNF may be stored under several pivots.",
        ),
        (
            "13",
            "b",
            "time",
            _FORMS_SIZE,
            "CNF scales better with the number of clauses: one of them more often has a single predicate.",
        ),
        (
            "14",
            "a",
            "time",
            _PREFIX,
            "A prefix costs more than an equality, but even with prefixes alone an event takes less than 0.4 ms.",
        ),
        (
            "14",
            "b",
            "time",
            _PREFIX_LENGTH,
            "Longer prefixes leave the time stable, or a little better since fewer match.",
        ),
    ):
        group = sweeps if isinstance(sweeps, tuple) else (sweeps,)
        yield Panel("opindex", number, letter, measure, group, claim)


# BE-Tree, section 7 and table 3: the left diagram is uniform, the right one Zipf.


def _both(sweep: Sweep) -> tuple[Sweep, Sweep]:
    return sweep, replace(sweep, fixed={**sweep.fixed, "zipf": BETREE_ZIPF})


def _betree() -> Iterator[Panel]:
    sizes = ((5, 13), (14, 20), (25, 36), (38, 52), (52, 66), (66, 81))
    selectivity = tuple(
        Point(round(1 - 1 / cardinality, 2), 100 * K, {"cardinality": cardinality})
        for cardinality in (2, 3, 4, 5, 7, 10)
    )
    cardinalities = (48, 150, 1_500, 6 * K, 30 * K, 150 * K)
    probabilities = (0.0001, 0.001, 0.01, 0.03, 0.06, 0.09)

    def by_probability(operators: str) -> Sweep:
        return _by(
            "match probability",
            "match_probability",
            BEGen,
            probabilities,
            M,
            fixed={"operators": operators},
            log_x=True,
        )

    for number, letters, sweep, uniform, zipf in (
        (
            "5",
            "ab",
            _by_size(BEGen, range(100 * K, M + 1, 300 * K)),
            "All scale linearly with the expressions that match; BE-Tree needs 80% less time than the next best.",
            "Under Zipf BE-Tree needs 63% less time than the next best; k-index and SIFT can fall behind SCAN.",
        ),
        (
            "6",
            "ab",
            _by("dimensions", "dimensions", BEGen, (50, 200, 400, 800, 1400), M),
            "Only k-index and SIFT depend on dimensions; they suffer from few: at 50 BE-Tree takes 93% less.",
            "Under Zipf more dimensions do not help k-index and SIFT; BE-Tree takes 97% less than k-index.",
        ),
        (
            "7",
            "ab",
            Sweep(
                "average size of expressions (events 13 to 81)",
                BEGen,
                tuple(
                    Point(own, 100 * K, {"expression_size": own, "event_size": event}) for own, event in sizes
                ),
            ),
            "BE-Tree scales gracefully with the predicates, 63% below the next best; k-index and SIFT do not.",
            "Under Zipf BE-Tree stays 65% below the next best.",
        ),
        (
            "8",
            "ab",
            _by("values of a dimension", "cardinality", BEGen, cardinalities, 100 * K, log_x=True),
            "BE-Tree takes 66% less than Propagation; k-index and SIFT cannot enumerate ranges from 6K values on.",
            "Under Zipf BE-Tree takes 59% less than Propagation; k-index and SIFT end before 6K values.",
        ),
        (
            "8",
            "cd",
            _by(
                "range size (share of the domain)",
                "range_size",
                BEGen,
                (0.06, 0.12, 0.2, 0.3, 0.4, 0.5),
                100 * K,
            ),
            "Wide ranges hurt k-index and SIFT, hardly Propagation; BE-Tree takes 76% less than the next best.",
            "Under Zipf BE-Tree takes 43% less than the next best as ranges widen.",
        ),
        (
            "9",
            "ab",
            Sweep(
                "dimension selectivity (1 - 1 / values)",
                BEGen,
                selectivity,
                fixed={"operators": "min", "equality": 1.0},
            ),
            "BE-Tree and Gryphon change by 1% at most; Propagation and k-index get up to 80% and 27% slower.",
            "From selectivity 0.9 to 0.5 Propagation and k-index get 4 and 6 times slower; BE-Tree prunes better.",
        ),
        (
            "10",
            "ab",
            _by("share of equalities", "equality", BEGen, (0.2, 0.4, 0.6, 0.8, 1.0), M),
            "All get faster with more equalities, Gryphon and Propagation most; BE-Tree leads by 20% to 88%.",
            "Under Zipf the order is the same: all gain from equalities, BE-Tree stays ahead.",
        ),
        (
            "11",
            "ab",
            by_probability("low"),
            "Time grows with match probability; k-index is second below 1%, Propagation above 3%; BE-Tree leads.",
            "Under Zipf Propagation is the next best after BE-Tree at every match probability.",
        ),
        (
            "11",
            "cd",
            by_probability("med"),
            "Time grows with match probability; BE-Tree takes up to 33% less than Propagation even at 9%.",
            "Under Zipf Propagation is the next best after BE-Tree at every match probability.",
        ),
        (
            "11",
            "ef",
            by_probability("high"),
            "With all operators BE-Tree is orders of magnitude faster than Gryphon and SCAN.",
            "With all operators, under Zipf too, BE-Tree is orders of magnitude faster than Gryphon and SCAN.",
        ),
    ):
        for letter, each, claim in zip(letters, _both(sweep), (uniform, zipf), strict=True):
            yield Panel("betree", number, letter, "time", (each,), claim)
    yield Panel(
        "betree",
        "12",
        "a",
        "time",
        (_by_size(authors, (100 * K, 265 * K, 430 * K, 595 * K, 760 * K)),),
        "On author names BE-Tree takes 37% less than Gryphon and over 98% less than Propagation.",
    )
    yield Panel(
        "betree",
        "12",
        "b",
        "time",
        (_by_size(titles, (50 * K, 100 * K, 150 * K, 200 * K, 250 * K)),),
        "On titles of 35 predicates BE-Tree takes 51% less than Gryphon and over 99% less than Propagation.",
    )
    for letter, first, claim in (
        (
            "a",
            "uniform",
            "From uniform to Zipf and back, BE-Tree's time comes close to what it was at first.",
        ),
        (
            "b",
            "zipf",
            "From Zipf to uniform and back, too, BE-Tree's time comes close to what it was at first.",
        ),
    ):
        sweep = _by(
            "share replaced (1: all; 2: all are back)",
            "replaced",
            BEGenTransition,
            [quarter / 4 for quarter in range(9)],
            M,
            fixed={"first": first, "zipf": BETREE_ZIPF},
            updates=True,
        )
        yield Panel("betree", "13", letter, "time", (sweep,), claim)


def betree_data(*, data: str = "uniform", seed: int = 0) -> Workload:
    """The data sets of BE-Tree's table 5."""
    if data in ("authors", "titles"):
        return authors(seed=seed) if data == "authors" else titles(seed=seed)
    return BEGen(zipf=BETREE_ZIPF if data == "Zipf" else 0.0, seed=seed)


def _betree_tables() -> Iterator[Panel]:
    sizes = {"uniform": M, "Zipf": M, "authors": 760 * K, "titles": 250 * K}
    points = tuple(Point(name, size, {"data": name}) for name, size in sizes.items())
    for letter, measure, claim in (
        ("a", "build", "A dynamic BE-Tree of up to a million expressions is built in 2.5 to 5 seconds."),
        ("b", "memory", "BE-Tree takes 84 MB for a million uniform expressions, 82 MB for Zipf ones."),
    ):
        yield Panel("betree", "table5", letter, measure, (Sweep("data set", betree_data, points),), claim)


# DEXIN, section 4 and table 1.


def _dexin() -> Iterator[Panel]:
    zipf = {"zipf": DEXIN_ZIPF}
    by_size = _by_size(Dexin, range(250 * K, 1_750_001, 250 * K))
    by_attributes = _by("attributes, M", "attributes", Dexin, range(2, 23, 4), M)
    by_width = Sweep(
        "width of ranges, θ",
        Dexin,
        tuple(
            Point(width, M, {"min_width": width, "max_width": width}) for width in (0.1, 0.3, 0.5, 0.7, 0.9)
        ),
    )
    for number, measure, sweep, claim in (
        (
            "2",
            "time",
            by_size,
            "DEXIN is fastest at every N and least sensitive to it: 20% of TAMA's time, 64% of H-Tree's, 68% of "
            "BE-Tree's, 26% of OpIndex', 38% of REIN's.",
        ),
        ("3", "deviation", by_size, "DEXIN's time deviates least, and its deviation hardly grows with N."),
        (
            "4",
            "time",
            by_attributes,
            "More attributes cost TAMA, BE-Tree, OpIndex and REIN time; H-Tree is best near 6; DEXIN stays flat.",
        ),
        (
            "5",
            "deviation",
            by_attributes,
            "DEXIN is the most stable for all numbers of attributes, others deviate more and more.",
        ),
        (
            "6",
            "time",
            by_width,
            "Wide ranges slow TAMA and H-Tree (which leads up to 0.3), speed REIN up, and leave DEXIN unchanged.",
        ),
        (
            "7",
            "time",
            replace(by_size, fixed=zipf),
            "Under Zipf all are slower than under uniform values, DEXIN the least.",
        ),
        (
            "8",
            "time",
            replace(by_attributes, fixed=zipf),
            "Under Zipf, too, DEXIN hardly depends on the number of attributes.",
        ),
        (
            "9",
            "time",
            replace(by_width, fixed=zipf),
            "Under Zipf, too, DEXIN hardly depends on the width of ranges.",
        ),
        (
            "10",
            "time",
            _by(
                "values of an attribute, η", "cardinality", Dexin, (100, K, 10 * K, 100 * K, M), M, log_x=True
            ),
            "Times rise very slowly up to 1,000 values and then stay; DEXIN is at least 27% better than the others.",
        ),
        (
            "11",
            "time",
            _by("share of points, λ", "points", Dexin, (0.1, 0.3, 0.5, 0.7, 0.9), M),
            "TAMA, H-Tree, BE-Tree and OpIndex gain from points; REIN and DEXIN stay flat, DEXIN leads below 60%.",
        ),
        (
            "12",
            "time",
            _by(
                "matching rate, ξ",
                "matching_rate",
                Dexin,
                (0.001, 0.005, 0.01, 0.05, 0.1, 0.2),
                M,
                log_x=True,
            ),
            "TAMA, H-Tree, BE-Tree and OpIndex get slower with the matching rate, REIN faster; DEXIN stays 42% below "
            "the next best.",
        ),
        ("13", "build", by_size, "Subscribing is fastest in REIN, DEXIN comes next."),
        ("14", "memory", by_size, "REIN needs the least memory, DEXIN slightly more."),
    ):
        yield Panel("dexin", number, "", measure, (sweep,), claim, log_y=False)


# PS-Tree, section 7 and table 1: 100 dimensions are dense, 30,000 sparse.


def _pstree() -> Iterator[Panel]:
    sizes = (300 * K, M, 3 * M, 10 * M, 30 * M, 100 * M)
    dimensions = (100, 300, K, 3 * K, 10 * K, 30 * K)
    by_size = _by_size(PSTreeDense, sizes, log_x=True)
    by_dimensions = _by("dimensions", "dimensions", PSTreeDense, dimensions, M, log_x=True)
    # As many expressions a dimension as a million has over 30,000.
    with_dimensions = Sweep(
        "dimensions (33 expressions each)",
        PSTreeDense,
        tuple(Point(count, count * M // (30 * K), {"dimensions": count}) for count in dimensions),
        log_x=True,
    )
    by_length = _by("average size of expressions", "expression_size", PSTreeDense, (5, 10, 15, 20, 25, 30), M)
    by_equality = _by("share of equalities", "equality", PSTreeDense, (0.0, 0.2, 0.4, 0.6, 0.8, 1.0), M)
    by_zipf = _by("exponent of Zipf, α", "zipf", PSTreeDense, (0, 1, 2, 3, 4, 5), M)
    by_values = _by(
        "values of a dimension", "cardinality", PSTreeDense, (3, 10, 30, 100, 300, K), M, log_x=True
    )
    by_event = _by("average size of events", "event_size", PSTreeDense, (30, 42, 54, 66, 78, 90), M)
    by_match = _by(
        "match probability",
        "match_probability",
        PSTreeDense,
        (0.001, 0.005, 0.01, 0.05, 0.1, 0.5),
        M,
        log_x=True,
    )

    def panel(number: str, letter: str, measure: str, sweep: Sweep, claim: str) -> Panel:
        return Panel("pstree", number, letter, measure, (sweep,), claim)

    yield panel(
        "5",
        "a",
        "build",
        by_size,
        "PSTBloom is built fastest, at 100M in 78% less time than BE-Tree, the next best.",
    )
    yield panel(
        "5",
        "b",
        "build",
        by_dimensions,
        "More dimensions slow BE-Tree and Propagation down, but not PSTBloom, PSTHash and k-index.",
    )
    yield panel(
        "5",
        "c",
        "build",
        by_length,
        "Longer expressions slow PSTBloom, OpIndex and k-index down, and speed PSTHash up.",
    )
    yield panel(
        "5",
        "d",
        "build",
        by_equality,
        "More equalities make all faster to build, PSTHash most; PSTBloom is best.",
    )
    for number, sweep, dense, sparse in (
        (
            "6",
            by_size,
            "Time grows linearly with N; PSTBloom is best at 300K, PSTHash from 1M on, 92% below OpIndex at 100M.",
            "PSTBloom is always best; PSTHash draws level with OpIndex at 30M.",
        ),
        (
            "7",
            by_zipf,
            "Under Zipf PSTHash is best; OpIndex beats BE-Tree under uniform attributes, BE-Tree OpIndex under Zipf.",
            "Under Zipf PSTHash is best with 30,000 dimensions, too; k-index falls behind SCAN.",
        ),
    ):
        yield panel(number, "a", "time", sweep, dense)
        yield panel(number, "b", "time", replace(sweep, workload=PSTreeSparse), sparse)
    yield panel(
        "8",
        "a",
        "time",
        by_dimensions,
        "More dimensions make all faster but Propagation and SCAN, and PSTBloom, OpIndex and k-index most.",
    )
    yield panel(
        "8",
        "b",
        "time",
        with_dimensions,
        "With as many expressions a dimension, PSTBloom, OpIndex and k-index no longer depend on dimensions; PSTBloom "
        "is best above 300.",
    )
    for number, sweep, dense, sparse in (
        (
            "9",
            by_values,
            "PSTHash is best below 300 values, PSTBloom above; at 1,000 it takes 91% less than OpIndex.",
            "PSTBloom is best in sparse workloads at every number of values.",
        ),
        (
            "10",
            by_length,
            "Longer expressions make PSTBloom, PSTHash, BE-Tree and Propagation faster, and OpIndex 4.5 times slower.",
            "The size of expressions matters little but for Propagation, and for OpIndex, which gets 3 times slower.",
        ),
        (
            "11",
            by_event,
            "All but Propagation and SCAN get slower with larger events; at 90 PSTHash takes 85% less than BE-Tree.",
            "At 90 pairs PSTBloom is best, with 80% less time than OpIndex.",
        ),
        (
            "12",
            by_match,
            "At 50% BE-Tree, OpIndex and Propagation are as slow as SCAN; PSTBloom and PSTHash take a quarter of it.",
            "In sparse workloads the same: PSTBloom and PSTHash take a quarter of SCAN's time at 50%.",
        ),
        (
            "13",
            by_equality,
            "Times fall with the share of equalities; PSTHash ranks first, and its lead grows.",
            "With equalities alone Propagation is as good as PSTBloom.",
        ),
    ):
        yield panel(number, "a", "time", sweep, dense)
        yield panel(number, "b", "time", replace(sweep, workload=PSTreeSparse), sparse)
    yield panel(
        "14",
        "a",
        "memory",
        by_size,
        "All grow with N, PSTBloom and PSTHash slower than OpIndex and BE-Tree; Propagation needs least.",
    )
    yield panel(
        "14",
        "b",
        "memory",
        by_length,
        "Longer expressions take more memory in OpIndex and k-index, less in PSTBloom and PSTHash.",
    )
    log = Sweep("workload", QueryLog, (Point("query log", 2_100_000),))
    ranking = "PSTBloom, OpIndex, PSTHash, BE-Tree, k-index, Propagation, SCAN"
    yield panel("15", "a", "time", log, f"From best to worst: {ranking}.")
    yield panel("15", "b", "build", log, f"The order is that of the matching times: {ranking}.")
    ads = Sweep("workload", Advertisements, (Point("advertisements", 3 * M),))
    yield panel(
        "table2", "a", "time", ads, "PSTHash 0.24 ms, PSTBloom 0.82, BE-Tree 2.3, OpIndex 3.2, SCAN 435."
    )
    yield panel(
        "table2", "b", "build", ads, "PSTBloom 7.8 s, PSTHash 8.2, BE-Tree 13.7, OpIndex 24.9, k-index 141."
    )
    yield panel(
        "table2", "c", "memory", ads, "Propagation 14 MB, PSTBloom 56, BE-Tree 393, OpIndex 574, PSTHash 760."
    )
    # Closed intervals on one attribute and points that stab them.
    stab = Sweep(
        "workload",
        Dexin,
        (Point("intervals", 100 * K),),
        fixed={"attributes": 1, "points": 0.0, "min_width": 0.001, "max_width": 0.01, "cardinality": 100 * K},
    )
    yield panel(
        "table3",
        "a",
        "time",
        stab,
        "PS-Tree answers fastest: 89% less time than Segment-Tree, 99.97% less than Interval-Tree.",
    )
    yield panel(
        "table3",
        "b",
        "build",
        stab,
        "Interval-Tree is built fastest, Segment-Tree next, PS-Tree takes six times as long.",
    )
    yield panel("table3", "c", "memory", stab, "Interval-Tree 1.6 MB, Segment-Tree 6.9 MB, PS-Tree 54 MB.")


# Tatbul, section 4.1.6: 50 documents, predicate evaluations instead of time.


def _tatbul() -> Iterator[Panel]:
    by_size = _by_size(Tatbul, range(100, 1001, 100), events=50)
    by_overlap = _by(
        "overlap of intervals",
        "overlap",
        Tatbul,
        (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.98),
        100,
        events=50,
    )
    yield Panel(
        "tatbul",
        "7",
        "",
        "evaluations",
        (by_size,),
        "All indexes evaluate 18 to 47 predicates at most where a scan evaluates 200 to 2,000; Interval and Cluster "
        "Index are best.",
        log_y=False,
    )
    yield Panel(
        "tatbul",
        "8",
        "",
        "evaluations",
        (by_overlap,),
        "Interval Index and Segment Tree do not depend on overlap; Cluster Index and Interval Tree suffer from it; "
        "Hybrid beats Cluster only above 90%.",
        log_y=False,
    )


PANELS: tuple[Panel, ...] = (
    *_opindex(),
    *_betree(),
    *_betree_tables(),
    *_dexin(),
    *_pstree(),
    *_tatbul(),
)


def select(name: str) -> list[Panel]:
    """The panels that a name stands for: a panel, a figure, a paper, or `all`. ValueError names the closest ones.

    >>> [panel.id for panel in select("betree-5")], [panel.id for panel in select("betree-5b")]
    (['betree-5a', 'betree-5b'], ['betree-5b'])
    """
    found = [panel for panel in PANELS if name in ("all", panel.paper, panel.figure, panel.id)]
    if not found:
        known = dict.fromkeys(word for panel in PANELS for word in (panel.paper, panel.figure, panel.id))
        close = get_close_matches(name, known, n=4, cutoff=0.5)
        hint = f"did you mean {' or '.join(close)}?" if close else "`bench list` names them all"
        raise ValueError(f"there is no figure {name!r}; {hint}")
    return found
