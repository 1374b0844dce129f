"""A million Arrow rows of ten columns against ten expressions, beside DuckDB on one thread."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import boolsieve as bs

pa = pytest.importorskip("pyarrow")
duckdb = pytest.importorskip("duckdb")

ROWS = 1_000_000
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


def test_duckdb(benchmark: Any, table: Any, expected: list[int]) -> None:
    assert list(benchmark(run_duckdb, table)) == expected


@pytest.mark.parametrize("threads", [1, 2])
def test_ten_expressions(benchmark: Any, table: Any, expected: list[int], threads: int) -> None:
    index = bs.Index(engine="scan")
    index.add_many(range(len(EXPRESSIONS)), EXPRESSIONS)
    found = benchmark(index.match_batch, table, threads=threads)
    assert np.bincount(found.ids, minlength=len(EXPRESSIONS)).tolist() == expected
