"""What every engine must do, judged by the oracle."""

from __future__ import annotations

import copy
import pickle
import random
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import boolsieve as bs
import oracle
import strategies
from meaning import MEANING

NewIndex = Callable[[], bs.Index]


def filled(new_index: NewIndex, texts: dict[Any, str]) -> tuple[bs.Index, dict[Any, Any]]:
    """An index and the model of it: a dict of parsed expressions."""
    index = new_index()
    index.add_many(list(texts), list(texts.values()))
    index.check_invariants()
    return index, {id_: bs.parse(text) for id_, text in texts.items()}


def check_all_ways(index: bs.Index, model: dict[Any, Any], events: list[dict[str, Any]]) -> None:
    """match, match_count, matches and match_batch all say what the oracle says."""
    expected = [oracle.matching(model, event) for event in events]
    for event, ids in zip(events, expected, strict=True):
        assert index.match(event) == ids
        assert index.match_count(event) == len(ids)
        for id_ in model:
            assert index.matches(event, id_) is (id_ in ids)
    for threads in (1, 2):
        assert [list(ids) for ids in index.match_batch(events, threads=threads)] == expected


@pytest.mark.parametrize("rule", MEANING)
def test_engine_obeys_the_rule(new_index: NewIndex, rule: str) -> None:
    texts = dict.fromkeys(text for text, _, _ in MEANING[rule])
    index, model = filled(new_index, {**{t: t for t in texts}, **{f"not {t}": f"NOT ({t})" for t in texts}})
    for text, event, outcome in MEANING[rule]:
        found = index.match(event)
        assert (text in found, f"not {text}" in found) == (outcome is True, outcome is False), (text, event)
        assert found == oracle.matching(model, event)
    check_all_ways(index, model, [event for _, event, _ in MEANING[rule]])


@st.composite
def cases(draw: st.DrawFn) -> tuple[dict[Any, str], list[dict[str, Any]]]:
    world = draw(strategies.worlds())
    texts = draw(st.lists(strategies.expressions(world), min_size=1, max_size=8))
    ids = draw(st.permutations(["x", *range(len(texts))]))
    events = draw(st.lists(strategies.events(world), min_size=1, max_size=6))
    return dict(zip(ids, texts, strict=False)), events


@given(case=cases())
def test_any_expressions_and_events(new_index: NewIndex, case: Any) -> None:
    texts, events = case
    index, model = filled(new_index, texts)
    check_all_ways(index, model, events)


ARROW_TYPES = {"integer": pa.int64(), "real": pa.float64(), "string": pa.string(), "bool": pa.bool_()}


def arrow_table(world: strategies.World, rows: list[dict[str, Any]]) -> pa.Table:
    columns = {}
    for name in world.names:
        values, family = [row[name] for row in rows], world.family(name)
        if family == "time":
            micros = [None if value is None else oracle.microseconds(value) for value in values]
            columns[name] = pa.array(micros, pa.int64()).cast(pa.timestamp("us"))
        else:
            columns[name] = pa.array(values, ARROW_TYPES.get(family, pa.list_(pa.string())))
    return pa.table(columns)


@given(data=st.data())
def test_arrow_rows_match_like_dicts(new_index: NewIndex, data: st.DataObject) -> None:
    world = data.draw(strategies.worlds(typed=True))
    texts = data.draw(st.lists(strategies.expressions(world), min_size=1, max_size=8))
    rows = data.draw(st.lists(strategies.typed_events(world), min_size=1, max_size=10))
    index, model = filled(new_index, dict(enumerate(texts)))
    expected = [oracle.matching(model, row) for row in rows]
    table = arrow_table(world, rows)
    for threads in (1, 2):
        assert [list(ids) for ids in index.match_batch(table, threads=threads)] == expected
    # A slice has an offset in its buffers; several chunks have several batches.
    cut = len(rows) // 2
    assert [list(ids) for ids in index.match_batch(table.slice(cut))] == expected[cut:]
    chunks = pa.concat_tables([table.slice(cut), table.slice(0, cut)])
    assert [list(ids) for ids in index.match_batch(chunks, threads=2)] == expected[cut:] + expected[:cut]


# --- Larger indexes: where trees split, lists get long, signatures collide ---


