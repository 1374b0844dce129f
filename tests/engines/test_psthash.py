"""What only PSTHash has: the combined spaces of the paper's figure 4, its option, bounded combinations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from pst_inside import Inside

import boolsieve as bs
from boolsieve.engines import PSTHash

FIGURE_4 = [
    "attr1 = 1 AND attr2 = -1 AND attr3 < 0",
    "attr1 = 1 AND attr2 = -1 AND attr3 > 0",
    "attr1 = 1 AND attr2 < -1 AND attr3 = 0",
    "attr1 < 1 AND attr2 = -1 AND attr3 = 0",
]


def test_figure_4() -> None:
    index = bs.Index(engine="psthash")
    for number, expression in enumerate(FIGURE_4, 1):
        index.add(f"S{number}", expression)
    index.check_invariants()
    lists = Inside(index).lists()
    one, two, three = sorted({place[0] for places in lists for place in places})
    assert lists == {
        ((one, 2), (two, 2)): [0, 1],
        ((one, 2), (three, 2)): [2],
        ((two, 2), (three, 2)): [3],
    }
    assert index.match({"attr1": 1, "attr2": -1, "attr3": 2}) == ["S2"]


def test_clauses_with_too_few_predicates_are_listed_at_single_spaces() -> None:
    index = bs.Index(engine=PSTHash(access=3))
    index.add_many(list("abc"), ["x = 1", "x = 1 AND y = 2", "x = 1 AND y = 2 AND z = 3"])
    index.check_invariants()
    assert index.match({"x": 1, "y": 2, "z": 3}) == ["a", "b", "c"]
    assert index.match({"x": 1, "y": 2}) == ["a", "b"]
    assert index.match({"x": 1, "z": 3}) == ["a"]


def test_combinations_are_bounded() -> None:
    members = ", ".join(str(i) for i in range(50))
    index = bs.Index(engine="psthash")
    index.add_many(range(20), [f"a IN ({members}) AND b IN ({members}) AND c = {i}" for i in range(20)])
    assert Inside(index).record_count <= 20 * 50
    assert index.match({"a": 1, "b": 49, "c": 3}) == [3]


def test_fewer_candidates_than_with_one_access_predicate() -> None:
    texts = [f"a = {i % 10} AND b = {i // 10 % 10} AND c = {i // 100} AND d != {i}" for i in range(1_000)]
    candidates = []
    for engine in (PSTHash(access=1), PSTHash(access=2), PSTHash(access=3)):
        index = bs.Index(engine=engine)
        index.add_many(range(1_000), texts)
        assert index.match({"a": 1, "b": 2, "c": 3, "d": 5}) == [321]
        candidates.append(index.stats()["candidates"])
    assert candidates[0] >= candidates[1] >= candidates[2] == 1


@pytest.mark.parametrize("access", [0, 9, 1.5, True, "2"])
def test_a_bad_number_of_access_predicates_is_refused(access: object) -> None:
    with pytest.raises(ValueError, match="access is an int from 1 to 8"):
        PSTHash(access=access)  # type: ignore[arg-type]


def test_options_go_into_copies() -> None:
    assert PSTHash(access=3).options() == {"access": 3}
    assert repr(PSTHash()) == "PSTHash(access=2)"


@pytest.mark.parametrize("access", [2, 3, 8])
def test_many_combinations_are_found_after_single_inserts_and_at_once(access: int) -> None:
    texts = [
        " AND ".join(f"a{(i * k) % 11} IN ({i % k}, {i % k + 1})" for k in range(2, 6)) + f" AND b < {i}"
        for i in range(400)
    ]
    one, many = bs.Index(PSTHash(access=access)), bs.Index(PSTHash(access=access))
    many.add_many(range(400), texts)
    for i, text in enumerate(texts):
        one.add(i, text)
    for index in (one, many):
        index.check_invariants()
    plain = bs.Index("scan")
    plain.add_many(range(400), texts)
    for value in range(8):
        event = {f"a{k}": (value + k) % 6 for k in range(11)} | {"b": value * 50}
        assert one.match(event) == many.match(event) == plain.match(event)


def corrupted(name: str, change: Callable[[Any], None]) -> bs.Index:
    index = bs.Index("psthash")
    texts = [
        f"a = {i % 7} AND b = {i % 5} AND c > {i}" if i % 2 else f"a BETWEEN {i} AND 99" for i in range(60)
    ]
    index.add_many(range(60), texts)
    index.check_invariants()
    rebuild, (format_, kind, options, budget, store, engine) = index.__reduce__()  # type: ignore[misc]
    engine = dict(engine)
    engine[name] = engine[name].copy()
    change(engine[name])
    return rebuild(format_, kind, options, budget, store, engine)  # type: ignore[no-any-return]


def put(at: Any, value: Any) -> Callable[[Any], None]:
    def change(array: Any) -> None:
        array[at] = value

    return change


def turn_round(array: Any) -> None:
    array[:] = array[::-1].copy()


def one_more(at: int) -> Callable[[Any], None]:
    def change(array: Any) -> None:
        array[at] += 1

    return change


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("pst.trees.next", turn_round, "1: 2: "),
        ("pst.trees.equal", put(slice(None), 0xFFFFFFFE), "1: "),
        ("pst.records.length", one_more(0), "1: more items than room"),
        ("pst.maps.used", one_more(0), "1: 2: number of keys"),
        ("pst.maps.place", put(0, 64 * 10**6 + 1), "1: 1: a table outside"),
        ("pst.maps.cells", turn_round, "1: 2: a key is not found"),
        ("pst.joined", put(slice(None), 0xFFFFFFFF), "2: a record is missing"),
        ("pst.list_of", put(slice(None), 0xFFFFFFFF), "2: a record is missing"),
        ("pst.numbers", one_more(2), "2: number of clauses"),
        ("pst.records.words", one_more(1), "3: expression"),
        ("pst.records.words", put(3, 1), "4: signature or tail"),
        ("pst.tails", one_more(3), "4: signature or tail"),
        ("pst.cuts", turn_round, "5: order"),
    ],
)
def test_check_invariants_finds_damage(name: str, change: Callable[[Any], None], message: str) -> None:
    with pytest.raises(AssertionError, match=message):
        corrupted(name, change).check_invariants()
