"""The report: one page, nothing from elsewhere, and sentences that the numbers bear out."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from boolsieve.bench import records, report
from boolsieve.bench.drawing import Drawn
from boolsieve.bench.figures import select
from boolsieve.bench.records import Record

SECONDS = {"slow": (1e-3, 4e-3, 8e-3), "fast": (2e-3, 2e-3, 2e-3), "early": (5e-4, None, None)}


def record(name: str, x: float | str, seconds: float | None, figure: str = "opindex-10a") -> Record:
    return Record(
        figure=figure,
        series="",
        x=x,
        engine=name,
        kind="engine",
        expressions=10,
        events=3,
        event_seconds=seconds,
        note="" if seconds else "BudgetError: <no> & never",
        machine="here",
        workload="W()",
    )


def drawn(figure: str = "opindex-10a") -> Drawn:
    xs = (1_000, 10_000, 40_000)
    rows = [
        record(name, x, value, figure)
        for name, line in SECONDS.items()
        for x, value in zip(xs, line, strict=True)
    ]
    return Drawn(select(figure)[0], rows)


def test_result_tells_who_is_best_and_who_grows_least() -> None:
    (text,) = report.result(drawn())
    assert text == (
        "At N = 40K, fast is best with 2 ms an event, slow next with 4 times as much; fast leads at 2 of 3 points. "
        "From 1K to 40K, fast changes by a factor of 1 (the least), slow by 8 (the most)."
    )


def test_result_of_a_single_engine_and_of_none() -> None:
    panel = select("opindex-10a")[0]
    (alone,) = report.result(Drawn(panel, [record("scan", 1.0, 1e-3)]))
    assert alone == "At N = 1, scan takes 1 ms an event; nothing else was measured there."
    (none,) = report.result(Drawn(panel, [record("scan", 1.0, None)]))
    assert none == "no engine could be measured."


def test_result_where_points_have_names() -> None:
    panel = select("pstree-table2a")[0]
    rows = [record(name, "advertisements", value) for name, value in (("b", 3e-3), ("a", 1e-3), ("c", 9e-3))]
    (text,) = report.result(Drawn(panel, rows))
    assert text == (
        "On advertisements, a is best with 1 ms an event, b next with 3 times as much, c last with 9 times as much."
    )


class Page(HTMLParser):
    """Collects what a page refers to."""

    def __init__(self) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.tags: set[str] = set()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        for name, value in attributes:
            if name == "id":
                self.ids.append(value or "")
            elif name in ("src", "href", "xlink:href", "action", "data"):
                self.links.append(value or "")


@pytest.fixture
def page(tmp_path: Path) -> str:
    for figure in ("opindex-10a", "dexin-2", "tatbul-7"):
        records.write(tmp_path / f"{figure}.csv", drawn(figure).records)
    (tmp_path / "notes.csv").write_text("not ours")
    return report.write(tmp_path).read_text(encoding="utf-8")


def test_page_needs_nothing_else(page: str) -> None:
    parsed = Page()
    parsed.feed(page)
    assert not parsed.tags & {"script", "link", "img", "iframe", "object"}
    assert parsed.links
    assert all(link.startswith("#") for link in parsed.links)
    assert "@import" not in page
    assert {link[1:] for link in parsed.links} <= set(parsed.ids)
    assert all(target in parsed.ids for target in re.findall(r"url\(#([^)]+)\)", page))
    assert not re.search(r"url\((?!#)", page)
    assert len(set(parsed.ids)) == len(parsed.ids)


def test_page_shows_each_figure_with_claim_and_result(page: str) -> None:
    assert page.count("<svg") == 3
    for figure in ("opindex-10a", "dexin-2", "tatbul-7"):
        panel = select(figure)[0]
        section = page.split(f'<section id="{figure}">')[1].split("</section>")[0]
        assert panel.claim.replace("'", "&#x27;") in section
        assert "<svg" in section
        assert "<table>" in section
    assert "fast is best with 2 ms an event" in page
    assert "&lt;no&gt; &amp; never" in page
    assert "<no>" not in page
    assert 'id="betree-5a"' not in page


def test_nothing_run_is_said(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no figure was run into"):
        report.write(tmp_path)
