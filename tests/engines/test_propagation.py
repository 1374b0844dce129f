"""Propagation: access predicates, clusters by size, conjunctions of equalities, what is learned, updates."""

from __future__ import annotations

import random
from typing import Any

import pytest
from predicates_inside import NONE, corrupted, counted, lists, predicates

import boolsieve as bs
import oracle

# Clause numbers are ids - 1.
SUBSCRIPTIONS = {
    1: "a = 1 AND b = 1",
    2: "a = 1 AND b = 9 AND c >= 5",
    3: "a = 1 AND b = 9 AND c IN (2, 9)",
    4: "a = 1 AND b = 9",
    5: "a = 1 AND b = 9 AND c != 2",
    6: "c >= 5",
    7: "c NOT IN (1, 2)",
}


def subscriptions() -> bs.Index:
    index = bs.Index("propagation")
    index.add_many(list(SUBSCRIPTIONS), list(SUBSCRIPTIONS.values()))
    return index


def clusters(index: bs.Index, names: str) -> dict[tuple[Any, ...], list[tuple[Any, ...]]]:
    """(access predicate, columns, decided) -> rows: the predicates in the columns, and the clause."""
    raw = index.buffers()
    numbered = predicates(index, "propagation", names)
    fields = raw["propagation.clusters"].reshape(-1, 4).tolist()
    words = lists(index, "propagation.columns")
    parent = raw["propagation.trie.parent"].tolist()
    found = {}
    for node, cluster in enumerate(raw["propagation.first_cluster"].tolist()):
        path, step = [], node
        while cluster != NONE and step != NONE:
            path.insert(0, numbered[int(raw["propagation.trie.predicate"][step])][:2])
            step = parent[step]
        while cluster != NONE:
            _, code, length, following = fields[cluster]
            width = (code >> 1) + 1
            room = len(words[cluster]) // width
            columns = [words[cluster][i * room : i * room + length] for i in range(width)]
            rows = [(*(numbered[n][:2] for n in row[:-1]), row[-1]) for row in zip(*columns, strict=True)]
            found[tuple(path), width - 1, code & 1 == 0] = rows
            cluster = following
    return found


def test_clusters_of_the_worked_example() -> None:
    """b has the widest span of operands, so equalities on it are the rarest."""
    nine = (("b", 9),)
    assert clusters(subscriptions(), "abc") == {
        ((("b", 1),), 1, True): [(("a", 1), 0)],
        (nine, 1, True): [(("a", 1), 3)],
        (nine, 1, False): [(("a", 1), 4)],  # of c != 2 the store decides
        (nine, 2, True): [(("c", (5, "-")), ("a", 1), 1), (("c", frozenset({2, 9})), ("a", 1), 2)],
        ((("c", (5, "-")),), 0, True): [(5,)],
        ((("c", "present"),), 0, False): [(6,)],
    }


def test_clusters_that_events_of_the_worked_example_scan() -> None:
    index = subscriptions()
    # a = 1, b = 1. One row, one bit.
    assert counted(index, {"a": 1, "b": 1}) == ([1], 1, 2 + 1)
    # a = 1, b = 9. Four rows: 4 and 5 take a bit each, 2 and 3 end at their first; the store sees 5 fail at c != 2.
    found, rows, evaluated = counted(index, {"a": 1, "b": 9})
    assert (found, rows) == ([4], 4)
    assert evaluated == 2 + 4 + 3
    # No access predicate holds: a = 1 is none.
    assert counted(index, {"a": 1}) == ([], 0, 1)
    # c = 9, its set, c >= 5, c there; two rows without columns, of one the store decides.
    assert counted(index, {"c": 9}) == ([6, 7], 2, 4 + 1)
    assert counted(index, {"d": 9}) == ([], 0, 0)


def pairs(n: int = 1_200) -> bs.Index:
    index = bs.Index("propagation")
    index.add_many(range(n), [f"a = {i % 2} AND b = {i // 2 % 2} AND c > 5" for i in range(n)])
    return index


def paths(index: bs.Index, names: str = "abc") -> list[tuple[Any, ...]]:
    return sorted({path for path, _, _ in clusters(index, names)})


