"""All small expressions on all small events, and all comparisons of hard values with each other."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest

import boolsieve as bs
import oracle
import strategies

NewIndex = Callable[[], bs.Index]

PREDICATES = [
    *("a = 1", "a != 1", "a < 2", "a >= 1.5", "a = 'x'", "a > 'w'", "a IN (1, 'x')", "a NOT IN (1, 2)"),
    *("a BETWEEN 1 AND 1.5", "a NOT BETWEEN 1 AND 1.5", "a IS NULL", "a IS DISTINCT FROM 1", "a LIKE 'x%'"),
    *("a HAS 1", "a HAS NONE (1, 'x')", "a", "b", "b < TRUE", "b IS NOT NULL", "TRUE", "FALSE"),
]
FORMS_OF_TWO = ["{} AND {}", "{} OR {}", "NOT ({} AND {})", "{} OR NOT {}"]
DOMAIN: dict[str, list[Any]] = {
    "a": [None, 1, 1.5, 2, "x", "y", "xy", True, [], [1], ["x", 2]],
    "b": [None, False, True],
}


@pytest.fixture(scope="module")
def cases() -> tuple[dict[str, bs.Expr], list[tuple[dict[str, Any], list[str]]]]:
    texts = [*PREDICATES, *(f"NOT {predicate}" for predicate in PREDICATES)]
    pairs = itertools.product(PREDICATES, PREDICATES)
    texts += [form.format(first, second) for first, second in pairs for form in FORMS_OF_TWO]
    expressions = {text: bs.parse(text) for text in texts}
    events = [
        {name: value for name, value in zip(DOMAIN, values, strict=True) if value is not None}
        for values in itertools.product(*DOMAIN.values())
    ]
    return expressions, [(event, oracle.matching(expressions, event)) for event in events]


def test_all_small_expressions_on_all_small_events(new_index: NewIndex, cases: Any) -> None:
    expressions, expected = cases
    index = new_index()
    index.add_many(expressions.keys(), expressions.values())
    index.check_invariants()
    for event, ids in expected:
        assert index.match(event) == ids, event
    found = index.match_batch([event for event, _ in expected], threads=2)
    assert [list(ids) for ids in found] == [ids for _, ids in expected]


@pytest.fixture(scope="module")
def hard_values() -> tuple[dict[str, bs.Expr], list[tuple[dict[str, Any], list[str]]]]:
    """Each hard value against each of its family; numbers also against each interval between two of them."""
    texts = [text for values in strategies.FAMILIES.values() for text in strategies.texts_about(values)]
    few = [strategies.literal_text(value) for value in strategies.NUMBERS[::2]]
    texts += [f"a {no}BETWEEN {low} AND {high}" for low in few for high in few for no in ("", "NOT ")]
    expressions = {text: bs.parse(text) for text in texts}
    events = [{"a": value} for values in strategies.FAMILIES.values() for value in values]
    return expressions, [(event, oracle.matching(expressions, event)) for event in events]


def test_all_pairs_of_hard_values(new_index: NewIndex, hard_values: Any) -> None:
    expressions, expected = hard_values
    index = new_index()
    index.add_many(expressions.keys(), expressions.values())
    index.check_invariants()
    for event, ids in expected:
        assert index.match(event) == ids, event
    found = index.match_batch([event for event, _ in expected], threads=2)
    assert [list(ids) for ids in found] == [ids for _, ids in expected]
