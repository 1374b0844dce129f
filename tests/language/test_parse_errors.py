"""Where and how the parser complains."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boolsieve.errors import ParseError
from boolsieve.language import Expr, parse

TABLE = [
    # text, line, column, part of the message
    ("", 1, 1, "an empty text"),
    ("  \n ", 1, 1, "an empty text"),
    ("-- nothing", 1, 1, "an empty text"),
    ("price <", 1, 8, "expected a literal"),
    ("price <  \n", 1, 8, "unexpected end of the text"),
    ("price < AND", 1, 9, "unexpected keyword AND"),
    ("price < AND b", 1, 9, "expected a literal"),
    ("a = b", 1, 5, "text needs single quotes: 'b'"),
    ('a = "x"', 1, 5, "double quotes are for names"),
    ("a = date", 1, 5, "date is a name"),
    ("a = NULL", 1, 5, "IS NULL"),
    ("a != null", 1, 6, "IS NULL"),
    ("a IN (1, NULL)", 1, 10, "IS NULL"),
    ("a = 'abc", 1, 5, "text without an end"),
    ("a = 'abc''", 1, 5, "text without an end"),
    ('"abc = 1', 1, 1, "a name without an end"),
    ("a = 1 /* x", 1, 7, "a comment without an end"),
    ("a = 1 /*/", 1, 7, "a comment without an end"),
    ("(a = 1", 1, 1, "never closed"),
    ("b AND (a = 1 OR (c)", 1, 7, "never closed"),
    ("a = 1)", 1, 6, "without an opening one"),
    ("(a))", 1, 4, "without an opening one"),
    ("()", 1, 2, "expected an attribute"),
    ("(", 1, 2, "unexpected end"),
    ("a IN ()", 1, 7, "an empty list"),
    ("a IN (1, 2", 1, 6, "never closed"),
    ("a IN (1,", 1, 6, "never closed"),
    ("a IN (1 2)", 1, 9, "expected , or )"),
    ("a IN (1,)", 1, 9, "expected a literal"),
    ("a IN 1", 1, 6, "a list of literals in parentheses"),
    ("a HAS ANY 1", 1, 11, "a list of literals in parentheses"),
    ("a NOT HAS ANY (1)", 1, 11, "before the attribute"),
    ("a BETWEEN 1", 1, 12, "AND and the upper bound"),
    ("a BETWEEN 1 OR 2", 1, 13, "AND and the upper bound"),
    ("a BETWEEN 1 AND", 1, 16, "expected a literal"),
    ("a LIKE 5", 1, 8, "a pattern in single quotes"),
    ("a LIKE x", 1, 8, "a pattern in single quotes"),
    ("a STARTS 'x'", 1, 10, "expected WITH"),
    ("a STARTS WITH 5", 1, 15, "text in single quotes"),
    ("a CONTAINS 5", 1, 12, "HAS"),
    ("a MATCHES", 1, 10, "a regular expression"),
    ("a LIKE 'x' ESCAPE 'ab'", 1, 19, "exactly one character"),
    ("a LIKE 'x' ESCAPE ''", 1, 19, "exactly one character"),
    ("a LIKE 'x' ESCAPE '\0'", 1, 19, "U+0000"),
    ("a LIKE 'x' ESCAPE 1", 1, 19, "the escape character"),
    ("a LIKE 'x!' ESCAPE '!'", 1, 8, "ends in its escape"),
    ("a LIKE '!!!' ESCAPE '!'", 1, 8, "ends in its escape"),
    ("a = 'x' ESCAPE '!'", 1, 9, "unexpected keyword ESCAPE"),
    ("a IS 5", 1, 6, "NULL, NOT NULL, DISTINCT FROM"),
    ("a IS NOT 5", 1, 10, "NULL or DISTINCT FROM"),
    ("a IS DISTINCT 5", 1, 15, "expected FROM"),
    ("a NOT = 5", 1, 7, "after NOT"),
    ("a NOT", 1, 6, "after NOT"),
    ("a b", 1, 3, "an operator, AND, OR"),
    ("a = 1 b = 2", 1, 7, "expected AND, OR or the end of the text"),
    ("(a) b", 1, 5, "expected AND, OR or the end of the text"),
    ("a = 1 AND", 1, 10, "expected an attribute"),
    ("a = 1 AND OR b", 1, 11, "unexpected keyword OR"),
    ("AND", 1, 1, "unexpected keyword AND"),
    ("in = 5", 1, 1, 'a keyword needs double quotes to be a name: "in"'),
    ("5 < in", 1, 5, 'a keyword needs double quotes to be one: "in"'),
    ("5 < 6", 1, 5, "expected an attribute"),
    ("5", 1, 2, "a comparison with an attribute"),
    ("'x' LIKE a", 1, 5, "a comparison with an attribute"),
    ("5 < a < 7", 1, 7, "expected AND, OR"),
    ("a ! 5", 1, 3, "expected !="),
    ("a = = 5", 1, 5, "unexpected ="),
    ("a = - 5", 1, 6, "unexpected space"),
    ("a = -b", 1, 6, "directly after the sign"),
    ("a = +", 1, 6, "directly after the sign"),
    ("a = 5x", 1, 5, "a malformed number"),
    ("a = 1_000", 1, 5, "a malformed number"),
    ("a = 1e", 1, 5, "a malformed number"),
    ("a = 1.2.3", 1, 5, "a malformed number"),
    ("a = .", 1, 5, "a malformed number"),
    ("a = 9223372036854775808", 1, 5, "-9223372036854775808 to 9223372036854775807"),
    ("a = -9223372036854775809", 1, 5, "beyond 64 bits"),
    ("a = 99999999999999999999999999999999", 1, 5, "beyond 64 bits"),
    ("a = 1e400", 1, 5, "beyond the range of a float"),
    ("a = -1e309", 1, 6, "beyond the range of a float"),
    ("a. = 1", 1, 3, "the next part of the name"),
    ("a.", 1, 3, "the next part of the name"),
    ("a.1 = 1", 1, 3, "the next part of the name"),
    ('"" = 1', 1, 1, "an empty name"),
    ('a."" = 1', 1, 3, "an empty name"),
    ("a = DATE '2026-02-29'", 1, 10, "not a day of the calendar"),
    ("a = DATE '1900-02-29'", 1, 10, "not a day of the calendar"),
    ("a = DATE '2026-13-01'", 1, 10, "not a day of the calendar"),
    ("a = DATE '2026-00-01'", 1, 10, "not a day of the calendar"),
    ("a = DATE '2026-04-31'", 1, 10, "not a day of the calendar"),
    ("a = DATE '0000-01-01'", 1, 10, "not a day of the calendar"),
    ("a = DATE '2026-1-1'", 1, 10, "YYYY-MM-DD"),
    ("a = DATE '2026-01-02 03:04'", 1, 10, "is not a date"),
    ("a = DATE 'yesterday!'", 1, 10, "'yesterday!' is not a date"),
    ("a = DATE '2026-01-02", 1, 10, "text without an end"),
    ("a = TIMESTAMP '2026-01-02'", 1, 15, "is not a timestamp"),
    ("a = TIMESTAMP '2026-01-02 24:00:00'", 1, 15, "not a time of the day"),
    ("a = TIMESTAMP '2026-01-02 23:60:00'", 1, 15, "not a time of the day"),
    ("a = TIMESTAMP '2026-01-02 23:59:60'", 1, 15, "not a time of the day"),
    ("a = TIMESTAMP '2026-01-02 23:59:'", 1, 15, "not a time of the day"),
    ("a = TIMESTAMP '2026-01-02 23:59:00.'", 1, 15, "is not a timestamp"),
    ("a = TIMESTAMP '2026-01-02 23:59:00.1234567'", 1, 15, "finer than a microsecond"),
    ("a = TIMESTAMP '2026-01-02 23:59:00+1'", 1, 15, "no valid offset"),
    ("a = TIMESTAMP '2026-01-02 23:59:00+24:00'", 1, 15, "no valid offset"),
    ("a = TIMESTAMP '2026-01-02 23:59:00 Z'", 1, 15, "is not a timestamp"),
    ("a = TIMESTAMP '0001-01-01 00:00+01:00'", 1, 15, "outside the years"),
    ("a = TIMESTAMP '9999-12-31 23:59-01:00'", 1, 15, "outside the years"),
    ("a = 1\nAND b =\n  AND c", 3, 3, "unexpected keyword AND"),
    ("größe = 'ü' AND\n日本 = x", 2, 6, "x is a name"),
    ("a = ‘x’", 1, 5, "unexpected ‘"),
    ("a = 1 ; b", 1, 7, "unexpected ;"),
    ("a = \x01", 1, 5, "the character U+0001"),
    ("a = '\ud800'", 1, 6, "a lone surrogate U+D800"),
    ("b\n= '\udfff'", 2, 4, "a lone surrogate U+DFFF"),
]


@pytest.mark.parametrize(("text", "line", "column", "part"), TABLE)
def test_each_mistake_is_placed_and_explained(text, line, column, part):
    with pytest.raises(ParseError) as caught:
        parse(text)
    error = caught.value
    assert part in str(error)
    assert (error.line, error.column, error.text) == (line, column, text)
    assert error.expected


def test_the_caret_points_at_the_place():
    with pytest.raises(ParseError) as caught:
        parse("a = 1\nAND größe < b")
    assert str(caught.value).endswith("\n  AND größe < b\n              ^")


@pytest.mark.parametrize(
    ("data", "column"),
    [
        (b"a = '\xff'", 6),
        (b"a = '\xc3'", 6),
        (b"a = '\xc3\xa9\xc0\x80'", 7),
        (b"a = '\xed\xa0\x80'", 6),
        (b"a = '\xf4\x90\x80\x80'", 6),
        (b"a = '\xe2\x82", 6),
        (b"\x80", 1),
        (b"a = 'long enough for a word of eight \xf0\x8f\xbf\xbf'", 38),
    ],
)
def test_bytes_that_are_not_utf8_are_refused(data, column):
    with pytest.raises(ParseError, match="not UTF-8") as caught:
        parse(data)
    assert caught.value.column == column


def accepts_or_explains(source):
    """Parse text or bytes. Other exceptions than ParseError, or a place outside the text, fail."""
    try:
        parsed = parse(source)
    except ParseError as caught:
        error = caught
    else:
        assert isinstance(parsed, Expr)
        return
    assert error.problem in str(error)
    lines = error.text.split("\n")
    assert 1 <= error.line <= len(lines)
    assert 1 <= error.column <= len(lines[error.line - 1]) + 1


SYNTAX = """
a b.c "d item."x" AND OR NOT ( ) , = == != <> < <= > >= IN BETWEEN IS NULL DISTINCT FROM LIKE ILIKE ESCAPE
STARTS ENDS WITH CONTAINS MATCHES HAS ANY ALL NONE TRUE FALSE DATE TIMESTAMP INFINITY 'x' '!' 'it''s' 5 -2.5
1e3 .5 '2026-01-02' '2026-01-02T03:04' -- /* */ é 日 ' " . - + ! $ \\ 9223372036854775808
"""
WORDS = st.sampled_from(SYNTAX.split())


@settings(max_examples=400, deadline=None)
@given(st.lists(WORDS, max_size=12), st.sampled_from([" ", "", "\n"]))
def test_any_sequence_of_words_parses_or_raises_parse_error(words, separator):
    accepts_or_explains(separator.join(words))


@settings(max_examples=200, deadline=None)
@given(st.text(st.characters(), max_size=40))
def test_any_text_parses_or_raises_parse_error(text):
    accepts_or_explains(text)


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=40))
def test_any_bytes_parse_or_raise_parse_error(data):
    accepts_or_explains(data)


VALID = [
    "a12 = 5 AND a250 >= 17 AND a33 IN (1, 2, 3) AND name = 'xyz'",
    "NOT (größe BETWEEN -1.5 AND 2e3 OR tags HAS ANY ('a', 'b')) AND \"unit price\" IS NOT NULL",
    "t >= TIMESTAMP '2026-01-02 03:04:05.25+01:00' OR d = DATE '2024-02-29' -- end",
    "name NOT LIKE '10!%' ESCAPE '!' AND x IS DISTINCT FROM NULL AND /* c */ y MATCHES '^a+$'",
]


@settings(max_examples=400, deadline=None)
@given(st.data())
def test_a_valid_text_with_a_few_changes_parses_or_raises_parse_error(data):
    text = data.draw(st.sampled_from(VALID))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text)))
        cut = data.draw(st.integers(0, 3))
        text = (
            text[:at]
            + data.draw(st.text(st.sampled_from("'\"()=<>!.,-+/*5aE \né\ud800"), max_size=2))
            + text[at + cut :]
        )
    accepts_or_explains(text)


@pytest.mark.parametrize("text", VALID)
def test_every_prefix_of_a_valid_text_parses_or_raises_parse_error(text):
    for end in range(len(text)):
        accepts_or_explains(text[:end])
        accepts_or_explains(text.encode()[:end])
