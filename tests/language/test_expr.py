"""Expressions as objects: equality, hashing, combining, depth."""

from __future__ import annotations

import copy
import datetime
import gc
import operator
import pickle
from functools import reduce

import pytest

from boolsieve.language import And, Const, Expr, Not, Or, Predicate, attr, parse
from boolsieve.language.convert import through_tree

DEPTH = 100_000


def test_combining_builds_the_tree_that_the_text_has():
    a, b, c = parse("a = 1"), parse("b"), parse("c < 2")
    assert a & b | ~c == parse("a = 1 AND b OR NOT c < 2")
    assert (a | b) & c == And(Or(a, b), c)


def test_equality_is_by_structure_and_type_of_operand():
    assert parse("a = 1") == parse("a = 1")
    assert parse("a = 1") != parse("a = TRUE")
    assert parse("a = 1") != parse("a = 1.0")
    assert parse("a = '1'") != parse("a = 1")
    assert parse("a IN (1)") != parse("a NOT IN (1)")
    assert parse("a LIKE 'x!_' ESCAPE '!'") != parse("a LIKE 'x!_'")
    assert parse("a AND b") != parse("b AND a")
    assert parse("a AND b") != parse("a OR b")
    assert parse("a") != parse("a = TRUE")
    assert parse("a = DATE '2026-01-01'") != parse("a = TIMESTAMP '2026-01-01 00:00'")
    assert parse("a") != "a"
    assert len({parse("a = 1"), parse("a = 1"), parse("a = TRUE"), parse("a = 1.0")}) == 3


def test_hash_tells_nesting_apart():
    assert hash(parse("a AND b AND c")) == hash(parse("a AND b AND c"))
    assert hash(parse("a AND b AND c")) != hash(parse("a AND (b AND c)"))


def test_repr_shows_the_text():
    assert repr(parse("price<5 and in_stock")) == "Expr('price < 5 AND in_stock')"


def test_attributes_are_sorted_and_distinct():
    assert parse("b = 1 AND NOT (a.c OR b IS NULL) AND TRUE").attributes() == ["a.c", "b"]
    assert parse("TRUE").attributes() == []


def test_parts_are_readable_and_not_writable():
    expr = parse("NOT a LIKE 'x!%' ESCAPE '!' AND b NOT IN (1, 2)")
    match expr:
        case And(Not(Predicate("a", "LIKE", ("x!%",), False, "!")), Predicate("b", "IN", (1, 2), True, None)):
            pass
        case _:
            pytest.fail("the patterns do not fit")
    for node, part in [(expr, "left"), (expr.left, "operand"), (expr.right, "name"), (Const(True), "value")]:
        with pytest.raises(AttributeError):
            setattr(node, part, None)
        with pytest.raises(AttributeError):
            node.other = None


def test_truth_value_is_refused_with_a_hint():
    for thing in (parse("a = 1"), attr("a")):
        with pytest.raises(TypeError, match=r"& \| ~"):
            bool(thing)
    with pytest.raises(TypeError, match="between"):
        1 < attr("a") < 5  # noqa: B015


@pytest.mark.parametrize("other", [1, True, "b = 1", None, 2.5])
def test_only_expressions_combine(other):
    for thing in (parse("a = 1"), attr("a")):
        for combine in (operator.and_, operator.or_):
            with pytest.raises(TypeError, match="parentheses"):
                combine(thing, other)
            with pytest.raises(TypeError, match="parentheses"):
                combine(other, thing)
    for kind in (And, Or):
        with pytest.raises(TypeError):
            kind(parse("a"), other)
    with pytest.raises(TypeError):
        Not(other)


def test_forgotten_parentheses_are_explained():
    with pytest.raises(TypeError, match="put each comparison"):
        attr("a") == 1 & attr("b") == 2  # noqa: B015


def test_constants_are_bools():
    assert Const(True) == parse("TRUE")
    with pytest.raises(TypeError):
        Const(1)


@pytest.mark.parametrize(
    "arguments",
    [
        ("a", "~", [1]),
        ("a", "=", [1, 2]),
        ("a", "=", []),
        ("a", "BETWEEN", [1]),
        ("a", "IS NULL", [1]),
        ("a", "=", [1], True),
        ("a", "HAS ANY", [1], True),
        ("a", "ATTRIBUTE", [], True),
        ("a", "=", ["x"], False, "!"),
        ("a", "LIKE", ["x"], False, "!!"),
        ("a", "LIKE", ["x!"], False, "!"),
        ("a", "IN", []),
        ("", "=", [1]),
    ],
)
def test_predicates_that_no_text_could_hold_are_refused(arguments):
    with pytest.raises(ValueError, match="attribute"):
        Predicate(*arguments)


@pytest.mark.parametrize(
    "text", ["a = 1 AND NOT b", "t < TIMESTAMP '2026-01-02 03:04:05Z'", "TRUE", "x IN (1, 'ü')"]
)
def test_pickles_are_the_text_and_copies_the_same_object(text):
    expr = parse(text)
    assert str(expr).encode() in pickle.dumps(expr)
    assert pickle.loads(pickle.dumps(expr)) == expr
    assert copy.copy(expr) is expr
    assert copy.deepcopy([expr])[0] is expr


def chain(kind):
    a = parse("a = 1")
    return {
        "and": lambda: reduce(operator.and_, [a] * DEPTH),
        "right": lambda: reduce(lambda done, item: And(item, done), [a] * DEPTH),
        "mixed": lambda: reduce(lambda done, i: ~(done & a) if i % 2 else Or(a, done), range(DEPTH), a),
    }[kind]()


@pytest.mark.parametrize("kind", ["and", "right", "mixed"])
def test_nothing_recurses_on_deep_trees(kind):
    one = chain(kind)
    two = pickle.loads(pickle.dumps(one))  # str, then parse
    assert one == two
    assert one != two & two
    assert hash(one) == hash(two)
    assert through_tree(one) == one
    assert copy.deepcopy(one) is one
    assert len(one.attributes()) == 1
    del one, two
    gc.collect()


def test_shared_parts_compare_by_identity():
    expr = parse("a")
    for _ in range(200):
        expr = expr & expr
    assert expr == expr
    assert isinstance(expr, Expr)


def test_operands_are_plain_python_values():
    (moment,) = parse("t = TIMESTAMP '2026-01-02 03:04:05+01:00'").operands
    assert moment == datetime.datetime(2026, 1, 2, 2, 4, 5, tzinfo=datetime.timezone.utc)
    assert moment.utcoffset() == datetime.timedelta(0)
