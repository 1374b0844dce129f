"""What each piece of the grammar parses to."""

from __future__ import annotations

import datetime

import pytest

from boolsieve.errors import EncodingError, ParseError
from boolsieve.language import And, Const, Not, Or, Predicate, attr, parse

UTC = datetime.timezone.utc


def only(text):
    """The one operand of a one-operand predicate."""
    (operand,) = parse(text).operands
    return operand


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a = 1", Predicate("a", "=", [1])),
        ("a == 1", Predicate("a", "=", [1])),
        ("a != 1", Predicate("a", "!=", [1])),
        ("a <> 1", Predicate("a", "!=", [1])),
        ("a < 1", Predicate("a", "<", [1])),
        ("a <= 1", Predicate("a", "<=", [1])),
        ("a > 1", Predicate("a", ">", [1])),
        ("a >= 1", Predicate("a", ">=", [1])),
        ("a IN (1, 'x', TRUE)", Predicate("a", "IN", [1, "x", True])),
        ("a NOT IN (1)", Predicate("a", "IN", [1], negated=True)),
        ("a BETWEEN 1 AND 2.5", Predicate("a", "BETWEEN", [1, 2.5])),
        ("a NOT BETWEEN 1 AND 2", Predicate("a", "BETWEEN", [1, 2], negated=True)),
        ("a IS NULL", Predicate("a", "IS NULL")),
        ("a IS NOT NULL", Predicate("a", "IS NULL", negated=True)),
        ("a IS DISTINCT FROM 1", Predicate("a", "IS DISTINCT FROM", [1])),
        ("a IS NOT DISTINCT FROM 1", Predicate("a", "IS DISTINCT FROM", [1], negated=True)),
        ("a IS DISTINCT FROM NULL", Predicate("a", "IS NULL", negated=True)),
        ("a IS NOT DISTINCT FROM NULL", Predicate("a", "IS NULL")),
        ("a LIKE 'x%'", Predicate("a", "LIKE", ["x%"])),
        ("a NOT LIKE 'x%'", Predicate("a", "LIKE", ["x%"], negated=True)),
        ("a LIKE '10!%' ESCAPE '!'", Predicate("a", "LIKE", ["10!%"], escape="!")),
        ("a LIKE '10é%' ESCAPE 'é'", Predicate("a", "LIKE", ["10é%"], escape="é")),
        ("a LIKE 'x!!' ESCAPE '!'", Predicate("a", "LIKE", ["x!!"], escape="!")),
        ("a LIKE '''%' ESCAPE ''''", Predicate("a", "LIKE", ["'%"], escape="'")),
        ("a ILIKE 'x%'", Predicate("a", "ILIKE", ["x%"])),
        ("a NOT ILIKE 'x' ESCAPE '\\'", Predicate("a", "ILIKE", ["x"], negated=True, escape="\\")),
        ("a STARTS WITH 'x'", Predicate("a", "STARTS WITH", ["x"])),
        ("a NOT STARTS WITH 'x'", Predicate("a", "STARTS WITH", ["x"], negated=True)),
        ("a ENDS WITH 'x'", Predicate("a", "ENDS WITH", ["x"])),
        ("a NOT ENDS WITH 'x'", Predicate("a", "ENDS WITH", ["x"], negated=True)),
        ("a CONTAINS 'x'", Predicate("a", "CONTAINS", ["x"])),
        ("a NOT CONTAINS 'x'", Predicate("a", "CONTAINS", ["x"], negated=True)),
        ("a MATCHES '^x+$'", Predicate("a", "MATCHES", ["^x+$"])),
        ("a NOT MATCHES 'x'", Predicate("a", "MATCHES", ["x"], negated=True)),
        ("a HAS 1", Predicate("a", "HAS", [1])),
        ("a NOT HAS 'x'", Predicate("a", "HAS", ["x"], negated=True)),
        ("a HAS ANY (1, 2)", Predicate("a", "HAS ANY", [1, 2])),
        ("a HAS ALL (1, 2)", Predicate("a", "HAS ALL", [1, 2])),
        ("a HAS NONE (1, 2)", Predicate("a", "HAS NONE", [1, 2])),
        ("a", Predicate("a", "ATTRIBUTE")),
        ("TRUE", Const(True)),
        ("FALSE", Const(False)),
    ],
)
def test_each_predicate_is_read_and_keywords_are_so_in_any_case(text, expected):
    assert parse(text) == expected
    swapped = "'".join(p if i % 2 else p.lower() for i, p in enumerate(text.split("'")))
    assert parse(swapped) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("5 = a", "a = 5"),
        ("5 != a", "a != 5"),
        ("5 <> a", "a != 5"),
        ("5 < a", "a > 5"),
        ("5 <= a", "a >= 5"),
        ("5 > a", "a < 5"),
        ("5 >= a", "a <= 5"),
        ("'x' = a", "a = 'x'"),
        ("-INFINITY < a", "a > -INFINITY"),
        ("TRUE = a", "a = TRUE"),
        ("DATE '2026-01-02' <= date", "date >= DATE '2026-01-02'"),
        ('1 < a."b" AND 2 > c', "a.b > 1 AND c < 2"),
    ],
)
def test_a_literal_on_the_left_turns_the_comparison(text, expected):
    assert str(parse(text)) == expected


