"""Table 3 of the PS-Tree paper: which of 100,000 intervals hold each of 100,000 points.

The paper gives neither domain nor lengths. `wide` is what its numbers fit: both ends are any of 200 values, so that a
point lies in a third of the intervals, and 400 spaces of 33,000 ids take the 54 MB that it gives for the PS-Tree.
`narrow`: values below 1,000,000 and intervals up to 200 long, 10 a point.

`counts`: how many ids there are. The PS-Tree reads the length of one list a point, since a space lists all its
intervals, where the trees collect what lies on a path. `ids` (of narrow ones): each id becomes a Python integer, which
costs the same for all.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from boolsieve.structures.intervals import Intervals, IntervalTree, SegmentTree
from boolsieve.structures.pstree import PSTree

INTERVALS = POINTS = 100_000
SAMPLE = 1_000  # points that stand for all where an answer takes long

Ints = NDArray[np.int64]
Data = tuple[Ints, Ints, Ints]


class Scan:
    """Every interval for every point."""

    nbytes = 0

    def add_many(self, lows: Ints, highs: Ints, ids: Any) -> None:
        self.lows, self.highs = np.array(lows), np.array(highs)

    def stab_count(self, points: Ints) -> int:
        return sum(int(((self.lows <= p) & (p <= self.highs)).sum()) for p in points)

    def stab(self, point: int) -> list[int]:
        return list(np.flatnonzero((self.lows <= point) & (point <= self.highs)).tolist())


STRUCTURES: list[Any] = [Scan, IntervalTree, SegmentTree, PSTree]


def generate(shape: str) -> Data:
    rng = np.random.default_rng(3)
    if shape == "wide":
        lows, highs = np.sort(rng.integers(0, 200, (2, INTERVALS)), axis=0)
        return lows, highs, rng.integers(0, 200, POINTS)
    lows = rng.integers(0, 1_000_000, INTERVALS)
    return lows, lows + rng.integers(0, 201, INTERVALS), rng.integers(0, 1_000_000, POINTS)


@pytest.fixture(scope="module", params=["narrow", "wide"])
def data(request: pytest.FixtureRequest) -> Data:
    return generate(request.param)


def built(structure: Any, data: Data) -> Any:
    lows, highs, _ = data
    made = structure()
    if structure is PSTree:
        made.add_many(lows.tolist(), highs.tolist(), range(INTERVALS))
    else:
        made.add_many(lows, highs, np.arange(INTERVALS))
    if isinstance(made, Intervals):
        made.settle()
    return made


def note(benchmark: Any, points: int) -> None:
    benchmark.extra_info["nanoseconds a point"] = round(benchmark.stats["min"] / points * 1e9, 1)


@pytest.mark.parametrize("structure", STRUCTURES)
def test_build(benchmark: Any, structure: Any, data: Data) -> None:
    made = benchmark.pedantic(built, (structure, data), rounds=2)
    benchmark.extra_info["bytes"] = made.nbytes


@pytest.mark.parametrize("structure", STRUCTURES)
def test_counts(benchmark: Any, structure: Any, data: Data) -> None:
    intervals, points = built(structure, data), data[2][:SAMPLE]
    found = intervals.stab_count(points)
    assert found == built(Scan, data).stab_count(points)
    if structure is PSTree or (structure is not Scan and found < 100 * SAMPLE):
        points = data[2]
    benchmark(intervals.stab_count, points)
    note(benchmark, len(points))


@pytest.mark.parametrize("structure", STRUCTURES)
def test_ids(benchmark: Any, structure: Any) -> None:
    data = generate("narrow")
    intervals, points = built(structure, data), data[2][:SAMPLE].tolist()
    expected = built(Scan, data)
    assert all(sorted(intervals.stab(point)) == expected.stab(point) for point in points)
    benchmark(lambda: [intervals.stab(point) for point in points])
    note(benchmark, len(points))
