"""Workload of W. Fan, Y. Liu, B. Tang, "DEXIN" (FGCS 2016), section 4 and table 1.

Every expression constrains every attribute, every event has every attribute; values lie on a grid in [0, 1].
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from boolsieve.workloads.begen import owners_of
from boolsieve.workloads.workload import (
    BETWEEN,
    EQ,
    Events,
    Expressions,
    Ints,
    Space,
    Workload,
    draw,
    draw_distinct,
    numbered,
    offsets_of,
    require,
    require_count,
    zipf_weights,
)


@dataclass(frozen=True, kw_only=True)
class Dexin(Workload):
    """Dense workload of ranges and points of DEXIN.

    attributes    M, number of attributes: 10 (2 to 22)
    cardinality   eta, number of values of an attribute: 10,000 (100 to 1,000,000)
    points        lambda, share of point constraints (`=`); the others are ranges: 0.1 (0.1 to 0.9)
    min_width, max_width
                  theta, the width of ranges, uniform between these two: 0.2 to 0.8 (0.1 to 0.9)
    matching_rate xi, share of expressions that an event matches, by construction (section 4.1.7): None leaves it to
                  chance (0.001 to 0.2). Expressions are then made around 1 / matching_rate events; on one attribute,
                  chosen at random, they cover no other event's value
    zipf          exponent of the Zipf distribution of values and of the places of ranges; 0 is uniform
    """

    attributes: int = 10
    cardinality: int = 10_000
    points: float = 0.1
    min_width: float = 0.2
    max_width: float = 0.8
    matching_rate: float | None = None
    zipf: float = 0.0

    def check(self) -> None:
        self.require_least(1, "attributes")
        self.require_least(2, "cardinality")
        self.require_share("points")
        self.require_positive_share("min_width")
        require(
            self.min_width <= self.max_width <= 1,
            "max_width",
            f"{self.max_width} is not in [min_width, 1] = [{self.min_width}, 1]",
        )
        self.require_least(0, "zipf")
        rate = self.matching_rate
        require(rate is None or 0 < rate <= 1, "matching_rate", f"{rate} is not in (0, 1]")
        require(
            rate is None or self.bases <= self.cardinality,
            "matching_rate",
            f"{rate} needs {self.bases} distinct values, but cardinality is {self.cardinality}",
        )

    @property
    def bases(self) -> int:
        """The number of events around which expressions are made if a matching rate is asked for."""
        return max(1, round(1 / (self.matching_rate or 1)))

    @cached_property
    def _space(self) -> Space:
        grid = np.arange(self.cardinality + 1) / self.cardinality
        return Space(numbered("a", self.attributes), (grid,))

    def _base_values(self) -> Ints:
        """One row an event; no two have the same value of an attribute."""
        sizes = np.full(self.attributes, self.bases)
        drawn = draw_distinct(self.stream("bases"), sizes, zipf_weights(self.cardinality, self.zipf))
        values: Ints = drawn.reshape(self.attributes, self.bases).T.astype(np.int64)
        return values

    def expressions(self, n: int) -> Expressions:
        """Conjunctions of a point or a range on each attribute."""
        require_count(n)
        rng = self.stream("expressions")
        shape = (n, self.attributes)
        shares = rng.uniform(self.min_width, self.max_width, shape)
        widths = np.maximum(1, np.rint(shares * self.cardinality).astype(np.int64))
        low: Ints
        high: Ints
        is_point = rng.random(shape) < self.points
        if self.matching_rate is None:
            low = draw(rng, shape, zipf_weights(self.cardinality, self.zipf))
            # Squeezed to where a range of this width ends within the domain.
            low = np.where(is_point, low, low * (self.cardinality - widths + 1) // self.cardinality)
            high = low + widths
        else:
            low, high = self._around_bases(rng, owners_of(n, self.bases), widths, is_point)
        operators = np.where(is_point, EQ, BETWEEN).astype(np.int8).ravel()
        offsets = offsets_of(2 - is_point.ravel())
        values = np.stack([low.ravel(), high.ravel()], axis=1)[
            np.stack([np.ones(low.size, dtype=bool), ~is_point.ravel()], axis=1)
        ]
        attributes = np.tile(np.arange(self.attributes, dtype=np.int32), n)
        sizes = np.full(n, self.attributes)
        return Expressions.conjunctions(self._space, sizes, attributes, operators, offsets, values)

    def _around_bases(
        self, rng: np.random.Generator, owners: Ints, widths: Ints, is_point: NDArray[np.bool_]
    ) -> tuple[Ints, Ints]:
        bases = self._base_values()
        inside = bases[owners]
        least = np.maximum(0, inside - widths)
        most = np.minimum(inside, self.cardinality - widths)
        low = rng.integers(least, most + 1)
        high = low + widths
        low[is_point] = inside[is_point]

        # One attribute of each expression covers its own event alone: within the gap between the neighbours.
        ranks = np.argsort(np.argsort(bases, axis=0), axis=0)
        edges = np.pad(np.sort(bases, axis=0), ((1, 1), (0, 0)), constant_values=-1)
        edges[-1] = self.cardinality
        rows, own = np.arange(len(owners)), rng.integers(0, self.attributes, len(owners))
        rank, value = ranks[owners, own], inside[rows, own]
        low[rows, own] = np.where(is_point[rows, own], value, rng.integers(edges[rank, own] + 1, value + 1))
        high[rows, own] = rng.integers(value, edges[rank + 2, own])
        return low, high

    def events(self, n: int) -> Events:
        """Events with all attributes; with a matching rate those around which expressions are made, in turn."""
        require_count(n)
        rng = self.stream("events")
        if self.matching_rate is None:
            values = draw(rng, (n, self.attributes), zipf_weights(self.cardinality, self.zipf))
        else:
            values = self._base_values()[rng.permutation(self.bases)[owners_of(n, self.bases)]]
        attributes = np.tile(np.arange(self.attributes, dtype=np.int32), n)
        return Events(self._space, np.arange(n + 1) * self.attributes, attributes, values.ravel())


__all__ = ["Dexin"]
