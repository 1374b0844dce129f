"""SIFT: distinct predicates, the counters that an event touches, keys, the trie, updates."""

from __future__ import annotations

import random
from typing import Any

import pytest
from predicates_inside import NONE, corrupted, counted, lists, predicates

import boolsieve as bs
import oracle
from boolsieve.engines import Sift

VARIANTS = ["counting", "key", "tree"]

# Clause numbers are ids - 1.
PROFILES = {
    1: "a = 1 AND b >= 5",
    2: "a = 1 AND c IN (2, 3)",
    3: "b >= 5 AND c != 2",
    4: "b BETWEEN 3 AND 7",
    5: "c NOT IN (1, 2)",
    6: "b >= 5",
}


def profiles(variant: str = "counting") -> bs.Index:
    index = bs.Index(Sift(variant=variant))  # type: ignore[arg-type]
    index.add_many(list(PROFILES), list(PROFILES.values()))
    return index


# --- Counting ---


def test_distinct_predicates_of_the_worked_example_are_numbered_once() -> None:
    index = profiles()
    numbered = predicates(index, "sift", "abc")
    assert sorted(numbered.values(), key=str) == [
        ("a", 1, 2),
        ("b", (3, 7), 1),
        ("b", (5, "-"), 3),
        ("c", "present", 1),  # of 5, which has nothing else to be found by
        ("c", 2, 1),  # the members of the set, which finds them
        ("c", 3, 1),
        ("c", frozenset({2, 3}), 1),
    ]
    postings = lists(index, "sift.postings")
    listed = {numbered[number][:2]: postings[number] for number in numbered if postings[number]}
    assert {asked: [clause + 1 for clause in clauses] for asked, clauses in listed.items()} == {
        ("a", 1): [1, 2],
        ("b", (3, 7)): [4],
        ("b", (5, "-")): [1, 3, 6],
        ("c", frozenset({2, 3})): [2],
        ("c", "present"): [5],
    }
    assert index.buffers()["sift.need"].tolist() == [2, 2, 1 | 0x80, 1, 1 | 0x80, 1]


def test_counters_that_events_of_the_worked_example_touch() -> None:
    index = profiles()
    # a = 1, c = 3, c IN, c there, b >= 5 and b BETWEEN hold; then 3 takes two predicates to check, 5 one.
    assert counted(index, {"a": 1, "b": 6, "c": 3}) == ([1, 2, 3, 4, 5, 6], 6, 6 + 3)
    # Two counters get to 1 of 2.
    assert counted(index, {"a": 1}) == ([], 2, 1)
    assert counted(index, {"b": 4}) == ([4], 1, 1)
    # b >= 5: 1 gets to 1 of 2, 6 to its size, 3 too, but needs a c.
    assert counted(index, {"b": 8}) == ([6], 3, 1 + 2)
    # c = 2, its set, and its presence.
    assert counted(index, {"c": 2}) == ([], 2, 3 + 1)
    assert counted(index, {"d": 2}) == ([], 0, 0)


def test_counters_start_anew_with_each_event() -> None:
    index = profiles()
    assert [index.match(event) for event in ({"a": 1}, {"b": 5}, {"a": 1}, {"a": 1, "b": 5})] == [
        [],
        [4, 6],
        [],
        [1, 4, 6],
    ]


def test_clause_of_more_predicates_than_a_counter_holds() -> None:
    for variant in VARIANTS:
        index = bs.Index(Sift(variant=variant))  # type: ignore[arg-type]
        names = [f"n{i}" for i in range(400)]
        index.add("all", " AND ".join(f"{name} >= {i}" for i, name in enumerate(names)))
        event = {name: i for i, name in enumerate(names)}
        assert index.match(event) == ["all"]
        assert index.match({**event, "n399": 398}) == []
        assert index.match({**event, "n0": -1}) == []
        index.check_invariants()
        del index["all"]
        index.check_invariants()


def test_posting_lists_let_go_of_the_dead() -> None:
    index = bs.Index("sift")
    for id_ in range(6_000):
        index.add(id_, "a = 1")
        if id_ >= 100:
            del index[id_ - 100]
    assert index.match({"a": 1}) == list(range(5_900, 6_000))
    index.check_invariants()
    assert len(index.buffers()["sift.postings.words"]) < 5_000


# --- Finding predicates ---


