"""Draws panels from their records: lines over the axis, or dots by engine where points have names. Needs matplotlib."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil, log10
from pathlib import Path
from textwrap import fill, wrap
from typing import Any

from boolsieve import engines
from boolsieve.bench.figures import MEASURES, Panel, Sweep, short
from boolsieve.bench.records import Record

FORMATS = ("png", "svg")
# Ten colours that stay apart on white; markers and line styles tell apart those that share one.
COLOURS = (
    "#0072b2", "#d55e00", "#009e73", "#a6228c", "#8c6d00", "#56a8e0", "#e0455f", "#555555", "#63b020", "#6a4fc4",
)  # fmt: skip
MARKERS = "osD^vPX<>"
LINES = ("-", "--", ":")
WIDTH, HEIGHT, LEGEND = 4.7, 3.9, 1.6  # inches
LEAST_APART = 0.075  # of the axis: labels of ticks that are closer would overlap
WIDE = 50  # a linear axis shows nothing of the lowest lines if values differ by more
STYLE = {
    "font.size": 9,
    "axes.titlesize": 9,
    "axes.labelsize": 9,
    "axes.grid": True,
    "grid.color": "#e4e4e4",
    "grid.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "lines.linewidth": 1.4,
    "lines.markersize": 4.5,
    "legend.frameon": False,
    "legend.fontsize": 8,
}


def require_matplotlib() -> None:
    """ImportError that says how to get matplotlib, unless it is there."""
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        needs = "figures are drawn with matplotlib: pip install 'boolsieve[bench]'"
        raise ImportError(needs, name="matplotlib") from error


@dataclass(frozen=True)
class Drawn:
    """A panel with its records."""

    panel: Panel
    records: Sequence[Record]

    def values(self, series: str) -> dict[str, dict[float | str, float]]:
        """What is shown, by engine and x."""
        measure = MEASURES[self.panel.measure]
        found: dict[str, dict[float | str, float]] = {}
        for record in self.records:
            value = getattr(record, measure.column)
            if record.series == series and value is not None:
                found.setdefault(record.engine, {})[record.x] = value * measure.factor
        return found

    def left_out(self) -> list[str]:
        """Each contender that is missing somewhere, from where on, and why."""
        return missing([self])


def missing(panels: Sequence[Drawn]) -> list[str]:
    """The contenders that are missing somewhere: one line for all places that have the same reason."""
    first: dict[tuple[str, str, str], Record] = {}
    for drawn in panels:
        for record in drawn.records:
            if record.note:
                first.setdefault((record.engine, record.figure, record.series), record)
    places: dict[tuple[str, str], list[str]] = {}
    for (engine, figure, series), record in first.items():
        kind = ", ".join(([figure] if len(panels) > 1 else []) + ([series] if series else []))
        where = f"{short(record.x)} on{f' ({kind})' if kind else ''}"
        places.setdefault((engine, record.note), []).append(where)
    return [f"{engine} left out from {', '.join(where)}: {note}" for (engine, note), where in places.items()]


def styles(names: Iterable[str]) -> dict[str, dict[str, Any]]:
    """How each contender is drawn: registered engines always the same, in the order of the registry; others follow."""
    registered = engines.names()
    ordered = registered + sorted(set(names).difference(registered))
    return {
        name: {
            "color": COLOURS[at % len(COLOURS)],
            "marker": MARKERS[at % len(MARKERS)],
            "linestyle": LINES[at // len(COLOURS) % len(LINES)],
        }
        for at, name in enumerate(ordered)
    }


def draw(panels: Sequence[Drawn], paths: Iterable[Path]) -> None:
    """Draw panels side by side into files of the formats that their names end in."""
    import matplotlib
    from matplotlib.figure import Figure

    name = "+".join(drawn.panel.id for drawn in panels)
    with matplotlib.rc_context({**STYLE, "svg.hashsalt": name}):
        parts = [(drawn, sweep) for drawn in panels for sweep in drawn.panel.sweeps]
        columns = len(parts) if len(parts) <= 3 else 2 if len(parts) == 4 else 3
        rows = ceil(len(parts) / columns)
        lines = not any(sweep.is_categorical for _, sweep in parts)
        # Dots need a line of text an engine.
        most = max(len(drawn.values(sweep.label)) for drawn, sweep in parts)
        height = HEIGHT if lines else max(2.4, 1.4 + 0.19 * most)
        figure = Figure(
            figsize=(columns * WIDTH + LEGEND * lines, rows * height), layout="constrained", facecolor="white"
        )
        grid = figure.subplots(rows, columns, squeeze=False)
        look = styles(record.engine for drawn in panels for record in drawn.records)
        shown: dict[str, Any] = {}
        for axes, (drawn, sweep) in zip(grid.flat, parts, strict=False):
            axes.set_title(title(drawn, sweep), loc="left")
            if sweep.is_categorical:
                _dots(axes, drawn, sweep)
            else:
                shown |= _lines(axes, drawn, sweep, look)
        for axes in list(grid.flat)[len(parts) :]:
            axes.set_axis_off()
        if shown:
            order = _from_top(parts, shown)
            figure.legend([shown[name] for name in order], order, loc="outside right upper")
        notes = missing(panels)
        if notes:
            wide = int(figure.get_figwidth() * 14)
            text = "\n".join(fill(note, wide) for note in notes)
            figure.supxlabel(text, x=0.01, ha="left", fontsize=7, color="#444444")
        for path in paths:
            metadata = {"Date": None} if path.suffix == ".svg" else {}
            figure.savefig(path, dpi=150, metadata=metadata)


def title(drawn: Drawn, sweep: Sweep) -> str:
    """The panel's name, the workload, and how large the run was beside the paper's."""
    own = [record for record in drawn.records if record.series == sweep.label]
    run, paper = (
        f"{name(min(sizes))} to {name(max(sizes))}" if min(sizes) < max(sizes) else name(sizes[0])
        for name, sizes in (
            ("{:,}".format, [record.expressions for record in own]),
            (short, [point.expressions for point in sweep.points]),
        )
    )
    size = f"N = {run}; the paper: {paper} (scale {own[0].scale:g})"
    return "\n".join([drawn.panel.name, *wrap(own[0].workload, 62), size])


def _lines(axes: Any, drawn: Drawn, sweep: Sweep, look: dict[str, dict[str, Any]]) -> dict[str, Any]:
    values = drawn.values(sweep.label)
    shown = {}
    for name, line in values.items():
        xs = sorted(line)
        (shown[name],) = axes.plot(xs, [line[x] for x in xs], label=name, **look[name])
    axes.set_xlabel(sweep.axis)
    axes.set_ylabel(MEASURES[drawn.panel.measure].label)
    every = [value for line in values.values() for value in line.values()]
    if sweep.log_x:
        axes.set_xscale("log")
    _ticks(
        axes,
        sorted({float(record.x) for record in drawn.records if record.series == sweep.label}),
        sweep.log_x,
    )
    if min(every, default=0) > 0 and (drawn.panel.log_y or max(every) > WIDE * min(every)):
        axes.set_yscale("log")
    else:
        axes.set_ylim(bottom=0)
    return shown


def _ticks(axes: Any, xs: list[float], log: bool) -> None:
    """A tick at each x; a label where there is room for it."""
    places = [log10(x) for x in xs] if log else xs
    span = (places[-1] - places[0]) or 1.0
    labels, last = [], -1.0
    for x, place in zip(xs, places, strict=True):
        at = (place - places[0]) / span
        fits = at - last >= LEAST_APART
        labels.append(short(x) if fits else "")
        last = at if fits else last
    axes.set_xticks(xs, labels)
    axes.set_xticks([], minor=True)


def _from_top(parts: Sequence[tuple[Drawn, Sweep]], shown: dict[str, Any]) -> list[str]:
    """The lines as they end at the right of the first diagram, from the highest to the lowest."""
    drawn, sweep = parts[0]
    ends = {name: list(line.values())[-1] for name, line in drawn.values(sweep.label).items()}
    return sorted(shown, key=lambda name: -ends.get(name, 0.0))


def _dots(axes: Any, drawn: Drawn, sweep: Sweep) -> None:
    """Engines from best to worst at the first point, a dot a point."""
    values = drawn.values(sweep.label)
    points = [point.x for point in sweep.points]
    names = sorted(values, key=lambda name: values[name].get(points[0], float("inf")), reverse=True)
    for at, x in enumerate(points):
        rows = [row for row, name in enumerate(names) if x in values[name]]
        axes.plot(
            [values[names[row]][x] for row in rows],
            rows,
            linestyle="",
            marker=MARKERS[at],
            color=COLOURS[at],
            label=str(x),
        )
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(-0.6, len(names) - 0.4)
    axes.set_xlabel(MEASURES[drawn.panel.measure].label)
    every = [value for line in values.values() for value in line.values()]
    if min(every, default=0) > 0 and max(every) > 2 * min(every):
        axes.set_xscale("log")
    else:
        axes.set_xlim(left=0)
    if len(points) > 1:
        axes.legend(loc="best")