def test_not_binds_tighter_than_and_which_binds_tighter_than_or():
    a, b, c, d = (attr(name).is_true() for name in "abcd")
    assert parse("a OR b AND NOT c OR d") == Or(Or(a, And(b, Not(c))), d)
    assert parse("NOT a = 1 AND b") == And(Not(Predicate("a", "=", [1])), b)
    assert parse("NOT (a OR b) AND c") == And(Not(Or(a, b)), c)
    assert parse("NOT NOT a") == Not(Not(a))
    assert parse("NOT TRUE") == Not(Const(True))


def test_chains_lean_left_and_parentheses_are_kept_as_structure():
    a, b, c, d = (attr(name).is_true() for name in "abcd")
    assert parse("a AND b AND c") == And(And(a, b), c)
    assert parse("a AND (b AND c)") == And(a, And(b, c))
    assert parse("a OR b OR c OR d") == Or(Or(Or(a, b), c), d)
    assert parse("((a))") == a
    assert parse("(a OR (b AND (c OR d)))") == Or(a, And(b, Or(c, d)))


def test_between_takes_its_own_and():
    assert parse("a BETWEEN 1 AND 2 AND b") == And(Predicate("a", "BETWEEN", [1, 2]), Predicate("b", ""))


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("a", "a"),
        ("_a$1", "_a$1"),
        ("item.price", "item.price"),
        ('"item.price"', "item.price"),
        ('item."unit price"', "item.unit price"),
        ('"item"."unit price"', "item.unit price"),
        ('"a""b"', 'a"b'),
        ('"and"', "and"),
        ('"In"', "In"),
        ("order.from", "order.from"),
        ("date", "date"),
        ("Timestamp", "Timestamp"),
        ("date.year", "date.year"),
        ("android", "android"),
        ("notes", "notes"),
        ("größe", "größe"),
        ("цена.за_шт", "цена.за_шт"),
        ("値段2", "値段2"),
        ("𐌰y", "𐌰y"),
        ('"line\nbreak"', "line\nbreak"),
        ('"😀"', "😀"),
    ],
)
def test_names_plain_dotted_quoted_and_beyond_ascii(text, name):
    assert parse(f"{text} = 1") == Predicate(name, "=", [1])
    assert parse(text) == Predicate(name, "")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", 0),
        ("-0", 0),
        ("+5", 5),
        ("007", 7),
        ("9223372036854775807", 2**63 - 1),
        ("-9223372036854775808", -(2**63)),
        ("000000000000000000000000009223372036854775807", 2**63 - 1),
        (".5", 0.5),
        ("5.", 5.0),
        ("-2.5e3", -2500.0),
        ("1e3", 1000.0),
        ("1E+3", 1000.0),
        ("1e-3", 0.001),
        ("-.5e1", -5.0),
        ("0.1", 0.1),
        ("9007199254740993.0", 9007199254740992.0),
        ("1.7976931348623157e308", 1.7976931348623157e308),
        ("5e-324", 5e-324),
        ("2e-324", 0.0),
        ("1e-400", 0.0),
        ("0e999999", 0.0),
        ("2.2250738585072011e-308", 2.2250738585072011e-308),
        ("18446744073709551616.0", 2.0**64),
        ("INFINITY", float("inf")),
        ("+Infinity", float("inf")),
        ("-INFINITY", float("-inf")),
        ("TRUE", True),
        ("false", False),
        ("''", ""),
        ("'it''s'", "it's"),
        ("''''", "'"),
        ("'a''''b'", "a''b"),
        ("'-- no comment /* '", "-- no comment /* "),
        ("'\n\t\\n'", "\n\t\\n"),
        ("'\0'", "\0"),
        ("'\"'", '"'),
        ("'日本 😀 é'", "日本 😀 é"),
        ("DATE '2026-01-02'", datetime.date(2026, 1, 2)),
        ("date  '2024-02-29'", datetime.date(2024, 2, 29)),
        ("DATE '2000-02-29'", datetime.date(2000, 2, 29)),
        ("DATE '0001-01-01'", datetime.date.min),
        ("DATE '9999-12-31'", datetime.date.max),
        ("TIMESTAMP '2026-01-02 03:04:05'", datetime.datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)),
        ("TIMESTAMP '2026-01-02 03:04:05Z'", datetime.datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)),
        ("TIMESTAMP '2026-01-02T03:04'", datetime.datetime(2026, 1, 2, 3, 4, tzinfo=UTC)),
        ("TIMESTAMP '2026-01-02 03:04+05:30'", datetime.datetime(2026, 1, 1, 21, 34, tzinfo=UTC)),
        (
            "TIMESTAMP '2026-01-02 03:04:05.25-01:00'",
            datetime.datetime(2026, 1, 2, 4, 4, 5, 250000, tzinfo=UTC),
        ),
        (
            "TIMESTAMP '2026-01-02 03:04:05.123456000Z'",
            datetime.datetime(2026, 1, 2, 3, 4, 5, 123456, tzinfo=UTC),
        ),
        (
            "TIMESTAMP '1969-12-31 23:59:59.999999'",
            datetime.datetime(1969, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
        ),
        ("TIMESTAMP '0001-01-01 00:00'", datetime.datetime.min.replace(tzinfo=UTC)),
        ("TIMESTAMP '9999-12-31 23:59:59.999999'", datetime.datetime.max.replace(tzinfo=UTC)),
    ],
)
def test_each_literal_has_its_value_and_type(text, value):
    parsed = only(f"a = {text}")
    assert parsed == value
    assert type(parsed) is type(value)