def conjunction(dice: random.Random) -> str:
    """Like the papers' generators: a few attributes of many, operators mixed, operands from a small domain."""
    parts = []
    for attribute in dice.sample(range(25), dice.randint(1, 5)):
        value = dice.randint(0, 30)
        parts.append(
            dice.choice(
                [
                    f"a{attribute} = {value}",
                    f"a{attribute} <= {value}",
                    f"a{attribute} > {value}",
                    f"a{attribute} BETWEEN {value} AND {value + dice.randint(0, 10)}",
                    f"a{attribute} IN ({value}, {value + 1}, {value + 7})",
                    f"a{attribute} != {value}",
                    f"a{attribute} NOT IN ({value}, {value + 3})",
                    f"s{attribute} = 'common prefix {value}'",
                    f"s{attribute} STARTS WITH 'common prefix {value // 10}'",
                    f"a{attribute} IS NULL",
                ]
            )
        )
    return (" OR " if dice.random() < 0.1 else " AND ").join(parts)


def sparse_event(dice: random.Random) -> dict[str, Any]:
    event: dict[str, Any] = {f"a{attribute}": dice.randint(0, 35) for attribute in dice.sample(range(25), 12)}
    event.update(
        {f"s{attribute}": f"common prefix {dice.randint(0, 30)}" for attribute in dice.sample(range(25), 8)}
    )
    return event


@pytest.fixture(scope="module")
def many() -> tuple[dict[int, str], list[dict[str, Any]], list[list[int]]]:
    dice = random.Random(20140901)
    texts = {id_: conjunction(dice) for id_ in range(3000)}
    events = [sparse_event(dice) for _ in range(12)]
    model = {id_: bs.parse(text) for id_, text in texts.items()}
    expected = [oracle.matching(model, event) for event in events]
    assert min(map(len, expected)) > 10
    return texts, events, expected


def test_many_expressions_added_at_once(new_index: NewIndex, many: Any) -> None:
    texts, events, expected = many
    index = new_index()
    index.add_many(texts.keys(), texts.values())
    index.check_invariants()
    assert [index.match(event) for event in events] == expected
    assert [list(ids) for ids in index.match_batch(events, threads=2)] == expected


def test_many_expressions_added_and_removed_one_by_one(new_index: NewIndex, many: Any) -> None:
    texts, events, expected = many
    index = new_index()
    for id_, text in texts.items():
        index.add(id_, text)
        if id_ % 250 == 0:
            # Matching in between, since engines may adapt to the events that they see.
            assert index.match(events[0]) == [found for found in expected[0] if found <= id_]
    index.check_invariants()
    assert [index.match(event) for event in events] == expected
    order = list(texts)
    random.Random(7).shuffle(order)
    gone: set[int] = set()
    for step, id_ in enumerate(order, 1):
        del index[id_]
        gone.add(id_)
        if step % 500 == 0:
            index.check_invariants()
            for event, ids in zip(events, expected, strict=True):
                assert index.match(event) == [found for found in ids if found not in gone]
    assert len(index) == 0


# --- Order, copies, edges ---


def test_ids_come_in_order_of_addition(new_index: NewIndex) -> None:
    index = new_index()
    for id_ in ["z", 5, "a", -3, "5"]:
        index.add(id_, "a = 1")
    assert index.match({"a": 1}) == ["z", 5, "a", -3, "5"]
    index[5] = "a < 2"
    assert index.match({"a": 1}) == ["z", 5, "a", -3, "5"]
    del index["z"]
    index.add("z", "a = 1")
    assert index.match({"a": 1}) == [5, "a", -3, "5", "z"]
    assert list(index) == [5, "a", -3, "5", "z"]
    assert [list(ids) for ids in index.match_batch([{"a": 1}] * 2)] == [[5, "a", -3, "5", "z"]] * 2


def test_replacement_changes_what_matches(new_index: NewIndex) -> None:
    index = new_index()
    index.add_many(["x", "y"], ["a = 1 OR b = 1", "a = 1"])
    index["x"] = "c = 1"
    assert index.match({"a": 1, "b": 1}) == ["y"]
    assert index.match({"c": 1}) == ["x"]
    index["x"] = "FALSE"
    assert index.match({"c": 1}) == []
    index["x"] = "TRUE"
    assert index.match({}) == ["x"]
    index.check_invariants()


def test_expression_that_matches_through_several_clauses_is_reported_once(new_index: NewIndex) -> None:
    index = new_index()
    index.add("both", "a = 1 OR b = 1 OR (c > 0 AND d > 0)")
    index.add("other", "a = 1")
    event = {"a": 1, "b": 1, "c": 1, "d": 1}
    assert index.match(event) == ["both", "other"]
    assert index.match_count(event) == 2
    assert [list(ids) for ids in index.match_batch([event, event])] == [["both", "other"]] * 2


