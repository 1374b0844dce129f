"""`boolsieve bench`, as a user calls it."""

from __future__ import annotations

import csv
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import boolsieve as bs
from boolsieve import engines
from boolsieve.bench import drawing, sweeps
from boolsieve.bench.figures import PANELS, select
from boolsieve.bench.records import COLUMNS
from boolsieve.cli import main
from boolsieve.workloads import BEGen

TINY = ("--scale", "0.0001", "--events", "4")  # 10 to 100 expressions of BE-Tree's figure 5


def rows(path: Path) -> list[dict[str, str]]:
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def test_a_figure_from_end_to_end(tmp_path: Path) -> None:
    out = tmp_path / "new" / "folder"
    command = [
        sys.executable,
        "-m",
        "boolsieve",
        "bench",
        "betree-5",
        *TINY,
        "--engines",
        "scan",
        "--out",
        str(out),
    ]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")  # no bar without a terminal
    assert sorted(path.name for path in out.iterdir()) == [
        "betree-5.png",
        "betree-5.svg",
        "betree-5a.csv",
        "betree-5b.csv",
    ]
    assert all(path.stat().st_size > 500 for path in out.iterdir())
    assert "BE-Tree, figure 5a: At N = 100, scan takes" in done.stdout
    for letter, zipf in (("a", 0.0), ("b", select("betree-5b")[0].sweeps[0].fixed["zipf"])):
        found = rows(out / f"betree-5{letter}.csv")
        assert tuple(found[0]) == COLUMNS
        assert [int(row["x"]) for row in found] == [10, 40, 70, 100]
        for row in found:
            workload = BEGen(zipf=zipf)
            index = bs.Index()
            index.add_many(range(int(row["x"])), workload.expressions(int(row["x"])).texts())
            assert int(row["matches"]) == sum(map(index.match_count, workload.events(4).dicts()))
            assert (row["figure"], row["engine"], row["events"]) == (f"betree-5{letter}", "scan", "4")
            assert float(row["event_seconds"]) > 0


def test_report_of_what_was_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    some = ("--engines", "scan,opindex,interval", "--format", "svg")
    assert main(["bench", "betree-5a", "tatbul-7", *TINY, *some, "--out", str(tmp_path)]) == 0
    assert not list(tmp_path.glob("*.png"))
    assert main(["bench", "report", "--out", str(tmp_path)]) == 0
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert page.count("<svg") == 2
    assert str(tmp_path / "report.html") in capsys.readouterr().out


def test_panels_of_one_sweep_are_measured_once(tmp_path: Path) -> None:
    few = ("--scale", "0.00001", "--events", "2", "--engines", "scan,opindex")
    assert main(["bench", "opindex-1", *few, "--out", str(tmp_path)]) == 0
    built, matched = rows(tmp_path / "opindex-1a.csv"), rows(tmp_path / "opindex-1b.csv")
    assert [row["build_seconds"] for row in built] == [row["build_seconds"] for row in matched]
    assert {row["figure"] for row in matched} == {"opindex-1b"}


def test_list_names_every_figure_in_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == [panel.id for panel in PANELS]
    line = next(line for line in lines if line.startswith("opindex-10a "))
    assert re.split(r"  +", line)[1:] == [
        "OpIndex",
        "expressions, N: 1M to 40M; OpIndexSynthetic()",
        "matching time (ms an event)",
    ]


def test_a_new_engine_takes_part_by_its_registration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(engines._REGISTRY, "fresh", engines.Scan)
    assert main(["bench", "betree-5a", *TINY, "--out", str(tmp_path)]) == 0
    found = rows(tmp_path / "betree-5a.csv")
    assert [row["engine"] for row in found] == [*engines.names()] * 4
    by_engine = {row["engine"]: row["matches"] for row in found if row["x"] == "100"}
    assert by_engine["fresh"] == by_engine["scan"]


def test_an_engine_that_refuses_is_noted_everywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Picky:
        def __init__(self) -> None:
            raise bs.BudgetError("ranges are too long")

    monkeypatch.setitem(engines._REGISTRY, "picky", Picky)
    assert main(["bench", "betree-5a", *TINY, "--out", str(tmp_path)]) == 0
    notes = {row["engine"]: row["note"] for row in rows(tmp_path / "betree-5a.csv")}
    assert notes["picky"] == "BudgetError: ranges are too long"
    assert notes["scan"] == ""
    assert "picky left out from 10 on: BudgetError: ranges are too long" in capsys.readouterr().out
    main(["bench", "report", "--out", str(tmp_path)])
    assert "picky left out from 10 on" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_rivals_run_beside_the_engines(tmp_path: Path) -> None:
    assert main(["bench", "betree-5a", *TINY, "--rivals", "--engines", "scan", "--out", str(tmp_path)]) == 0
    kinds = {row["engine"]: row["kind"] for row in rows(tmp_path / "betree-5a.csv")}
    assert kinds["scan"] == "engine"
    assert kinds["closures"] == "rival"


