"""OpIndex: pivots, operator lists, signatures, counters, and what they spare; conjunctive normal form."""

from __future__ import annotations

import pickle
import random
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import boolsieve as bs
import oracle
from boolsieve.engines import OpIndex

NONE = 0xFFFFFFFF
SEVERAL = NONE - 1
WHOLE = 1 << 63  # the key of the number 0; a step of 2 to the next
LINEAR = 32  # so many entries are not sorted
SEGMENTS = 32

# Table 1 of the paper, which its figures 2, 4 and 5 and its examples 2 to 5 are about.
TABLE_1 = {
    1: "A = 2 AND B IN (3, 6, 9)",
    2: "A <= 8 AND C >= 2",
    3: "C = 6 AND B <= 4 AND E BETWEEN 3 AND 12",
    4: "A = 2",
    5: "D >= 12 AND E <= 9",
    6: "B IN (3, 6) AND C <= 4 AND D >= 10 AND E <= 7",
}


def table_1(engine: Any = "opindex") -> bs.Index:
    index = bs.Index(engine)
    index.add_many(list(TABLE_1), list(TABLE_1.values()))
    return index


# --- The inside, read from the buffers. For one clause an expression, ids from 1 on, attributes that are numbers. ---


class Entry(NamedTuple):
    operator: str
    attribute: str
    value: float
    id: int


class Partition(NamedTuple):
    needs: dict[int, int]  # by id
    sorted: list[Entry]
    tail: list[Entry]


def names(index: bs.Index) -> list[str]:
    """The names of attributes, by number."""
    raw = index.buffers()
    text, end = raw["dictionary.names.bytes"].tobytes(), raw["dictionary.names.ends"].tolist()
    known = [text[begin:stop].decode() for begin, stop in zip([0, *end], end, strict=False)]
    return [known[name] if name < len(known) else "" for name in raw["dictionary.attribute_name"].tolist()]


def partitions(index: bs.Index) -> dict[str, Partition]:
    raw, known = index.buffers(), names(index)
    blocks = raw["opindex.blocks"].view(np.uint8)
    found = {}
    for attribute, fields in enumerate(raw["opindex.partitions"].reshape(-1, 8).tolist()):
        block, room, entry_room, counters, entries, in_order, clauses, _ = fields
        if not clauses:
            continue
        at = block * 64 + (SEGMENTS * 40 if entry_room > LINEAR else 0)
        needs = blocks[at : at + counters].tolist()
        at += (room + 7) // 8 * 8
        keys = blocks[at : at + 16 * entries].view(np.uint64).reshape(-1, 2)[:, 0].tolist()
        rest = blocks[at : at + 16 * entries].view(np.uint32).reshape(-1, 4)[:, 2:].tolist()
        at += 16 * entry_room
        owners = blocks[at : at + 4 * counters].view(np.uint32).tolist()
        listed = [
            Entry(("=", "<=", ">=")[reference & 3], known[on], (key - WHOLE) / 2, owners[reference >> 2] + 1)
            for key, (on, reference) in zip(keys, rest, strict=True)
            if needs[reference >> 2]
        ]
        live = {owner + 1: need & 63 for owner, need in zip(owners, needs, strict=True) if need & 63}
        found[known[attribute]] = Partition(live, listed[:in_order], listed[in_order:])
    return found


def pivots(index: bs.Index) -> set[str]:
    """The pivots that clauses have."""
    known, raw = names(index), index.buffers()
    return {known[i] for i in np.flatnonzero(raw["opindex.partitions"].reshape(-1, 8)[:, 6])}


def entries(partition: Partition) -> set[Entry]:
    return {*partition.sorted, *partition.tail}


def counted(index: bs.Index, use: Callable[[], Any]) -> tuple[Any, int, int]:
    """What a call gives, how many clauses were in the partitions it visited, and how many entries it looked at."""
    before = index.stats()
    result = use()
    after = index.stats()
    counts = [int(after[name] - before[name]) for name in ("candidates", "predicates_evaluated")]
    return result, counts[0], counts[1]


# --- The paper's examples ---


def test_figure_4_pivots_are_the_attributes_that_expressions_have_least() -> None:
    """A and D are in few expressions, B, C and E in more; S2 and S3 come to C, as in the figure."""
    assert {pivot: sorted(p.needs) for pivot, p in partitions(table_1()).items()} == FIGURE_4


