"""Records go to CSV and come back as they were."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from boolsieve.bench import records
from boolsieve.bench.records import COLUMNS, Record

FULL = Record(
    figure="opindex-10a",
    series="CNF",
    x=0.1,
    engine="scan",
    kind="engine",
    expressions=10,
    events=5,
    event_seconds=1.25e-7,
    event_deviation=0.0,
    matches=3,
    bytes=1 << 40,
    build_seconds=0.1,
    evaluations=2.5,
    workload="OpIndexSynthetic(operator='=', zipf=1.0)",
    scale=1e-5,
    seed=7,
    machine='a "quick" machine, 2 cores',
)
REFUSED = Record(
    figure="betree-table5a",
    series="",
    x="authors",
    engine="x",
    kind="rival",
    expressions=1,
    events=0,
    note="BudgetError: a, b",
)


def test_records_come_back(tmp_path: Path) -> None:
    records.write(tmp_path / "r.csv", [FULL, REFUSED])
    assert records.read(tmp_path / "r.csv") == [FULL, REFUSED]
    assert [path.name for path in tmp_path.iterdir()] == ["r.csv"]


def test_columns(tmp_path: Path) -> None:
    records.write(tmp_path / "r.csv", [FULL])
    with open(tmp_path / "r.csv", newline="") as file:
        rows = list(csv.reader(file))
    assert tuple(rows[0]) == COLUMNS
    assert COLUMNS[:5] == ("figure", "series", "x", "engine", "kind")
    assert len(rows) == 2


@pytest.mark.parametrize(
    "text", ["", "a,b\n1,2\n", ",".join(COLUMNS) + "\n" + "z," * (len(COLUMNS) - 1) + "z\n"]
)
def test_other_files_are_refused_by_name(tmp_path: Path, text: str) -> None:
    (tmp_path / "other.csv").write_text(text)
    with pytest.raises(ValueError, match=r"other\.csv"):
        records.read(tmp_path / "other.csv")


def test_the_machine_says_its_cores() -> None:
    assert " cores, Python 3." in records.machine()
