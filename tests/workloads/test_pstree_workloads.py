"""PS-Tree's generators: table 1, words as attribute and value, and the advertisements' shape."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from measure import match_rate, operator_shares

from boolsieve.workloads import Advertisements, PSTreeDense, PSTreeSparse, QueryLog, word_pair


@pytest.mark.parametrize(("generator", "dimensions"), [(PSTreeDense, 100), (PSTreeSparse, 30_000)])
def test_dense_and_sparse_workloads_are_as_table_1_says(generator: Any, dimensions: int) -> None:
    workload = generator()
    expressions, events = workload.expressions(2_000), workload.events(100)
    assert len(events.space.names) == dimensions
    assert expressions.sizes.mean() == pytest.approx(10, rel=0.03)
    assert events.sizes.mean() == pytest.approx(30, rel=0.05)
    assert operator_shares(expressions)["="] == pytest.approx(0.4, abs=0.02)
    assert match_rate(expressions, events) == pytest.approx(0.01, rel=0.1)


def test_steep_skew_leaves_attributes_distinct() -> None:
    events = PSTreeSparse(zipf=5).events(50)
    assert all(len(row) == size for row, size in zip(events.dicts(), events.sizes, strict=True))
    assert (np.bincount(events.attributes)[:3] == 50).all()


@pytest.mark.parametrize(
    ("word", "pair"),
    [
        ("boolean", ("boo", "lea")),
        ("expressions", ("exp", "res")),
        ("vldb", ("vl", "db")),
        ("sigmod", ("sig", "mod")),
        ("abc", ("a", "bc")),
        ("ab", ("a", "b")),
    ],
)
def test_words_become_attribute_and_value(word: str, pair: tuple[str, str]) -> None:
    assert word_pair(word) == pair


def test_queries_and_documents_become_expressions_and_events() -> None:
    workload = QueryLog(queries=["Boolean vldb a"], documents=["the vldb paper on boolean vlsi expressions"])
    assert workload.expressions(1).texts() == ["boo = 'lea' AND vl = 'db'"]
    assert workload.events(1).dicts() == [
        {"t": "he", "vl": "db", "pa": "per", "o": "n", "boo": "lea", "exp": "res"}
    ]
    assert match_rate(workload.expressions(3), workload.events(3)) == 1.0


def test_made_up_query_log_has_about_the_published_sizes() -> None:
    workload = QueryLog()
    assert workload.expressions(3_000).sizes.mean() == pytest.approx(2.78, rel=0.12)
    assert workload.events(200).sizes.mean() == pytest.approx(93.07, rel=0.1)


def test_advertisements_have_the_published_shape() -> None:
    workload = Advertisements()
    expressions, events = workload.expressions(20_000), workload.events(2_000)
    assert len(events.space.names) == 122
    assert (expressions.sizes.min(), expressions.sizes.max()) == (1, 56)
    assert expressions.sizes.mean() == pytest.approx(8, rel=0.02)
    assert events.sizes.mean() == pytest.approx(20, rel=0.02)
    assert set(operator_shares(expressions)) == {"=", "IN", "NOT IN", "BETWEEN", ">=", "<="}
    assert match_rate(workload.expressions(1_000), workload.events(50)) > 0


@pytest.mark.parametrize(
    ("generator", "parameters", "message"),
    [
        (PSTreeDense, {"dimensions": 20}, "event_size: 30 distinct"),
        (QueryLog, {"queries": ["a b"]}, "queries: none has a word of two"),
        (QueryLog, {"documents": []}, "documents: none has a word of two"),
        (QueryLog, {"max_size": 0}, "max_size: 0"),
        (Advertisements, {"dimensions": 50}, "max_size: 56 distinct"),
        (Advertisements, {"average_size": 40}, "average_size: 40 is not in 1 ... 28.5"),
    ],
)
def test_impossible_parameters_are_named(generator: Any, parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        generator(**parameters)
