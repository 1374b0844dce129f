"""Table 3 of the PS-Tree paper: which of 100,000 intervals hold each of 100,000 points.

The paper gives neither domain nor lengths; here both are integers below 1,000,000, and intervals are up to 200 long. A
structure counts the ids that it finds. The PS-Tree reads the length of one list a point, since a space lists all its
intervals; the others add up what lies on a path. Any class with `add_many(lows, highs, ids)` and `stab_count(points)`
can be put into STRUCTURES.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from boolsieve.structures.pstree import PSTree

INTERVALS = POINTS = 100_000
DOMAIN = 1_000_000
LONGEST = 200


class Scan:
    """Every interval for every point; 1,000 of the points stand for all."""

    nbytes = 0

    def add_many(self, lows: Any, highs: Any, ids: Any) -> None:
        self.lows, self.highs = np.array(lows), np.array(highs)

    def stab_count(self, points: NDArray[np.int64]) -> int:
        return sum(int(((self.lows <= p) & (p <= self.highs)).sum()) for p in points)


STRUCTURES: list[Any] = [Scan, PSTree]


@pytest.fixture(scope="module")
def data() -> tuple[list[int], list[int], NDArray[np.int64]]:
    rng = np.random.default_rng(3)
    lows = rng.integers(0, DOMAIN, INTERVALS)
    highs = lows + rng.integers(0, LONGEST + 1, INTERVALS)
    return lows.tolist(), highs.tolist(), rng.integers(0, DOMAIN, POINTS)


@pytest.mark.parametrize("structure", STRUCTURES)
def test_build(benchmark: Any, structure: Any, data: tuple[Any, Any, Any]) -> None:
    lows, highs, _ = data
    made = []

    def build() -> None:
        made.append(structure())
        made[-1].add_many(lows, highs, range(INTERVALS))

    benchmark.pedantic(build, rounds=2)
    benchmark.extra_info["bytes"] = made[-1].nbytes


@pytest.mark.parametrize("structure", STRUCTURES)
def test_stab(benchmark: Any, structure: Any, data: tuple[Any, Any, Any]) -> None:
    lows, highs, points = data
    intervals = structure()
    intervals.add_many(lows, highs, range(INTERVALS))
    reference = Scan()
    reference.add_many(lows, highs, None)
    assert intervals.stab_count(points[:1_000]) == reference.stab_count(points[:1_000])
    asked = points[:1_000] if structure is Scan else points
    benchmark(intervals.stab_count, asked)
    benchmark.extra_info["nanoseconds a point"] = round(benchmark.stats["min"] / len(asked) * 1e9, 1)