def test_wrong_counts_fail_and_leave_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(engines._REGISTRY, "liar", engines.Scan)
    honest = sweeps.EngineMatcher.counts
    built: list[str] = []

    class Liar(sweeps.EngineMatcher):
        def __init__(self, name: str, texts: list[str]) -> None:
            super().__init__(name, texts)
            built.append(name)
            self.name = name

        def counts(self, events: Any) -> list[int]:
            return [count + (self.name == "liar") for count in honest(self, events)]

    monkeypatch.setattr(sweeps, "EngineMatcher", Liar)
    assert main(["bench", "betree-5a", *TINY, "--out", str(tmp_path)]) == 1
    error = capsys.readouterr().err
    assert re.search(
        r"betree-5a at expressions, N = 10: liar finds \d+ matches of event 0, scan finds \d+", error
    )
    assert not list(tmp_path.iterdir())


BAD = [
    (["opindex-10x"], r"no figure 'opindex-10x'; did you mean opindex-10"),
    (["tatbul7"], r"did you mean tatbul-7"),
    (["betree-5", "--engines", "scam"], r"no engine 'scam'; did you mean scan"),
    (["betree-5", "--engines", "no-such-thing"], r"the engines are scan"),
    (["betree-5", "--engines", ","], r"no engine is named"),
    (["betree-5", "--scale", "0"], r"--scale: 0 is not a finite number above 0"),
    (["betree-5", "--scale", "-1"], r"above 0"),
    (["betree-5", "--scale", "nan"], r"above 0"),
    (["betree-5", "--scale", "big"], r"'big' is not a number"),
    (["betree-5", "--events", "0"], r"--events"),
    (["betree-5", "--events", "1.5"], r"'1.5' is not a number"),
    (["betree-5", "--seconds", "0"], r"--seconds"),
    (["betree-5", "--seed", "-1"], r"--seed"),
    (["betree-5", "--format", "bmp"], r"--format"),
    (["betree-5", "--set", "dimensions"], r"'dimensions' is not of the form NAME=VALUE"),
    (["betree-5", "--set", "dimensions=5"], r"event_size: 15 distinct attributes cannot be drawn from 5 dim"),
    (["betree-5", "--set", "size=5"], r"no parameter 'size'"),
    (["betree-5", "--scale", "1e9"], r"GB are available; the largest scale that fits is"),
    (["list", "betree-5"], r"list takes no figures"),
    (["report"], r"no figure was run"),
    ([], r"FIGURE"),
]


@pytest.mark.parametrize(("arguments", "message"), BAD, ids=lambda part: " ".join(part)[:40])
def test_bad_input_is_refused_before_any_work(
    arguments: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    try:
        code = main(["bench", *arguments])
    except SystemExit as stopped:  # argparse
        code = int(stopped.code or 0)
    assert code == 2
    assert re.search(message, capsys.readouterr().err)
    assert not list(tmp_path.iterdir())


def test_a_folder_that_cannot_be_made_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").touch()
    assert main(["bench", "betree-5a", *TINY, "--out", str(tmp_path / "file")]) == 2
    assert "file cannot be made" in capsys.readouterr().err


def test_a_folder_that_is_not_writable_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("os.access", lambda *_: False)  # a test that runs as root may write anywhere
    assert main(["bench", "betree-5a", *TINY, "--out", str(tmp_path)]) == 2
    assert "is not writable" in capsys.readouterr().err


def test_without_matplotlib_nothing_is_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def absent() -> None:
        raise ImportError("figures are drawn with matplotlib: pip install 'boolsieve[bench]'")

    monkeypatch.setattr(drawing, "require_matplotlib", absent)
    assert main(["bench", "betree-5a", *TINY, "--out", str(tmp_path)]) == 2
    assert "pip install 'boolsieve[bench]'" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_a_run_shows_how_far_it_is_on_a_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setitem(sys.modules, "rich.console", None)  # the plain bar
    assert main(["bench", "betree-5a", *TINY, "--engines", "scan", "--out", str(tmp_path)]) == 0
    assert "measuring: 4 of 4" in capsys.readouterr().err


def test_an_interrupted_run_says_so_and_keeps_earlier_results(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "betree-5a.csv").write_text("earlier")

    def stop(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("boolsieve.cli.bench.run_sweep", stop)
    assert main(["bench", "betree-5a", *TINY, "--out", str(tmp_path)]) == 130
    assert capsys.readouterr().err == "interrupted\n"
    assert (tmp_path / "betree-5a.csv").read_text() == "earlier"
