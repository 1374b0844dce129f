"""Attributes of expressions, and filters on them: `where`."""

from __future__ import annotations

import copy
import datetime as dt
import pickle
import random
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import boolsieve as bs
import oracle
import strategies

UTC = dt.timezone.utc


def people() -> bs.Index:
    index = bs.Index()
    index.add("ann", "price < 50", attributes={"tier": "gold", "age": 30, "tags": ["vip", 7]})
    index.add("bob", "price < 40", attributes={"tier": "silver", "age": 61.5, "home": {"city": "Rome"}})
    index.add("cid", "price > 10")
    index.add("dan", "price > 90", attributes={"tier": "gold"})
    return index


FILTERS: list[tuple[Any, list[str]]] = [
    ("tier = 'gold'", ["ann"]),
    ("tier != 'gold'", ["bob"]),
    ("tier IS NULL", ["cid"]),
    ("tier IS DISTINCT FROM 'gold'", ["bob", "cid"]),
    ("NOT (age > 40)", ["ann"]),
    ("age BETWEEN 30 AND 61.5", ["ann", "bob"]),
    ("tags HAS 'vip' AND tags HAS 7", ["ann"]),
    ("tags HAS NONE (8)", ["ann"]),
    ("home.city STARTS WITH 'R'", ["bob"]),
    ("tier ILIKE 'GO%' OR home.city MATCHES '^R.me$'", ["ann", "bob"]),
    ("TRUE", ["ann", "bob", "cid"]),
    ("FALSE", []),
    ("price < 50", []),  # an attribute of the event, not of the expressions
    (bs.attr("age") > 40, ["bob"]),
    (bs.attr("tier"), []),
]


@pytest.mark.parametrize(("where", "expected"), FILTERS)
def test_only_expressions_whose_attributes_satisfy_the_filter(where: Any, expected: list[str]) -> None:
    index, event = people(), {"price": 20}
    assert index.match(event, where=where) == expected
    assert index.match_count(event, where=where) == len(expected)
    assert index.top_k(event, 5, where=where) == [(id_, 0.0) for id_ in expected]
    rows = [event, {"price": 5}, {}]
    cheap = [id_ for id_ in expected if id_ != "cid"]
    for threads in (1, 2):
        assert index.match_batch(rows, where=where, threads=threads).to_lists() == [expected, cheap, []]
    assert index.match_batch(pa.Table.from_pylist(rows), where=where).to_lists() == [expected, cheap, []]
    assert index.match(event) == ["ann", "bob", "cid"]


def test_filter_goes_with_ranges() -> None:
    index = people()
    event = {"price": bs.between(15, 100)}
    assert index.match(event, where="tier = 'gold'") == ["ann", "dan"]
    assert index.match_batch([event, {"price": 20}], where="tier = 'gold'").to_lists() == [
        ["ann", "dan"],
        ["ann"],
    ]
    assert index.top_k(event, 1, where="age IS NULL") == [("cid", 0.0)]


def test_best_of_those_that_the_filter_leaves() -> None:
    index = bs.Index(engine="kindex")
    for id_ in range(50):
        index.add(id_, "a = 1", weight=id_, attributes={"even": id_ % 2 == 0})
    assert index.top_k({"a": 1}, 2) == [(49, 49.0), (48, 48.0)]
    assert index.top_k({"a": 1}, 2, where="even") == [(48, 48.0), (46, 46.0)]
    assert index.top_k({"a": 1}, 2, where="NOT even") == [(49, 49.0), (47, 47.0)]


