"""Each rival answers as an index does, and says before any work what it cannot take."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import boolsieve as bs
import oracle
import strategies
from boolsieve import workloads
from boolsieve.bench import rivals
from boolsieve.bench.rivals import Closures, DuckDBJoin, PandasEval, Rival, RuleEngine, UnsupportedError
from meaning import CASES

ALL = rivals.rivals()  # the test group has all packages: see test_all_rivals_are_tested
JOINS = [rival for rival in ALL if "join" in rival.name]


def by_name(rival: type[Rival]) -> str:
    return rival.name


def answers(texts: list[str], events: list[dict[str, Any]]) -> list[list[int]]:
    index = bs.Index(engine="scan")
    index.add_many(range(len(texts)), texts)
    return [list(map(int, row)) for row in index.match_batch(events)]


def test_all_rivals_are_tested() -> None:
    assert rivals.missing() == {}
    assert [rival.name for rival in ALL] == [
        "closures",
        "pandas eval",
        "DuckDB SQL",
        "DuckDB interval join",
        "polars join_where",
        "rule-engine",
    ]


def test_missing_packages_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rivals, "find_spec", lambda name: None if name in ("duckdb", "pyarrow") else name)
    note = "needs duckdb and pyarrow: pip install 'boolsieve[rivals]'"
    assert rivals.missing() == {"DuckDB SQL": note, "DuckDB interval join": note}
    assert [rival.name for rival in rivals.rivals()] == [
        "closures",
        "pandas eval",
        "polars join_where",
        "rule-engine",
    ]


WORKLOADS = [
    workloads.BEGen(dimensions=30, event_size=12, match_probability=0.2, operators="high", seed=1),
    workloads.OpIndexSynthetic(dimensions=20, max_size=4, max_event_size=12, seed=2),
    workloads.OpIndexNormalForm(form="dnf", dimensions=20, max_event_size=12, seed=3),
    workloads.OpIndexPrefix(numeric=10, strings=5, max_size=3, max_event_size=10, prefix_length=1, seed=4),
    workloads.Dexin(attributes=5, cardinality=50, seed=5),
    workloads.Tatbul(overlap=0.5, seed=6),
]


@pytest.mark.parametrize("workload", WORKLOADS, ids=lambda workload: type(workload).__name__)
@pytest.mark.parametrize("rival", ALL, ids=by_name)
def test_answers_are_those_of_an_index(rival: type[Rival], workload: workloads.Workload) -> None:
    texts, events = workload.expressions(60).texts(), workload.events(40).dicts()
    if rival in JOINS:  # take what such a table can say
        texts = [text for text in texts if not any(word in text for word in ("!=", " IN ", " OR ", "'"))]
    expected = answers(texts, events)
    assert any(expected)
    judged = rival(texts)
    assert judged.matches(events) == expected
    assert judged.counts(events) == [len(row) for row in expected]
    assert judged.counts(events[:1]) == [len(expected[0])]
    assert judged.matches([]) == judged.counts([]) == []


@pytest.mark.parametrize("rival", ALL, ids=by_name)
def test_meaning_is_that_of_the_table(rival: type[Rival]) -> None:
    taken = 0
    for rule, text, event, outcome in CASES:
        for asked, expected in ((text, outcome is True), (f"NOT ({text})", outcome is False)):
            try:
                found = rival([asked]).counts([event])
            except UnsupportedError:
                continue
            assert found == [int(expected)], (rule, asked, event)
            taken += 1
    # What is left out is listed in the next test; the number guards against leaving out more.
    least = {"closures": 0.95, "DuckDB SQL": 0.6, "pandas eval": 0.5, "rule-engine": 0.6}.get(
        rival.name, 0.05
    )
    assert taken >= least * 2 * len(CASES)


@given(data=st.data())
def test_closures_know_the_language(data: st.DataObject) -> None:
    world = data.draw(strategies.worlds())
    texts = data.draw(st.lists(strategies.expressions(world), min_size=1, max_size=8))
    texts = [text for text in texts if "MATCHES" not in text]
    events = data.draw(st.lists(strategies.events(world), min_size=1, max_size=5))
    for event in events:
        event.pop("unused", None)
    expressions = dict(enumerate(map(bs.parse, texts)))
    assert Closures(texts).matches(events) == [oracle.matching(expressions, event) for event in events]


@pytest.mark.parametrize(
    ("rival", "text", "words"),
    [
        (Closures, "a MATCHES 'x'", "MATCHES"),
        (PandasEval, "tags HAS 'x'", "HAS"),
        (PandasEval, "a ILIKE 'x'", "ILIKE"),
        (RuleEngine, "a MATCHES 'x'", "MATCHES"),
        (RuleEngine, "a = 9007199254740993", "9007199254740993"),
        (DuckDBJoin, "a < 5 OR b < 5", "OR"),
        (DuckDBJoin, "NOT (a < 5 AND b < 5)", "OR"),
        (DuckDBJoin, "a IN (1, 2)", "IN"),
        (DuckDBJoin, "a NOT IN (1, 2)", "NOT IN"),
        (DuckDBJoin, "a != 5", "!="),
        (DuckDBJoin, "a = 'x'", "text"),
        (DuckDBJoin, "TRUE", "TRUE"),
        (PandasEval, "a = 1 AND a = 'x'", "'a' is tested as number and as text"),
    ],
)
def test_what_a_rival_cannot_take_is_named(rival: type[Rival], text: str, words: str) -> None:
    with pytest.raises(UnsupportedError, match=f"^expression 1: .*{words}"):
        rival(["z < 7", text])


def test_an_event_of_another_type_is_named() -> None:
    with pytest.raises(
        UnsupportedError, match=r"^event 1: attribute 'a' holds text, but .* column of number"
    ):
        PandasEval(["a < 7"]).counts([{"a": 1}, {"a": "x"}])


def test_long_chains_are_safe() -> None:
    text = " OR ".join(f"a = {i}" for i in range(5_000))
    assert Closures([text, f"NOT ({text})"]).matches([{"a": 4_999}, {"a": -1}, {}]) == [[0], [1], []]
