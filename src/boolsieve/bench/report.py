"""All figures that were run, as one HTML page that needs nothing else, with the papers' claims beside the results."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory

from boolsieve.bench import records
from boolsieve.bench.drawing import Drawn, draw
from boolsieve.bench.figures import MEASURES, PANELS, PAPERS, Panel, Sweep, amount, short
from boolsieve.bench.records import Record

NAME = "report.html"


def collect(folder: Path) -> list[Drawn]:
    """The panels that have records in a folder, in the papers' order."""
    found = []
    for panel in PANELS:
        path = folder / f"{panel.id}.csv"
        if path.exists() and (read := records.read(path)):
            found.append(Drawn(panel, read))
    return found


def result(drawn: Drawn) -> list[str]:
    """What the records say, a sentence or two a series."""
    return [_sentence(drawn, sweep) for sweep in drawn.panel.sweeps]


def _sentence(drawn: Drawn, sweep: Sweep) -> str:
    values, unit = drawn.values(sweep.label), MEASURES[drawn.panel.measure].unit
    begin = f"{sweep.label}: " if sweep.label else ""
    if not values:
        return f"{begin}no engine could be measured."
    own = [record.x for record in drawn.records if record.series == sweep.label]
    xs = [x for x in dict.fromkeys(own) if any(x in line for line in values.values())]
    last = xs[-1]
    ranked = sorted((line[last], name) for name, line in values.items() if last in line)
    best, leader = ranked[0]
    where = (
        f"On {short(last)}"
        if sweep.is_categorical
        else f"At {sweep.axis.rpartition(', ')[2]} = {short(last)}"
    )
    takes = f"{amount(best)} {unit}".strip()
    if len(ranked) == 1:
        text = f"{begin}{where}, {leader} takes {takes}; nothing else was measured there."
    else:
        second, follower = ranked[1]
        text = f"{begin}{where}, {leader} is best with {takes}, {follower} next with {_times(second, best)}"
        if len(ranked) > 2:
            text += f", {ranked[-1][1]} last with {_times(ranked[-1][0], best)}"
        if len(xs) > 1:
            leads = sum(
                min((line[x], name) for name, line in values.items() if x in line)[1] == leader for x in xs
            )
            text += f"; {leader} leads at {leads} of {len(xs)} points"
        text += "."
    growth = sorted(
        (line[last] / line[xs[0]], name) for name, line in values.items() if last in line and line.get(xs[0])
    )
    if len(xs) > 1 and growth and not sweep.is_categorical:
        text += f" From {short(xs[0])} to {short(last)}, {growth[0][1]} changes by a factor of {amount(growth[0][0])}"
        if len(growth) > 1:
            text += f" (the least), {growth[-1][1]} by {amount(growth[-1][0])} (the most)"
        text += "."
    return text


def _times(value: float, best: float) -> str:
    return f"{amount(value / best)} times as much" if best else amount(value)


def write(folder: Path) -> Path:
    """Write the page into the folder. ValueError if nothing was run there."""
    found = collect(folder)
    if not found:
        raise ValueError(f"no figure was run into {folder}: python -m boolsieve bench FIGURE --out {folder}")
    path = folder / NAME
    path.write_text(page(found), encoding="utf-8")
    return path


def page(found: Sequence[Drawn]) -> str:
    """The page as text."""
    sections, links = [], []
    for key, paper in PAPERS.items():
        own = [drawn for drawn in found if drawn.panel.paper == key]
        if own:
            links.append(f"<li><b>{escape(paper.name)}</b> {' '.join(map(_link, own))}</li>")
            sections.append(f"<h2>{escape(paper.name)}</h2><p class=source>{escape(paper.reference)}</p>")
            sections += map(_section, own)
    machines = dict.fromkeys(record.machine for drawn in found for record in drawn.records)
    return PAGE.format(
        style=STYLE,
        machines=escape("; ".join(machines)),
        links="".join(links),
        sections="\n".join(sections),
    )


def _link(drawn: Drawn) -> str:
    return f'<a href="#{drawn.panel.id}">{escape(drawn.panel.number + drawn.panel.letter)}</a>'


