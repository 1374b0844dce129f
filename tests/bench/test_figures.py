"""The table of figures: every one can be run, and the papers' own are there under their numbers."""

from __future__ import annotations

import pytest

from boolsieve.bench import figures
from boolsieve.bench.figures import MEASURES, PANELS, PAPERS, Panel, Point, Sweep, select, short
from boolsieve.bench.sweeps import Plan
from boolsieve.workloads import BEGen, Dexin, OpIndexSynthetic, PSTreeDense, Tatbul

TINY = 1e-6


def the(name: str) -> Panel:
    (panel,) = select(name)
    return panel


@pytest.mark.parametrize("paper", PAPERS)
def test_parameters_of_every_figure_can_be_met(paper: str) -> None:
    plan = Plan(select(paper), scale=None, seed=0, changes={})
    assert {id(sweep) for sweep in plan.sweeps} <= {id(s) for panel in PANELS for s in panel.sweeps}
    for sweep in plan.sweeps:
        for scale in (plan.scale(sweep), TINY):
            assert all(sweep.size(point, scale) >= 1 for point in sweep.points)
        assert 0.1 * sweep.most <= sweep.size(Point("", sweep.largest), plan.scale(sweep)) <= sweep.most or (
            plan.scale(sweep) == 1
        )


def test_names_are_unique_and_measures_known() -> None:
    assert len({panel.id for panel in PANELS}) == len(PANELS)
    assert {panel.measure for panel in PANELS} == set(MEASURES)
    for panel in PANELS:
        assert panel.claim.endswith(".")
        assert len({sweep.label for sweep in panel.sweeps}) == len(panel.sweeps)


@pytest.mark.parametrize("panel", PANELS, ids=lambda panel: panel.id)
def test_points_differ_and_go_up(panel: Panel) -> None:
    for sweep in panel.sweeps:
        xs = [sweep.x(point, sweep.default_scale) for point in sweep.points]
        assert len(set(xs)) == len(xs)
        if not sweep.is_categorical:
            assert xs == sorted(xs)
        assert bool(sweep.varied) is not sweep.by_size or len(xs) == 1


@pytest.mark.parametrize(
    ("name", "workload", "axis", "measure", "first", "last"),
    [
        ("opindex-10a", OpIndexSynthetic, "expressions, N", "time", 1_000_000, 40_000_000),
        ("opindex-8b", OpIndexSynthetic, "values of an attribute, σ", "memory", 50, 12_800),
        ("betree-5a", BEGen, "expressions, N", "time", 100_000, 1_000_000),
        ("betree-8a", BEGen, "values of a dimension", "time", 48, 150_000),
        ("dexin-2", Dexin, "expressions, N", "time", 250_000, 1_750_000),
        ("dexin-3", Dexin, "expressions, N", "deviation", 250_000, 1_750_000),
        ("pstree-6a", PSTreeDense, "expressions, N", "time", 300_000, 100_000_000),
        ("tatbul-7", Tatbul, "expressions, N", "evaluations", 100, 1_000),
        ("tatbul-8", Tatbul, "overlap of intervals", "evaluations", 0.1, 0.98),
    ],
)
def test_the_papers_figures(
    name: str, workload: type, axis: str, measure: str, first: float, last: float
) -> None:
    panel = the(name)
    (sweep,) = panel.sweeps
    assert (sweep.workload, sweep.axis, panel.measure) == (workload, axis, measure)
    assert (sweep.points[0].x, sweep.points[-1].x) == (first, last)


def test_betree_5_is_uniform_on_the_left_and_zipf_on_the_right() -> None:
    left, right = select("betree-5")
    assert "zipf" not in left.sweeps[0].fixed
    assert right.sweeps[0].fixed["zipf"] > 0


def test_a_name_is_a_panel_a_figure_a_paper_or_all() -> None:
    assert [panel.id for panel in select("opindex-8")] == ["opindex-8a", "opindex-8b"]
    assert {panel.paper for panel in select("tatbul")} == {"tatbul"}
    assert select("all") == list(PANELS)
    with pytest.raises(ValueError, match=r"no figure 'opindex-99z'; did you mean opindex-"):
        select("opindex-99z")
    with pytest.raises(ValueError, match="bench list"):
        select("§§§")


@pytest.mark.parametrize(("largest", "scale"), [(40_000_000, 0.001), (1_000_000, 0.05), (1_000, 1.0)])
def test_default_scale_keeps_to_the_most(largest: int, scale: float) -> None:
    sweep = Sweep("N", BEGen, (Point(1, 1), Point(largest, largest)), by_size=True)
    assert sweep.default_scale == scale


def test_made_up_strings_have_the_papers_sizes() -> None:
    """Table 3 of BE-Tree: 8 predicates an author, 35 a title."""
    assert figures.authors(strings=2_000).expressions(500).sizes.mean() == pytest.approx(8, abs=1.5)
    assert figures.titles(strings=500).expressions(500).sizes.mean() == pytest.approx(35, abs=5)


@pytest.mark.parametrize("panel", PANELS, ids=lambda panel: panel.id)
def test_names_for_people(panel: Panel) -> None:
    assert panel.name.startswith(PAPERS[panel.paper].name)
    assert short(panel.sweeps[0].points[0].x) in panel.varies
