"""What only PSTHash has: the combined spaces of the paper's figure 4, its option, bounded combinations."""

from __future__ import annotations

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