def _section(drawn: Drawn) -> str:
    panel = drawn.panel
    notes = "".join(f"<li>{escape(note)}</li>" for note in drawn.left_out())
    left_out = f"<details><summary>Left out</summary><ul>{notes}</ul></details>" if notes else ""
    results = " ".join(map(escape, result(drawn)))
    return f"""<section id="{panel.id}">
<h3>{escape(panel.name)}: {escape(MEASURES[panel.measure].what)}</h3>
<p class=source>{escape(panel.varies)}; run as <code>{panel.id}</code>{_settings(drawn.records)}</p>
<div class=pair><div class=claim><h4>The paper</h4><p>{escape(panel.claim)}</p></div>
<div class=result><h4>Here</h4><p>{results}</p></div></div>
<div class=picture>{_svg(drawn)}</div>
{left_out}<details><summary>Numbers</summary>{_tables(panel, drawn)}</details>
</section>"""


def _settings(own: Sequence[Record]) -> str:
    events = max((record.events for record in own), default=0)
    scales = ", ".join(f"{scale:g}" for scale in dict.fromkeys(record.scale for record in own))
    return f", scale {scales}, up to {events:,} events, seed {own[0].seed}"


def _svg(drawn: Drawn) -> str:
    """The picture as an element: without prolog and metadata, and with names that no other picture on the page has."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "panel.svg"
        draw([drawn], [path])
        text = path.read_text(encoding="utf-8")
    text = re.sub(r"<metadata>.*?</metadata>", "", text[text.index("<svg") :], flags=re.DOTALL)
    text = re.sub(r'\bid="', f'id="{drawn.panel.id}-', text)
    text = re.sub(r'href="#', f'href="#{drawn.panel.id}-', text)
    return re.sub(r"url\(#", f"url(#{drawn.panel.id}-", text)


def _tables(panel: Panel, drawn: Drawn) -> str:
    return "".join(_table(panel, drawn, sweep) for sweep in panel.sweeps)


def _table(panel: Panel, drawn: Drawn, sweep: Sweep) -> str:
    values = drawn.values(sweep.label)
    xs = list(dict.fromkeys(record.x for record in drawn.records if record.series == sweep.label))
    head = _row("th", [f"{sweep.label} {sweep.axis}".strip(), *map(short, xs)])
    rows = (
        _row("td", [name, *(f"{line[x]:.4g}" if x in line else "" for x in xs)])
        for name, line in values.items()
    )
    return f"<table><caption>{escape(MEASURES[panel.measure].label)}</caption>{head}{''.join(rows)}</table>"


def _row(cell: str, texts: Iterable[str]) -> str:
    return f"<tr>{''.join(f'<{cell}>{escape(text)}</{cell}>' for text in texts)}</tr>"


STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; color: #222; max-width: 66rem; margin: 2rem auto; padding: 0 1rem; }
h2 { border-top: 2px solid #ddd; padding-top: 1rem; } h3 { margin-bottom: 0; } h4 { margin: 0; color: #555; }
.source { color: #666; margin: 0 0 .6rem; font-size: .9em; } nav ul { list-style: none; padding: 0; }
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: 1rem; }
.pair > div { background: #f6f7f9; padding: .6rem .8rem; border-left: 3px solid #bbb; }
.pair > .result { border-color: #0072b2; } .pair p { margin: .2rem 0 0; }
.picture svg { max-width: 100%; height: auto; margin: .6rem 0; } section { margin: 0 0 2.5rem; }
table { border-collapse: collapse; font-size: .85em; margin: .5rem 0; } caption { text-align: left; color: #666; }
th, td { padding: .15rem .6rem; text-align: right; border-bottom: 1px solid #e4e4e4; }
th:first-child, td:first-child { text-align: left; }
"""
PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>boolsieve: the papers' figures</title>
<meta name="viewport" content="width=device-width"><style>{style}</style></head><body>
<h1>The papers' figures, run with boolsieve</h1>
<p>Each figure was run at a scale of the paper's size. Times are the best of several passes on one thread, an event at a
time; construction includes parsing; memory is the whole index with its texts. Compare lines of one figure, not figures
of different runs. Machine: {machines}.</p>
<nav><ul>{links}</ul></nav>
{sections}
</body></html>
"""
