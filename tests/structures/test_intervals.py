"""The trees over intervals against a plain list, and on the example of Tatbul (2001), section 4.1."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boolsieve.structures.intervals import (
    ClusterTree,
    ElementaryTree,
    HybridTree,
    Intervals,
    IntervalTree,
    SegmentTree,
)

TREES = [SegmentTree, IntervalTree, ElementaryTree, HybridTree, ClusterTree]
EXACT = TREES[:-1]
HIGHEST = 2**64 - 1

ENDS = st.one_of(st.integers(0, 40), st.sampled_from([0, 1, 2**63, HIGHEST - 1, HIGHEST]))
INTERVALS = st.tuples(ENDS, ENDS, st.integers(0, 5)).map(lambda x: (min(x[:2]), max(x[:2]), x[2]))


def holding(intervals: list[tuple[int, int, int]], key: int) -> list[int]:
    return sorted(number for low, high, number in intervals if low <= key <= high)


def filled(kind: type[Intervals], intervals: list[tuple[int, int, int]]) -> Intervals:
    tree = kind()
    lows, highs, ids = zip(*intervals, strict=True)
    tree.add_many(lows, highs, ids)
    return tree


def assert_same(tree: Intervals, intervals: list[tuple[int, int, int]], keys: set[int]) -> None:
    assert len(tree) == len(intervals)
    for key in keys:
        found, expected = sorted(tree.stab(key)), holding(intervals, key)
        if isinstance(tree, ClusterTree):
            assert not Counter(expected) - Counter(found)
        else:
            assert found == expected
        assert tree.stab_count([key]) == len(found)


@pytest.mark.parametrize("kind", TREES)
@given(data=st.data())
def test_trees_agree_with_a_list_after_any_updates(kind: type[Intervals], data: st.DataObject) -> None:
    tree, plain = kind(), []
    for _ in range(data.draw(st.integers(1, 6))):
        new = data.draw(st.lists(INTERVALS, max_size=130))
        if new and data.draw(st.booleans()):
            tree.add_many(*zip(*new, strict=True))
        else:
            for interval in new:
                tree.add(*interval)
        plain += new
        for _ in range(data.draw(st.integers(0, len(plain)))):
            gone = data.draw(st.sampled_from(plain)) if data.draw(st.booleans()) else data.draw(INTERVALS)
            assert tree.remove(*gone) is (gone in plain)
            if gone in plain:
                plain.remove(gone)
            if not plain:
                break
        tree.check()
        ends = {end for low, high, _ in new + plain for end in (low, high)}
        assert_same(
            tree, plain, {0, 20, HIGHEST} | {e + d for e in ends for d in (-1, 0, 1) if 0 <= e + d <= HIGHEST}
        )


@pytest.mark.parametrize("kind", TREES)
@pytest.mark.parametrize("width", [0, 10, 1_000, 900_000])
def test_trees_agree_with_arrays_at_several_levels(kind: type[Intervals], width: int) -> None:
    random = np.random.default_rng(7)
    lows = random.integers(0, 1_000_000, 6_000).astype(np.uint64)
    highs = lows + random.integers(0, width + 1, lows.size).astype(np.uint64)
    ids = np.arange(lows.size, dtype=np.uint32)
    tree = kind()
    tree.add_many(lows[:4_000], highs[:4_000], ids[:4_000])
    for i in range(4_000, lows.size):
        tree.add(lows[i], highs[i], ids[i])
    for i in range(0, lows.size, 3):
        assert tree.remove(lows[i], highs[i], ids[i])
        assert not tree.remove(lows[i], highs[i], ids[i])
    tree.check()
    living = ids % 3 != 0
    for key in random.integers(0, 1_100_000, 60):
        expected = ids[living & (lows <= key) & (key <= highs)].tolist()
        found = sorted(tree.stab(key))
        assert found == expected if kind is not ClusterTree else set(found) >= set(expected)


@pytest.mark.parametrize("kind", TREES)
def test_an_empty_tree_holds_nothing(kind: type[Intervals]) -> None:
    tree = kind()
    assert (len(tree), tree.stab(5), tree.remove(1, 2, 3)) == (0, [], False)
    tree.add_many([], [], [])
    tree.check()


@pytest.mark.parametrize("kind", TREES)
def test_empty_intervals_are_refused_and_nothing_is_added(kind: type[Intervals]) -> None:
    tree = kind()
    with pytest.raises(ValueError, match=r"the interval \[5, 4\] is empty"):
        tree.add(5, 4, 0)
    with pytest.raises(ValueError, match=r"interval 1, \[9, 8\], is empty"):
        tree.add_many([1, 9], [2, 8], [0, 1])
    with pytest.raises(ValueError, match="2 low ends, 1 high ends and 2 ids"):
        tree.add_many([1, 9], [2], [0, 1])
    assert len(tree) == 0


@pytest.mark.parametrize("kind", TREES)
def test_a_copy_is_a_tree_of_its_own(kind: type[Intervals]) -> None:
    tree = filled(kind, [(i, i + 10, i) for i in range(100)])
    tree.remove(7, 17, 7)
    other = tree.copy()
    other.check()
    other.remove(8, 18, 8)
    assert (len(tree), len(other)) == (99, 98)
    assert {8} == set(tree.stab(15)) - set(other.stab(15))


@pytest.mark.parametrize("kind", TREES)
def test_equal_intervals_are_removed_one_by_one(kind: type[Intervals]) -> None:
    tree = filled(kind, [(3, 9, 1)] * 1_000 + [(3, 9, 2)])
    for left in range(999, -1, -1):
        assert tree.remove(3, 9, 1)
        if left % 100 == 0:
            tree.check()
            assert sorted(tree.stab(5)) == [1] * left + [2]
    assert not tree.remove(3, 9, 1)


@pytest.mark.parametrize("kind", TREES)
@pytest.mark.parametrize("shape", ["wide", "nested", "stairs", "points"])
def test_bytes_grow_with_the_number_of_intervals(kind: type[Intervals], shape: str) -> None:
    def size(n: int) -> int:
        i = np.arange(n, dtype=np.uint64)
        low, high = {
            "wide": (i, i + n // 2),
            "nested": (i, 4 * n - i),
            "stairs": (np.zeros_like(i), i),
            "points": (i, i),
        }[shape]
        tree = kind()
        tree.add_many(low, high, i)
        return tree.nbytes

    # A segment tree holds an interval log n times: 12.5 from 3,000 to 30,000 on.
    assert size(30_000) <= (13 if kind is SegmentTree else 12) * size(3_000)


def test_hybrid_trees_need_clusters() -> None:
    with pytest.raises(ValueError, match="min_cluster"):
        HybridTree(min_cluster=0)


# Example 4 on attribute x. Keys are 2x + 1, so that the open ends of P3 have keys of their own; "x <= 40" begins at 0.
X = [(10, 25), (20, 45), (30, 40), (45.5, 49.5), (-0.5, 40), (55, 55), (5, 45), (35, 35), (60, 65)]
D = 20


def at(x: float) -> int:
    return int(2 * x + 1)


def example(kind: type[Intervals]) -> Intervals:
    tree = kind()
    for number, (low, high) in enumerate(X):
        tree.add(at(low), at(high), number)
    tree.settle()
    return tree


@pytest.mark.parametrize("kind", EXACT)
def test_document_of_example_4_is_held_by_the_intervals_of_figures_3_to_6(kind: type[Intervals]) -> None:
    assert sorted(example(kind).stab(at(D))) == [0, 1, 4, 6]


@pytest.mark.parametrize("kind", TREES)
def test_settling_keeps_what_is_there(kind: type[Intervals]) -> None:
    rows = [(i, i + 5, i) for i in range(200)]
    tree = filled(kind, rows[:150])
    for row in rows[150:]:
        tree.add(*row)
    tree.remove(*rows[3])
    tree.settle()
    tree.check()
    assert_same(tree, rows[:3] + rows[4:], set(range(210)))
