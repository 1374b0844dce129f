"""Keys compare as the values do: every hard number as operand and as value, against Python's exact comparison."""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest

import boolsieve as bs

Number = int | float

# Where views meet, where floats stop being exact, and the neighbours of these.
EDGES = [0, 1, 2**31, 2**51, 2**52, 2**53, 2**60, 2**61, 2**62, 2**63]
INTEGERS = sorted(
    {
        number
        for edge in EDGES
        for sign in (1, -1)
        for step in (-1, 0, 1)
        if -(2**63) <= (number := sign * edge + step) < 2**63
    }
)
FLOATS = sorted(
    {
        number
        for edge in (
            *map(float, EDGES),
            0.1,
            0.5,
            5e-324,
            2.2250738585072014e-308,
            1e19,
            1.7976931348623157e308,
        )
        for sign in (1.0, -1.0)
        for number in (
            sign * edge,
            math.nextafter(sign * edge, math.inf),
            math.nextafter(sign * edge, -math.inf),
        )
    }
)
OPERANDS: list[Number] = [*INTEGERS, *FLOATS]
VALUES: list[Number] = [*OPERANDS, -0.0]

COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def attribute_is(word: str, operand: Number) -> Any:
    return COMPARISONS[word](bs.attr("a"), operand)


def found_in_every_form(index: bs.Index, values: list[Number]) -> list[list[Any]]:
    """The matches of `a` being each of the values, which are the same for dicts, batches and typed columns."""
    found = [index.match({"a": value}) for value in values]
    assert index.match_batch([{"a": value} for value in values]).to_lists() == found
    for kind, chosen in ((pa.int64(), int), (pa.float64(), float)):
        rows = [row for row, value in enumerate(values) if isinstance(value, chosen)]
        table = pa.table({"a": pa.array([values[row] for row in rows], kind)})
        assert index.match_batch(table).to_lists() == [found[row] for row in rows]
    return found


@pytest.mark.parametrize("word", COMPARISONS)
def test_hard_numbers_compare_exactly(word: str) -> None:
    index = bs.Index()
    index.add_many(range(len(OPERANDS)), [attribute_is(word, operand) for operand in OPERANDS])
    index.check_invariants()
    for value, found in zip(VALUES, found_in_every_form(index, VALUES), strict=True):
        expected = [at for at, operand in enumerate(OPERANDS) if COMPARISONS[word](value, operand)]
        assert found == expected, value


@pytest.mark.parametrize("word", COMPARISONS)
@pytest.mark.parametrize("operand", [2**62 - 1, -(2**62), 2**63 - 1, 0.5, 2.0**63, math.inf], ids=repr)
def test_an_operand_alone_compares_exactly(word: str, operand: Number) -> None:
    """With one operand there is one view only, and columns of keys are filled by the vector loops."""
    index = bs.Index()
    index.add("one", attribute_is(word, operand))
    expected = [["one"] if COMPARISONS[word](value, operand) else [] for value in VALUES]
    assert found_in_every_form(index, VALUES) == expected


HARD: list[Number] = [
    -math.inf,
    -(2.0**63),
    -(2**62) - 1,
    -(2**53) - 1,
    -0.5,
    0,
    5e-324,
    1,
    2**53 + 1,
    2**60 + 1,
    2**62 - 1,
    2**62,
    2**63 - 1,
    2.0**63,
    math.inf,
]


@pytest.mark.parametrize("negated", [False, True], ids=["BETWEEN", "NOT BETWEEN"])
def test_ranges_with_ends_of_different_views_are_exact(negated: bool) -> None:
    ends = list(itertools.product(HARD, HARD))
    index = bs.Index()
    for at, (low, high) in enumerate(ends):
        between = bs.attr("a").between(low, high)
        index.add(at, ~between if negated else between)
    index.check_invariants()
    for value, found in zip(VALUES, found_in_every_form(index, VALUES), strict=True):
        expected = [at for at, (low, high) in enumerate(ends) if (low <= value <= high) != negated]
        assert found == expected, value


