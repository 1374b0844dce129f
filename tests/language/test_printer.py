"""Text and tree are two forms of one thing: each goes to the other and back, also through the flat tree."""

from __future__ import annotations

import datetime
import pickle

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from boolsieve.language import And, Const, Not, Or, Predicate, parse
from boolsieve.language.convert import through_tree
from boolsieve.language.parser import RESERVED

UTC = datetime.timezone.utc

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
names = st.one_of(
    st.sampled_from(
        ["a", "b.c", "_x$", "größe", "unit price", "a.b c", "a..b", ".", 'q"', "1st", "date", "日本.値"]
    ),
    st.sampled_from(sorted(RESERVED)),
    st.sampled_from(sorted(RESERVED)).map(str.lower),
    texts.filter(bool),
)
values = st.one_of(
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False),
    st.booleans(),
    texts,
    st.sampled_from(["'", "''", "--", "/*", "\n", "%_"]),
    st.dates(),
    st.datetimes(timezones=st.just(UTC)),
)


PLAIN = ["ATTRIBUTE", "=", "!=", "<", "<=", ">", ">=", "HAS ANY", "HAS ALL", "HAS NONE"]
TEXT_TESTS = ["STARTS WITH", "ENDS WITH", "CONTAINS", "MATCHES"]
WITH_NOT = ["IN", "BETWEEN", "IS NULL", "IS DISTINCT FROM", "LIKE", "ILIKE", *TEXT_TESTS, "HAS"]


@st.composite
def predicates(draw):
    name, negated = draw(names), draw(st.booleans())
    op = draw(st.sampled_from([*PLAIN, *WITH_NOT]))
    if op in PLAIN:
        negated = False
    escape = None
    if op in ("ATTRIBUTE", "IS NULL"):
        operands = []
    elif op in ("IN", "HAS ANY", "HAS ALL", "HAS NONE"):
        operands = draw(st.lists(values, min_size=1, max_size=4))
    elif op == "BETWEEN":
        operands = [draw(values), draw(values)]
    elif op in ("LIKE", "ILIKE"):
        escape = draw(st.sampled_from([None, "!", "\\", "'", "é", "😀"]))
        operands = [draw(texts) + "x"]
    elif op in TEXT_TESTS:
        operands = [draw(texts)]
    else:
        operands = [draw(values)]
    return Predicate(name, op, operands, negated, escape)


leaves = st.one_of(predicates(), st.booleans().map(Const))
trees = st.recursive(
    leaves,
    lambda part: st.one_of(
        st.tuples(part, part).map(lambda two: And(*two)),
        st.tuples(part, part).map(lambda two: Or(*two)),
        part.map(Not),
    ),
    max_leaves=12,
)


@settings(max_examples=300, deadline=None)
@given(trees)
@example(Predicate("a", "=", [-0.0]))
@example(Predicate("a", "IN", [1, 1.0, True, "1"]))
def test_the_text_of_a_tree_parses_back_to_an_equal_tree(tree):
    text = str(tree)
    back = parse(text)
    assert back == tree
    assert hash(back) == hash(tree)
    assert str(back) == text
    assert pickle.loads(pickle.dumps(tree)) == tree


@settings(max_examples=200, deadline=None)
@given(trees)
def test_a_tree_survives_the_flat_form(tree):
    assert through_tree(tree) == tree


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(st.sampled_from("&|~<>"), leaves), min_size=20, max_size=40))
def test_long_and_lopsided_trees_survive_both_forms(steps):
    tree = Const(True)
    for step, leaf in steps:
        if step == "~":
            tree = ~tree
        else:
            kind = And if step in "&<" else Or
            tree = kind(tree, leaf) if step in "&|" else kind(leaf, tree)
    assert parse(str(tree)) == tree
    assert through_tree(tree) == tree


@pytest.mark.parametrize(
    "text",
    [
        "a AND b AND c",
        "a AND (b AND c)",
        "a OR b OR c",
        "a OR (b OR c)",
        "a AND b OR c AND d",
        "(a OR b) AND (c OR d)",
        "NOT a AND b",
        "NOT (a AND b)",
        "NOT NOT a",
        "NOT (NOT a OR b)",
        "NOT a IN (1)",
        "a NOT IN (1)",
        "NOT TRUE OR FALSE",
        "a BETWEEN 1 AND 2 AND b BETWEEN 3 AND 4",
        "a = 1 AND b != 2.5 AND c = 1e+16 AND d = -INFINITY",
        "a LIKE 'x!%' ESCAPE '!' AND b NOT ILIKE '%''%'",
        "a IS NULL OR b IS NOT NULL OR c IS DISTINCT FROM 1 OR d IS NOT DISTINCT FROM 'x'",
        "d = DATE '0999-01-02' OR t < TIMESTAMP '2026-01-02 03:04:05Z'",
        "t < TIMESTAMP '2026-01-02 00:00:00.000001Z'",
        '"in" = 1 AND "unit price" < 2 AND "a""b" AND item.price AND "1a"',
        "tags HAS 1 AND tags NOT HAS 2",
        "tags HAS ANY (1, 2) AND tags HAS ALL ('x') AND tags HAS NONE (TRUE)",
        "date = 1 AND order.from = 2",
    ],
)
def test_canonical_text_is_printed_as_it_was_written(text):
    assert str(parse(text)) == text


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("((a)) and((b))", "a AND b"),
        ("a <> 1 or 5 < b", "a != 1 OR b > 5"),
        ('"a"."b"', "a.b"),
        ('item."unit price"', '"item.unit price"'),
        ("(NOT (a)) OR (b AND c)", "NOT a OR b AND c"),
        ("a = +05", "a = 5"),
        ("t = TIMESTAMP '2026-01-02T03:04+01:00'", "t = TIMESTAMP '2026-01-02 02:04:00Z'"),
    ],
)
def test_other_spellings_are_printed_canonically(text, canonical):
    assert str(parse(text)) == canonical


@settings(max_examples=100, deadline=None)
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_floats_are_read_as_python_reads_them(value):
    assert parse(f"a = {value!r}") == Predicate("a", "=", [value])
    assert parse(f"a = {value:.25e}") == Predicate("a", "=", [float(f"{value:.25e}")])


@pytest.mark.parametrize("word", sorted(RESERVED))
def test_a_reserved_word_is_quoted_as_a_name_and_unreadable_without(word):
    assert str(Predicate(word.lower(), "=", [1])) == f'"{word.lower()}" = 1'
    with pytest.raises(ValueError, match="unexpected keyword"):
        parse(f"1 = {word}")
