"""What holds for every generator: the same seed gives the same, all texts parse, all renderings agree."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import boolsieve as bs
from boolsieve.workloads import (
    Advertisements,
    BEGen,
    Dexin,
    OpIndexKeywords,
    OpIndexNormalForm,
    OpIndexPrefix,
    OpIndexProducts,
    OpIndexSynthetic,
    PSTreeDense,
    PSTreeSparse,
    QGrams,
    QueryLog,
    Tatbul,
    Workload,
    vocabulary,
)
from boolsieve.workloads.workload import draw_distinct, zipf_weights

TITLES = [
    "string matching",
    'it\'s a "quoted" title',
    "data\nbases",
    "müßige Ströme",
    "index structures in memory",
]
WORDS = vocabulary(2_000)

GENERATORS: dict[str, Callable[[int], Workload]] = {
    "begen": lambda seed: BEGen(seed=seed, operators="high"),
    "qgrams": lambda seed: QGrams(seed=seed, strings=TITLES),
    "qgrams derived": lambda seed: QGrams(
        seed=seed, strings=TITLES, match_probability=0.25, operators="high"
    ),
    "opindex": lambda seed: OpIndexSynthetic(seed=seed),
    "opindex zipf": lambda seed: OpIndexSynthetic(seed=seed, zipf=1.0),
    "opindex cnf": lambda seed: OpIndexNormalForm(seed=seed, form="cnf"),
    "opindex dnf": lambda seed: OpIndexNormalForm(seed=seed, form="dnf"),
    "opindex prefix": lambda seed: OpIndexPrefix(seed=seed, words=WORDS),
    "opindex keywords": lambda seed: OpIndexKeywords(seed=seed, words=WORDS),
    "opindex frequencies": lambda seed: OpIndexKeywords(seed=seed, words=WORDS, operator="BETWEEN"),
    "opindex products": lambda seed: OpIndexProducts(seed=seed),
    "dexin": lambda seed: Dexin(seed=seed),
    "dexin rate": lambda seed: Dexin(seed=seed, matching_rate=0.05),
    "pstree dense": lambda seed: PSTreeDense(seed=seed),
    "pstree sparse": lambda seed: PSTreeSparse(seed=seed),
    "query log": lambda seed: QueryLog(seed=seed, queries=TITLES, documents=TITLES),
    "advertisements": lambda seed: Advertisements(seed=seed),
    "tatbul": lambda seed: Tatbul(seed=seed),
}


@pytest.fixture(params=GENERATORS, scope="module")
def make(request: pytest.FixtureRequest) -> Callable[[int], Workload]:
    return GENERATORS[request.param]


def test_same_seed_gives_the_same(make: Callable[[int], Workload]) -> None:
    assert make(3).expressions(50).texts() == make(3).expressions(50).texts()
    assert make(3).events(50).dicts() == make(3).events(50).dicts()


def test_another_seed_gives_something_else(make: Callable[[int], Workload]) -> None:
    assert make(3).expressions(50).texts() != make(4).expressions(50).texts()
    assert make(3).events(50).dicts() != make(4).events(50).dicts()


def test_events_do_not_depend_on_the_expressions_that_were_drawn(make: Callable[[int], Workload]) -> None:
    workload = make(3)
    workload.expressions(7)
    assert workload.events(20).dicts() == make(3).events(20).dicts()


def test_every_text_parses_and_is_taken_by_an_index(make: Callable[[int], Workload]) -> None:
    generated = make(0).expressions(300)
    exprs = generated.exprs()
    assert len(exprs) == len(generated) == 300
    for text, expr in zip(generated.texts(), exprs, strict=True):
        assert bs.parse(text) == expr
    index = bs.Index(engine="scan")
    index.add_many(range(300), generated.texts())
    assert len(index) == 300


def test_none_is_a_number_of_expressions_and_events(make: Callable[[int], Workload]) -> None:
    assert make(0).expressions(0).texts() == []
    assert make(0).events(0).dicts() == []
    with pytest.raises(ValueError, match="n: -1 is negative"):
        make(0).expressions(-1)
    with pytest.raises(ValueError, match="n: -1 is negative"):
        make(0).events(-1)


def test_dicts_and_both_arrow_layouts_match_the_same(make: Callable[[int], Workload]) -> None:
    workload = make(1)
    events = workload.events(30)
    index = bs.Index(engine="scan")
    index.add_many(range(400), workload.expressions(400).texts())
    expected = [list(row) for row in index.match_batch(events.dicts())]
    assert [list(row) for row in index.match_batch(events.arrow("map"))] == expected
    if len(events.space.names) <= 500:
        assert [list(row) for row in index.match_batch(events.arrow("wide"))] == expected


def test_files_hold_what_was_generated(make: Callable[[int], Workload], tmp_path: Path) -> None:
    expressions, events = make(2).expressions(40), make(2).events(40)
    expressions.write_jsonl(tmp_path / "expressions.jsonl")
    expressions.write_parquet(tmp_path / "expressions.parquet")
    events.write_jsonl(tmp_path / "events.jsonl")
    events.write_parquet(tmp_path / "events.parquet")

    def lines_of(name: str) -> list[dict[str, Any]]:
        return [json.loads(line) for line in (tmp_path / name).read_text(encoding="utf-8").splitlines()]

    lines = lines_of("expressions.jsonl")
    assert [line["id"] for line in lines] == list(range(40))
    assert [line["expression"] for line in lines] == expressions.texts()
    assert (
        pq.read_table(tmp_path / "expressions.parquet").column("expression").to_pylist()
        == expressions.texts()
    )
    assert lines_of("events.jsonl") == events.dicts()
    rows = pq.read_table(tmp_path / "events.parquet").to_pylist()
    if not events.is_dense:
        rows = [dict(pair for column in row.values() for pair in column) for row in rows]
    held = [{name: value for name, value in row.items() if value is not None} for row in rows]
    assert held == events.dicts()


def test_chunks_make_no_difference(make: Callable[[int], Workload], monkeypatch: pytest.MonkeyPatch) -> None:
    texts, dicts = make(0).expressions(20).texts(), make(0).events(20).dicts()
    monkeypatch.setattr("boolsieve.workloads.workload.CHUNK", 3)
    assert make(0).expressions(20).texts() == texts
    assert make(0).events(20).dicts() == dicts


def test_dense_events_are_wide_and_sparse_ones_are_maps() -> None:
    assert Dexin().events(5).arrow().column_names == [f"a{at}" for at in range(10)]
    numbers = OpIndexSynthetic().events(5).arrow()
    assert numbers.schema == pa.schema({"numbers": pa.map_(pa.string(), pa.int64())})
    assert OpIndexProducts().events(5).arrow().column_names == ["words"]
    assert OpIndexPrefix(words=WORDS).events(5).arrow().column_names == ["numbers", "words"]
    with pytest.raises(ValueError, match="layout: 'tall'"):
        Dexin().events(5).arrow("tall")  # type: ignore[arg-type]


def test_missing_pyarrow_is_said_with_the_remedy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(ImportError, match=r"pip install 'boolsieve\[arrow\]'"):
        Dexin().events(1).arrow()
    with pytest.raises(ImportError, match=r"pip install 'boolsieve\[arrow\]'"):
        Dexin().expressions(1).write_parquet(tmp_path / "expressions.parquet")


def test_a_negative_seed_is_refused() -> None:
    with pytest.raises(ValueError, match="seed: -1"):
        BEGen(seed=-1)


def test_names_with_nul_are_refused() -> None:
    with pytest.raises(ValueError, match="NUL"):
        QGrams(strings=["ab\0cd"])


@pytest.mark.parametrize("exponent", [0.0, 1.0, 3.0])
def test_distinct_draws_are_distinct_and_follow_their_weights(exponent: float) -> None:
    sizes = np.tile([1, 4, 12], 2_000)
    drawn = draw_distinct(np.random.default_rng(0), sizes, zipf_weights(12, exponent))
    rows = np.split(drawn, np.cumsum(sizes)[:-1])
    assert all(len(set(row.tolist())) == len(row) for row in rows)
    assert all(sorted(row.tolist()) == list(range(12)) for row in rows[2::3])
    # The first of each row is a draw of its own.
    first = np.bincount([row[0] for row in rows], minlength=12) / len(rows)
    assert np.abs(first - zipf_weights(12, exponent)).max() < 0.03


def test_second_of_distinct_draws_follows_the_weights_that_are_left() -> None:
    weights = np.array([0.6, 0.3, 0.1])
    drawn = draw_distinct(np.random.default_rng(1), np.full(20_000, 2), weights).reshape(-1, 2)
    second = np.bincount(drawn[drawn[:, 0] == 0, 1], minlength=3) / (drawn[:, 0] == 0).sum()
    assert np.abs(second - [0, 0.75, 0.25]).max() < 0.02


def test_vocabulary_has_distinct_words_in_order_of_frequency() -> None:
    words = vocabulary(5_000, exponent=1.0)
    counts = list(words.values())
    assert len(words) == 5_000
    assert counts == sorted(counts, reverse=True)
    assert counts[0] / counts[9] == pytest.approx(10, rel=0.01)
    assert words == vocabulary(5_000) != vocabulary(5_000, seed=1)
