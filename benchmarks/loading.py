"""Loading against building, and what processes that load the same file share.

    python benchmarks/loading.py [expressions] [engine ...]

Prints for each engine the time to build, save and load, and the memory of two processes that loaded the file and
matched the same events (`/proc/self/smaps_rollup`: what they share counts half in Pss). Times are of the processor,
and by the clock in brackets: neighbours on the machine stretch the second.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import boolsieve as bs
import scenarios

SCENARIO = scenarios.FOLDER / "opindex.json"
EVENTS = 200
WAYS: dict[str, dict[str, Any]] = {
    "load": {},
    "load(verify=True)": {"verify": True},
    "load(verify=False)": {"verify": False},
    "load(trusted=False)": {"trusted": False},
}


def best(function: Callable[[], Any], rounds: int) -> tuple[float, float]:
    """Seconds of the processor and by the clock, the best of each."""
    times = []
    for _ in range(rounds):
        start = time.process_time(), time.perf_counter()
        function()
        times.append((time.process_time() - start[0], time.perf_counter() - start[1]))
    return min(time[0] for time in times), min(time[1] for time in times)


def memory() -> dict[str, int]:
    """In MB, by the kernel's names."""
    lines = Path("/proc/self/smaps_rollup").read_text().splitlines()[1:]
    sizes = {line.split(":")[0]: int(line.split()[1]) // 1024 for line in lines}
    return {name: sizes[name] for name in ("Rss", "Pss", "Shared_Clean", "Private_Dirty")}


def reader(path: str) -> None:
    """A process of its own: loads, matches, tells its memory once the other one has matched too."""
    before = memory()
    index = bs.Index.load(path)
    found = sum(map(index.match_count, scenarios.load(SCENARIO).workload.events(EVENTS).dicts()))
    print("matched", flush=True)
    sys.stdin.readline()
    print(json.dumps({"found": found, "before": before, "after": memory()}), flush=True)
    sys.stdin.readline()


def readers(path: str) -> list[dict[str, Any]]:
    processes = [
        subprocess.Popen(
            [sys.executable, __file__, "--reader", path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    answers = []
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "matched\n"
    for process in processes:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("\n")
        process.stdin.flush()
        answers.append(json.loads(process.stdout.readline()))
    for process in processes:
        process.communicate("\n")
    return answers


def measure(scenario: scenarios.Scenario, engine: str, path: str) -> None:
    texts = scenario.texts
    index = bs.Index(engine=engine)
    build = best(partial(index.add_many, range(len(texts)), texts), 1)
    save = best(partial(index.save, path), 1)
    size = Path(path).stat().st_size / 1e6
    print(
        f"{engine}: {len(texts):,} expressions, file of {size:.0f} MB; "
        f"build {build[0]:.2f} s ({build[1]:.2f}), save {save[0]:.2f} s ({save[1]:.2f})"
    )
    events = scenario.workload.events(EVENTS).dicts()
    expected = sum(map(index.match_count, events))
    del index
    for name, options in WAYS.items():
        took = best(partial(bs.Index.load, path, **options), 2 if "trusted" in options else 5)
        ratio = build[0] / took[0]
        print(f"  {name:20} {1000 * took[0]:8.1f} ms ({1000 * took[1]:.1f})   build / load {ratio:6.0f}")
    for answer in readers(path):
        assert answer["found"] == expected
        print(f"  a reader's memory in MB: {answer['after']} (before loading: {answer['before']})")


def main() -> None:
    if sys.argv[1:2] == ["--reader"]:
        reader(sys.argv[2])
        return
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    scenario = scenarios.load(SCENARIO).resized(count)
    with tempfile.TemporaryDirectory() as folder:
        for engine in sys.argv[2:] or ["scan", "opindex"]:
            measure(scenario, engine, f"{folder}/{engine}.bsv")


if __name__ == "__main__":
    main()