@pytest.mark.parametrize("variant", VARIANTS)
def test_ranges_of_one_attribute_are_found_at_each_size_of_their_set(variant: str) -> None:
    """Up to three levels of groups, with open and narrow ranges, duplicates and points."""
    dice = random.Random(7)
    index = bs.Index(Sift(variant=variant))  # type: ignore[arg-type]
    ranges: dict[int, tuple[int, int]] = {}

    def draw() -> tuple[int, int]:
        low = dice.randrange(4_000)
        kind = dice.randrange(4)
        if kind == 0:
            return -1, low
        if kind == 1:
            return low, 9_999
        return low, low + dice.choice([0, 1, 5, 300])

    def text(low: int, high: int) -> str:
        if low < 0:
            return f"p <= {high}"
        return f"p >= {low}" if high == 9_999 else f"p BETWEEN {low} AND {high}"

    for size in (10, 30, 200, 1_500, 5_200):
        fresh = {id_: draw() for id_ in range(len(ranges), size)}
        ranges.update(fresh)
        index.add_many(list(fresh), [text(*ends) for ends in fresh.values()])
        index.check_invariants()
        for point in [0, 1, 3_999, 4_500, *(dice.randrange(4_300) for _ in range(8))]:
            expected = [id_ for id_, (low, high) in ranges.items() if low <= point <= high]
            assert index.match({"p": point}) == expected
    for id_ in dice.sample(sorted(ranges), 4_000):
        del index[id_], ranges[id_]
    index.check_invariants()
    for point in (0, 2_000, 4_100):
        assert index.match({"p": point}) == [i for i, (low, high) in ranges.items() if low <= point <= high]


def test_numbers_of_sets_are_used_again() -> None:
    index = bs.Index("sift")
    for id_ in range(3_000):
        index.add(id_, f"a IN ({id_}, {id_ + 1}, 7)")
        if id_ >= 20:
            del index[id_ - 20]
    assert index.match({"a": 7}) == list(range(2_980, 3_000))
    assert index.match({"a": 2_990}) == [2_989, 2_990]
    index.check_invariants()
    assert len(index.buffers()["sift.predicates.head"]) < 400


def test_negative_predicates_are_never_numbered() -> None:
    index = bs.Index("sift")
    index.add_many(range(500), [f"a = {i % 5} AND b != {i} AND c NOT IN ({i}, {i + 1})" for i in range(500)])
    assert len(predicates(index, "sift", "abc")) == 5
    assert counted(index, {"a": 3, "b": 3, "c": 3})[1] == 100


# --- Key and tree ---


def filed(index: bs.Index, names: str) -> dict[tuple[Any, ...], list[int]]:
    """Path of (attribute, what it asks for) -> clauses, of the nodes in use."""
    raw = index.buffers()
    numbered = predicates(index, "sift", names)
    predicate, parent, place = (
        raw[f"sift.trie.{name}"].tolist() for name in ("predicate", "parent", "place")
    )
    members = lists(index, "sift.members")
    found = {}
    for node, at in enumerate(place):
        if at == NONE:
            continue
        path: list[Any] = []
        step = node
        while step != NONE:
            path.insert(0, numbered[predicate[step]][:2])
            step = parent[step]
        found[tuple(path)] = members[node]
    return found


def test_key_files_each_clause_under_its_rarest_predicate() -> None:
    index = bs.Index(Sift(variant="key"))
    index.add_many(
        range(4),
        ["a = 1 AND b = 1", "a = 1 AND c = 7", "a = 9 AND c BETWEEN 5 AND 9", "a = 1 AND b = 9"],
    )
    # a is asked for most. b and c are asked for by two of four, in spans of 1 to 9 and 5 to 9.
    assert filed(index, "abc") == {
        (("b", 1),): [0],
        (("b", 9),): [3],
        (("c", 7),): [1],
        (("a", 9),): [2],
    }
    # One key holds, and its clause takes two predicates to check.
    assert counted(index, {"a": 1, "b": 1}) == ([0], 1, 1 + 2)
    # No key holds, although two clauses ask for it.
    assert counted(index, {"a": 1}) == ([], 0, 0)


def shared_prefix(variant: str) -> bs.Index:
    """240 clauses under x = 5, which another clause makes rare; then they differ in b."""
    index = bs.Index(Sift(variant=variant))  # type: ignore[arg-type]
    index.add_many(range(241), ["x = 1000", *(f"x = 5 AND b = {i % 3}" for i in range(240))])
    return index


