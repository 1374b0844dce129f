"""A million Arrow rows of ten columns against ten expressions, beside DuckDB on one thread."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import boolsieve as bs
from conftest import Measure

pa = pytest.importorskip("pyarrow")
duckdb = pytest.importorskip("duckdb")

ROWS = 1_000_000
SCENARIO = "ten expressions, a million Arrow rows"
EXPRESSIONS = [
    "i1 < 100",
    "i2 = 7",
    "i3 BETWEEN -5 AND 5",
    "f1 > 95.5",
    "f2 <= -1.5",
    "f3 < 0.1",
    "city = 'berlin'",
    "name = 'user777'",
    "flag = TRUE",
    "ts >= TIMESTAMP '2023-10-01 00:00:00'",
]


@pytest.fixture(scope="module")
def table() -> Any:
    rng = np.random.default_rng(1)
    cities = np.array(["amsterdam", "berlin", "chicago", "delhi", "essen", "frankfurt", "geneva", "hamburg"])
    return pa.table(
        {
            "i1": rng.integers(0, 1000, ROWS),
            "i2": rng.integers(0, 100, ROWS),
            "i3": rng.integers(-50, 50, ROWS).astype(np.int32),
            "f1": rng.random(ROWS) * 100,
            "f2": rng.normal(size=ROWS),
            "f3": rng.random(ROWS),
            "city": cities[rng.integers(0, 8, ROWS)],
            "name": np.char.add("user", rng.integers(0, 50_000, ROWS).astype(str)),
            "flag": rng.random(ROWS) < 0.5,
            "ts": pa.array(rng.integers(1_600_000_000, 1_700_000_000, ROWS) * 1_000_000, pa.timestamp("us")),
        }
    )


@pytest.fixture(scope="module")
def expected(table: Any) -> list[int]:
    return list(run_duckdb(table))


def run_duckdb(table: Any) -> tuple[int, ...]:
    with duckdb.connect(config={"threads": 1}) as connection:
        connection.register("events", table)
        counts = ", ".join(f"count(*) FILTER (WHERE {text})" for text in EXPRESSIONS)
        found: tuple[int, ...] = connection.execute(f"SELECT {counts} FROM events").fetchone()
    return found


def told(who: str) -> dict[str, Any]:
    return {"scenario": SCENARIO, "who": who, "operation": "batch", "items": ROWS}


def test_duckdb(measure: Measure, table: Any, expected: list[int]) -> None:
    assert list(measure(run_duckdb, table, **told("DuckDB, one thread"))) == expected


@pytest.mark.parametrize("threads", [1, 2])
def test_ten_expressions(measure: Measure, table: Any, expected: list[int], threads: int) -> None:
    index = bs.Index(engine="scan")
    index.add_many(range(len(EXPRESSIONS)), EXPRESSIONS)
    who = "scan, one thread" if threads == 1 else f"scan, {threads} threads"
    found = measure(lambda: index.match_batch(table, threads=threads), **told(who))
    assert np.bincount(found.ids, minlength=len(EXPRESSIONS)).tolist() == expected
