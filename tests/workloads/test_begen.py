"""BEGen: sizes, operators and match probability are those asked for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from measure import match_rate, matches, operator_shares, zipf_exponent

from boolsieve.workloads import BEGen, BEGenTransition, QGrams, qgrams
from boolsieve.workloads.workload import BETWEEN, EQ, IN, NOT_IN

CLASSES: dict[str, set[str]] = {
    "min": {"="},
    "low": {"=", "IN"},
    "med": {"<", "<=", "=", ">=", ">", "IN", "BETWEEN"},
    "high": {"<", "<=", "=", "!=", ">=", ">", "IN", "NOT IN", "BETWEEN"},
}


@pytest.mark.parametrize("operators", CLASSES)
def test_operators_are_those_of_the_class_in_the_asked_shares(operators: Any) -> None:
    equality = 1.0 if operators == "min" else 0.3
    shares = operator_shares(BEGen(operators=operators, equality=equality).expressions(5_000))
    assert set(shares) == CLASSES[operators]
    assert shares.pop("=") == pytest.approx(equality, abs=0.01)
    assert all(share == pytest.approx((1 - equality) / len(shares), abs=0.01) for share in shares.values())


@pytest.mark.parametrize(("expression_size", "event_size"), [(7, 15), (5, 13), (66, 81), (15, 15)])
def test_sizes_are_as_asked(expression_size: int, event_size: int) -> None:
    workload = BEGen(expression_size=expression_size, event_size=event_size, match_probability=0.001)
    expressions, events = workload.expressions(5_000), workload.events(1_000)
    assert expressions.sizes.mean() == pytest.approx(expression_size, rel=0.02)
    assert expressions.sizes.min() >= 1
    assert events.sizes.mean() == pytest.approx(event_size, rel=0.02)


def test_attributes_are_distinct_and_values_are_within_the_domain() -> None:
    workload = BEGen(dimensions=30, cardinality=9, match_probability=0.002)
    for row in workload.events(500).dicts():
        assert set(row) <= {f"a{at}" for at in range(30)}
        assert all(0 <= value < 9 for value in row.values())
    expressions = workload.expressions(500)
    for low, high in zip(expressions.clause_offsets, expressions.clause_offsets[1:], strict=False):
        assert len(set(expressions.attributes[low:high].tolist())) == high - low


@pytest.mark.parametrize("probability", [0.001, 0.01, 0.09])
@pytest.mark.parametrize("operators", ["low", "high"])
def test_match_probability_is_as_asked(probability: float, operators: Any) -> None:
    workload = BEGen(match_probability=probability, operators=operators)
    measured = match_rate(workload.expressions(4_000), workload.events(workload.bases))
    assert measured == pytest.approx(probability, rel=0.05)


@pytest.mark.parametrize("cardinality", [2, 3, 48, 150_000])
def test_every_expression_matches_its_base(cardinality: int) -> None:
    workload = BEGen(operators="high", cardinality=cardinality, equality=0.0)
    found = matches(workload.expressions(2_000), workload.base_expressions())
    for base, row in enumerate(found):
        assert set(range(base, 2_000, workload.bases)) <= set(row)


def test_lists_have_up_to_six_distinct_values() -> None:
    expressions = BEGen(operators="high").expressions(5_000)
    counts = np.diff(expressions.value_offsets)
    for operator, least in ((IN, 2), (NOT_IN, 1)):
        of_lists = counts[expressions.operators == operator]
        assert (of_lists.min(), of_lists.max()) == (least, 6)
    for at in np.flatnonzero(counts > 2)[:500]:
        values = expressions.values[expressions.value_offsets[at] : expressions.value_offsets[at + 1]]
        assert len(set(values.tolist())) == len(values)


@pytest.mark.parametrize("range_size", [0.06, 0.12, 0.5])
def test_ranges_cover_the_asked_share_of_the_domain(range_size: float) -> None:
    expressions = BEGen(cardinality=1_000, range_size=range_size).expressions(20_000)
    starts = expressions.value_offsets[:-1][expressions.operators == BETWEEN]
    widths = expressions.values[starts + 1] - expressions.values[starts] + 1
    assert widths.mean() / 1_000 == pytest.approx(range_size, rel=0.05)
    assert expressions.values[starts].min() >= 0
    assert expressions.values[starts + 1].max() < 1_000


def test_attributes_are_uniform_or_zipf() -> None:
    uniform = BEGen(match_probability=0.0002).events(5_000)
    counts = np.bincount(uniform.attributes, minlength=400)
    assert counts.min() > 0.6 * counts.mean()
    skewed = BEGen(match_probability=0.0002, zipf=1.0, event_size=1, expression_size=1).events(5_000)
    assert zipf_exponent(np.bincount(skewed.attributes, minlength=400)) == pytest.approx(1.0, abs=0.15)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"dimensions": 10}, "event_size: 15 distinct attributes cannot be drawn from 10 dimensions"),
        ({"expression_size": 16}, "expression_size: 16 predicates cannot be kept of events of 15 pairs"),
        ({"expression_size": 0}, "expression_size: 0 is below 1"),
        ({"equality": 1.5}, "equality: 1.5 is no share"),
        ({"operators": "min"}, "equality: must be 1.0"),
        ({"operators": "all"}, "operators: 'all' is none of min, low, med, high"),
        ({"range_size": 0.6}, "range_size: 0.6"),
        ({"cardinality": 0}, "cardinality: 0 is below 1"),
        ({"cardinality": 1}, "cardinality: one value"),
        ({"match_probability": 0}, "match_probability: 0"),
        ({"zipf": -1}, "zipf: -1 is negative"),
    ],
)
def test_impossible_parameters_are_named(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        BEGen(**parameters)


NAMES = ["jacobsen", "sadoghi", "zhang", "tatbul", "chan", "tang", "fan", "liu", "jacobsen", "li"]


def test_qgrams_of_a_string_are_pairs() -> None:
    assert qgrams("string") == {"st": "r", "tr": "i", "ri": "n", "in": "g"}
    assert qgrams("abcab", 2) == {"a": "b", "b": "c", "c": "a"}
    assert qgrams("anandx") == {"an": "a", "na": "n", "nd": "x"}  # 'an' comes again with 'd'
    assert qgrams("ab") == {}


def test_strings_become_conjunctions_of_their_qgrams() -> None:
    workload = QGrams(strings=NAMES)
    texts = set(workload.expressions(200).texts())
    assert "zh = 'a' AND ha = 'n' AND an = 'g'" in texts
    assert len(texts) == 8  # without the duplicate, and without the one that is too short
    assert {"li": "u"} in workload.events(100).dicts()
    shares = operator_shares(workload.expressions(100))
    assert shares == {"=": 1.0}


def test_an_event_matches_the_expression_of_its_own_string() -> None:
    workload = QGrams(strings=["matching"])
    assert match_rate(workload.expressions(3), workload.events(2)) == 1.0


def test_qgram_expressions_can_be_derived_with_a_match_probability() -> None:
    strings = [f"{a}{b}{c}{a}{c}{b}{b}{a}" for a in "abcdefgh" for b in "ijklmn" for c in "opqrstuv"]
    workload = QGrams(
        strings=strings, match_probability=0.05, expression_size=4, operators="high", equality=0.3
    )
    expressions = workload.expressions(2_000)
    assert operator_shares(expressions)["="] == pytest.approx(0.3, abs=0.02)
    assert expressions.sizes.mean() == pytest.approx(4, rel=0.05)
    found = matches(expressions, workload.events(20))
    assert min(len(row) for row in found) >= 100
    assert (expressions.operators == EQ).any()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"strings": ["ab"]}, "strings: none has 3 characters"),
        ({"strings": NAMES, "q": 1}, "q: 1"),
        ({"strings": NAMES, "match_probability": 0.01}, "needs 100 base expressions, but there are 8"),
        ({"strings": NAMES, "match_probability": 0.5, "expression_size": 9}, "expression_size: 9"),
    ],
)
def test_impossible_qgrams_are_named(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        QGrams(**parameters)


def test_a_transition_replaces_one_after_the_other_and_goes_back() -> None:
    uniform, skewed = (BEGen(match_probability=0.01, zipf=zipf).expressions(100).texts() for zipf in (0, 2))
    assert len(set(uniform) & set(skewed)) < 5

    def at(replaced: float, first: Any = "uniform") -> list[str]:
        workload = BEGenTransition(match_probability=0.01, first=first, replaced=replaced)
        return workload.expressions(100).texts()

    assert (at(0), at(1), at(2)) == (uniform, skewed, uniform)
    assert at(0.25) == skewed[:25] + uniform[25:]
    assert at(1.25) == uniform[:25] + skewed[25:]
    assert at(0.5, "zipf") == uniform[:50] + skewed[50:]


def test_half_of_the_events_of_a_transition_are_skewed() -> None:
    workload = BEGenTransition(replaced=0.5)
    events = workload.events(200).dicts()
    uniform, skewed = (BEGen(match_probability=0.001, zipf=zipf).events(100).dicts() for zipf in (0, 2))
    assert sorted(map(str, events)) == sorted(map(str, uniform + skewed))
    assert events == BEGenTransition(replaced=2).events(200).dicts()


@pytest.mark.parametrize(("name", "value"), [("first", "normal"), ("replaced", 2.5)])
def test_an_impossible_transition_is_named(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=f"{name}: {value!r} is n"):
        BEGenTransition(**{name: value})
