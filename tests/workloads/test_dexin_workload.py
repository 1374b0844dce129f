"""DEXIN's generator: width, cardinality, share of points and matching rate are those asked for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from measure import match_rate, matches, operator_shares

from boolsieve.workloads import Dexin
from boolsieve.workloads.workload import BETWEEN


@pytest.mark.parametrize("points", [0.1, 0.9])
@pytest.mark.parametrize("rate", [None, 0.01])
def test_share_of_points_is_as_asked(points: float, rate: float | None) -> None:
    shares = operator_shares(Dexin(points=points, matching_rate=rate).expressions(2_000))
    assert shares == {"=": pytest.approx(points, abs=0.02), "BETWEEN": pytest.approx(1 - points, abs=0.02)}


@pytest.mark.parametrize("zipf", [0.0, 1.0])
def test_ranges_have_the_asked_width_within_the_domain(zipf: float) -> None:
    expressions = Dexin(min_width=0.3, max_width=0.5, zipf=zipf).expressions(2_000)
    starts = expressions.value_offsets[:-1][expressions.operators == BETWEEN]
    low, high = expressions.values[starts], expressions.values[starts + 1]
    assert low.min() >= 0
    assert high.max() <= 10_000
    assert (high - low).min() == pytest.approx(3_000, abs=5)
    assert (high - low).max() == pytest.approx(5_000, abs=5)


def test_events_have_all_attributes_and_values_of_the_grid() -> None:
    rows = Dexin(attributes=4, cardinality=100).events(1_000).dicts()
    assert {value for row in rows for value in row.values()} <= {at / 100 for at in range(100)}
    assert all(list(row) == ["a0", "a1", "a2", "a3"] for row in rows)


@pytest.mark.parametrize("rate", [0.001, 0.02, 0.2])
def test_matching_rate_is_exact_by_construction(rate: float) -> None:
    workload = Dexin(matching_rate=rate)
    found = matches(workload.expressions(2_000), workload.events(workload.bases))
    assert {len(row) for row in found} == {round(2_000 * rate)}


def test_matching_rate_is_kept_under_skew_and_with_one_attribute() -> None:
    for workload in (Dexin(matching_rate=0.1, zipf=1.0), Dexin(matching_rate=0.1, attributes=1)):
        assert match_rate(workload.expressions(500), workload.events(10)) == pytest.approx(0.1)


def test_rate_without_construction_is_that_of_the_widths() -> None:
    workload = Dexin(attributes=1, points=0.0, min_width=0.5, max_width=0.5)
    assert match_rate(workload.expressions(500), workload.events(500)) == pytest.approx(0.5, abs=0.04)


def test_skew_draws_values_and_ranges_to_one_end() -> None:
    workload = Dexin(zipf=1.0, points=0.0)
    assert np.median(workload.events(1_000).values) < 500
    assert np.median(workload.expressions(1_000).values[::2]) < 500


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"attributes": 0}, "attributes: 0"),
        ({"points": 2}, "points: 2 is no share"),
        ({"min_width": 0.9}, "max_width: 0.8 is not in"),
        ({"matching_rate": 0}, "matching_rate: 0"),
        ({"matching_rate": 0.001, "cardinality": 100}, "needs 1000 distinct values, but cardinality is 100"),
    ],
)
def test_impossible_parameters_are_named(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Dexin(**parameters)