def test_each_row_may_have_a_filter_of_its_own() -> None:
    index, rows = people(), [{"price": 20}] * 4
    filters = [None, "tier = 'gold'", bs.attr("age") > 40, "tier = 'gold'"]
    expected = [["ann", "bob", "cid"], ["ann"], ["bob"], ["ann"]]
    assert index.match_batch(rows, where=filters).to_lists() == expected
    assert index.match_batch(rows, where=iter(filters)).to_lists() == expected
    column = pd.Series(["tier = 'gold'", None, "age > 40", "FALSE"], dtype=object)
    assert index.match_batch(rows, where=column).to_lists() == [["ann"], ["ann", "bob", "cid"], ["bob"], []]
    assert index.match_batch([], where=[]).to_lists() == []
    with pytest.raises(ValueError, match="where has 3 expressions for 4 events"):
        index.match_batch(rows, where=filters[1:])


def test_filters_over_many_rows_and_tasks() -> None:
    index = bs.Index()
    index.add_many(range(40), [f"a > {i}" for i in range(40)], attributes=[{"n": i} for i in range(40)])
    rows = [{"a": i % 41} for i in range(40_000)]
    found = index.match_batch(rows, where="n >= 10", threads=2).to_lists()
    assert found == [list(range(10, i % 41)) for i in range(40_000)]
    own = index.match_batch(rows, where=[f"n < {i % 3 * 5}" for i in range(40_000)]).to_lists()
    assert own == [list(range(min(i % 41, i % 3 * 5))) for i in range(40_000)]


BAD_FILTERS: list[tuple[Any, type[Exception], str]] = [
    ("tier =", bs.ParseError, "where: unexpected end of the text at line 1, column 7"),
    ("tier MATCHES '('", bs.ParseError, r"where: '\(' is not a regular expression .* at line 1, column 14"),
    (5, bs.EncodingError, "where is a str or an Expr, not int|expected a column or an iterable, got int"),
    (" AND ".join(f"(a{i} = 1 OR b{i} = 1)" for i in range(12)), bs.BudgetError, "where: .*4,?096"),
]


@pytest.mark.parametrize(("where", "kind", "message"), BAD_FILTERS)
def test_bad_filters_are_refused(where: Any, kind: type[Exception], message: str) -> None:
    index, event = people(), {"price": 20}
    for call in (
        lambda: index.match(event, where=where),
        lambda: index.match_count(event, where=where),
        lambda: index.top_k(event, 1, where=where),
        lambda: index.match_batch([event], where=where),
    ):
        with pytest.raises(kind, match=message):
            call()
    with pytest.raises(kind, match=message.split("|", maxsplit=1)[0]):
        index.match_batch([event], where=[where])
    assert index.match(event) == ["ann", "bob", "cid"]


GIVEN: dict[str, Any] = {
    "bool": True,
    "int": -(2**63),
    "float": 0.1,
    "text": "ключ 😀",
    "empty": "",
    "date": dt.date(1999, 12, 31),
    "time": dt.datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC),
    "list": ["a", 1, 2.5, False, dt.date(2026, 1, 2)],
    "nothing": [],
}


def test_attributes_are_given_back() -> None:
    index = bs.Index()
    index.add(1, "TRUE", attributes=GIVEN)
    assert index.attributes(1) == GIVEN
    assert [type(value) for value in index.attributes(1).values()] == [
        type(value) for value in GIVEN.values()
    ]
    index.add(
        2,
        "TRUE",
        attributes={
            "a": np.int8(5),
            "b": np.float32(0.5),
            "c": pd.Timestamp("2026-01-02 03:04:05+01:00"),
            "d": np.array([1, 2]),
            "e": None,
            "f": float("nan"),
            "g": pd.NaT,
            "h": {"i": {"j": 1}, "k": None},
            "h.i.j": 2,
            "l": (None, "x"),
            "m": dt.datetime(2026, 1, 2),
        },
    )
    assert index.attributes(2) == {
        "a": 5,
        "b": 0.5,
        "c": dt.datetime(2026, 1, 2, 2, 4, 5, tzinfo=UTC),
        "d": [1, 2],
        "h.i.j": 2,
        "l": ["x"],
        "m": dt.datetime(2026, 1, 2, tzinfo=UTC),
    }
    with pytest.raises(bs.UnknownIdError, match="id 9 is not in the index"):
        index.attributes(9)