# A, B, C, D, E stand in 3, 3, 3, 2 and 3 expressions: where the paper breaks ties at will, the first predicate of the
# store, which orders them by how few events they let pass, is the pivot.
FIGURE_4 = {"A": [1, 2, 4], "C": [3], "D": [5, 6]}


def test_example_2_partitions_of_other_pivots_are_not_visited() -> None:
    index = table_1()
    assert counted(index, lambda: index.match({"A": 2, "B": 6}))[:2] == ([1, 4], len(FIGURE_4["A"]))


def test_figure_5_lists_by_operator_and_counters() -> None:
    found = partitions(table_1())
    assert entries(found["A"]) == {
        Entry("=", "A", 2, 1),
        Entry("=", "B", 3, 1),
        Entry("=", "B", 6, 1),
        Entry("=", "B", 9, 1),
        Entry("<=", "A", 8, 2),
        Entry(">=", "C", 2, 2),
        Entry("=", "A", 2, 4),
    }
    assert entries(found["C"]) == {
        Entry("=", "C", 6, 3),
        Entry("<=", "B", 4, 3),
        Entry(">=", "E", 3, 3),
        Entry("<=", "E", 12, 3),
    }
    assert entries(found["D"]) == {
        Entry(">=", "D", 12, 5),
        Entry("<=", "E", 9, 5),
        Entry("=", "B", 3, 6),
        Entry("=", "B", 6, 6),
        Entry("<=", "C", 4, 6),
        Entry(">=", "D", 10, 6),
        Entry("<=", "E", 7, 6),
    }
    # A set counts once and an interval twice.
    assert {id_: need for p in found.values() for id_, need in p.needs.items()} == {
        1: 2,
        2: 2,
        3: 4,
        4: 1,
        5: 2,
        6: 4,
    }


def test_figure_5_sorted_lists() -> None:
    """The same with enough others of pivot A that its entries are sorted: by segment, operator, attribute and value."""
    index = table_1()
    for id_ in range(7, 60):
        index.add(id_, f"A {('=', '<=', '>=')[id_ % 3]} {id_ * 7 % 50}")
    found = partitions(index)["A"]
    assert len(found.sorted) > LINEAR
    on_a = [(entry.operator, entry.value) for entry in found.sorted if entry.attribute == "A"]
    ranks = ["=", "<=", ">="]
    assert on_a == sorted(on_a, key=lambda pair: (ranks.index(pair[0]), pair[1]))
    places = [i for i, entry in enumerate(found.sorted) if entry.attribute == "A"]
    assert places == list(range(places[0], places[0] + len(places)))  # an attribute is in one segment
    index.check_invariants()


def test_example_3_signatures_spare_the_lists() -> None:
    """An event's pair whose bit is off in a list's signature looks at none of its entries."""
    index = bs.Index("opindex")
    index.add_many(range(1, 101), [f"p = {i % 4} AND q = {i}" for i in range(1, 101)])
    index.add_many(range(101, 201), [f"q = {i}" for i in range(100)])  # so that p is the rarer one
    assert pivots(index) == {"p", "q"}
    found, clauses, looked = counted(index, lambda: index.match({"p": 1}))
    assert (found, clauses) == ([], 100)
    assert 25 < looked < 25 + 10  # those with p = 1, and a search for them
    # Other values are mostly known to be in no entry; of an attribute that is in none, nothing is looked at.
    values = [counted(index, lambda value=value: index.match({"p": value}))[2] for value in range(4, 54)]
    assert values.count(0) > 40
    assert counted(index, lambda: index.match({"p": 1, **{f"z{i}": 1 for i in range(200)}}))[1:] == (
        100,
        looked,
    )


def test_example_5_partial_matches_under_other_pivots_are_not_accessed() -> None:
    index = table_1()
    found, clauses, _ = counted(index, lambda: index.match({"B": 6, "C": 3, "E": 9}))
    assert (found, clauses) == (
        [],
        len(FIGURE_4["C"]),
    )  # nothing of A, where S2 is, nor of D, where S5 and S6 are


