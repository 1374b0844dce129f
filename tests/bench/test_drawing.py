"""Pictures: what is drawn is what was recorded, lines can be told apart, and nothing overlaps."""

from __future__ import annotations

import builtins
import struct
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from matplotlib.figure import Figure

from boolsieve import engines
from boolsieve.bench import drawing
from boolsieve.bench.drawing import Drawn, draw, missing, styles
from boolsieve.bench.figures import Panel, select
from boolsieve.bench.records import Record

NAMES = [f"engine{at}" for at in range(20)]


def made_up(panel: Panel, names: list[str], refused: str = "") -> Drawn:
    records = [
        Record(
            figure=panel.id,
            series=sweep.label,
            x=sweep.x(point, sweep.default_scale),
            engine=name,
            kind="engine",
            expressions=sweep.size(point, sweep.default_scale),
            events=1,
            workload=sweep.describe({}),
            scale=sweep.default_scale,
            **(
                {"note": "BudgetError: " + "too many words " * 8}
                if name == refused
                else dict.fromkeys(
                    ("event_seconds", "event_deviation", "build_seconds", "evaluations"),
                    (1.0 + at) * (1 + row),
                )
                | {"bytes": 10**6 * (1 + row)}
            ),
        )
        for sweep in panel.sweeps
        for at, point in enumerate(sweep.points)
        for row, name in enumerate(names)
    ]
    return Drawn(panel, records)


@pytest.fixture
def figures(monkeypatch: pytest.MonkeyPatch) -> list[Figure]:
    """The figures that are drawn."""
    seen: list[Figure] = []
    save = Figure.savefig

    def keep(self: Figure, *arguments: Any, **options: Any) -> None:
        seen.append(self)
        save(self, *arguments, **options)

    monkeypatch.setattr(Figure, "savefig", keep)
    return seen


@pytest.mark.parametrize("name", ["opindex-10a", "opindex-13", "betree-table5", "tatbul-8", "opindex-12"])
def test_files_are_pictures(name: str, tmp_path: Path) -> None:
    paths = [tmp_path / "p.png", tmp_path / "p.svg"]
    draw([made_up(panel, NAMES[:3]) for panel in select(name)], paths)
    data = paths[0].read_bytes()
    assert data.startswith(b"\x89PNG")
    width, height = struct.unpack(">II", data[16:24])
    assert width > 600
    assert height > 300
    assert ElementTree.parse(paths[1]).getroot().tag.endswith("svg")


def test_lines_are_the_records_in_the_unit_of_the_axis(figures: list[Figure], tmp_path: Path) -> None:
    panel = select("betree-6a")[0]
    draw([made_up(panel, ["one", "two"])], [tmp_path / "p.svg"])
    (axes,) = figures[0].axes
    assert axes.get_xlabel() == "dimensions"
    assert axes.get_ylabel() == "matching time (ms an event)"
    assert [list(line.get_xdata()) for line in axes.lines] == [[50, 200, 400, 800, 1400]] * 2
    assert list(axes.lines[0].get_ydata()) == [1_000, 2_000, 3_000, 4_000, 5_000]
    (legend,) = figures[0].legends
    assert [text.get_text() for text in legend.get_texts()] == [
        "two",
        "one",
    ]  # as the lines end, from the top


@pytest.mark.parametrize(
    ("name", "x", "y"),
    [
        ("opindex-10a", "linear", "log"),
        ("pstree-6a", "log", "log"),
        ("dexin-2", "linear", "linear"),
        ("dexin-10", "log", "linear"),
        ("tatbul-7", "linear", "linear"),
    ],
)
def test_scales_are_the_papers(name: str, x: str, y: str, figures: list[Figure], tmp_path: Path) -> None:
    draw([made_up(select(name)[0], ["one", "two"])], [tmp_path / "p.svg"])
    axes = figures[0].axes[0]
    assert (axes.get_xscale(), axes.get_yscale()) == (x, y)


def test_a_linear_axis_gives_way_where_it_would_hide_lines(figures: list[Figure], tmp_path: Path) -> None:
    draw([made_up(select("dexin-2")[0], NAMES)], [tmp_path / "p.svg"])
    assert figures[0].axes[0].get_yscale() == "log"


def test_twenty_contenders_look_different() -> None:
    look = styles(NAMES)
    chosen = {(look[n]["color"], look[n]["marker"], look[n]["linestyle"]) for n in NAMES}
    assert len(chosen) == len(NAMES)


def test_registered_engines_look_the_same_whoever_else_is_drawn() -> None:
    name = engines.names()[0]
    assert styles([name, "aaa"])[name] == styles([])[name]


# Ticks that lie close, long labels and titles, two diagrams, dots.
@pytest.mark.parametrize(
    "name", ["betree-11a", "betree-8a", "betree-9b", "opindex-13a", "dexin-12", "betree-table5", "tatbul-8"]
)
def test_nothing_overlaps(name: str, figures: list[Figure], tmp_path: Path) -> None:
    """Titles, labels of ticks and axes, the legend and the notes, with eighteen engines of which one is missing."""
    draw([made_up(panel, NAMES[:18], refused="engine3") for panel in select(name)], [tmp_path / "p.svg"])
    (figure,) = figures
    figure.draw_without_rendering()
    boxes = []
    for axes in figure.axes:
        ticks = [
            tick.label1
            for axis in (axes.xaxis, axes.yaxis)
            for tick in axis._update_ticks()  # those in sight
            if tick.label1.get_text()
        ]
        texts = [*ticks, axes.xaxis.label, axes.yaxis.label, axes._left_title]
        boxes += [(text.get_text(), text.get_window_extent()) for text in texts if text.get_text()]
        boxes += [("diagram", axes.get_window_extent())]
    boxes += [("legend", legend.get_window_extent()) for legend in figure.legends]
    if figure._supxlabel is not None:
        boxes.append(("notes", figure._supxlabel.get_window_extent()))
    width, height = figure.get_size_inches() * figure.dpi
    for at, (name, box) in enumerate(boxes):
        assert -1 <= box.x0 <= box.x1 <= width + 1, f"{name} is cut off"
        assert -1 <= box.y0 <= box.y1 <= height + 1, f"{name} is cut off"
        for other, there in boxes[at + 1 :]:
            across = min(box.x1, there.x1) - max(box.x0, there.x0)
            along = min(box.y1, there.y1) - max(box.y0, there.y0)
            assert across <= 0.5 or along <= 0.5, f"{name!r} and {other!r} overlap"


def test_who_is_missing_and_why_in_one_line() -> None:
    drawn = [made_up(panel, ["one", "two"], refused="two") for panel in select("betree-5")]
    (line,) = missing(drawn)
    assert line.startswith("two left out from 5K on (betree-5a), 5K on (betree-5b): BudgetError: too many")
    assert drawn[0].left_out()[0].startswith("two left out from 5K on: Budget")


def test_without_matplotlib_the_error_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    known = builtins.__import__

    def without(name: str, *arguments: Any, **options: Any) -> Any:
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return known(name, *arguments, **options)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match=r"pip install 'boolsieve\[bench\]'"):
        drawing.require_matplotlib()
