"""top_k of every engine, judged by scoring every expression."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Mapping
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import boolsieve as bs
import oracle
import strategies
from boolsieve.normal import Term, dnf

NewIndex = Callable[[], bs.Index]
Weighted = tuple[str, float, dict[str, float]]  # text, weight, attribute weights


def term_holds(term: Term, event: Mapping[str, Any]) -> bool:
    if term.kind in ("present", "absent"):
        family, _ = oracle.event_value(event, term.name)
        there = family != "absent" if term.family == "any" else family == term.family
        return there == (term.kind == "present")
    return oracle.evaluate(bs.parse(str(term)), event) is True


def score(weighted: Weighted, event: Mapping[str, Any], event_weights: Mapping[str, float]) -> float:
    """Of an expression that the event satisfies, from the clauses of its normal form."""
    text, weight, weights = weighted
    sums = []
    for clause in dnf(text, 100_000):
        if all(term_holds(term, event) for term in clause):
            needed = {term.name for term in clause if term.kind != "absent"}
            sums.append(
                sum(value * event_weights.get(name, 1) for name, value in weights.items() if name in needed)
            )
    return weight + max(sums)


def best(
    model: Mapping[Any, Weighted], event: Mapping[str, Any], k: int, event_weights: Mapping[str, float]
) -> list[tuple[Any, float]]:
    found = oracle.matching({id_: bs.parse(text) for id_, (text, _, _) in model.items()}, event)
    scored = [(id_, score(model[id_], event, event_weights)) for id_ in found]
    return sorted(scored, key=lambda pair: -pair[1])[:k]  # stable: ties stay in order of addition


# Eighths, so that sums are exact in any order and ties occur.
weights_of_tests = st.integers(0, 24).map(lambda eighths: eighths / 8)


@st.composite
def weighted_expressions(draw: st.DrawFn, world: strategies.World) -> Weighted:
    text = draw(strategies.expressions(world))
    names = bs.parse(text).attributes()
    some = draw(st.lists(st.sampled_from(names), unique=True)) if names else []
    return text, draw(weights_of_tests), {name: draw(weights_of_tests) for name in some}


@st.composite
def cases(draw: st.DrawFn) -> tuple[list[Weighted], list[tuple[dict[str, Any], int, dict[str, float]]]]:
    world = draw(strategies.worlds())
    expressions = draw(st.lists(weighted_expressions(world), min_size=1, max_size=8))
    question = st.tuples(
        strategies.events(world),
        st.integers(1, 5),
        st.dictionaries(st.sampled_from([*world.names, "nowhere"]), weights_of_tests, max_size=3),
    )
    return expressions, draw(st.lists(question, min_size=1, max_size=5))


@given(case=cases())
def test_best_of_any_expressions(new_index: NewIndex, case: Any) -> None:
    expressions, questions = case
    index = new_index()
    texts, weight, weights = zip(*expressions, strict=True)
    index.add_many(range(len(texts)), texts, weight=weight, weights=weights)
    index.check_invariants()
    model = dict(enumerate(expressions))
    for event, k, event_weights in questions:
        assert index.top_k(event, k, event_weights) == best(model, event, k, event_weights)
        assert index.top_k(event, k) == best(model, event, k, {})


@given(case=cases(), data=st.data())
def test_best_after_updates_and_copies(new_index: NewIndex, case: Any, data: st.DataObject) -> None:
    expressions, questions = case
    index, model = new_index(), {}
    for position, weighted in enumerate(expressions):
        how = data.draw(st.sampled_from(["add", "replace", "assign", "remove"]))
        text, weight, weights = weighted
        if how == "add" or not model:
            index.add(position, text, weight, weights)
            model[position] = weighted
            continue
        id_ = data.draw(st.sampled_from(list(model)))
        if how == "replace":
            index.replace(id_, text, weight=weight, weights=weights)
            model[id_] = weighted
        elif how == "assign":
            index[id_] = text
            model[id_] = text, 0.0, {}
        else:
            del index[id_], model[id_]
    for held in (index, index.copy(), pickle.loads(pickle.dumps(index))):
        held.check_invariants()
        for id_, (_, weight, weights) in model.items():
            assert (held.weight(id_), held.weights(id_)) == (weight, weights)
        for event, k, event_weights in questions:
            assert held.top_k(event, k, event_weights) == best(model, event, k, event_weights)


def test_without_weights_the_first_come_first(new_index: NewIndex) -> None:
    index = new_index()
    index.add_many(list("abcde"), ["x = 1", "x = 2", "x > 0", "TRUE", "x IN (1, 2)"])
    assert index.top_k({"x": 1}, 3) == [("a", 0.0), ("c", 0.0), ("d", 0.0)]
    assert index.top_k({"x": 1}, 10) == [("a", 0.0), ("c", 0.0), ("d", 0.0), ("e", 0.0)]
    assert index.top_k({"x": 9}, 1, {"x": 5}) == [("c", 0.0)]
    assert new_index().top_k({"x": 1}, 1) == []


def test_expression_counts_once_with_its_best_clause_that_holds(new_index: NewIndex) -> None:
    index = new_index()
    index.add("both", "a = 1 OR (b = 1 AND c = 1) OR d IS NULL", 1.0, {"a": 2, "b": 1, "c": 4, "d": 64})
    index.add("rival", "a = 1", 2.5)
    assert index.top_k({"a": 1, "d": 0}, 5) == [("both", 3.0), ("rival", 2.5)]
    assert index.top_k({"a": 1, "b": 1, "c": 1}, 5) == [("both", 6.0), ("rival", 2.5)]
    assert index.top_k({"a": 1, "b": 1, "c": 1}, 5, {"c": 0}) == [("both", 3.0), ("rival", 2.5)]
    assert index.top_k({}, 5) == [("both", 1.0)]  # d is absent, so it adds nothing


def test_scores_beyond_the_largest_float_are_infinite_and_still_in_order(new_index: NewIndex) -> None:
    index = new_index()
    for id_ in range(3):
        index.add(id_, "a = 1 AND b = 1", 1e308, {"a": 1e308 * (id_ > 0), "b": 5.0})
    index.add(3, "a = 1", 1e300)
    infinity = float("inf")
    assert index.top_k({"a": 1, "b": 1}, 2) == [(1, infinity), (2, infinity)]
    assert index.top_k({"a": 1, "b": 1}, 4, {"a": 0}) == [(0, 1e308), (1, 1e308), (2, 1e308), (3, 1e300)]
    assert index.top_k({"a": 1}, 4, {"a": 0}) == [(3, 1e300)]
