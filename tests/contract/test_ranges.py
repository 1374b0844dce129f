"""Events with ranges and alternatives, in every engine, judged by the plain events that they stand for."""

from __future__ import annotations

import datetime as dt
import itertools
import random
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import boolsieve as bs
import oracle
import strategies
from boolsieve.encoding.ranges import AnyOf, Between
from boolsieve.language.expr import Expr, Predicate

NewIndex = Callable[[], bs.Index]


def filled(new_index: NewIndex, texts: Mapping[Any, str]) -> bs.Index:
    index = new_index()
    index.add_many(list(texts), list(texts.values()))
    return index


def check_all_ways(index: bs.Index, events: list[dict[str, Any]], expected: list[list[Any]]) -> None:
    for event, ids in zip(events, expected, strict=True):
        assert index.match(event) == ids
        assert index.match_count(event) == len(ids)
        assert [id_ for id_ in index if index.matches(event, id_)] == ids
        assert index.top_k(event, 100) == [(id_, 0.0) for id_ in ids]
    assert index.match_batch(events).to_lists() == expected
    assert index.match_batch(events, threads=2).to_lists() == expected


def has_pattern_on_text_range(expression: Expr, event: Mapping[str, Any]) -> bool:
    """Whether it is decided by the normal form what a string predicate and its negation make together."""
    for part in oracle.parts_of(expression):
        if isinstance(part, Predicate) and part.op in oracle.STRING_TESTS:
            value = oracle.raw_value(event, part.name)
            if any(
                isinstance(one, Between) for one in (value.values if isinstance(value, AnyOf) else [value])
            ):
                return True
    return False


@st.composite
def cases(draw: st.DrawFn) -> tuple[dict[Any, str], list[dict[str, Any]]]:
    world = draw(strategies.worlds())
    texts = draw(st.lists(strategies.expressions(world), min_size=1, max_size=6))
    kinds = [strategies.open_events(world), strategies.open_events(world), strategies.events(world)]
    return dict(enumerate(texts)), draw(st.lists(st.one_of(kinds), min_size=1, max_size=5))


@given(case=cases())
def test_some_plain_event_must_satisfy_the_expression(new_index: NewIndex, case: Any) -> None:
    texts, events = case
    index = filled(new_index, texts)
    model = {id_: bs.parse(text) for id_, text in texts.items()}
    scan = filled(bs.Index, texts)
    expected = []
    for event in events:
        certain = oracle.matching(model, event)
        found = scan.match(event)
        decided = [id_ for id_ in model if not has_pattern_on_text_range(model[id_], event)]
        assert [id_ for id_ in found if id_ in decided] == [id_ for id_ in certain if id_ in decided]
        assert set(certain) <= set(found)
        expected.append(found)
    check_all_ways(index, events, expected)


@given(case=cases(), data=st.data())
def test_alternatives_match_as_the_plain_events_together(
    new_index: NewIndex, case: Any, data: st.DataObject
) -> None:
    texts, events = case
    plain = [event for event in events if not any(isinstance(v, (AnyOf, Between)) for v in event.values())]
    # A dotted None gives way to a nested value, which any_of(None) does not.
    names = sorted({name for event in plain for name in event if "." not in name})
    if not names:
        return
    name = data.draw(st.sampled_from(names))
    values = [event[name] for event in plain if name in event and not isinstance(event[name], dict)]
    index = filled(new_index, texts)
    for event in plain if values else []:
        together = {id_ for value in values for id_ in index.match({**event, name: value})}
        assert index.match({**event, name: bs.any_of(*values)}) == [id_ for id_ in index if id_ in together]


def conjunction(dice: random.Random) -> str:
    parts = []
    for attribute in dice.sample(range(8), dice.randint(1, 4)):
        value = dice.randint(0, 12)
        parts.append(
            dice.choice(
                [
                    f"a{attribute} = {value}",
                    f"a{attribute} <= {value}",
                    f"a{attribute} > {value}",
                    f"a{attribute} BETWEEN {value} AND {value + 3}",
                    f"a{attribute} IN ({value}, {value + 2}, {value + 5})",
                    f"a{attribute} != {value}",
                    f"(a{attribute} = {value} OR a{dice.randrange(8)} = {dice.randint(0, 12)})",
                ]
            )
        )
    return " AND ".join(parts)


