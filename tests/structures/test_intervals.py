"""The trees over intervals against a plain list, and on the example of Tatbul (2001), section 4.1."""

from __future__ import annotations

import math
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


# What D is compared with: keys of cluster and interval trees, elementary intervals, unions of them. Figures 2, 4: the
# key after 45 splits 6 profiles from 3, none on both sides (score 3); then the one after 25 splits 4 from 5, three of
# them on both (score 4). Figure 6: 35, the low ends of P4, P6, P1 and P2, where the list ends; then the node of P0 (of
# its two ends, the figure takes the greater as the key).
AFTER_45, AFTER_25 = (45.5, 45.5), (25.5, 25.5)
TRACES: dict[type[Intervals], list[tuple[float, float]]] = {
    ClusterTree: [AFTER_45, AFTER_25],
    ElementaryTree: [(30, 34.5), (10, 19.5), (20, 25)],
    HybridTree: [AFTER_45, AFTER_25, (5, 9.5), (10, 19.5), (20, 25)],
    SegmentTree: [(-0.5, math.inf), (40.5, math.inf), (25.5, 40), (10, 25), (20, 25)],
    IntervalTree: [(35, 35), (-0.5, 35), (5, 35), (20, 35), (30, 35), (10, 10), (10, 25)],
}


@pytest.mark.parametrize("kind", TREES)
def test_document_of_example_4_takes_the_paths_of_figures_2_to_6(kind: type[Intervals]) -> None:
    def back(key: int) -> float:
        return math.inf if key == HIGHEST else (key - 1) / 2

    assert [(back(low), back(high)) for low, high in example(kind).trace(at(D))] == TRACES[kind]


def test_cluster_of_document_d_in_figure_2() -> None:
    assert sorted(example(ClusterTree).stab(at(D))) == [0, 1, 4, 6]
    assert sorted(example(ClusterTree).stab(at(70))) == [8]  # which ends at 65: clusters are to be checked


def best_key(intervals: list[tuple[int, int]]) -> int:
    """Section 4.1.1 in plain Python: the middle key, then the same on the side with more intervals; the best score."""
    keys = sorted({end for low, high in intervals for end in (low, high + 1)})
    scores = {}
    while keys:
        at_middle = (len(keys) - 1) // 2
        key = keys[at_middle]
        left = sum(low < key for low, _ in intervals)
        right = sum(high >= key for _, high in intervals)
        if max(left, right) < len(intervals):
            scores[key] = abs(left - right) + (left + right - len(intervals))
        keys = keys[:at_middle] if left >= right else keys[at_middle + 1 :]
    return min(scores, key=scores.__getitem__)


@given(st.sets(st.integers(1, 200), min_size=4, max_size=30), st.integers(0, 12))
def test_cluster_trees_split_where_the_score_of_section_4_1_1_is_best(lows: set[int], width: int) -> None:
    rows = [(low, low + width) for low in sorted(lows)]
    try:
        expected = best_key(rows)
    except ValueError:  # nothing can be split off
        return
    tree = filled(ClusterTree, [(*row, number) for number, row in enumerate(rows)])
    tree.settle()
    assert tree.trace(0)[0] == (expected, expected)


@pytest.mark.parametrize("least", [1, 8, 50, 1_000])
def test_hybrid_trees_do_not_split_small_clusters(least: int) -> None:
    tree, plain = HybridTree(min_cluster=least), ElementaryTree()
    for i in range(500):
        for each in (tree, plain):
            each.add(10 * i, 10 * i + 4, i)
    for each in (tree, plain):
        each.settle()
    splits = sum(low == high for low, high in tree.trace(2_002))
    # Halves of 500 down to the first that is small enough.
    assert splits == {1: 9, 8: 6, 50: 4, 1_000: 0}[least]
    if not splits:
        assert tree.trace(2_002) == plain.trace(2_002)
    assert tree.stab(2_002) == [200]


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