@pytest.mark.parametrize("negated", [False, True], ids=["IN", "NOT IN"])
def test_sets_with_members_of_different_views_are_exact(negated: bool) -> None:
    sets = list(itertools.combinations(HARD, 3))
    index = bs.Index()
    for at, members in enumerate(sets):
        is_in = bs.attr("a").isin(list(members))
        index.add(at, ~is_in if negated else is_in)
    index.check_invariants()
    for value, found in zip(VALUES, found_in_every_form(index, VALUES), strict=True):
        assert found == [at for at, members in enumerate(sets) if (value in members) != negated], value


def test_elements_of_sets_are_found_exactly() -> None:
    index = bs.Index()
    index.add_many(range(len(OPERANDS)), [bs.attr("a").has(operand) for operand in OPERANDS])
    for value in VALUES:
        expected = [at for at, operand in enumerate(OPERANDS) if value == operand]
        assert index.match({"a": [value]}) == expected, value
        assert index.match_batch([{"a": [value]}]).to_lists() == [expected], value
        kind = pa.int64() if isinstance(value, int) else pa.float64()
        table = pa.table({"a": pa.array([[value]], pa.list_(kind))})
        assert index.match_batch(table).to_lists() == [expected], value


TEXTS = [
    "",
    "\0",
    "\0\0",
    "a",
    "a\0",
    "abcdef",
    "abcdefg",
    "abcdefg\0",
    "abcdefgh",
    "abcdefghi",
    "abcdefgi",
    "abcdefh",
    "aé",
    "zzzzzzzzzzzzzzzz",
    "é",
    "日本語日本語",
    "\uffff",
    "\U0001f600",
    "\U0010ffff" * 3,
]


@pytest.mark.parametrize("word", COMPARISONS)
@pytest.mark.parametrize("kind", [pa.string(), pa.dictionary(pa.int32(), pa.string())], ids=str)
def test_strings_compare_by_code_point_whatever_their_length(word: str, kind: pa.DataType) -> None:
    index = bs.Index()
    index.add_many(range(len(TEXTS)), [COMPARISONS[word](bs.attr("a"), text) for text in TEXTS])
    expected = [[at for at, text in enumerate(TEXTS) if COMPARISONS[word](value, text)] for value in TEXTS]
    assert [index.match({"a": value}) for value in TEXTS] == expected
    assert index.match_batch([{"a": value} for value in TEXTS]).to_lists() == expected
    assert index.match_batch(pa.table({"a": pa.array(TEXTS, pa.string()).cast(kind)})).to_lists() == expected


@pytest.mark.parametrize("negated", [False, True], ids=["BETWEEN", "NOT BETWEEN"])
def test_ranges_of_strings_are_exact_whatever_their_length(negated: bool) -> None:
    ends = list(itertools.product(TEXTS, TEXTS))
    index = bs.Index()
    for at, (low, high) in enumerate(ends):
        between = bs.attr("a").between(low, high)
        index.add(at, ~between if negated else between)
    index.check_invariants()
    found = [index.match({"a": value}) for value in TEXTS]
    for value, ids in zip(TEXTS, found, strict=True):
        assert ids == [at for at, (low, high) in enumerate(ends) if (low <= value <= high) != negated], value
    assert index.match_batch([{"a": value} for value in TEXTS]).to_lists() == found
    assert index.match_batch(pa.table({"a": TEXTS})).to_lists() == found


def test_times_beyond_all_literals_are_before_or_after_them() -> None:
    index = bs.Index()
    index.add_many(
        ["after", "before", "there"],
        ["t > TIMESTAMP '9999-12-31 23:59:59'", "t < TIMESTAMP '0001-01-01 00:00:00'", "t IS NOT NULL"],
    )
    column = pa.array([2**60, -(2**60), None], pa.timestamp("s"))
    expected = [["after", "there"], ["before", "there"], []]
    assert index.match_batch(pa.table({"t": column})).to_lists() == expected
    in_map = pa.array([[("t", 2**60)], [("t", -(2**60))], []], pa.map_(pa.string(), pa.timestamp("s")))
    assert index.match_batch(pa.table({"m": in_map})).to_lists() == expected
