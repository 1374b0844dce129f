"""Workload of N. Tatbul, "Index Structures and Algorithms for Efficient Profile Matching" (2001), section 4.1.6.

Profiles are closed intervals on two attributes, dispersed from an origin by a Zipf distribution, in a direction chosen
at random. The paper varies the overlap among profiles by the intervals' size; here the size follows from the overlap.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from boolsieve.workloads.workload import (
    BETWEEN,
    Events,
    Expressions,
    Space,
    Workload,
    draw,
    require,
    require_count,
    zipf_weights,
)

STEPS = 10  # values are multiples of 1 / STEPS
ATTRIBUTES = ("a", "b")


@dataclass(frozen=True, kw_only=True)
class Tatbul(Workload):
    """Two closed intervals an expression; two values an event, uniform over the domain in which intervals begin.

    overlap share of pairs of expressions whose intervals on an attribute meet, 0.01 to 0.98, which sets the size of
            all intervals; None keeps `size`
    size    size of an interval: 10
    skew    exponent of the Zipf distribution of the distance between an interval's begin and the origin: 0.5
    reach   the greatest distance: 1,000
    """

    overlap: float | None = None
    size: float = 10.0
    skew: float = 0.5
    reach: int = 1_000

    def check(self) -> None:
        require(self.size > 0, "size", f"{self.size} is not positive")
        self.require_least(0, "skew")
        require(1 <= self.reach <= 1_000_000, "reach", f"{self.reach} is not in 1 ... 1,000,000")
        if self.overlap is not None:
            require(0.01 <= self.overlap <= 0.98, "overlap", f"{self.overlap} is not in [0.01, 0.98]")
            require(
                self._meeting[0] <= self.overlap,
                "overlap",
                f"{self.overlap} is less than what skew={self.skew} gives to points ({self._meeting[0]:.3f})",
            )

    @cached_property
    def _begins(self) -> NDArray[np.float64]:
        """The probability of each begin, on both sides of the origin."""
        side = np.repeat(zipf_weights(self.reach, self.skew), STEPS) / (2 * STEPS)
        return np.concatenate([side[::-1], side])

    @cached_property
    def _meeting(self) -> NDArray[np.float64]:
        """The probability that two intervals of size s / STEPS meet: that their begins are at most s apart."""
        count = len(self._begins)
        spectrum = np.fft.rfft(self._begins, 2 * count)
        apart = np.fft.irfft(np.abs(spectrum) ** 2)[:count]
        apart[1:] *= 2
        return np.cumsum(apart)

    @property
    def steps(self) -> int:
        """The intervals' size in steps of the grid."""
        if self.overlap is None:
            return max(1, round(self.size * STEPS))
        return int(np.searchsorted(self._meeting, self.overlap))

    @property
    def expected_overlap(self) -> float:
        """The probability that two expressions' intervals on an attribute meet."""
        return float(self._meeting[min(self.steps, len(self._meeting) - 1)])

    @cached_property
    def _space(self) -> Space:
        return Space(ATTRIBUTES, (np.arange(len(self._begins) + self.steps) / STEPS,))

    def expressions(self, n: int) -> Expressions:
        """Conjunctions of an interval on each of the two attributes."""
        require_count(n)
        low = draw(self.stream("expressions"), 2 * n, self._begins)
        values = np.stack([low, low + self.steps], axis=1).ravel()
        attributes = np.tile(np.arange(2, dtype=np.int32), n)
        operators = np.full(2 * n, BETWEEN, dtype=np.int8)
        return Expressions.conjunctions(
            self._space, np.full(n, 2), attributes, operators, 2 * np.arange(2 * n + 1), values
        )

    def events(self, n: int) -> Events:
        """Uniform values of both attributes."""
        require_count(n)
        values = self.stream("events").integers(0, len(self._begins), 2 * n)
        attributes = np.tile(np.arange(2, dtype=np.int32), n)
        return Events(self._space, 2 * np.arange(n + 1), attributes, values)


__all__ = ["Tatbul"]
