"""`bench`: lists the papers' figures, runs them, collects what was run into a report."""

from __future__ import annotations

import argparse
import math
import os
import sys
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from itertools import groupby
from pathlib import Path
from typing import Any, TypeVar

from boolsieve import engines
from boolsieve.bench import drawing, records, report
from boolsieve.bench.drawing import FORMATS, Drawn
from boolsieve.bench.figures import MEASURES, PANELS, PAPERS, Panel, select
from boolsieve.bench.sweeps import DisagreementError, Plan, all_rivals, engine, run_sweep
from boolsieve.progress import progress_bar

OUT = "bench-results"
Number = TypeVar("Number", int, float)


def _positive(kind: Callable[[str], Number]) -> Callable[[str], Number]:
    def parse(text: str) -> Number:
        try:
            value = kind(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text!r} is not a number") from None
        if not (math.isfinite(value) and value > 0):
            raise argparse.ArgumentTypeError(f"{text} is not a finite number above 0")
        return value

    return parse


def _seed(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of 0 or more")
    return int(text)


def _names(text: str) -> list[str]:
    """Engines by name, each once."""
    names = list(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    known = engines.names()
    for name in names:
        if name not in known:
            close = get_close_matches(name, known, n=3)
            hint = f"did you mean {' or '.join(close)}?" if close else f"the engines are {', '.join(known)}"
            raise argparse.ArgumentTypeError(f"there is no engine {name!r}; {hint}")
    if not names:
        raise argparse.ArgumentTypeError("no engine is named")
    return names


def _change(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not (name and equals and value):
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form NAME=VALUE")
    return name, value


def add_parser(commands: Any) -> None:
    """Add the command to those of the command line."""
    parser = commands.add_parser(
        "bench",
        help="run the papers' experiments over all engines",
        description="Run figures of the papers with every registered engine: writes a CSV file and pictures for "
        "each. `bench list` names them; `bench report` makes a page of all that were run.",
    )
    parser.add_argument(
        "figures",
        nargs="+",
        metavar="FIGURE",
        help="list, report, or what to run: a diagram (opindex-10a), a figure (betree-5), a paper (dexin), all",
    )
    option = parser.add_argument
    option(
        "--scale",
        type=_positive(float),
        help="share of the paper's number of expressions (default: by figure)",
    )
    option(
        "--engines", type=_names, metavar="A,B", help="only these engines (default: all that are registered)"
    )
    option(
        "--rivals", action="store_true", help="also what users would pick instead (extra boolsieve[rivals])"
    )
    option(
        "--events",
        type=_positive(int),
        metavar="N",
        help="events to match at a point (default: 200, Tatbul 50)",
    )
    option(
        "--seconds",
        type=_positive(float),
        help="what an engine may take at a point to build, and again to match (default: 5, more above 50,000 "
        "expressions); a slow one is timed on fewer events, and left out of larger points",
    )
    option(
        "--seed", type=_seed, default=0, help="another seed gives other expressions and events (default: 0)"
    )
    option(
        "--set",
        type=_change,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="another value of a parameter of the workload, such as dimensions=200",
    )
    option("--out", type=Path, default=Path(OUT), metavar="DIR", help=f"where results go (default: {OUT})")
    option("--format", choices=FORMATS, help="draw in this format only (default: both)")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    command = options.figures[0]
    if options.figures == ["list"]:
        _list()
        return 0
    try:
        if command in ("list", "report") and len(options.figures) > 1:
            raise ValueError(f"{command} takes no figures")
        drawing.require_matplotlib()
        if command == "report":
            print(f"wrote {report.write(options.out)}")
            return 0
        panels = _wanted(options.figures)
        plan = Plan(panels, scale=options.scale, seed=options.seed, changes=dict(options.set))
        _writable(options.out)
    except (ValueError, ImportError, OSError) as error:
        print(f"boolsieve bench: {error}", file=sys.stderr)
        return 2
    try:
        _measure(plan, options)
    except DisagreementError as error:
        print(f"boolsieve bench: wrong counts: {error}", file=sys.stderr)
        return 1
    return 0


def _list() -> None:
    rows = [
        (panel.id, PAPERS[panel.paper].name, panel.varies, MEASURES[panel.measure].label) for panel in PANELS
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    for row in rows:
        print("  ".join([*(text.ljust(width) for text, width in zip(row, widths, strict=False)), row[-1]]))


def _wanted(names: Sequence[str]) -> list[Panel]:
    """The panels of these names, in the papers' order."""
    found = {panel.id for name in names for panel in select(name)}
    return [panel for panel in PANELS if panel.id in found]


def _writable(folder: Path) -> None:
    """OSError unless files can be written there; makes the folder."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OSError(f"--out: {folder} cannot be made: {error.strerror}") from error
    if not os.access(folder, os.W_OK | os.X_OK):
        raise OSError(f"--out: {folder} is not writable")


def _measure(plan: Plan, options: argparse.Namespace) -> None:
    """Run each sweep once, and write what each panel shows of it as soon as it is there."""
    contenders = [engine(name) for name in options.engines or engines.names()]
    if options.rivals:
        contenders += all_rivals()
    formats = [options.format] if options.format else FORMATS
    total = sum(len(sweep.points) for sweep in plan.sweeps) * len(contenders)
    done = 0
    known: list[tuple[Any, list[records.Record]]] = []
    with progress_bar(sys.stderr.isatty(), total, "measuring") as show:

        def step() -> None:
            nonlocal done
            done += 1
            if show is not None:
                show(done)

        for figure, group in groupby(plan.panels, key=lambda panel: panel.figure):
            panels = []
            for panel in group:
                own: list[records.Record] = []
                for sweep in panel.sweeps:
                    found = next((past for swept, past in known if swept == sweep), None)
                    if found is None:
                        found = run_sweep(
                            plan,
                            sweep,
                            contenders,
                            figure=panel.id,
                            events=options.events,
                            seconds=options.seconds,
                            step=step,
                        )
                        known.append((sweep, found))
                    own += [records.of_figure(record, panel.id) for record in found]
                records.write(options.out / f"{panel.id}.csv", own)
                panels.append(Drawn(panel, own))
            name = panels[0].panel.id if len(panels) == 1 else figure
            paths = [options.out / f"{name}.{suffix}" for suffix in formats]
            drawing.draw(panels, paths)
            _tell(panels, paths)


def _tell(panels: Sequence[Drawn], paths: Sequence[Path]) -> None:
    for drawn in panels:
        print(f"{drawn.panel.name}: {' '.join(report.result(drawn))}")
        for note in drawn.left_out():
            print(f"  {note}")
    folder = paths[0].parent
    names = [*(f"{drawn.panel.id}.csv" for drawn in panels), *(path.name for path in paths)]
    print(f"  in {folder}: {', '.join(names)}")
