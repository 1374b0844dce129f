"""Sieve: cells and lanes, sets, the grid, levels, and what check_invariants sees."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import boolsieve as bs
import oracle
from boolsieve.workloads import BEGen, Dexin, OpIndexSynthetic, Workload

LEVELS = 12


def filled(texts: list[str]) -> bs.Index:
    index = bs.Index("sieve")
    index.add_many(range(len(texts)), texts)
    index.check_invariants()
    return index


def buffers(index: bs.Index, name: str) -> list[np.ndarray]:
    """A buffer of each level."""
    return [index.buffers()[f"sieve.{level}.{name}"] for level in range(LEVELS)]


def candidates(index: bs.Index, event: dict[str, Any]) -> int:
    before: int = index.stats()["candidates"]
    index.match(event)
    after: int = index.stats()["candidates"]
    return after - before


def test_an_event_reads_only_the_rows_of_its_own_cells() -> None:
    index = filled([f"a = {i} AND b < {i % 7}" for i in range(2000)])
    assert candidates(index, {"a": 77, "b": 0}) == 1
    assert candidates(index, {"a": 77.5, "b": 0}) == 0
    assert candidates(index, {"b": 0}) == 0
    assert index.match({"a": 77, "b": -1}) == [77]


def test_a_narrow_range_is_in_two_cells_at_most() -> None:
    index = filled([f"a BETWEEN {10 * i} AND {10 * i + 35} AND b = {i % 3}" for i in range(3000)])
    (members,) = (members for members in buffers(index, "members") if len(members))
    (rows,) = (rows for rows in buffers(index, "rows") if len(rows))
    assert len(members) == 3000
    assert len(rows) <= 2 * 3000 * 4  # a head and four lanes
    for value in (0, 9, 10, 35, 36, 29_000.5, 30_025, 30_026):
        assert index.match({"a": value, "b": 1}) == [
            i for i in range(3000) if 10 * i <= value <= 10 * i + 35 and i % 3 == 1
        ]
    assert candidates(index, {"a": 15_000, "b": 1}) < 30


def test_more_predicates_than_lanes_and_more_members_than_a_set_has_codes() -> None:
    rng = random.Random(3)
    texts = []
    for _ in range(600):
        names = rng.sample(range(70), rng.randrange(1, 65))
        texts.append(" AND ".join(f"a{n} >= {rng.randrange(-1, 2)}" for n in names))
    texts += [
        "a1 = 5 AND a2 IN (1, 2, 3, 4, 5, 6, 7, 8)",
        "a1 = 5 AND a2 IN (1, 2, 3, 4, 5, 6, 7, 8, 9)",
        "a1 = 5 AND a2 NOT IN (1, 2, 3, 4, 5, 6, 7, 8, 9)",
        "a1 = 5 AND " + " AND ".join(f"a{n} IN (1, 3, 5)" for n in range(2, 12)),
        "a1 = 5 AND " + " AND ".join(f"a{n} != 3" for n in range(2, 12)),
    ]
    index = filled(texts)
    model = {i: bs.parse(text) for i, text in enumerate(texts)}
    for value in (0, 1, 3, 8, 9, 10):
        event = {f"a{n}": value for n in range(70)} | {"a1": 5}
        assert index.match(event) == oracle.matching(model, event)
        del event["a7"]
        assert index.match(event) == oracle.matching(model, event)


def test_an_attribute_with_more_operands_than_codes_is_exact() -> None:
    index = bs.Index("sieve")
    ids = range(70_000)
    index.add_many(ids, [f"user = {3 * i} AND (kind = {i % 2} OR user < 9)" for i in ids])
    index.add("above", "user > 209990 AND kind = 1")
    index.check_invariants()
    assert index.match({"user": 150_000, "kind": 0}) == [50_000]
    assert index.match({"user": 150_000, "kind": 1}) == []
    assert index.match({"user": 150_001, "kind": 1}) == []
    assert index.match({"user": 6}) == [2]
    assert index.match({"user": 209_997, "kind": 1}) == [69_999, "above"]


def wide(count: int, seed: int = 1) -> list[str]:
    rng = random.Random(seed)
    texts = []
    for _ in range(count):
        parts = []
        for name in "abcdef":
            low = rng.random() * 0.5
            parts.append(f"{name} BETWEEN {low:.4f} AND {low + 0.2 + rng.random() * 0.3:.4f}")
        texts.append(" AND ".join(parts))
    return texts


def test_wide_ranges_go_into_the_grid() -> None:
    texts = wide(1500)
    index = filled(texts)
    (clauses,) = (clauses for clauses in buffers(index, "grid_clause") if len(clauses))
    assert len(clauses) > 1400
    rng = random.Random(5)
    model = {i: bs.parse(text) for i, text in enumerate(texts)}
    for _ in range(60):
        event = {name: round(rng.random(), rng.choice([1, 4])) for name in "abcdef" if rng.random() < 0.98}
        assert index.match(event) == oracle.matching(model, event)
    found = index.stats()
    assert found["candidates"] < 60 * 1500 / 10


def test_absence_counts_in_the_grid() -> None:
    texts = [text.replace("f BETWEEN", "g IS NULL AND f BETWEEN") for text in wide(700)]
    index = filled(texts)
    model = {i: bs.parse(text) for i, text in enumerate(texts)}
    event = dict.fromkeys("abcdef", 0.5)
    assert index.match(event) == oracle.matching(model, event) != []
    assert index.match(event | {"g": 1}) == []


@pytest.mark.parametrize("workload", [BEGen(seed=1), OpIndexSynthetic(seed=2, dimensions=500), Dexin(seed=3)])
def test_agrees_with_scan_on_the_papers_workloads(workload: Workload) -> None:
    texts, events = workload.expressions(5_000).texts(), workload.events(50).dicts()
    index, scan = filled(texts), bs.Index("scan")
    scan.add_many(range(5_000), texts)
    for event in events:
        assert index.match(event) == scan.match(event)
    assert index.match_batch(events).to_lists() == scan.match_batch(events).to_lists()


def test_single_inserts_fill_levels_of_rising_size() -> None:
    index = bs.Index("sieve")
    sizes = {}
    for i in range(3000):
        index.add(i, f"a = {i % 50} AND b >= {i % 9}")
        if i % 64 == 0 or i in (255, 256):
            sizes[i] = [len(members) for members in buffers(index, "members")][:4]
    index.check_invariants()
    assert sizes[255] == [0, 0, 0, 0]
    assert sizes[256] == [257, 0, 0, 0]
    assert max(size[0] for size in sizes.values()) <= 1024
    assert max(size[1] for size in sizes.values()) > 1024
    assert all(sum(size) <= i + 1 < sum(size) + 257 for i, size in sizes.items())
    assert index.match({"a": 7, "b": 3}) == [i for i in range(3000) if i % 50 == 7 and i % 9 <= 3]


def test_a_level_that_is_half_dead_is_built_anew() -> None:
    index = filled([f"a = {i % 10} AND b < {i % 7}" for i in range(900)])
    for i in range(0, 900, 2):
        index.remove(i)
    index.check_invariants()
    assert sum(len(members) for members in buffers(index, "members")) == 900
    index.remove(1)
    index.check_invariants()
    assert sum(len(members) for members in buffers(index, "members")) == 449
    assert index.match({"a": 3, "b": 0}) == [i for i in range(3, 900, 2) if i % 10 == 3 and i % 7 > 0]


def corrupted(texts: list[str], name: str, change: Callable[[np.ndarray], Any]) -> bs.Index:
    index = filled(texts)
    rebuild, (format_, kind, options, budget, store, engine) = index.__reduce__()  # type: ignore[misc]
    engine = dict(engine)
    part = next(key for key in engine if key.endswith(name) and len(engine[key]))
    damaged = engine[part].copy()
    change(damaged)
    engine[part] = damaged
    copy: bs.Index = rebuild(format_, kind, options, budget, store, engine)
    return copy


@pytest.mark.parametrize(
    ("number", "name", "change"),
    [
        (1, ".members", lambda b: b.__setitem__(slice(0, 2), b[1::-1].copy())),
        (2, ".steps", lambda b: b.__setitem__(slice(0, 2), b[1::-1].copy())),
        (3, ".cell_begin", lambda b: b.__setitem__(-1, b[-1] - 1)),
        (4, ".rows", lambda b: b.__setitem__(0, b[0] + 1_000_000)),
        (4, ".rows", lambda b: b.__setitem__(2, b[2] ^ 3)),
        (5, ".grid_bits", lambda b: b.__setitem__(5, ~b[5])),
        (5, ".grid_attribute", lambda b: b.__setitem__(0, b[1])),
    ],
)
def test_damage_is_seen(number: int, name: str, change: Callable[[np.ndarray], Any]) -> None:
    plain = [f"a = {i % 20} AND b BETWEEN {i % 9} AND {i % 9 + 3}" for i in range(400)]
    index = corrupted(wide(300) if "grid" in name else plain, name, change)
    with pytest.raises(AssertionError, match=f"^{number}: "):
        index.check_invariants()
