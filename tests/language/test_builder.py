"""attr(...) makes the same trees as text, from any Python value that has a literal."""

from __future__ import annotations

import datetime
import enum
import math
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from boolsieve.errors import EncodingError
from boolsieve.language import Attribute, attr, parse

a = attr("a")
BERLIN = datetime.timezone(datetime.timedelta(hours=1))


@pytest.mark.parametrize(
    ("built", "text"),
    [
        (a == 1, "a = 1"),
        (a != 1, "a != 1"),
        (a < 1, "a < 1"),
        (a <= 1, "a <= 1"),
        (a > 1, "a > 1"),
        (a >= 1, "a >= 1"),
        (5 < a, "a > 5"),  # noqa: SIM300
        (5 == a, "a = 5"),  # noqa: SIM300
        (np.int64(5) >= a, "a <= 5"),
        (a == True, "a = TRUE"),  # noqa: E712
        (a.between(20, 40.5), "a BETWEEN 20 AND 40.5"),
        (~a.between(20, 40), "NOT a BETWEEN 20 AND 40"),
        (a.isin([1, "x"]), "a IN (1, 'x')"),
        (a.isin(i for i in range(3)), "a IN (0, 1, 2)"),
        (a.isin(np.array([1.5, 2.5])), "a IN (1.5, 2.5)"),
        (a.isin(pd.Series(["x", "y"])), "a IN ('x', 'y')"),
        (a.notin((1, 2)), "a NOT IN (1, 2)"),
        (a.like("x%"), "a LIKE 'x%'"),
        (a.like("x!%", escape="!"), "a LIKE 'x!%' ESCAPE '!'"),
        (a.ilike("x%", "\\"), "a ILIKE 'x%' ESCAPE '\\'"),
        (a.startswith("x"), "a STARTS WITH 'x'"),
        (a.endswith("it's"), "a ENDS WITH 'it''s'"),
        (a.contains(""), "a CONTAINS ''"),
        (a.matches("^x"), "a MATCHES '^x'"),
        (a.has("x"), "a HAS 'x'"),
        (a.has_any([1, 2]), "a HAS ANY (1, 2)"),
        (a.has_all([1, 2]), "a HAS ALL (1, 2)"),
        (a.has_none([1, 2]), "a HAS NONE (1, 2)"),
        (a.is_null(), "a IS NULL"),
        (a.is_not_null(), "a IS NOT NULL"),
        (a.is_distinct_from(1), "a IS DISTINCT FROM 1"),
        (a.is_not_distinct_from(1), "a IS NOT DISTINCT FROM 1"),
        (a.is_distinct_from(None), "a IS NOT NULL"),
        (a.is_not_distinct_from(None), "a IS NULL"),
        (a.is_true(), "a"),
        (~a, "NOT a"),
        (a & attr("b"), "a AND b"),
        (a | (attr("b") < 5), "a OR b < 5"),
        ((attr("b") < 5) & a, "b < 5 AND a"),
        (attr("unit price") == 1, '"unit price" = 1'),
        (attr("item.price") == 1, "item.price = 1"),
        (
            (attr("genre") == "classics") & attr("price").between(20, 40),
            "genre = 'classics' AND price BETWEEN 20 AND 40",
        ),
    ],
)
def test_builder_equals_text(built, text):
    assert built == parse(text)


class Color(str, enum.Enum):
    RED = "red"


class Level(enum.IntEnum):
    HIGH = 3


@pytest.mark.parametrize(
    ("value", "literal"),
    [
        (np.int8(-5), "-5"),
        (np.uint64(2**63 - 1), "9223372036854775807"),
        (np.float64(0.1), "0.1"),
        (np.float32(0.5), "0.5"),
        (np.bool_(True), "TRUE"),
        (np.str_("x"), "'x'"),
        (np.datetime64("2026-01-02"), "DATE '2026-01-02'"),
        (np.datetime64("2026-01"), "DATE '2026-01-01'"),
        (np.datetime64("2026-01-02T03:04:05"), "TIMESTAMP '2026-01-02 03:04:05Z'"),
        (np.datetime64("2026-01-02T03:04:05.123456000", "ns"), "TIMESTAMP '2026-01-02 03:04:05.123456Z'"),
        (pd.Timestamp("2026-01-02 03:04:05"), "TIMESTAMP '2026-01-02 03:04:05Z'"),
        (pd.Timestamp("2026-01-02 03:04:05", tz="Europe/Berlin"), "TIMESTAMP '2026-01-02 02:04:05Z'"),
        (datetime.datetime(2026, 1, 2, 3), "TIMESTAMP '2026-01-02 03:00:00Z'"),
        (datetime.datetime(2026, 1, 2, 3, tzinfo=BERLIN), "TIMESTAMP '2026-01-02 02:00:00Z'"),
        (datetime.date(2026, 1, 2), "DATE '2026-01-02'"),
        (Decimal("5"), "5"),
        (Decimal("5.00"), "5"),
        (Decimal("1E+3"), "1000"),
        (Decimal("2.5"), "2.5"),
        (Decimal("1E-1000000"), "0.0"),
        (Decimal("Infinity"), "INFINITY"),
        (-math.inf, "-INFINITY"),
        (-0.0, "0.0"),
        (2**63 - 1, "9223372036854775807"),
        (-(2**63), "-9223372036854775808"),
        (Color.RED, "'red'"),
        (Level.HIGH, "3"),
    ],
)
def test_values_of_other_libraries_become_plain_literals(value, literal):
    built = a.isin([value])
    assert built == parse(f"a IN ({literal})")
    assert str(built) == f"a IN ({literal})"