def test_always_true_and_never_true_expressions(new_index: NewIndex) -> None:
    index = new_index()
    index.add("always", "TRUE")
    index.add("covers", "a IS NULL OR a IS NOT NULL")
    index.add("never", "FALSE")
    index.add("empty", "a < 1 AND a > 1")
    index.add("some", "a = 1")
    index.check_invariants()
    assert index.match({}) == ["always", "covers"]
    assert index.match({"a": 1}) == ["always", "covers", "some"]
    assert index.match_count({"b": 5}) == 2
    assert index.matches({}, "always") is True
    assert index.matches({}, "never") is False
    assert [list(ids) for ids in index.match_batch([{}, {"a": 1}])] == [
        ["always", "covers"],
        ["always", "covers", "some"],
    ]
    for id_ in ["always", "never", "empty"]:
        del index[id_]
    index.check_invariants()
    assert index.match({"a": 1}) == ["covers", "some"]


def test_empty_index_matches_nothing(new_index: NewIndex) -> None:
    index = new_index()
    index.check_invariants()
    assert index.match({}) == []
    assert index.match({"a": 1, "b": [1], "c": "x"}) == []
    assert index.match_count({"a": 1}) == 0
    assert [list(ids) for ids in index.match_batch([{"a": 1}, {}])] == [[], []]
    index.add(1, "a = 1")
    del index[1]
    index.check_invariants()
    assert index.match({"a": 1}) == []


def test_batch_without_events_has_no_rows(new_index: NewIndex) -> None:
    index = new_index()
    assert len(index.match_batch([])) == 0
    index.add(1, "a = 1")
    assert len(index.match_batch([])) == 0
    assert len(index.match_batch(pa.table({"a": pa.array([], pa.int64())}), threads=2)) == 0


def test_index_can_be_emptied_and_filled_again(new_index: NewIndex) -> None:
    index = new_index()
    for _ in range(3):
        index.add_many(range(50), [f"a >= {i} AND b = 'x'" for i in range(50)])
        assert index.match({"a": 10, "b": "x"}) == list(range(11))
        for id_ in range(50):
            del index[id_]
        index.check_invariants()
        assert index.match({"a": 10, "b": "x"}) == []


@settings(max_examples=max(5, settings().max_examples // 4))
@given(case=cases())
@pytest.mark.parametrize(
    "duplicate", [copy.copy, copy.deepcopy, lambda index: pickle.loads(pickle.dumps(index))]
)
def test_copies_match_alike_and_live_apart(new_index: NewIndex, duplicate: Any, case: Any) -> None:
    texts, events = case
    index, model = filled(new_index, texts)
    other = duplicate(index)
    other.check_invariants()
    assert list(other) == list(index)
    check_all_ways(other, model, events)
    first = next(iter(texts))
    del other[first]
    other.add("only in the copy", "TRUE")
    index.add("only in the original", "TRUE")
    remaining = {id_: expression for id_, expression in model.items() if id_ != first}
    for event in events:
        assert index.match(event) == [*oracle.matching(model, event), "only in the original"]
        assert other.match(event) == [*oracle.matching(remaining, event), "only in the copy"]


def test_match_leaves_no_trace_in_the_next_match(new_index: NewIndex) -> None:
    index = new_index()
    index.add_many(range(3), ["a = 1 AND b = 1", "a = 1 AND tags HAS 'x'", "s LIKE '%x%' AND b = 1"])
    assert index.match({"a": 1, "tags": ["x"]}) == [1]
    assert index.match({"b": 1}) == []
    assert index.match({"s": "axa"}) == []
    assert index.match({"b": 1, "tags": ["x"]}) == []
    assert index.match({"a": 1, "b": 1}) == [0]


def test_stats_count_what_is_there(new_index: NewIndex) -> None:
    index = new_index()
    empty = dict(index.stats())
    assert (empty["expressions"], empty["clauses"], empty["predicates"]) == (0, 0, 0)
    index.add("x", "a = 1 AND b = 2")
    index.add("y", "a = 3 OR c = 4")
    stats = dict(index.stats())
    assert (stats["expressions"], stats["clauses"], stats["predicates"], stats["attributes"]) == (2, 3, 4, 3)
    assert stats["bytes"] > 0
    del index["y"]
    stats = dict(index.stats())
    assert (stats["expressions"], stats["clauses"], stats["predicates"]) == (1, 1, 2)


def test_counters_count_matches(new_index: NewIndex) -> None:
    index = new_index()
    index.add_many(range(4), ["a = 1", "a > 0", "a = 2", "TRUE"])
    before = index.stats()
    for _ in range(3):
        index.match({"a": 1})
    index.match_batch([{"a": 1}, {"a": 2}])
    after = index.stats()
    assert after["matches"] - before["matches"] == 5 * 3
    assert after["events_matched"] - before["events_matched"] == 5