def test_many_expressions_and_more_alternatives_than_are_tried_one_by_one(new_index: NewIndex) -> None:
    dice = random.Random(5)
    index = filled(new_index, {id_: conjunction(dice) for id_ in range(1500)})
    index.check_invariants()
    plain = {f"a{i}": dice.randint(0, 12) for i in range(6)}
    for names in (["a0"], ["a0", "a3"], ["a1", "a2", "a7"]):
        for values in ([1, 5], [0, 3, 4, 8, 11], list(range(0, 13, 2))):
            together: set[Any] = set()
            for product in itertools.product(values, repeat=len(names)):
                together.update(index.match({**plain, **dict(zip(names, product, strict=True))}))
            open_event = {**plain, **{name: bs.any_of(*values) for name in names}}
            assert index.match(open_event) == [id_ for id_ in index if id_ in together]
            wide = {**plain, **{name: bs.between(-1, 13) for name in names}}
            assert set(index.match(wide)) >= together
    assert index.match(plain) == index.match(
        {name: bs.between(value, value) for name, value in plain.items()}
    )


def test_conjunctive_expression_needs_one_value_for_all_its_disjunctions(new_index: NewIndex) -> None:
    index = new_index()
    index.add(
        1,
        "(a = 1 OR b = 1 OR c = 1) AND (a = 2 OR b = 2 OR d = 1) AND (a = 3 OR c = 2 OR e = 1) AND (f = 1 OR d = 2)",
    )
    one_to_three = bs.any_of(1, 2, 3)
    assert index.match({"a": one_to_three, "f": 1}) == []
    assert index.match({"a": one_to_three, "b": 2, "f": 1}) == []
    assert index.match({"a": one_to_three, "b": 2, "c": 2, "f": 1}) == [1]
    assert index.match({"a": one_to_three, "b": bs.between(0, 5), "f": 1}) == []
    assert index.match({"a": bs.between(0, 5), "b": bs.between(0, 5), "c": bs.any_of(1, 7), "f": 1}) == [1]
    assert index.match({"a": bs.between(0, 5), "b": bs.between(0, 5), "c": 7, "f": 1}) == []


