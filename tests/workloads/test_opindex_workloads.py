"""OpIndex's generators: sizes, operators, distributions and normal forms are those asked for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from measure import match_rate, operator_shares, zipf_exponent

from boolsieve.language import And, Expr, Or
from boolsieve.workloads import (
    OpIndexKeywords,
    OpIndexNormalForm,
    OpIndexPrefix,
    OpIndexProducts,
    OpIndexSynthetic,
    vocabulary,
)
from boolsieve.workloads.workload import IN

WORDS = vocabulary(3_000)


@pytest.mark.parametrize("equality", [0.2, 0.4, 1.0])
def test_shares_of_operators_are_as_asked(equality: float) -> None:
    shares = operator_shares(OpIndexSynthetic(equality=equality).expressions(10_000))
    assert shares["="] == pytest.approx(equality, abs=0.01)
    assert shares.get("<=", 0) == pytest.approx((1 - equality) / 2, abs=0.01)
    assert shares.get(">=", 0) == pytest.approx((1 - equality) / 2, abs=0.01)


def test_sizes_are_uniform_up_to_the_maximum() -> None:
    workload = OpIndexSynthetic(max_size=12, max_event_size=60)
    for sizes, most in ((workload.expressions(10_000).sizes, 12), (workload.events(10_000).sizes, 60)):
        assert (sizes.min(), sizes.max()) == (1, most)
        assert sizes.mean() == pytest.approx((1 + most) / 2, rel=0.03)


def test_attributes_and_values_are_uniform_without_skew() -> None:
    expressions = OpIndexSynthetic(dimensions=200, value_space=200).expressions(20_000)
    for drawn in (expressions.attributes, expressions.values):
        counts = np.bincount(drawn, minlength=200)
        assert len(counts) == 200
        assert counts.min() > 0.7 * counts.mean()


@pytest.mark.parametrize("exponent", [0.4, 1.0])
def test_attributes_and_values_are_zipf_with_skew(exponent: float) -> None:
    workload = OpIndexSynthetic(
        zipf=exponent, max_size=1, max_event_size=1, dimensions=1_000, value_space=800
    )
    for generated in (workload.expressions(50_000), workload.events(50_000)):
        assert zipf_exponent(np.bincount(generated.attributes)) == pytest.approx(exponent, abs=0.12)
        assert zipf_exponent(np.bincount(generated.values)) == pytest.approx(exponent, abs=0.12)


def test_measured_match_rate_is_that_of_the_model() -> None:
    """An expression of one predicate matches if the event has its attribute and fits the operand."""
    workload = OpIndexSynthetic(dimensions=10, max_size=1, max_event_size=10, equality=0.0, value_space=50)
    expected = 5.5 / 10 * 51 / 100
    assert match_rate(workload.expressions(500), workload.events(500)) == pytest.approx(expected, rel=0.05)


def parts_of(expr: Expr, kind: type[And] | type[Or]) -> list[Expr]:
    """The operands of nested pairs of one kind, from left to right."""
    if not isinstance(expr, kind):
        return [expr]
    return [*parts_of(expr.left, kind), *parts_of(expr.right, kind)]


@pytest.mark.parametrize(("form", "outer", "inner"), [("cnf", And, Or), ("dnf", Or, And)])
def test_normal_forms_nest_as_they_should(form: Any, outer: Any, inner: Any) -> None:
    workload = OpIndexNormalForm(form=form)
    expressions = workload.expressions(2_000)
    clauses = np.diff(expressions.offsets)
    sizes = np.diff(expressions.clause_offsets)
    assert (clauses.min(), clauses.max()) == (1, 5)
    assert (sizes.min(), sizes.max()) == (1, 4)
    for at, expr in enumerate(expressions.exprs()):
        own = sizes[expressions.offsets[at] : expressions.offsets[at + 1]].tolist()
        if len(own) > 1:
            assert isinstance(expr, outer)
            assert [len(parts_of(part, inner)) for part in parts_of(expr, outer)] == own
        elif own[0] > 1:
            assert isinstance(expr, inner)
            assert len(parts_of(expr, inner)) == own[0]


@pytest.mark.parametrize(("share", "length"), [(0.2, 2), (1.0, 4)])
def test_prefixes_have_the_asked_share_and_length(share: float, length: int) -> None:
    workload = OpIndexPrefix(words=WORDS, prefix_share=share, prefix_length=length)
    expressions = workload.expressions(3_000)
    shares = operator_shares(expressions)
    assert set(shares) <= {"=", "STARTS WITH"}
    assert shares["STARTS WITH"] == pytest.approx(share, abs=0.02)
    prefixes = [
        text.split("STARTS WITH '")[1].split("'")[0] for text in expressions.texts() if "STARTS" in text
    ]
    assert {len(prefix) for prefix in prefixes} == {length}
    assert all(any(word.startswith(prefix) for word in WORDS) for prefix in set(prefixes))
    event = workload.events(1).dicts()[0]
    assert sum(isinstance(value, str) for value in event.values()) == 5


def test_words_of_events_begin_with_prefixes_of_expressions() -> None:
    workload = OpIndexPrefix(words=WORDS, prefix_share=1.0, max_size=1, strings=5, prefix_length=1)
    assert match_rate(workload.expressions(300), workload.events(100)) > 0.02


def test_keywords_are_attributes_with_the_value_one() -> None:
    workload = OpIndexKeywords(words=WORDS, dimensions=1_000)
    expressions, events = workload.expressions(3_000), workload.events(200)
    assert operator_shares(expressions) == {"=": 1.0}
    assert set(expressions.values.tolist()) == set(events.values.tolist()) == {1}
    least = min(WORDS[name] for name in events.space.names)
    assert len(events.space.names) == 1_000
    assert sum(count > least for count in WORDS.values()) < 1_000
    counts = np.bincount(expressions.attributes)
    assert counts[0] > counts[20] > counts[200]


def test_given_documents_become_events_of_their_known_words() -> None:
    workload = OpIndexKeywords(
        words={"vldb": 9, "hangzhou": 4}, documents=["VLDB in Hangzhou vldb"], max_size=2, operator="BETWEEN"
    )
    assert workload.events(1).dicts() == [{"vldb": 2, "hangzhou": 1}]
    assert operator_shares(workload.expressions(50)) == {"BETWEEN": 1.0}


def test_products_have_attributes_by_frequency_and_expressions_by_its_logarithm() -> None:
    workload = OpIndexProducts(max_size=1, max_event_size=1, dimensions=500)
    frequencies = workload.frequencies
    assert frequencies[1] / frequencies[0] == pytest.approx(0.17 / 0.31, rel=0.01)
    asked = np.bincount(workload.expressions(100_000).attributes, minlength=500) / 100_000
    logarithms = np.log(frequencies) / np.log(frequencies).sum()
    assert asked[:50].sum() == pytest.approx(logarithms[:50].sum(), rel=0.05)
    held = np.bincount(workload.events(100_000).attributes, minlength=500) / 100_000
    assert held[:50].sum() == pytest.approx((frequencies / frequencies.sum())[:50].sum(), rel=0.05)


def test_products_are_asked_for_by_equality_and_membership() -> None:
    expressions = OpIndexProducts(membership=0.3).expressions(5_000)
    shares = operator_shares(expressions)
    assert shares == {"=": pytest.approx(0.7, abs=0.02), "IN": pytest.approx(0.3, abs=0.02)}
    counts = np.diff(expressions.value_offsets)[expressions.operators == IN]
    assert (counts.min(), counts.max()) == (2, 6)


@pytest.mark.parametrize(
    ("generator", "parameters", "message"),
    [
        (OpIndexSynthetic, {"max_size": 9, "dimensions": 8, "max_event_size": 3}, "max_size: 9 distinct"),
        (OpIndexSynthetic, {"dimensions": 8}, "max_event_size: 40 distinct"),
        (OpIndexSynthetic, {"equality": -0.1}, "equality: -0.1 is no share"),
        (OpIndexSynthetic, {"value_space": 0}, "value_space: 0"),
        (OpIndexNormalForm, {"form": "nnf"}, "form: 'nnf' is neither"),
        (OpIndexNormalForm, {"max_clauses": 0}, "max_clauses: 0"),
        (OpIndexPrefix, {"strings": 3}, "max_size: 8 distinct attributes cannot be drawn from 3"),
        (OpIndexPrefix, {"words": {}}, "words: there are none"),
        (OpIndexPrefix, {"words": {"ab": 1}}, "prefix_length: no word has 3 characters"),
        (OpIndexKeywords, {"words": {"a": 1}}, "max_size: 5 distinct words cannot be drawn from 1"),
        (OpIndexKeywords, {"words": {"a": 1, "b": 0}, "max_size": 1}, "words: the frequency of 'b'"),
        (OpIndexKeywords, {"documents": []}, "documents: there are none"),
        (OpIndexKeywords, {"operator": "<"}, "operator: '<'"),
        (OpIndexProducts, {"products": 1}, "products: 1 are too few"),
        (OpIndexProducts, {"max_members": 1}, "max_members: 1"),
    ],
)
def test_impossible_parameters_are_named(generator: Any, parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        generator(**parameters)
