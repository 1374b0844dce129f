"""What only PSTBloom has: the spaces and signatures of the paper's figure 3, bounded copies, what it learns."""

from __future__ import annotations

import pickle

import pytest
from pst_inside import Inside

import boolsieve as bs

FIGURE_3 = {
    "S1": "attr1 < -5 AND attr2 BETWEEN 1 AND 5",
    "S2": "attr1 BETWEEN -5 AND -1 AND attr2 < 1",
    "S3": "attr1 BETWEEN -5 AND -1 AND attr2 > 5",
}


def figure_3() -> bs.Index:
    index = bs.Index(engine="pstbloom")
    for id, expression in FIGURE_3.items():
        index.add(id, expression)
    return index


def test_figure_3_lists_clauses_at_the_spaces_of_their_access_predicates() -> None:
    index = figure_3()
    inside = Inside(index)
    first, second = sorted(inside.spaces)
    assert [len(inside.spaces[a]) for a in (first, second)] == [3, 3]
    assert inside.lists() == {((second, 2),): [0], ((first, 2),): [1, 2]}
    index.check_invariants()


@pytest.mark.parametrize(
    ("event", "found"),
    [
        ({"attr1": -6, "attr2": 3}, ["S1"]),
        ({"attr1": -3, "attr2": 0}, ["S2"]),
        ({"attr1": -3, "attr2": 9}, ["S3"]),
        ({"attr1": -3, "attr2": 3}, []),
        ({"attr1": 7, "attr2": 3}, []),
        ({"attr1": -3}, []),
    ],
)
def test_figure_3_signatures_leave_only_what_matches(event: dict[str, int], found: list[str]) -> None:
    index = figure_3()
    assert index.match(event) == found
    assert index.stats()["candidates"] == len(found)


def test_equalities_go_before_sets_and_ranges() -> None:
    index = bs.Index(engine="pstbloom")
    texts = [f"a = {i} AND b IN ({i}, {i + 1}) AND c BETWEEN {i} AND {i + 9} AND d > {i}" for i in range(100)]
    index.add_many(range(100), texts)
    assert {places[0][0] for places in Inside(index).lists()} == {1}


def test_signatures_survive_removals() -> None:
    index = figure_3()
    index.remove("S2")
    assert index.match({"attr1": -3, "attr2": 0}) == []
    assert index.stats()["candidates"] == 0
    index.add("S4", FIGURE_3["S2"])
    assert index.match({"attr1": -3, "attr2": 0}) == ["S4"]
    index.check_invariants()


def test_wide_ranges_with_ends_of_their_own_have_few_copies() -> None:
    n = 4_000
    index = bs.Index(engine="pstbloom")
    texts = [f"a BETWEEN {i} AND {i + (n if i % 2 else 3)}" for i in range(n)]
    index.add_many(range(n), texts)
    index.check_invariants()
    assert Inside(index).record_count < 16 * n
    for value in (0, 1, n // 2, n, 2 * n - 1):
        expected = [i for i in range(n) if i <= value <= i + (n if i % 2 else 3)]
        assert index.match({"a": value}) == expected
    assert index.stats()["candidates"] < 2 * index.stats()["matches"] + 100


def test_one_by_one_gives_the_same_as_at_once() -> None:
    texts = [f"a BETWEEN {i % 37} AND {i % 41 + 20} AND b = {i % 7} OR c > {i}" for i in range(300)]
    events = [{"a": a, "b": a % 7, "c": a * 3} for a in range(60)]
    one, many = bs.Index(engine="pstbloom"), bs.Index(engine="pstbloom")
    many.add_many(range(300), texts)
    for i, text in enumerate(texts):
        one.add(i, text)
    one.check_invariants()
    assert [one.match(e) for e in events] == [many.match(e) for e in events]


def test_negative_predicates_are_listed_once() -> None:
    index = bs.Index(engine="pstbloom")
    index.add_many(range(3), ["a != 5", "a NOT IN (1, 2, 3)", "a IS NULL"])
    assert Inside(index).record_count == 3
    assert index.match({"a": 5}) == [1]
    assert index.match({"a": 2}) == [0]
    assert index.match({}) == [2]


def test_access_follows_the_events_once_it_pays() -> None:
    n = 200
    index = bs.Index(engine="pstbloom")
    # Both equalities look alike, but all events have popular = 1.
    index.add_many(range(n), [f"popular = 1 AND rare = {i}" for i in range(n)])
    events = [{"popular": 1, "rare": n + i} for i in range(256)]
    for _ in range(40):
        index.match_batch(events)
    rare = 2
    assert {places[0][0] for places in Inside(index).lists()} == {rare}
    index.check_invariants()
    assert index.match({"popular": 1, "rare": 7}) == [7]


def test_a_pickle_goes_on_where_the_index_was() -> None:
    index = pickle.loads(pickle.dumps(figure_3()))
    index.check_invariants()
    index.add("S4", "attr1 = -3")
    index.remove("S3")
    index.check_invariants()
    assert index.match({"attr1": -3, "attr2": 9}) == ["S4"]


def test_single_inserts_of_wide_ranges_over_many_narrow_ones_have_few_copies() -> None:
    n = 2_000
    index = bs.Index(engine="pstbloom")
    index.add_many(range(n), [f"b = {i}" for i in range(n)])
    for i in range(n // 4):  # each gets spaces of its own
        index.add(n + i, f"a BETWEEN {10 * i} AND {10 * i + 3}")
    before = Inside(index).record_count
    for i in range(n // 8):  # fewer than what makes the engine build anew
        index.add(2 * n + i, f"a BETWEEN {i} AND {9 * n - i}")
    index.check_invariants()
    assert Inside(index).record_count <= before + 40 * n // 8
    assert index.match({"a": 101}) == [n + 10, *range(2 * n, 2 * n + 102)]