def test_minus_zero_is_written_as_zero():
    assert str(parse("a = -0.0")) == "a = 0.0"


def test_every_day_of_four_centuries_is_read_as_python_reads_it():
    day = datetime.date(1899, 12, 25)
    while day.year < 2301:
        assert only(f"a = DATE '{day}'") == day
        day += datetime.timedelta(days=13)


@pytest.mark.parametrize(
    "text",
    [
        "a=1 AND b=2",
        "a=1AND b = 2".replace("1A", "1 A"),
        "  a\t=\n1\r\nAND\vb\f= 2 ",
        "a = 1 -- the first\nAND b = 2 -- the second",
        "/* x */a/**/=/* * / */1/***/AND/*\n*/b=2/**/",
        "a\u00a0=\u30001 AND b = 2\u2028",
        "(a=1)AND(b=2)",
    ],
)
def test_space_and_comments_may_stand_between_any_two_tokens(text):
    assert str(parse(text)) == "a = 1 AND b = 2"


def test_a_minus_may_touch_its_comparison():
    assert parse("a=-1") == parse("a = -1")
    assert parse("a<-1.5") == parse("a < -1.5")


def test_an_expression_or_an_attribute_is_taken_as_it_is():
    expr = parse("a = 1")
    assert parse(expr) is expr
    assert parse(attr("a")) == parse("a")


def test_utf8_bytes_are_text():
    assert parse("größe = 'ü'".encode()) == parse("größe = 'ü'")


def test_other_types_are_refused():
    with pytest.raises(EncodingError, match="not int"):
        parse(5)


@pytest.mark.parametrize("depth", [100_000])
def test_depth_costs_no_stack(depth):
    a = attr("a").is_true()
    assert parse("(" * depth + "a" + ")" * depth) == a
    assert str(parse("NOT " * depth + "a")).count("NOT") == depth
    assert len(parse("a AND (" * depth + "a" + ")" * depth).attributes()) == 1
    assert str(parse(" OR ".join(["a = 1"] * depth))).count("OR") == depth - 1
    with pytest.raises(ParseError) as error:
        parse("(" * depth + "a")
    assert error.value.column == depth
