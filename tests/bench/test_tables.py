"""The tables of docs/benchmarks.md are those that the records give."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import tables
from tables import RecordError

RESULTS = {
    "datetime": "2026-01-02T03:04:05",
    "machine_info": {
        "cpu": {"brand_raw": "Abacus", "count": 2},
        "machine": "x",
        "system": "Linux",
        "python_version": "3.11.7",
    },
    "benchmarks": [
        {
            "extra_info": {"scenario": "s", "who": "scan", "operation": "build", "items": 1000},
            "stats": {"min": 0.0123456},
        },
        {
            "extra_info": {
                "scenario": "s",
                "who": "scan",
                "operation": "memory",
                "items": 1000,
                "bytes": 250_000,
            },
            "stats": {"min": 1.0},
        },
        {
            "extra_info": {
                "scenario": "s",
                "who": "loop",
                "operation": "batch",
                "items": 10,
                "expressions": 50,
            },
            "stats": {"min": 0.02},
        },
        {
            "extra_info": {"scenario": "s", "who": "dicts", "operation": "encode", "items": 100},
            "stats": {"min": 0.0001},
        },
    ],
}
SECTION = """\
### run

2026-01-02; Abacus, 2 cores; Linux, Python 3.11.7; numpy 9.

**s**, 1,000 expressions

|  | build, µs an expression | batch, µs an event | bytes an expression |
| --- | --- | --- | --- |
| scan | 12.3 |  | 250 |
| loop (50 expressions) |  | 2,000 |  |

**encoding**

|  | dicts, µs an event |
| --- | --- |
| s | 1 |"""


def test_the_page_shows_the_records() -> None:
    page = tables.PAGE.read_text(encoding="utf-8")
    assert tables.with_tables(page, tables.tables()) == page


def test_a_run_becomes_a_record_and_a_section() -> None:
    assert tables.section("run", tables.record_of(RESULTS, {"numpy": "9"})) == SECTION


def test_a_run_is_recorded_and_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "RECORDS", tmp_path)
    monkeypatch.setattr(tables, "PAGE", tmp_path / "page.md")
    monkeypatch.setattr(tables, "installed", lambda: {"numpy": "9"})
    monkeypatch.setattr(tables.tables, "__defaults__", (tmp_path,))
    tables.PAGE.write_text(f"before\n{tables.BEGIN}\nold\n{tables.END}\nafter\n")
    (tmp_path / "results").write_text(json.dumps(RESULTS))
    assert tables.main(["run", str(tmp_path / "results")]) == 0
    assert json.loads((tmp_path / "run.json").read_text())["machine"] == "Abacus, 2 cores"
    assert tables.PAGE.read_text() == f"before\n{tables.BEGIN}\n\n{SECTION}\n\n{tables.END}\nafter\n"


def test_what_is_no_result_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(RecordError, match="not a result of pytest-benchmark: 'machine_info' is missing"):
        tables.record_of({}, {})
    assert tables.main(["run", str(tmp_path / "none")]) == 2
    assert "none" in capsys.readouterr().err
    assert tables.main(["run"]) == 2
    assert "usage" in capsys.readouterr().err


def test_a_file_that_is_no_record_is_named(tmp_path: Path) -> None:
    (tmp_path / "odd.json").write_text("{}")
    with pytest.raises(RecordError, match=r"^odd\.json is no record"):
        tables.tables(tmp_path)


def test_a_page_without_markers_is_refused() -> None:
    with pytest.raises(RecordError, match="records: begin"):
        tables.with_tables("text", "tables")
