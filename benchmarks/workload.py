"""The expressions and events that the benchmarks run on: seeded, in the shape of the papers' synthetic workloads."""

from __future__ import annotations

import numpy as np

SEED = 20140901


def four_predicates(count: int) -> list[str]:
    """Texts of four predicates: an equality, a comparison, a set and a string."""
    rng = np.random.default_rng(SEED)
    attribute = rng.integers(0, 100, (count, 4)) * 4 + np.arange(4)  # four different ones
    value = rng.integers(0, 1000, (count, 4))
    return [
        f"a{a} = {u} AND a{b} >= {v} AND a{c} IN ({w}, {w + 7}, {w + 300}) AND name{d} = 'v{x}'"
        for (a, b, c, d), (u, v, w, x) in zip(attribute.tolist(), value.tolist(), strict=True)
    ]


def _term(attribute: int, kind: float, value: int) -> str:
    if kind < 0.4:
        return f"a{attribute} = {value}"
    if kind < 0.6:
        return f"a{attribute} <= {value}"
    if kind < 0.8:
        return f"a{attribute} >= {value}"
    if kind < 0.9:
        return f"a{attribute} BETWEEN {value} AND {value + 12}"
    return f"a{attribute} IN ({value}, {value + 1}, {value + 5})"


def terms(
    count: int, size: int = 7, attributes: int = 400, values: int = 48
) -> list[list[tuple[int, float, int]]]:
    """Conjunctions as (attribute, kind, value): BEGen-like, attributes drawn uniformly."""
    rng = np.random.default_rng(SEED)
    step = attributes // size
    attribute = rng.permuted(np.tile(np.arange(size) * step, (count, 1)), axis=1) + rng.integers(
        0, step, (count, size)
    )
    kind = rng.random((count, size))
    value = rng.integers(1, values + 1, (count, size))
    return [
        list(zip(a, k, v, strict=True))
        for a, k, v in zip(attribute.tolist(), kind.tolist(), value.tolist(), strict=True)
    ]


def conjunctions(count: int) -> list[str]:
    """The same as text."""
    return [" AND ".join(_term(*term) for term in clause) for clause in terms(count)]


def events(count: int, size: int = 15, attributes: int = 400, values: int = 48) -> list[dict[str, int]]:
    """Events of `size` pairs."""
    rng = np.random.default_rng(SEED + 1)
    return [
        {
            f"a{a}": int(v)
            for a, v in zip(
                rng.choice(attributes, size, replace=False), rng.integers(1, values + 1, size), strict=True
            )
        }
        for _ in range(count)
    ]
