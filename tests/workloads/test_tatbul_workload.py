"""Tatbul's generator: two closed intervals that overlap as asked."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from measure import match_rate, operator_shares

from boolsieve.workloads import Tatbul


def measured_overlap(workload: Tatbul) -> float:
    """The share of pairs of expressions whose intervals on the first attribute meet."""
    values = workload.expressions(1_500).values.reshape(-1, 2, 2)[:, 0]
    meet = (values[:, None, 0] <= values[None, :, 1]) & (values[None, :, 0] <= values[:, None, 1])
    return float(meet[np.triu_indices(1_500, 1)].mean())


@pytest.mark.parametrize("overlap", [0.01, 0.1, 0.5, 0.9, 0.98])
@pytest.mark.parametrize("skew", [0.0, 0.5])
def test_overlap_is_as_asked(overlap: float, skew: float) -> None:
    workload = Tatbul(overlap=overlap, skew=skew)
    assert workload.expected_overlap == pytest.approx(overlap, abs=0.005)
    assert measured_overlap(workload) == pytest.approx(workload.expected_overlap, rel=0.1)


def test_expressions_are_two_closed_intervals_of_one_size() -> None:
    expressions = Tatbul().expressions(100)
    assert operator_shares(expressions) == {"BETWEEN": 1.0}
    assert set(expressions.sizes.tolist()) == {2}
    assert set(np.diff(expressions.values.reshape(-1, 2), axis=1).ravel().tolist()) == {100}  # tenths
    assert expressions.texts()[0].startswith("a BETWEEN ")
    assert set(Tatbul().events(1).dicts()[0]) == {"a", "b"}


def test_default_overlap_is_low_as_in_the_first_experiment() -> None:
    assert 0.01 <= Tatbul().expected_overlap <= 0.2


def test_wide_intervals_match_more() -> None:
    rates = [
        match_rate(workload.expressions(200), workload.events(200))
        for workload in (Tatbul(overlap=0.1), Tatbul(overlap=0.9))
    ]
    assert 0 < rates[0] < rates[1]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"overlap": 1.0}, "overlap: 1.0 is not in"),
        ({"overlap": 0.01, "skew": 3}, "overlap: 0.01 is less than what skew=3 gives"),
        ({"size": 0}, "size: 0"),
        ({"reach": 0}, "reach: 0"),
    ],
)
def test_impossible_parameters_are_named(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Tatbul(**parameters)