def test_prefixes_suffixes_and_regular_expressions_are_derived_attributes() -> None:
    index = bs.Index("opindex")
    about = ["STARTS WITH 'wha'", "ENDS WITH 'ale'", "MATCHES '^w.*e$'", "CONTAINS 'hal'", "NOT LIKE 'wha%'"]
    index.add_many(list("psrcn"), [f"t {what} AND price < 5" for what in about])
    assert index.match({"t": "whale", "price": 4}) == ["p", "s", "r", "c"]
    assert index.match({"t": "shale", "price": 4}) == ["s", "c", "n"]
    found, clauses, _ = counted(index, lambda: index.match({"t": "other", "price": 5}))
    assert (found, clauses) == ([], index.stats()["clauses"] - 4)  # all but `n` are not even visited
    index.check_invariants()


# --- Pivots ---


def test_pivots_come_from_events_where_these_are_known() -> None:
    """`rare` is in more expressions than `often`, but events hardly ever have it."""
    index = bs.Index("opindex")
    for id_ in range(1, 10):
        index.add(id_, f"rare = {id_}")
    index.add(10, "often = 1 AND rare = 1")
    assert 10 in partitions(index)["often"].needs
    for _ in range(300):
        index.match({"often": 1})
    index.add(11, "often = 2 AND rare = 1")
    found = partitions(index)
    assert 11 in found["rare"].needs
    assert 10 in found["rare"].needs  # learning moved it too
    index.check_invariants()


def until(holds: Callable[[], bool], do: Callable[[], Any], most: int) -> int:
    """How often it takes to do something until something holds."""
    for times in range(most):
        if holds():
            return times
        do()
    raise AssertionError(f"not after {most} times")


@pytest.mark.parametrize("segments", [True, False])
def test_pivots_follow_when_events_drift(segments: bool) -> None:
    """First `a`, then `b`, then `a` again is in all events; clauses go to the other, where no event meets them."""
    index = bs.Index(OpIndex(segments=segments))
    n = 400
    index.add_many(range(n), [f"a = {i} AND b = {i}" for i in range(n)])
    moved = []
    for name, other in ("ab", "ba", "ab"):
        before = pivots(index)
        events = [{name: i % n} for i in range(512)]
        until(lambda: pivots(index) == {other}, lambda: index.match_batch(events), 1_000)  # noqa: B023
        moved.append(before != {other})
        assert counted(index, lambda: index.match_batch(events))[1] == 0  # noqa: B023
        index.check_invariants()
        assert index.match({"a": 5, "b": 5}) == [5]
    assert moved[1:] == [True, True]


def test_pivots_stay_where_events_do_not_tell_them_apart() -> None:
    dice = random.Random(1)
    index = bs.Index("opindex")
    index.add_many(range(200), [f"a{i % 10} = 1 AND a{(i + 3) % 10} = 1" for i in range(200)])
    before = index.buffers()["opindex.clause_pivot"].tolist()
    for _ in range(20):
        index.match_batch([{f"a{i}": 1 for i in range(10) if dice.random() < 0.5} for _ in range(512)])
    assert index.buffers()["opindex.clause_pivot"].tolist() == before


def test_learning_looks_at_all_of_a_large_partition() -> None:
    """Each time at a few clauses only, and at others each time: in the end none is left behind."""
    index = bs.Index("opindex")
    n = 3_000
    index.add_many(range(n), [f"often = {i} AND rare{i % 100} = {i}" for i in range(n)])
    index.add_many(
        range(n, 2 * n), [f"rare{i % 100} = 1" for i in range(n)]
    )  # so that `often` is the rarer one
    for _ in range(200):
        index.match_batch([{"often": -1}] * 64 * 64)
    assert "often" not in pivots(index)
    index.check_invariants()


# --- Updates ---


