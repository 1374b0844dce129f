"""Are the engines slower at one commit than at another? `python benchmarks/compare.py BASE [HEAD] [-- for pytest]`

Both commits are built in folders of their own (build/compare) and measured by test_engines.py of this work tree, in
turns and in fresh processes: BASE, HEAD, BASE, HEAD, ... The best run of each counts. Runs of the same commit differ
by chance, and only a difference beyond that is called one. The exit code is 1 if something became slower or larger,
2 if nothing could be compared.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "build" / "compare"
SUITE = ROOT / "benchmarks" / "test_engines.py"

# What is never called a difference, however still the machine was: the layout of code and memory alone makes that much.
LEAST = 0.03
# Noise is this many times the distance from a commit's best run to its median one.
CAUTION = 3.0
# With five runs a commit, fewer than 2 of 1,000 benchmarks of the same speed are called different, with times that vary
# by 1, 5 or 30 percent, and 9 of 10 that are slower by a tenth are found at 2 percent. With three it is 2 of 100.
LEAST_RUNS = 5

Results = Mapping[str, float]  # of one run: benchmark -> seconds or bytes


class Verdict(NamedTuple):
    """A benchmark at both commits: best values, HEAD's share of BASE's, and what chance can make of it."""

    name: str
    base: float
    head: float
    ratio: float
    noise: float
    verdict: str  # "slower", "faster" or ""


def judge(name: str, base: Sequence[float], head: Sequence[float]) -> Verdict:
    """A difference counts if it is more than the noise, and no run of one commit was as fast as one of the other."""
    best, other = min(base), min(head)
    noise = max(LEAST, *(CAUTION * (median(runs) / min(runs) - 1) for runs in (base, head)))
    ratio = other / best
    verdict = ""
    if ratio > 1 + noise and other > max(base):
        verdict = "slower"
    elif ratio < 1 / (1 + noise) and best > max(head):
        verdict = "faster"
    return Verdict(name, best, other, ratio, noise, verdict)


def judge_all(base: Sequence[Results], head: Sequence[Results]) -> list[Verdict]:
    """Those that both commits have, in order."""
    names = [name for name in base[0] if all(name in run for run in (*base, *head))]
    return [judge(name, [run[name] for run in base], [run[name] for run in head]) for name in names]


def table(verdicts: Iterable[Verdict]) -> str:
    rows = [("benchmark", "base", "head", "ratio", "noise", "")]
    for v in verdicts:
        show = amount if "test_memory" in v.name else duration
        rows.append((v.name, show(v.base), show(v.head), f"{v.ratio:.3f}", f"{v.noise:.1%}", v.verdict))
    widths = [max(len(row[at]) for row in rows) for at in range(6)]
    lines = []
    for row in rows:
        cells = [row[0].ljust(widths[0]), *(row[at].rjust(widths[at]) for at in range(1, 5)), row[5]]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def duration(seconds: float) -> str:
    for unit, factor in (("s", 1.0), ("ms", 1e3)):
        if seconds * factor >= 1:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e6:.3g} us"


def amount(size: float) -> str:
    return f"{size / 1e6:.4g} MB"


# --- Commits ---


class CompareError(Exception):
    """Why nothing can be compared."""


def git(*arguments: str, root: Path = ROOT) -> str:
    try:
        result = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True)
    except FileNotFoundError:
        raise CompareError("git is not installed") from None
    if result.returncode:
        raise CompareError(result.stderr.strip())
    return result.stdout.strip()


def commit_of(name: str, root: Path = ROOT) -> str:
    try:
        return git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}", root=root)
    except CompareError as error:
        raise CompareError(str(error) or f"there is no commit {name!r}") from None


def check_clean(root: Path = ROOT) -> None:
    """What is not committed would not be measured."""
    changed = git("status", "--porcelain", "--", "src", "csrc", root=root)
    if changed:
        raise CompareError(
            f"these changes are in no commit and would not be measured: commit them, or name HEAD\n{changed}"
        )


def built(commit: str) -> Path:
    """The folder of a commit whose modules are compiled; a commit that was built once stays so."""
    folder = FOLDER / commit[:12]
    done = folder / ".built"
    if done.exists():
        return folder
    print(f"building {commit[:12]} ...", flush=True)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    archive = subprocess.run(["git", "archive", commit], cwd=ROOT, capture_output=True, check=True).stdout
    subprocess.run(["tar", "-xf", "-"], cwd=folder, input=archive, check=True)
    cmake = folder / "build"
    steps = [
        ["cmake", "-S", folder / "csrc", "-B", cmake, "-G", "Ninja", f"-DPython_EXECUTABLE={sys.executable}"],
        ["cmake", "--build", cmake],
        ["cmake", "--install", cmake, "--prefix", folder / "src"],
    ]
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    for step in steps:
        result = subprocess.run(
            step, capture_output=True, text=True, cwd=folder, env={**os.environ, "PATH": path}
        )
        if result.returncode:
            raise CompareError(f"{commit[:12]} does not build:\n{(result.stdout + result.stderr)[-3000:]}")
    done.touch()
    return folder


def run(folder: Path, arguments: Sequence[str]) -> dict[str, float]:
    """One run of the benchmarks of this work tree on the package in `folder`."""
    report = folder / "results.json"
    report.unlink(missing_ok=True)
    command = [
        sys.executable,
        "-m",
        "pytest",
        str(ROOT / "benchmarks"),
        "--benchmark-only",
        "--benchmark-quiet",
    ]
    result = subprocess.run(
        [*command, f"--benchmark-json={report}", *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(folder / "src")},
        capture_output=True,
        text=True,
    )
    if result.returncode or not report.exists():
        raise CompareError(
            f"the benchmarks fail at {folder.name}:\n{(result.stdout + result.stderr)[-3000:]}"
        )
    return values(json.loads(report.read_text(encoding="utf-8")))


def values(report: dict[str, Any]) -> dict[str, float]:
    """Seconds, or bytes where these were measured."""
    return {
        bench["name"]: float(bench["extra_info"].get("bytes", bench["stats"]["min"]))
        for bench in report["benchmarks"]
    }


def main(given: Sequence[str]) -> int:
    arguments, extra = list(given), []
    if "--" in arguments:
        at = arguments.index("--")
        arguments, extra = arguments[:at], arguments[at + 1 :]
    parser = argparse.ArgumentParser(
        prog="compare.py",
        description="Compare the benchmarks of two commits; pytest's arguments go after --.",
    )
    parser.add_argument("base", help="the commit to compare with")
    parser.add_argument("head", nargs="?", help="the commit to judge (HEAD)")
    parser.add_argument(
        "--runs", type=int, default=LEAST_RUNS, help=f"of each commit, in turns ({LEAST_RUNS})"
    )
    options = parser.parse_args(arguments)
    try:
        if options.runs < LEAST_RUNS:
            raise CompareError(
                f"--runs: {options.runs} cannot tell a difference from chance; the least is {LEAST_RUNS}"
            )
        commits = [commit_of(options.base), commit_of(options.head or "HEAD")]
        if not options.head:
            check_clean()
        if commits[0] == commits[1]:
            raise CompareError(f"{options.base} and {options.head or 'HEAD'} are the same commit")
        folders = [built(commit) for commit in commits]
        results: list[list[dict[str, float]]] = [[], []]
        for turn in range(options.runs):
            for side, folder in enumerate(folders):
                print(f"run {turn + 1} of {options.runs}: {folder.name}", flush=True)
                results[side].append(run(folder, extra))
        verdicts = judge_all(*results)
        if not verdicts:
            raise CompareError("there is no benchmark that both commits can run")
    except CompareError as error:
        print(f"compare: {error}", file=sys.stderr)
        return 2
    print(table(verdicts))
    slower = sum(v.verdict == "slower" for v in verdicts)
    faster = sum(v.verdict == "faster" for v in verdicts)
    print(
        f"{len(verdicts)} benchmarks: {slower} slower, {faster} faster, the others differ by no more than chance"
    )
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
