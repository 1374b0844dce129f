"""Weights: what is taken, what is refused, and that they stay with their expressions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import boolsieve as bs


def weighted(n: int = 3) -> bs.Index:
    index = bs.Index()
    for id_ in range(n):
        index.add(id_, f"a = {id_ % 3} AND b > 0", weight=id_ + 0.5, weights={"b": id_, "a": 1})
    return index


def held(index: bs.Index) -> dict[Any, Any]:
    return {id_: (index.weight(id_), index.weights(id_)) for id_ in index}


BAD: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"weight": -1}, ValueError, "expression 'x': weight is a finite number that is not negative, not -1"),
    ({"weight": float("nan")}, ValueError, "weight is a finite number that is not negative, not nan"),
    ({"weight": float("inf")}, ValueError, "not inf"),
    ({"weight": 10**400}, ValueError, "weight is a finite number"),
    ({"weight": "5"}, bs.EncodingError, "expression 'x': weight is a number, not str: '5'"),
    ({"weight": True}, bs.EncodingError, "weight is a number, not bool"),
    ({"weights": {"a": -0.5}}, ValueError, "expression 'x': the weight of attribute 'a' is a finite number"),
    ({"weights": {"a": None}}, bs.EncodingError, "the weight of attribute 'a' is a number, not NoneType"),
    ({"weights": [("a", 1)]}, bs.EncodingError, "weights are a mapping of attributes to numbers, not list"),
    ({"weights": {1: 1}}, bs.EncodingError, "weights: an attribute is a str, not int: 1"),
    (
        {"weights": {"a": 1, "c": 1, "d": 0}},
        ValueError,
        "expression 'x': weights of attributes that are not in the expression: 'c', 'd'",
    ),
]


@pytest.mark.parametrize(("arguments", "kind", "message"), BAD)
def test_bad_weights_are_refused_and_change_nothing(
    arguments: dict[str, Any], kind: type[Exception], message: str
) -> None:
    index = weighted()
    index.add("x", "a = 7")
    before = held(index)
    with pytest.raises(kind) as error:
        index.replace("x", "a = 1", **arguments)
    assert message in str(error.value)
    with pytest.raises(kind, match="expression 'new'"):
        index.add("new", "a = 1", **arguments)
    columns = {name: [None, value] for name, value in arguments.items()}
    with pytest.raises(kind, match="position 1, expression 'x2'"):
        index.add_many(["x1", "x2"], ["a = 1", "a = 2"], **columns)
    assert held(index) == before
    assert index["x"] == bs.parse("a = 7")
    (skipped,) = index.add_many(["x1", "x2"], ["a = 1", "a = 2"], errors="skip", **columns)
    assert (skipped.position, skipped.id, type(skipped.error)) == (1, "x2", kind)
    assert (list(index)[-1], index.weight("x1")) == ("x1", 0.0)


@pytest.mark.parametrize("k", [0, -1, 1.0, "3", None, True])
def test_k_is_a_positive_int(k: Any) -> None:
    with pytest.raises(ValueError, match="k is a positive int, not"):
        weighted().top_k({"a": 1}, k)


def test_bad_weights_of_events_are_refused() -> None:
    index = weighted()
    with pytest.raises(
        ValueError, match="the weight of attribute 'a' is a finite number that is not negative"
    ):
        index.top_k({"a": 1}, 1, {"a": -1})
    with pytest.raises(bs.EncodingError, match="weights of an event are a mapping"):
        index.top_k({"a": 1}, 1, 5)  # type: ignore[arg-type]
    with pytest.raises(bs.EncodingError, match="an event is a mapping"):
        index.top_k([], 1)  # type: ignore[arg-type]
    assert index.top_k({"a": 1, "b": 1}, 1) == [(1, 3.5)]  # the event's weights did not stay


def test_weights_of_an_unknown_id() -> None:
    index = weighted()
    for look in (index.weight, index.weights):
        with pytest.raises(bs.UnknownIdError, match="id 9 is not in the index"):
            look(9)


def test_columns_of_weights_must_be_as_long_as_the_others() -> None:
    index = bs.Index()
    with pytest.raises(ValueError, match="weight end after 1, ids go on"):
        index.add_many([1, 2], ["a = 1", "a = 2"], weight=[1])
    with pytest.raises(ValueError, match="ids end after 2, weights go on"):
        index.add_many([1, 2], ["a = 1", "a = 2"], weights=[None, None, None])
    assert len(index) == 0


def test_columns_may_be_arrays_and_hold_nothing() -> None:
    index = bs.Index()
    index.add_many(
        [1, 2], ["a = 1", bs.attr("a")], weight=np.array([1.5, 2]), weights=[{"a": np.float32(3)}, None]
    )
    assert held(index) == {1: (1.5, {"a": 3.0}), 2: (2.0, {})}


def test_weights_cost_nothing_until_one_is_given() -> None:
    names = ["slot_weight", "weights_begin", "weights_count", "weight_name", "weight_value"]
    index = bs.Index()
    index.add_many(range(100), ["a = 1"] * 100)
    index.add("zero", "a = 1", 0, {})
    index[5] = "a = 2"
    assert [len(index.buffers()[f"store.{name}"]) for name in names] == [0] * 5
    index.add("one", "a = 1", 1)
    assert [len(index.buffers()[f"store.{name}"]) for name in names] == [102, 0, 0, 0, 0]


def test_weights_survive_compaction() -> None:
    index = weighted(6000)
    expected = {id_: pair for id_, pair in held(index).items() if id_ % 4 == 0}
    slots = len(index.buffers()["store.slot_clause"])
    for id_ in range(6000):
        if id_ % 4:
            del index[id_]
    assert len(index.buffers()["store.slot_clause"]) < slots
    assert held(index) == expected
    assert index.top_k({"a": 1, "b": 3}, 2) == [(5992, 11985.5), (5980, 11961.5)]
    index.check_invariants()


def test_assignment_takes_weights_away_and_replace_sets_them_anew() -> None:
    index = weighted()
    index[1] = "a = 1"
    index.replace(2, "a = 2", weights={"a": 9})
    assert held(index) == {0: (0.5, {"b": 0.0, "a": 1.0}), 1: (0.0, {}), 2: (0.0, {"a": 9.0})}


def test_clear_forgets_weights() -> None:
    index = weighted()
    index.clear()
    index.add(1, "a = 1")
    assert held(index) == {1: (0.0, {})}


def test_attribute_that_the_normal_form_drops_keeps_its_weight_but_adds_nothing() -> None:
    index = bs.Index()
    index.add(1, "a = 1 OR (a = 1 AND b = 2)", weights={"b": 5, "a": 1})
    assert index.weights(1) == {"b": 5.0, "a": 1.0}
    assert index.top_k({"a": 1, "b": 2}, 1) == [(1, 1.0)]