# What docs/language.md says about each predicate: text, value, whether it matches.
MEANING: list[tuple[str, Any, bool]] = [
    ("a = 25", bs.between(20, 40), True),
    ("a = 41", bs.between(20, 40), False),
    ("a = 40", bs.between(20, 40, closed="left"), False),
    ("a > 40", bs.between(20, 40), False),
    ("a >= 40", bs.between(20, 40), True),
    ("a > 20 AND a < 21", bs.between(20, 40), True),
    ("a > 20 AND a < 21", bs.any_of(20, 21), False),
    ("a < 25 AND a > 35", bs.between(20, 40), False),
    ("a < 25 OR a > 99", bs.between(20, 40), True),
    ("a != 20", bs.between(20, 40), True),
    ("a != 20", bs.any_of(20, "x"), False),
    ("a NOT IN (1, 2)", bs.any_of(1, 2), False),
    ("a NOT IN (1, 2)", bs.between(1, 2), True),
    ("a NOT BETWEEN 10 AND 50", bs.between(20, 40), False),
    ("a NOT BETWEEN 10 AND 30", bs.between(20, 40), True),
    ("a IS NULL", bs.between(20, 40), False),
    ("a IS NULL", bs.any_of(1, None), True),
    ("a IS NOT NULL", bs.any_of(1, None), True),
    ("a IS DISTINCT FROM 20", bs.between(20, 40), True),
    ("a IS DISTINCT FROM 20", bs.any_of(20), False),
    ("a IS DISTINCT FROM 20", bs.any_of(20, "x"), True),
    ("a IS NOT DISTINCT FROM 20", bs.between(20, 40), True),
    ("NOT a = 25", bs.between(20, 40), True),
    ("a < 'x'", bs.between(20, 40), False),
    ("a IN (7, 19)", bs.between(None, 10), True),
    ("a IN (7, 19)", bs.between(10, None), True),
    ("a IN (7, 19)", bs.between(8, 18), False),
    ("a > 9007199254740992 AND a < 9007199254740994", bs.between(0, 10**18), True),
    ("a > 9007199254740992 AND a < 9007199254740993", bs.between(0, 10**18), False),
    ("a > 0.5 AND a != 0.75", bs.between(0.5, 0.75), True),
    ("a > 9223372036854775806 AND a < 1e19", bs.between(0, 2.0**63, closed="left"), True),
    ("a >= 'b' AND a < 'c'", bs.between("a", "b"), True),
    ("a > 'b' AND a < 'c'", bs.between("a", "b"), False),
    ("a = 'bee'", bs.between("a", "c"), True),
    ("a NOT IN ('x', 'y')", bs.between("a", "c"), True),
    ("a > 'a long operand' AND a < 'a long opq'", bs.between("a", "b"), True),
    ("a < 'a long operand' AND a > 'a long opq'", bs.between("a", "b"), False),
    ("a NOT BETWEEN 'a long one' AND 'a long two'", bs.between("a long pa", "a long zz"), True),
    ("a NOT BETWEEN 'a long one' AND 'a long two'", bs.between("a long pa", "a long qq"), False),
    ("a STARTS WITH 'b'", bs.any_of("apple", "bee"), True),
    ("a NOT LIKE '%e%'", bs.any_of("apple", "bee"), False),
    ("a STARTS WITH 'b' AND a ENDS WITH 'y'", bs.any_of("bee", "day"), False),
    ("a STARTS WITH 'b'", bs.between("a", "c"), False),
    ("a NOT STARTS WITH 'b'", bs.between("a", "c"), False),
    ("a LIKE 'bee'", bs.between("a", "c"), True),
    ("a LIKE '%'", bs.between("a", "c"), True),
    ("a MATCHES 'b' OR a = 'bee'", bs.between("a", "c"), True),
    ("a", bs.any_of(True, False), True),
    ("NOT a", bs.between(False, True), True),
    ("NOT a", bs.between(False, True, closed="right"), False),
    ("a >= FALSE", bs.between(None, True), True),
    ("a HAS 'x'", bs.any_of(["x"], ["y"]), True),
    ("a HAS ALL ('x', 'y')", bs.any_of(["x"], ["y"]), False),
    ("a HAS NONE ('x', 'y')", bs.any_of(["x"], []), True),
    ("a NOT HAS 'x'", bs.between("a", "z"), False),
    ("a = DATE '2026-01-02'", bs.between(dt.date(2026, 1, 1), dt.date(2026, 1, 3)), True),
    ("a < DATE '2026-01-02'", bs.between(dt.datetime(2026, 1, 2), None), False),
    (
        "a > TIMESTAMP '2026-01-02 00:00:00' AND a < TIMESTAMP '2026-01-02 00:00:00.000001'",
        bs.between(dt.date(2026, 1, 1), dt.date(2026, 1, 3)),
        True,
    ),
    ("a IN (1, 30, 99) AND a != 30", bs.any_of(bs.between(20, 40), 5, 99), True),
    ("a IN (1, 30) AND a != 30", bs.any_of(bs.between(20, 40), 5, 99), False),
    ("a = 30", bs.any_of(1, bs.any_of(2, 30)), True),
    ("a = 1.5", bs.between(np.float32(1.0), np.int8(2)), True),
]


@pytest.mark.parametrize(("text", "value", "outcome"), MEANING)
def test_engine_obeys_the_rule(new_index: NewIndex, text: str, value: Any, outcome: bool) -> None:
    index = filled(new_index, {1: text, 2: f"b = 1 AND ({text})"})
    check_all_ways(
        index, [{"a": value, "b": 1}, {"a": value}], [[1, 2] if outcome else [], [1] if outcome else []]
    )


def test_scores_come_from_the_clauses_that_some_value_satisfies(new_index: NewIndex) -> None:
    index = new_index()
    index.add("x", "a = 1 OR (a = 2 AND b = 1) OR c = 1", 1.0, {"a": 2, "b": 4, "c": 100})
    index.add("y", "a > 1.5 AND a < 2", 4.0)
    assert index.top_k({"a": bs.any_of(1, 3), "b": 1}, 2) == [("x", 3.0)]
    assert index.top_k({"a": bs.any_of(1, 2), "b": 1}, 2) == [("x", 7.0)]
    assert index.top_k({"a": bs.between(1, 2), "b": bs.any_of(1, 5)}, 1) == [("x", 7.0)]
    assert index.top_k({"a": bs.between(1, 2), "b": 2}, 1, {"a": 0.5}) == [("y", 4.0)]


def test_ranges_after_updates(new_index: NewIndex) -> None:
    index = filled(new_index, {id_: f"a > {id_} AND a < {id_ + 2}" for id_ in range(300)})
    for id_ in range(0, 300, 2):
        del index[id_]
    index[101] = "b IS NULL"
    assert index.match({"a": bs.between(99.5, 104)}) == [99, 101, 103]
    assert index.match({"a": bs.between(99.5, 104), "b": bs.any_of(1, 2)}) == [99, 103]
    assert index.match({"a": 101.5}) == [101]
    index.check_invariants()
