"""What is called a difference between two commits, and what is refused before anything is built."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest

import compare
from compare import CompareError, judge, judge_all


def runs(seed: int, count: int, noise: float, scale: float = 1.0) -> list[float]:
    """Times as machines give them: a floor, and delays that only add to it."""
    rng = np.random.default_rng(seed)
    return (scale * (1 + rng.exponential(noise, count))).tolist()


@pytest.mark.parametrize("noise", [0.0, 0.01, 0.05, 0.3])
def test_the_same_speed_is_hardly_ever_a_difference(noise: float) -> None:
    verdicts = [judge("x", runs(seed, 5, noise), runs(seed + 10_000, 5, noise)) for seed in range(2_000)]
    assert sum(verdict.verdict != "" for verdict in verdicts) <= 6  # 3 of 1,000


def test_a_clear_difference_is_found_either_way() -> None:
    for seed in range(100):
        base, head = runs(seed, 5, 0.01), runs(seed + 1_000, 5, 0.01, scale=1.3)
        assert judge("x", base, head).verdict == "slower"
        assert judge("x", head, base).verdict == "faster"


def test_a_difference_within_the_noise_is_none() -> None:
    assert judge("x", [1.0, 1.2, 1.3], [1.1, 1.2, 1.4]).verdict == ""
    assert judge("x", [1.0, 1.0, 1.0], [1.02, 1.02, 1.02]).verdict == ""
    assert judge("x", [1.0, 1.0, 1.0], [1.04, 1.04, 1.04]).verdict == "slower"


def test_one_lucky_run_is_no_difference() -> None:
    assert judge("x", [0.8, 1.0, 1.0, 1.01, 1.0], [1.0, 1.0, 1.01, 1.0, 1.0]).verdict == ""


def test_a_verdict_says_what_it_is_made_from() -> None:
    verdict = judge("x", [2.0, 2.1, 2.2], [4.0, 4.0, 4.0])
    assert (verdict.base, verdict.head, verdict.ratio) == (2.0, 4.0, 2.0)
    assert verdict.noise == pytest.approx(0.15)


def test_only_what_both_commits_have_is_judged() -> None:
    base = [{"a": 1.0, "gone": 1.0}] * 3
    head = [{"new": 1.0, "a": 2.0}] * 3
    assert [(v.name, v.verdict) for v in judge_all(base, head)] == [("a", "slower")]


def test_the_table_shows_seconds_and_bytes() -> None:
    verdicts = judge_all(
        [{"test_match[x]": 0.002, "test_memory[x]": 3e6}] * 3,
        [{"test_match[x]": 0.004, "test_memory[x]": 3e6}] * 3,
    )
    lines = [line.split() for line in compare.table(verdicts).splitlines()]
    assert lines[1] == ["test_match[x]", "2", "ms", "4", "ms", "2.000", "3.0%", "slower"]
    assert lines[2] == ["test_memory[x]", "3", "MB", "3", "MB", "1.000", "3.0%"]


def test_bytes_take_the_place_of_seconds() -> None:
    report = {
        "benchmarks": [
            {"name": "m", "extra_info": {"bytes": 77}, "stats": {"min": 0.1}},
            {"name": "t", "extra_info": {}, "stats": {"min": 0.2}},
        ]
    }
    assert compare.values(report) == {"m": 77.0, "t": 0.2}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.py").write_text("1")
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    for command in (["init", "-q"], ["add", "-A"], [*identity, "commit", "-qm", "first"]):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    return tmp_path


def test_unknown_commits_are_named(repository: Path) -> None:
    assert len(compare.commit_of("HEAD", repository)) == 40
    for name in ("nosuch", "--all", ""):
        with pytest.raises(CompareError, match=f"there is no commit '{name}'"):
            compare.commit_of(name, repository)


def test_changes_in_no_commit_are_named(repository: Path) -> None:
    compare.check_clean(repository)
    (repository / "notes.txt").write_text("not measured anyway")
    compare.check_clean(repository)
    (repository / "src" / "a.py").write_text("2")
    with pytest.raises(CompareError, match=r"(?s)commit them, or name HEAD.*src/a.py"):
        compare.check_clean(repository)


def test_errors_are_messages(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(name: str) -> str:
        raise CompareError(f"there is no commit {name!r}")

    monkeypatch.setattr(compare, "commit_of", unknown)
    assert compare.main(["nosuch"]) == 2
    assert capsys.readouterr().err == "compare: there is no commit 'nosuch'\n"
    monkeypatch.setattr(compare, "commit_of", lambda name: "a" * 40)
    assert compare.main(["one", "other"]) == 2
    assert "one and other are the same commit" in capsys.readouterr().err
    assert compare.main(["one", "other", "--runs", "1"]) == 2
    assert "--runs" in capsys.readouterr().err