@pytest.mark.parametrize(
    ("value", "error", "part"),
    [
        (None, EncodingError, "is_null"),
        (math.nan, ValueError, "NaN"),
        (np.float32("nan"), ValueError, "NaN"),
        (Decimal("NaN"), ValueError, "NaN"),
        (Decimal("sNaN"), ValueError, "NaN"),
        (2**63, ValueError, "64 bits"),
        (-(2**63) - 1, ValueError, "64 bits"),
        (10**1000, ValueError, "64 bits"),
        (np.uint64(2**63), ValueError, "64 bits"),
        (Decimal("1E+1000000"), ValueError, "64 bits"),
        (Decimal(2**63), ValueError, "64 bits"),
        ("\ud800", ValueError, "surrogate"),
        (b"x", EncodingError, "bytes"),
        (1j, EncodingError, "complex"),
        ([1], EncodingError, "list"),
        ({}, EncodingError, "dict"),
        (object(), EncodingError, "object"),
        (datetime.time(3), EncodingError, "time"),
        (np.timedelta64(1, "s"), EncodingError, "timedelta64"),
        (pd.NA, EncodingError, "NAType"),
        (pd.NaT, ValueError, "NaT"),
        (np.datetime64("NaT"), ValueError, "NaT"),
        (np.datetime64("2026-01-02T03:04:05.123456789"), ValueError, "microsecond"),
        (pd.Timestamp("2026-01-02 03:04:05.123456789"), ValueError, "microsecond"),
        (np.datetime64(10**6, "Y"), ValueError, "years"),
        (datetime.datetime(1, 1, 1, tzinfo=BERLIN), ValueError, "years"),
        (attr("b"), EncodingError, "Attribute"),
        (parse("b"), EncodingError, "Predicate"),
    ],
)
def test_unsuitable_values_are_refused_by_name(value, error, part):
    price = attr("unit price")
    for use in (
        price.__eq__,
        price.__lt__,
        price.has,
        lambda v: price.isin([1, v]),
        lambda v: price.between(0, v),
    ):
        with pytest.raises(error, match=part) as caught:
            use(value)
        assert "unit price" in str(caught.value)


@pytest.mark.parametrize("method", ["isin", "notin", "has_any", "has_all", "has_none"])
def test_collections_must_be_collections_and_not_empty(method):
    use = getattr(a, method)
    for value in ("abc", b"abc", 5, None):
        with pytest.raises(EncodingError, match=r"attribute 'a'.*collection"):
            use(value)
    with pytest.raises(ValueError, match=r"attribute 'a'.*empty"):
        use([])


@pytest.mark.parametrize("method", ["like", "ilike", "startswith", "endswith", "contains", "matches"])
def test_text_tests_take_text(method):
    for value in (5, None, ["x"]):
        with pytest.raises(EncodingError, match=r"attribute 'a'.*text"):
            getattr(a, method)(value)


@pytest.mark.parametrize("escape", ["", "ab", "\0"])
def test_an_escape_is_one_character(escape):
    with pytest.raises(ValueError, match="one character"):
        a.like("x", escape=escape)


def test_a_pattern_must_not_end_in_its_escape():
    with pytest.raises(ValueError, match="ends in its escape"):
        a.like("x!!!", escape="!")
    assert a.like("x!!", escape="!").operands == ("x!!",)


def test_names_are_text_that_is_not_empty():
    for name in (5, None, b"a"):
        with pytest.raises(EncodingError, match="name"):
            attr(name)
    with pytest.raises(ValueError, match="empty"):
        attr("")
    with pytest.raises(ValueError, match="surrogate"):
        attr("\ud800")


def test_an_attribute_is_no_key_and_shows_its_name():
    assert isinstance(a, Attribute)
    assert (a.name, repr(a)) == ("a", "attr('a')")
    with pytest.raises(TypeError, match="unhashable"):
        hash(a)
    with pytest.raises(AttributeError):
        a.name = "b"
