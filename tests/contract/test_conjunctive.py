"""Expressions that are short in conjunctive normal form and long in the other: engines that take it get it as it is."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from typing import Any

import pytest

import boolsieve as bs
import oracle

NewIndex = Callable[[], bs.Index]


def takes_cnf(index: bs.Index) -> bool:
    return bs.engines.get(index.stats()["engine"])().takes_cnf


def predicate(dice: random.Random) -> str:
    name, value = f"a{dice.randrange(12)}", dice.randint(0, 9)
    return dice.choice(
        [
            f"{name} = {value}",
            f"{name} < {value}",
            f"{name} >= {value}.5",
            f"{name} BETWEEN {value} AND {value + 2}",
            f"{name} IN ({value}, {value + 4})",
            f"{name} != {value}",
            f"{name} NOT BETWEEN {value} AND 5000000000000000000",
            f"{name} IS NULL",
            f"s{name} STARTS WITH 'x{value}'",
            f"s{name} = 'x{value}'",
            f"s{name} < 'x{value}'",
        ]
    )


def disjunctions(dice: random.Random, most: int = 6) -> str:
    return " AND ".join(
        "(" + " OR ".join(predicate(dice) for _ in range(dice.randint(1, 4))) + ")"
        for _ in range(dice.randint(2, most))
    )


def event(dice: random.Random) -> dict[str, Any]:
    found: dict[str, Any] = {
        f"a{i}": dice.choice([dice.randint(0, 9), 3.5]) for i in range(12) if dice.random() < 0.7
    }
    found.update({f"sa{i}": f"x{dice.randint(0, 9)}y" for i in range(12) if dice.random() < 0.5})
    return found


@pytest.fixture(scope="module")
def case() -> tuple[dict[int, str], list[dict[str, Any]], list[list[int]]]:
    dice = random.Random(5)
    texts = {i: disjunctions(dice) for i in range(300)}
    events = [event(dice) for _ in range(40)]
    model = {i: bs.parse(text) for i, text in texts.items()}
    expected = [oracle.matching(model, e) for e in events]
    assert sum(map(len, expected)) > 500
    return texts, events, expected


def test_conjunctions_of_disjunctions(new_index: NewIndex, case: Any) -> None:
    texts, events, expected = case
    index = new_index()
    index.add_many(texts.keys(), texts.values())
    index.check_invariants()
    assert [index.match(e) for e in events] == expected
    assert [list(ids) for ids in index.match_batch(events)] == expected
    for e, ids in zip(events[:5], expected, strict=False):
        assert [i for i in texts if index.matches(e, i)] == ids
    if takes_cnf(index):
        assert (
            index.stats()["clauses"] < sum(len(bs.normal.dnf(text, 100_000)) for text in texts.values()) / 2
        )


def test_they_are_added_replaced_and_removed_one_by_one(new_index: NewIndex, case: Any) -> None:
    texts, events, expected = case
    index = new_index()
    for i, text in texts.items():
        index.add(i, "a1 = 1 OR a2 = 2" if i % 3 == 0 else text)
    for i in range(0, 300, 3):
        index[i] = texts[i]
    assert [index.match(e) for e in events] == expected
    index = copy.copy(index)
    for i in range(0, 300, 2):
        del index[i]
    index.check_invariants()
    assert [index.match(e) for e in events] == [[i for i in ids if i % 2] for ids in expected]


def test_budget_counts_the_shorter_form(new_index: NewIndex) -> None:
    text = " AND ".join(f"(a{i} = 1 OR b{i} > {i})" for i in range(30))
    index = new_index()
    if not takes_cnf(index):
        with pytest.raises(bs.BudgetError, match=r"expression 'x'.*1,073,741,824 clauses"):
            index.add("x", text)
        assert len(index) == 0
        return
    index.add("x", text)
    index.check_invariants()
    assert index.match({f"a{i}" if i % 2 else f"b{i}": 1 if i % 2 else 50 for i in range(30)}) == ["x"]
    assert index.match({f"a{i}" if i % 2 else f"b{i}": 1 if i % 2 else 50 for i in range(1, 30)}) == []
    both = " OR ".join(f"(c{i} = 1 AND d{i} = 1)" for i in range(30))
    with pytest.raises(bs.BudgetError, match="expression 'y'"):
        index.add("y", f"({text}) AND ({both})")
    assert list(index) == ["x"]


def test_more_disjunctions_than_a_word_has_bits(new_index: NewIndex) -> None:
    text = " AND ".join(f"(a{i} = 1 OR b{i} = 1)" for i in range(150))
    index = new_index()
    if not takes_cnf(index):
        with pytest.raises(bs.BudgetError, match=r"10\^18"):
            index.add("x", text)
        return
    index.add("x", text)
    index.add("y", " AND ".join(f"(a{i} = 1 OR b{i} = 1)" for i in range(151)))
    full = {f"{'ab'[i % 2]}{i}": 1 for i in range(151)}
    assert index.match(full) == ["x", "y"]
    for gone in (0, 63, 64, 127, 128, 149):
        assert (
            index.match({name: value for name, value in full.items() if name != f"{'ab'[gone % 2]}{gone}"})
            == []
        )
    del full["a150"]
    assert index.match(full) == ["x"]


def test_terms_of_several_predicates_stay_disjunctive(new_index: NewIndex) -> None:
    """A NOT LIKE or a long text's order takes two predicates, which cannot be one alternative."""
    index = new_index()
    text = "(s NOT LIKE '%x%' OR a = 1) AND (t < 'a long text' OR b = 1) AND (c = 1 OR d = 1) AND (e = 1 OR f = 1)"
    index.add("x", text)
    model = {"x": bs.parse(text)}
    for e in (
        {"s": "y", "t": "a long tex", "c": 1, "e": 1},
        {"s": "x", "b": 1, "c": 1, "f": 1},
        {"a": 1, "t": "a long text"},
    ):
        assert index.match(e) == oracle.matching(model, e)
