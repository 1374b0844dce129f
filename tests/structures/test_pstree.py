"""The PS-Tree: the paper's examples, and random sequences against a plain list of intervals."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boolsieve.structures.pstree import PSTree

INT64 = st.integers(-(2**63), 2**63 - 1)
VALUES = {
    "int64": st.one_of(st.integers(-3, 3), st.integers(-1000, 1000), INT64),
    "float64": st.one_of(st.integers(-3, 3).map(float), st.floats(allow_nan=False)),
    "str": st.one_of(
        st.text("ab", max_size=4), st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
    ),
    "datetime": st.one_of(
        st.integers(0, 5).map(lambda s: datetime(2020, 1, 1, 0, 0, s)),
        st.datetimes(),
    ),
}


def bounds(tree: PSTree) -> list[str]:
    return [space.bounds for space in tree.spaces()]


def ids(tree: PSTree) -> list[list[int]]:
    return [space.ids for space in tree.spaces()]


def test_byte_example_of_section_4_1() -> None:
    tree = PSTree()
    tree.add(-5, -1, 1)
    tree.add(1, 5, 2)
    assert bounds(tree) == ["(.., -5)", "[-5, -1]", "(-1, 1)", "[1, 5]", "(5, ..)"]
    assert ids(tree) == [[], [1], [], [2], []]
    assert tree.stab(2) == [2]


def test_age_example_of_section_4_4_has_five_spaces_and_three_after_the_removal() -> None:
    tree = PSTree()
    tree.add(20, 60, 1)
    tree.add(30, 80, 2)
    assert bounds(tree) == ["(.., 20)", "[20, 30)", "[30, 60]", "(60, 80]", "(80, ..)"]
    assert ids(tree) == [[], [1], [1, 2], [2], []]
    tree.remove(30, 80, 2)
    assert bounds(tree) == ["(.., 20)", "[20, 60]", "(60, ..)"]
    assert ids(tree) == [[], [1], []]


def test_figure_1() -> None:
    tree = PSTree()
    tree.add(0, 4, 1)
    tree.add(2, 4, 2)
    assert tree.stab(3) == [1, 2]
    assert tree.stab(1) == [1]


def test_spaces_with_equal_counters_but_other_predicates_stay_apart() -> None:
    tree = PSTree()
    tree.add(1, 5, 1)
    tree.add(6, 9, 2)
    tree.add(1, 9, 3)
    assert tree.remove(1, 9, 3)
    assert ids(tree) == [[], [1], [], [2], []]


def test_a_point_has_a_space_of_its_own() -> None:
    tree = PSTree("float64")
    tree.add(1.5, 1.5, 7)
    assert bounds(tree) == ["(.., 1.5)", "[1.5, 1.5]", "(1.5, ..)"]
    tree.add(1.5, None, 8)
    tree.add(None, 1.5, 9)
    assert ids(tree) == [[9], [7, 8, 9], [8]]
    assert tree.remove(1.5, 1.5, 7)
    assert ids(tree) == [[9], [8, 9], [8]]
    assert tree.remove(1.5, None, 8)
    assert bounds(tree) == ["(.., 1.5]", "(1.5, ..)"]


def test_event_counters_say_how_many_events_fell_into_a_space() -> None:
    tree = PSTree("str")
    tree.add("b", "d", 1)
    for word in ("a", "b", "coconut", "d", "date"):
        tree.count_event(word)
    assert [(s.bounds, s.events) for s in tree.spaces()] == [("(.., b)", 1), ("[b, d]", 3), ("(d, ..)", 1)]
    tree.remove("b", "d", 1)
    assert [s.events for s in tree.spaces()] == [5]


def test_aware_and_naive_times_lie_on_one_line() -> None:
    tree = PSTree("datetime")
    noon = datetime(2020, 1, 1, 12)
    tree.add(noon, noon + timedelta(microseconds=1), 1)
    assert tree.stab(noon.replace(tzinfo=timezone.utc)) == [1]
    assert tree.stab(datetime(2020, 1, 1, 14, tzinfo=timezone(timedelta(hours=2)))) == [1]
    assert tree.stab(noon + timedelta(microseconds=2)) == []


@st.composite
def sequences(draw: st.DrawFn) -> tuple[str, list[tuple[Any, Any]], list[Any], int]:
    kind = draw(st.sampled_from(sorted(VALUES)))
    ends = st.tuples(st.none() | VALUES[kind], st.none() | VALUES[kind]).map(
        lambda pair: pair if None in pair or pair[0] <= pair[1] else pair[::-1]
    )
    return (
        kind,
        draw(st.lists(ends, max_size=30)),
        draw(st.lists(VALUES[kind], max_size=10)),
        draw(st.integers(0)),
    )


@given(sequences())
def test_agrees_with_a_list_and_forgets_in_any_order(
    case: tuple[str, list[tuple[Any, Any]], list[Any], int],
) -> None:
    kind, intervals, points, seed = case
    tree = PSTree(kind)
    live = []
    points = points + [end for pair in intervals for end in pair if end is not None]

    def holds(low: Any, high: Any, point: Any) -> bool:
        return (low is None or low <= point) and (high is None or point <= high)

    def compare() -> None:
        tree.check()
        for point in points:
            assert tree.stab(point) == [id for low, high, id in live if holds(low, high, point)]
        # Neighbours differ in the predicates that cover them, as far as ends tell.
        ends = {("low", low) for low, _, _ in live if low is not None}
        ends |= {("high", high) for _, high, _ in live if high is not None}
        assert len(tree.spaces()) == len(ends) + 1

    for id, (low, high) in enumerate(intervals):
        tree.add(low, high, id)
        live.append((low, high, id))
    compare()
    order = live[:]
    Random(seed).shuffle(order)
    for at, entry in enumerate(order):
        assert tree.remove(*entry)
        live.remove(entry)
        if at % 5 == 0:
            compare()
    compare()
    assert bounds(tree) == ["(.., ..)"]


@pytest.mark.parametrize("kind", ["int64", "float64"])
def test_many_points_at_once(kind: str) -> None:
    rng = np.random.default_rng(1)
    lows = rng.integers(-5_000, 5_000, 500)
    highs = lows + rng.integers(0, 300, 500)
    points = rng.integers(-5_500, 5_500, 1_000)
    convert = int if kind == "int64" else float
    tree = PSTree(kind)
    tree.add_many([convert(x) for x in lows], [convert(x) for x in highs], range(500))
    tree.check()
    inside = (lows[None, :] <= points[:, None]) & (points[:, None] <= highs[None, :])
    assert tree.stab_count(points) == inside.sum()
    assert [len(tree.stab(convert(p))) for p in points] == inside.sum(axis=1).tolist()


def test_a_copy_is_a_tree_of_its_own() -> None:
    for kind, (one, two) in {"int64": (1, 2), "str": ("a", "b")}.items():
        tree = PSTree(kind)
        tree.add(one, two, 1)
        other = tree.copy()
        other.remove(one, two, 1)
        assert (tree.stab(one), other.stab(one)) == ([1], [])
        tree.check()
        other.check()


def test_removed_places_are_used_again() -> None:
    tree = PSTree()
    for at in range(1_000):
        tree.add(at, at + 10, at)
    size = tree.nbytes
    for _ in range(5):
        for at in range(1_000):
            tree.remove(at, at + 10, at)
        for at in range(1_000):
            tree.add(at, at + 10, at)
    tree.check()
    assert tree.nbytes < 2 * size


def test_bad_values_are_refused_and_change_nothing() -> None:
    tree = PSTree()
    tree.add(1, 2, 1)
    with pytest.raises(ValueError, match="before it begins"):
        tree.add(3, 2, 2)
    with pytest.raises(ValueError, match="no int64"):
        tree.add(0, 2**63, 2)
    with pytest.raises(ValueError, match="there already"):
        tree.add(1, 2, 1)
    with pytest.raises(ValueError, match="'date' is none of"):
        PSTree("date")
    with pytest.raises(ValueError, match="NaN"):
        PSTree("float64").add(float("nan"), None, 1)
    assert tree.remove(1, 2, 9) is False
    assert len(tree) == 1
    tree.check()