def test_inserts_do_not_sort_again() -> None:
    """New entries go to a tail; only a long tail is merged."""
    index = bs.Index("opindex")
    index.add_many(range(1, 1_001), [f"p = {i}" for i in range(1, 1_001)])
    assert [len(part) for part in partitions(index)["p"][1:]] == [1_000, 0]
    merges, before = 0, 0
    for id_ in range(1_001, 2_001):
        index.add(id_, f"p = {id_ % 7}")
        entries_, in_order = index.buffers()["opindex.partitions"].reshape(-1, 8)[:, 4:6].max(axis=0).tolist()
        tail = entries_ - in_order
        merges += tail <= before
        before = tail
        assert entries_ == id_
        assert tail <= max(LINEAR, in_order // 16)
        assert id_ in index.match({"p": id_ % 7})
    assert 8 <= merges <= 16  # the partition doubled, in steps of a sixteenth
    index.check_invariants()


def test_entries_of_removed_expressions_go() -> None:
    index = bs.Index("opindex")
    index.add_many(range(1_000), [f"p = {i} AND q = 1" for i in range(1_000)])
    for id_ in range(900):
        del index[id_]
        if id_ % 97 == 0:
            index.check_invariants()
    kept = partitions(index)
    assert sum(len(p.sorted) + len(p.tail) for p in kept.values()) == 200
    _, _, looked = counted(index, lambda: index.match({"p": 950, "q": 1}))
    assert looked < 400
    for id_ in range(900, 1_000):
        del index[id_]
    assert partitions(index) == {}
    index.check_invariants()


def test_memory_of_moved_blocks_is_given_back() -> None:
    index = bs.Index("opindex")
    for round_ in range(30):
        for id_ in range(400):
            index[id_] = f"a{(id_ + round_ * 7) % 40} = {round_} AND b = {id_}"
    index.check_invariants()
    # 400 clauses of two entries, 40 partitions: what is live takes about 80 KB.
    assert index.buffers()["opindex.blocks"].nbytes < 400_000


def text(dice: random.Random) -> str:
    value = dice.randrange(6)
    kinds = [
        f"= {value}",
        f"!= {value}",
        f"> {value}",
        f"<= {value}",
        f"BETWEEN 1 AND {value + 1}",
        f"IN ({value}, {value + 2})",
        "IS NULL",
        "IS NOT NULL",
    ]
    predicates = [f"{name} {dice.choice(kinds)}" for name in dice.sample("abcdef", dice.randint(1, 4))]
    if dice.random() < 0.5:
        return " AND ".join(predicates)
    others = [f"({one} OR {dice.choice('ghij')} {dice.choice(kinds)})" for one in predicates]
    return " AND ".join(others)


@pytest.mark.parametrize("segments", [True, False])
def test_updates_mixed_with_matches(segments: bool) -> None:
    dice = random.Random(7)
    index, model = bs.Index(OpIndex(segments=segments)), {}
    for step in range(1_500):
        id_ = dice.randrange(200)
        if dice.random() < 0.35 and id_ in model:
            del index[id_], model[id_]
        else:
            index[id_] = model[id_] = bs.parse(text(dice))
        if step % 10 == 0:
            event = {name: dice.choice([0, 1, 2, 2.5, 3]) for name in dice.sample("abcdefghij", 6)}
            found = set(oracle.matching(model, event))
            assert index.match(event) == [other for other in index if other in found]
        if step % 300 == 0:
            index.check_invariants()
    index.check_invariants()


# --- The ablation ---


def test_without_segments_the_answers_are_the_same_and_cost_more() -> None:
    dice = random.Random(3)
    texts = [
        " AND ".join(
            f"a{i} {dice.choice(['=', '<=', '>='])} {dice.randrange(50)}" for i in dice.sample(range(60), 3)
        )
        for _ in range(6_000)
    ]
    events = [{f"a{i}": dice.randrange(50) for i in dice.sample(range(60), 8)} for _ in range(50)]
    plain, full = bs.Index(OpIndex(segments=False)), bs.Index(OpIndex())
    for index in (plain, full):
        index.add_many(range(len(texts)), texts)
    assert repr(OpIndex(segments=False)) == "OpIndex(segments=False)"
    ours, clauses, entries_ = counted(full, lambda: full.match_batch(events).to_lists())
    theirs, plain_clauses, plain_entries = counted(plain, lambda: plain.match_batch(events).to_lists())
    assert ours == theirs
    assert clauses == plain_clauses
    assert 2 * entries_ < plain_entries  # more searches, in longer lists
    assert full.buffers()["opindex.blocks"].nbytes > plain.buffers()["opindex.blocks"].nbytes
    plain.check_invariants()


@pytest.mark.parametrize("segments", [1, None, "yes"])
def test_bad_options_are_refused(segments: Any) -> None:
    with pytest.raises(TypeError, match="segments is a bool"):
        OpIndex(segments=segments)


# --- Counters ---


def test_more_predicates_than_a_counter_counts() -> None:
    """Beyond 63 satisfied predicates the store decides."""
    index = bs.Index("opindex")
    sizes = [31, 32, 33, 62, 63, 64, 65, 127, 128, 129, 300]
    for size in sizes:
        index.add(f"= {size}", " AND ".join(f"a{i} = 1" for i in range(size)))
        index.add(f"in {size}", " AND ".join(f"a{i} BETWEEN 0 AND 1" for i in range(size)))
    index.check_invariants()
    for size in range(1, 310):
        expected = [f"{kind} {n}" for n in sizes if n <= size for kind in ("=", "in")]
        assert index.match({f"a{i}": 1 for i in range(size)}) == expected
    assert index.match({f"a{i}": 1 + (i == 299) for i in range(300)}) == index.match(
        {f"a{i}": 1 for i in range(299)}
    )


def test_counters_are_left_at_zero() -> None:
    """Events that fill some counters in part, over partitions that are cleared in either way."""
    index = bs.Index("opindex")
    index.add_many(range(5_000), [f"p = {i % 3} AND q = {i}" for i in range(5_000)])
    index.add_many(range(5_000, 5_050), [f"r = 1 AND s = {i}" for i in range(50)])
    for _ in range(3):
        assert index.match({"p": 1}) == []
        assert index.match({"q": 4}) == []
        assert index.match({"p": 1, "q": 4}) == [4]
        assert index.match({"r": 1}) == []
        assert index.match({"r": 1, "s": 7}) == [5_007]


# --- Conjunctive normal form ---


def disjunctions(*groups: list[str]) -> str:
    return " AND ".join(f"({' OR '.join(group)})" for group in groups)


WIDE = disjunctions(*([f"{name}{i} = 1" for name in "xyz"] for i in range(4)))


def test_disjunctive_expression_stands_under_each_attribute_of_its_pivot() -> None:
    index = bs.Index("opindex")
    index.add(1, WIDE)
    index.add(
        2, disjunctions(["x5 = 1", "y5 = 2"], *([f"{name}{i} = 1" for name in "xyz"] for i in range(2, 5)))
    )
    found = partitions(index)
    stands = {pivot: p.needs for pivot, p in found.items()}
    assert {pivot for pivot, needs in stands.items() if 2 in needs} == {"x5", "y5"}  # the smallest
    assert len([pivot for pivot, needs in stands.items() if 1 in needs]) == 3
    assert entries(found["y5"]) == {Entry("=", "y5", 2, 2)}  # what the pivot says of it
    index.check_invariants()


def test_disjunctive_expression_is_reported_once() -> None:
    index = bs.Index("opindex")
    index.add(1, WIDE)
    everything = {f"{name}{i}": 1 for name in "xyz" for i in range(4)}
    assert index.match(everything) == [1]
    assert index.match_count(everything) == 1
    assert index.match_batch([everything, {}]).to_lists() == [[1], []]


def test_other_disjunction_guards_the_check() -> None:
    """An event that has a pivot attribute but none of another disjunction is not checked in the store."""
    index = bs.Index("opindex")
    index.add_many(range(50), [WIDE.replace("x0 = 1", f"x0 = {i}") for i in range(50)])
    group = next(i for i in range(4) if f"y{i}" in pivots(index))
    assert pivots(index) == {f"{name}{group}" for name in "xyz"}
    _, clauses, alone = counted(index, lambda: index.match({f"y{group}": 1}))
    assert clauses == 50
    guard = next(i for i in range(4) if i != group)
    _, _, guarded = counted(index, lambda: index.match({f"y{group}": 1, f"z{guard}": 1}))
    assert 50 <= alone < 60
    assert guarded == alone + 50 * 12
    _, _, other = counted(
        index, lambda: index.match({f"y{group}": 1, f"z{3 if guard < 3 and group != 3 else 2}": 1})
    )
    assert other == alone


def test_is_null_in_a_disjunction() -> None:
    index = bs.Index("opindex")
    texts = [
        disjunctions(["a = 1", "b IS NULL", "c = 1"], ["d = 1", "e = 1"], ["f = 1", "g = 1", "h = 1"]),
        disjunctions(["a = 1", "b IS NULL"], ["c IS NULL", "d = 1", "e = 1"], ["f = 1", "g = 1", "h = 1"]),
        disjunctions(
            ["a = 1", "b IS NULL"], ["c = 1", "d IS NULL"], ["e = 1", "f IS NULL"], ["g IS NULL", "h = 1"]
        ),
    ]
    index.add_many(range(len(texts)), texts)
    index.check_invariants()
    model = dict(enumerate(map(bs.parse, texts)))
    dice = random.Random(2)
    total = 0
    for _ in range(500):
        event = {name: dice.randrange(2) for name in "abcdefgh" if dice.random() < 0.6}
        expected = oracle.matching(model, event)
        total += len(expected)
        assert index.match(event) == expected
    assert total > 100


def test_very_many_disjunctions_and_alternatives() -> None:
    """More than 64 disjunctions; a pivot of more alternatives than a counter counts, on one attribute and on many."""
    index = bs.Index("opindex")
    deep = disjunctions(*([f"a{i} = 1", f"b{i} = 1"] for i in range(200)))
    broad = disjunctions([f"c{i} = 1" for i in range(300)], [f"d{i} = 1" for i in range(300)])
    same = disjunctions(
        [*(f"e BETWEEN {4 * i} AND {4 * i + 1}" for i in range(90)), "f = 1"],
        [*(f"g BETWEEN {4 * i} AND {4 * i + 1}" for i in range(90)), "h = 1"],
    )
    index.add_many(["deep", "broad", "same"], [deep, broad, same])
    index.check_invariants()
    assert index.stats()["clauses"] == 3
    assert index.match({f"{'ab'[i % 2]}{i}": 1 for i in range(200)}) == ["deep"]
    assert index.match({f"{'ab'[i % 2]}{i}": 1 for i in range(199)}) == []
    assert index.match({f"c{i}": 1 for i in range(300)}) == []
    assert index.match({**{f"c{i}": 1 for i in range(300)}, "d299": 1}) == ["broad"]
    assert index.match({**{f"{name}{i}": 1 for name in "cd" for i in range(300)}}) == ["broad"]
    assert index.match({"e": 5, "g": 4}) == ["same"]
    assert index.match({"e": 6, "g": 4}) == []
    assert index.match({"e": 6, "f": 1, "h": 1}) == ["same"]
    for id_ in ["broad", "same", "deep"]:
        del index[id_]
        index.check_invariants()
    assert partitions(index) == {}


def test_disjunctions_on_the_same_attributes() -> None:
    """Which of two the pivot is must be the same when it is inserted, moved and removed."""
    index = bs.Index("opindex")
    expression = disjunctions(
        ["a = 1", "b BETWEEN 2 AND 3"], ["b = 2", "a IN (1, 5)"], ["a < 9", "c = 1"], ["d = 1", "e = 1"]
    )
    index.add_many(range(100), [expression] * 100)
    index.check_invariants()
    assert index.match({"a": 7, "d": 1}) == []
    assert index.match({"a": 1, "b": 2, "e": 1}) == list(range(100))
    for id_ in range(0, 100, 2):
        del index[id_]
    index.check_invariants()
    assert index.match({"a": 1, "b": 2, "e": 1}) == list(range(1, 100, 2))


def test_disjunctive_pivots_follow_the_events() -> None:
    """And come back. `b` is in all pivots; the last disjunction may hold without its attributes, and so is none."""
    index = bs.Index("opindex")
    n = 300
    groups = [["b < 7", "d = 1"], ["e IS NULL", "f IS NULL", "d = 2"]]
    index.add_many(
        range(n), [disjunctions([f"a = {i}", "b < 9"], [f"c = {i}", "b < 8"], *groups) for i in range(n)]
    )
    assert index.stats()["clauses"] == n
    for name in "acdacd":
        until(
            lambda: name not in pivots(index),  # noqa: B023
            lambda: index.match_batch([{name: -1}] * 512),  # noqa: B023
            1_000,
        )
        index.check_invariants()
        assert counted(index, lambda: index.match({name: 5}))[:2] == ([], 0)  # noqa: B023
        assert index.match({"a": 5, "c": 5, "d": 1}) == [5]
        assert index.match({"a": 5, "b": 9, "c": 5, "d": 2}) == []


def test_disjunctive_expressions_of_a_partition_are_not_scanned() -> None:
    """Thousands under one attribute: only those whose predicate holds are looked at."""
    index = bs.Index("opindex")
    n = 5_000
    index.add_many(
        range(n),
        [
            disjunctions([f"p = {i}", f"q = {i}"], *([f"{x}{j} = 1" for x in "uvw"] for j in range(3)))
            for i in range(n)
        ],
    )
    assert pivots(index) == {"p", "q"}
    event = {"p": 17, "q": 18, "u0": 1, "v1": 1, "w2": 1}
    found, clauses, looked = counted(index, lambda: index.match(event))
    assert (found, clauses) == ([17, 18], 2 * n)
    assert 2 + 2 * 11 < looked < 100  # with two searches


def test_copies_hold_the_places_of_disjunctive_expressions() -> None:
    index = bs.Index("opindex")
    index.add_many(range(40), [WIDE] * 40)
    other = pickle.loads(pickle.dumps(index))
    for id_ in range(30):
        del other[id_]
    other.check_invariants()
    everything = {f"{name}{i}": 1 for name in "xyz" for i in range(4)}
    assert other.match(everything) == list(range(30, 40))
    assert index.match(everything) == list(range(40))


# --- Invariants ---


def corrupted(name: str, change: Callable[[Any], None]) -> bs.Index:
    index = bs.Index("opindex")
    index.add_many(range(60), [f"a = {i % 7} AND b BETWEEN {i} AND {i + 3}" for i in range(60)])
    index.add_many(range(60, 100), [WIDE] * 40)
    del index[5]
    index.check_invariants()
    rebuild, (format_, kind, options, budget, store, engine) = index.__reduce__()  # type: ignore[misc]
    engine = dict(engine)
    change(engine[name])
    return rebuild(format_, kind, options, budget, store, engine)  # type: ignore[no-any-return]


def put(at: Any, value: Any) -> Callable[[Any], None]:
    def change(array: Any) -> None:
        array[at] = value

    return change


def in_partition(field: int, step: int) -> Callable[[Any], None]:
    """Changes a field of the partition with the most entries."""

    def change(array: Any) -> None:
        fields = array.reshape(-1, 8)
        row = int(fields[:, 4].argmax())
        fields[row, field] = int(fields[row, field]) + step

    return change


def directory(array: Any) -> Any:
    """The segments of the first block: three signatures, begin and end."""
    return array[SEGMENTS : SEGMENTS + 4 * SEGMENTS].reshape(-1, 4)


def no_signatures(array: Any) -> None:
    directory(array)[:, :3] = 0


def exchange(array: Any) -> None:
    """The first two sorted entries of a list."""
    bounds = [(int(word) & NONE, int(word) >> 32) for word in directory(array)[:, 3]]
    first = next(begin for begin, end in bounds if end - begin > 1)
    keys = np.flatnonzero(array[5 * SEGMENTS :] >> np.uint64(56) == 0x80)
    rows = array[5 * SEGMENTS + int(keys[0]) :][:100].reshape(-1, 2)
    rows[[first, first + 1]] = rows[[first + 1, first]]


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("opindex.partitions", in_partition(0, 10**6), "1: sizes"),
        ("opindex.partitions", in_partition(3, -1), "2: "),
        ("opindex.partitions", in_partition(4, -1), "3: segments|5: |6: |1: sizes"),
        ("opindex.partitions", in_partition(5, -40), "5: a long tail"),
        ("opindex.partitions", in_partition(6, 1), "6: clauses of partition"),
        ("opindex.partitions", in_partition(7, 1), "6: dead entries"),
        ("opindex.totals", put(3, 5), "1: lines of no partition"),
        ("opindex.totals", put(0, 5), "7: number of clauses"),
        ("opindex.clause_pivot", put(3, 0), "2: pivot of clause 3"),
        ("opindex.clause_local", put(3, 4), "2: place of clause 3"),
        ("opindex.clause_local", put(70, 10**6), "8: list of clause 70"),
        ("opindex.places.words", put(1, 7), "2: place of clause|6: "),
        ("opindex.places.length", put(0, 10**6), "8: places: 1"),
        ("opindex.expression_count", put(1, 0), "7: frequency of attribute 1"),
        ("opindex.blocks", no_signatures, "4: signature"),
        ("opindex.blocks", exchange, "3: order"),
        ("opindex.blocks", put(slice(None), 0), "3: segments"),
    ],
)
def test_check_invariants_finds_damage(name: str, change: Callable[[Any], None], message: str) -> None:
    with pytest.raises(AssertionError, match=message):
        corrupted(name, change).check_invariants()