def test_large_clusters_get_a_conjunction_of_equalities() -> None:
    index = pairs()
    assert paths(index) == [(("a", a), ("b", b)) for a in (0, 1) for b in (0, 1)]
    matches, rows, _ = counted(index, {"a": 0, "b": 1, "c": -1})
    assert (matches, rows) == ([], 300)  # where a = 0 alone would give 600
    index.check_invariants()


def test_conjunctions_fold_when_few_clauses_are_left() -> None:
    index = pairs()
    for id_ in range(1_150):
        del index[id_]
        if id_ % 100 == 0:
            index.check_invariants()
    assert paths(index) == [(("a", 0),), (("a", 1),)]
    assert index.match({"a": 0, "b": 1, "c": 5_000}) == [i for i in range(1_150, 1_200) if i % 4 == 2]
    index.check_invariants()


def test_clauses_move_to_predicates_that_events_satisfy_less_often() -> None:
    """By the expressions a = 7 is rare. Events know better: all have it, and each its own b."""
    index = bs.Index("propagation")
    texts = [f"a = 7 AND b = {i % 50}" for i in range(400)]
    index.add_many(range(401), [*texts, "a = 100000"])
    before = counted(index, {"a": 7, "b": 3})
    assert before[1] == 400
    dice = random.Random(1)
    for _ in range(3_000):
        index.match({"a": 7, "b": dice.randrange(50)})
    index.check_invariants()
    after = counted(index, {"a": 7, "b": 3})
    assert after[0] == before[0] == list(range(3, 400, 50))
    assert after[1] < 40
    # What was learned goes with copies, and serves clauses that come later.
    other = index.copy()
    other.add("new", "a = 7 AND b = 3")
    assert counted(other, {"a": 7, "b": 4})[1] == after[1]
    other.check_invariants()


def test_clause_of_more_predicates_than_columns() -> None:
    index = bs.Index("propagation")
    names = [f"n{i}" for i in range(400)]
    index.add("all", " AND ".join(f"{name} >= {i}" for i, name in enumerate(names)))
    event = {name: i for i, name in enumerate(names)}
    assert index.match(event) == ["all"]
    assert index.match({**event, "n399": 398}) == []
    index.check_invariants()
    del index["all"]
    index.check_invariants()


def test_updates_mixed_with_matches() -> None:
    dice = random.Random(12)
    index, model = bs.Index("propagation"), {}
    for step in range(4_000):
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
        event = {name: dice.choice([0, 1, 2, 2.5, 3, 9]) for name in dice.sample("abcdef", 4)}
        found = index.match(event)
        if step % 20 == 0:
            expected = set(oracle.matching(model, event))
            assert found == [other for other in index if other in expected]
        if step % 400 == 0:
            index.check_invariants()
    assert index.buffers()["propagation.learned"][0] > 0


def test_many_clauses_come_and_go_around_conjunctions() -> None:
    index = pairs()
    dice = random.Random(5)
    alive = set(range(1_200))
    for round_ in range(4):
        for id_ in dice.sample(sorted(alive), 900):
            del index[id_]
            alive.discard(id_)
        fresh = range(2_000 * (round_ + 1), 2_000 * (round_ + 1) + 1_000)
        index.add_many(fresh, [f"a = {i % 2} AND b = {i // 2 % 2} AND c > 5" for i in fresh])
        alive |= set(fresh)
        index.check_invariants()
        assert index.match({"a": 1, "b": 0, "c": 10**6}) == [i for i in sorted(alive) if i % 4 == 1]


@pytest.mark.parametrize(
    ("name", "at", "value", "message"),
    [
        ("propagation.predicates.references", 0, 77, "1: 2: references"),
        ("propagation.trie.parent", 0, 3, "2: "),
        ("propagation.clusters", 2, 0, "3: "),
        ("propagation.clause_row", 5, 70, "3: the place of a clause"),
        ("propagation.first_cluster", slice(None), NONE, "3: a clause in no cluster"),
        ("propagation.columns.words", 0, 1, "4: the predicates of a row"),
        ("propagation.clusters", slice(1, None, 4), 3, "4: whether a clause is decided"),
        ("propagation.trie.live", 0, 5_000, "5: live clauses"),
        ("propagation.rarity.asked", 1, 0, "6: 1: counts"),
    ],
)
def test_check_invariants_finds_damage(name: str, at: Any, value: Any, message: str) -> None:
    with pytest.raises(AssertionError, match=message):
        corrupted(pairs(), name, at, value).check_invariants()