CIRCLE: dict[str, Any] = {}
CIRCLE["again"] = CIRCLE
BAD: list[tuple[Any, type[Exception], str]] = [
    ([("a", 1)], bs.EncodingError, "attributes are a mapping of names to values, not list"),
    ("a", bs.EncodingError, "attributes are a mapping"),
    ({1: 1}, bs.EncodingError, "the name of an attribute is text, not int"),
    ({"": 1}, ValueError, "the name of an attribute is empty"),
    ({"a": b"x"}, bs.EncodingError, "attribute 'a': expected a bool, a number"),
    ({"h": {"a": [object()]}}, bs.EncodingError, "attribute 'h.a': expected"),
    ({"a": bs.any_of(1, 2)}, bs.EncodingError, "attribute 'a': expected .* got AnyOf"),
    ({"a": [[1]]}, bs.EncodingError, "attribute 'a': expected .* got list"),
    ({"a": 2**63}, ValueError, "attribute 'a': the integer 9223372036854775808 is beyond 64 bits"),
    ({"a": "\ud800"}, ValueError, "attribute 'a': .* lone surrogate"),
    (
        {"a": np.datetime64("2026-01-02T03:04:05.000000500")},
        ValueError,
        "attribute 'a': .* is finer than a microsecond",
    ),
    (CIRCLE, ValueError, "attributes nest deeper than 100"),
]


@pytest.mark.parametrize(("attributes", "kind", "message"), BAD)
def test_bad_attributes_are_refused_and_change_nothing(
    attributes: Any, kind: type[Exception], message: str
) -> None:
    index = people()
    before = {id_: index.attributes(id_) for id_ in index}
    with pytest.raises(kind, match=f"expression 'new': {message}"):
        index.add("new", "TRUE", attributes=attributes)
    with pytest.raises(kind, match=f"expression 'ann': {message}"):
        index.replace("ann", "TRUE", attributes=attributes)
    with pytest.raises(kind, match=f"position 1, expression 'y': {message}"):
        index.add_many(["x", "y"], ["TRUE", "TRUE"], attributes=[{"a": 1}, attributes])
    assert {id_: index.attributes(id_) for id_ in index} == before
    assert index["ann"] == bs.parse("price < 50")
    (skipped,) = index.add_many(
        ["x", "y"], ["TRUE", "TRUE"], attributes=[{"a": 1}, attributes], errors="skip"
    )
    assert (skipped.position, skipped.id, type(skipped.error)) == (1, "y", kind)
    assert index.match({}, where="a = 1") == ["x"]


def test_columns_of_attributes() -> None:
    index = bs.Index()
    records = pa.array([{"tier": "gold", "age": 1}, None, {"tier": None, "age": 3}])
    index.add_many([1, 2, 3], ["TRUE"] * 3, attributes=records)
    assert [index.attributes(id_) for id_ in (1, 2, 3)] == [{"tier": "gold", "age": 1}, {}, {"age": 3}]
    with pytest.raises(ValueError, match="attributes end after 1, ids go on"):
        index.add_many([4, 5], ["TRUE"] * 2, attributes=[{}])


def test_attributes_go_with_their_expression() -> None:
    index = people()
    index["ann"] = "price < 60"
    index.replace("bob", "price < 70", attributes={"tier": "gold"})
    del index["dan"]
    index.add("dan", "price < 5")
    assert {id_: index.attributes(id_) for id_ in index} == {
        "ann": {},
        "bob": {"tier": "gold"},
        "cid": {},
        "dan": {},
    }
    assert index.match({"price": 20}, where="tier = 'gold'") == ["bob"]
    index.clear()
    index.add("ann", "TRUE")
    assert index.attributes("ann") == {}
    assert index.match({}, where="tier = 'gold'") == []


