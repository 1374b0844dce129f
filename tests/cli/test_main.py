"""The command line as a whole."""

from __future__ import annotations

import subprocess
import sys

import pytest

from boolsieve import demo
from boolsieve.cli import main


def test_help_names_the_commands(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["--help"])
    assert stopped.value.code == 0
    shown = capsys.readouterr().out
    assert "bench" in shown
    assert "demo" in shown


def test_the_demo_can_be_reached(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(demo, "main", lambda: print("shown"))
    assert main(["demo"]) == 0
    assert capsys.readouterr().out == "shown\n"


@pytest.mark.parametrize("arguments", [[], ["nothing"]])
def test_no_command_and_unknown_ones(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 2
    assert "usage: boolsieve" in capsys.readouterr().err


def test_a_reader_that_stops_early_is_no_error() -> None:
    command = [sys.executable, "-m", "boolsieve", "bench", "list"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.close()
        assert running.stderr.read() == ""