def test_tree_shares_prefixes_beyond_what_a_node_keeps() -> None:
    index = shared_prefix("tree")
    nodes = filed(index, "xb")
    assert {path: len(clauses) for path, clauses in nodes.items()} == {
        (("x", 1000),): 1,
        (("x", 5),): 64,
        (("x", 5), ("b", 0)): 58,
        (("x", 5), ("b", 1)): 59,
        (("x", 5), ("b", 2)): 59,
    }
    matches, candidates, _ = counted(index, {"x": 5, "b": 1})
    assert (len(matches), candidates) == (80, 64 + 59)
    assert counted(index, {"x": 5, "b": 9})[1] == 64
    assert counted(index, {"b": 1})[1] == 0
    assert counted(shared_prefix("key"), {"x": 5, "b": 9})[1] == 240


def test_tree_gives_up_nodes_without_clauses() -> None:
    index = shared_prefix("tree")
    for id_ in range(65, 241):
        del index[id_]
    assert sorted(filed(index, "xb")) == [(("x", 5),), (("x", 1000),)]
    assert len(predicates(index, "sift", "xb")) == 2
    index.check_invariants()


# --- Updates, options, damage ---


@pytest.mark.parametrize("variant", VARIANTS)
def test_updates_mixed_with_matches(variant: str) -> None:
    dice = random.Random(11)
    index = bs.Index(Sift(variant=variant))  # type: ignore[arg-type]
    model: dict[int, Any] = {}
    for step in range(3_000):
        id_ = dice.randrange(300)
        if dice.random() < 0.4 and id_ in model:
            del index[id_], model[id_]
        else:
            value = dice.randrange(6)
            kinds = [
                f"= {value}",
                f"!= {value}",
                f"> {value}",
                f"BETWEEN 1 AND {value + 1}",
                f"IN ({value}, 9)",
            ]
            names = dice.sample("abcdef", dice.randint(1, 4))
            text = " AND ".join(f"{name} {dice.choice(kinds)}" for name in names)
            index[id_] = text
            model[id_] = bs.parse(text)
        if step % 20 == 0:
            event = {name: dice.choice([0, 1, 2, 2.5, 3, 9]) for name in dice.sample("abcdef", 4)}
            found = set(oracle.matching(model, event))
            assert index.match(event) == [other for other in index if other in found]
        if step % 300 == 0:
            index.check_invariants()


def test_bad_variant_is_refused() -> None:
    with pytest.raises(ValueError, match="variant is 'counting', 'key' or 'tree', not 'count'"):
        Sift(variant="count")  # type: ignore[arg-type]


def test_variant_goes_with_copies() -> None:
    index = shared_prefix("tree").copy()
    assert "Sift(variant='tree')" in repr(Sift(variant="tree"))
    assert "sift.trie.roots" in index.buffers()
    assert counted(index, {"x": 5, "b": 1})[1] == 123


def damaged(variant: str) -> bs.Index:
    index = bs.Index(Sift(variant=variant))  # type: ignore[arg-type]
    texts = [f"a = {i % 2} AND b > {i} AND c IN ({i}, 99)" if i % 3 else f"b < {i}" for i in range(80)]
    index.add_many(range(80), texts)
    return index


@pytest.mark.parametrize(
    ("variant", "name", "at", "value", "message"),
    [
        ("counting", "sift.predicates.references", 0, 77, "1: 2: references"),
        ("counting", "sift.predicates.totals", 0, 1, "1: 1: number of predicates"),
        ("counting", "sift.predicates.table", slice(None), NONE, "1: 1: the table is too full"),
        ("counting", "sift.predicates.ranges.entries.words", slice(None), 0, "1: 3: "),
        ("counting", "sift.predicates.ranges.tops.words", 0, 5, "1: 3: ranges: 3: a top"),
        ("counting", "sift.predicates.sets.words", 0, 0, "1: 4: "),
        ("counting", "sift.need", 3, 0, "2: need of a clause"),
        ("counting", "sift.postings.words", 0, 79, "3: "),
        ("tree", "sift.trie.parent", 0, 3, "2: "),
        ("tree", "sift.members.words", 0, 5, "3: "),
        ("tree", "sift.clause_node", 0, NONE, "3: "),
        ("tree", "sift.trie.live", 0, 50, "5: live clauses"),
        ("key", "sift.rarity.asked", 1, 0, "6: 1: counts"),
        ("key", "sift.rarity.high", slice(None), 9, "6: 2: "),
    ],
)
def test_check_invariants_finds_damage(variant: str, name: str, at: Any, value: Any, message: str) -> None:
    with pytest.raises(AssertionError, match=message):
        corrupted(damaged(variant), name, at, value).check_invariants()