def test_failed_replacement_keeps_the_attributes() -> None:
    index = bs.Index(bs.engines.KIndex(max_values=10, strict=True))
    index.add(1, "a = 1", attributes={"tier": "gold"})
    with pytest.raises(bs.BudgetError):
        index.replace(1, "a > 5", attributes={"tier": "silver"})
    with pytest.raises(bs.BudgetError):
        index.add_many([2, 3], ["a = 1", "a > 5"], attributes=[{"tier": "gold"}, {"tier": "silver"}])
    (skipped,) = index.add_many(
        [2, 3], ["a > 5", "a = 2"], attributes=[{"tier": "tin"}, {"tier": "x"}], errors="skip"
    )
    assert (skipped.id, index.attributes(3)) == (2, {"tier": "x"})
    assert index.attributes(1) == {"tier": "gold"}
    assert index.match({"a": 1}, where="tier IN ('gold', 'silver', 'tin')") == [1]


def test_attributes_survive_copies_pickles_and_compaction() -> None:
    index = bs.Index()
    for id_ in range(5000):
        index.add(
            id_, f"a = {id_ % 3}", attributes=None if id_ % 5 == 0 else {"n": id_, "t": f"text {id_ % 7}"}
        )
    expected = {id_: index.attributes(id_) for id_ in index if id_ % 4 == 0}
    slots = len(index.buffers()["store.slot_clause"])
    for id_ in range(5000):
        if id_ % 4:
            del index[id_]
    assert len(index.buffers()["store.slot_clause"]) < slots
    found = [id_ for id_ in expected if id_ % 3 == 1 and id_ % 5 and id_ % 7 == 2]
    for held in (index, index.copy(), copy.deepcopy(index), pickle.loads(pickle.dumps(index))):
        assert {id_: held.attributes(id_) for id_ in held} == expected
        assert held.match({"a": 1}, where="t = 'text 2'") == found
        held.check_invariants()


def test_attributes_count_in_the_bytes_and_cost_nothing_until_given() -> None:
    index = bs.Index()
    index.add_many(range(100), ["a = 1"] * 100)
    index.add("none", "a = 1", attributes={})
    names = [name for name in index.buffers() if name.startswith("store.attributes.")]
    assert len(names) == 11
    assert all(len(index.buffers()[name]) == 0 for name in names)
    before = index.stats()["bytes"]
    index.add_many(
        range(100, 200), ["a = 1"] * 100, attributes=[{"text": "x" * 1000 + str(i)} for i in range(100)]
    )
    assert index.stats()["bytes"] > before + 100_000


@given(data=st.data())
def test_filter_means_what_the_expression_means_on_an_event(data: st.DataObject) -> None:
    """The attributes taken as an event must satisfy the filter taken as an expression."""
    world = data.draw(strategies.worlds())
    where = data.draw(strategies.expressions(world))
    given_ = data.draw(st.lists(strategies.events(world), min_size=1, max_size=4))
    index, expected = bs.Index(max_clauses=100_000), []
    for id_, attributes in enumerate(given_):
        attributes.pop("unused", None)
        index.add(id_, "TRUE", attributes=attributes)
        if oracle.matching({0: bs.parse(where)}, attributes):
            expected.append(id_)
    assert index.match({}, where=where) == expected
    assert index.match_batch([{}, {}], where=where).to_lists() == [expected, expected]
    assert index.copy().match_count({}, where=where) == len(expected)


def test_filter_is_evaluated_only_on_what_matched() -> None:
    index = bs.Index()
    dice = random.Random(1)
    index.add_many(range(2000), [f"a = {i}" for i in range(2000)], attributes=[{"n": dice.random()}] * 2000)
    index.match({"a": 5}, where="n >= 0 AND n < 1")
    stats = index.stats()
    assert (stats["events_matched"], stats["matches"]) == (1, 1)
