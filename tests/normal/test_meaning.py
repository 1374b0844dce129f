"""Normal forms mean what the tree means: random trees and events, and all small trees over a small domain."""

import datetime
import itertools
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from meaning_of_terms import cnf_holds, dnf_holds, truth_of

from boolsieve.language import And, Const, Not, Or, Predicate, parse
from boolsieve.normal import cnf, dnf

DAY = datetime.date(2026, 1, 2)
NUMBERS = [0, 1, 2, 5, -1, 0.5, 1.5, 2.0, -0.0, 5e-324, -1e300, math.inf, -math.inf]
NUMBERS += [2**53, 2**53 + 1, 2.0**53, 2.0**53 + 2, 2**63 - 1, 2.0**63, -(2**63), -(2.0**63)]
STRINGS = [
    "",
    "a",
    "b",
    "ab",
    "abc",
    "AB",
    "ba",
    "a%b",
    "é",
    "É",
    "\U0001f600",
    "\uffff",
    "İ",
    "ΑΣ",
    "a\nb",
    "\0",
]
TIMES = [
    DAY,
    datetime.datetime(2026, 1, 2, tzinfo=datetime.timezone.utc),
    datetime.datetime(2026, 1, 2, 3, 4, 5, 6, tzinfo=datetime.timezone.utc),
    datetime.date(1, 1, 1),
]
PATTERNS = [
    "",
    "%",
    "_",
    "a%",
    "%b",
    "%a%",
    "a_",
    "_%",
    "%a_b%",
    "a!%b",
    "!!%",
    "A%",
    "É",
    "%İ",
    "ΑΣ",
    "ΑΣ%",
    "__",
    "%%_%",
]
OPERATORS = ["=", "!=", "<", "<=", ">", ">=", "IN", "BETWEEN", "IS NULL", "IS DISTINCT FROM", "LIKE", "ILIKE"]
OPERATORS += ["STARTS WITH", "ENDS WITH", "CONTAINS", "MATCHES", "ATTRIBUTE"]
OPERATORS += ["HAS", "HAS ANY", "HAS ALL", "HAS NONE"]
NAMES = st.sampled_from("ab")
LITERALS = st.sampled_from([*NUMBERS, *STRINGS, *TIMES, True, False])
VALUES = st.one_of(
    LITERALS,
    st.sampled_from([None, math.nan]),
    st.lists(st.sampled_from([*NUMBERS[:8], "a", "ab", True, None, DAY]), max_size=3),
)
EVENTS = st.dictionaries(NAMES, VALUES)


@st.composite
def predicates(draw):
    op = draw(st.sampled_from(OPERATORS))
    escape = None
    if op in ("LIKE", "ILIKE"):
        operands, escape = [draw(st.sampled_from(PATTERNS))], draw(st.sampled_from([None, "!"]))
    elif op in ("STARTS WITH", "ENDS WITH", "CONTAINS"):
        operands = [draw(st.sampled_from(STRINGS))]
    elif op == "MATCHES":
        operands = [draw(st.sampled_from(["^a", "b$", "a|b", "."]))]
    elif op in ("IN", "HAS ANY", "HAS ALL", "HAS NONE"):
        one_family = draw(st.sampled_from([LITERALS, st.sampled_from(NUMBERS), st.sampled_from(STRINGS)]))
        operands = draw(st.lists(one_family, min_size=1, max_size=4))
    elif op == "BETWEEN":
        one_family = draw(st.sampled_from([LITERALS, st.sampled_from(NUMBERS), st.sampled_from(STRINGS)]))
        operands = [draw(one_family), draw(one_family)]
    else:
        operands = [] if op in ("IS NULL", "ATTRIBUTE") else [draw(LITERALS)]
    plain = op in ("=", "!=", "<", "<=", ">", ">=", "HAS ANY", "HAS ALL", "HAS NONE", "ATTRIBUTE")
    return Predicate(draw(NAMES), op, operands, False if plain else draw(st.booleans()), escape)


# Most predicates compare numbers, so that they meet on one attribute.
NUMERIC = st.builds(
    lambda name, op, values: Predicate(
        name, op, values if op == "IN" else sorted(values)[: 1 + (op == "BETWEEN")]
    ),
    NAMES,
    st.sampled_from(["=", "!=", "<", "<=", ">", ">=", "IN", "BETWEEN", "IS DISTINCT FROM"]),
    st.lists(st.sampled_from(NUMBERS[:8]), min_size=2, max_size=3),
)
TREES = st.recursive(
    st.one_of(predicates(), NUMERIC, st.booleans().map(Const)),
    lambda part: st.one_of(st.builds(And, part, part), st.builds(Or, part, part), st.builds(Not, part)),
    max_leaves=10,
)


def check(tree, events):
    disjunctions, conjunctions = dnf(tree, 10**6), cnf(tree, 10**6)
    for event in events:
        wanted = truth_of(tree, event) is True
        assert dnf_holds(disjunctions, event) is wanted, (str(tree), event, disjunctions)
        assert cnf_holds(conjunctions, event) is wanted, (str(tree), event, conjunctions)


@settings(max_examples=200, deadline=None)
@given(TREES, st.lists(EVENTS, min_size=1, max_size=8))
def test_normal_forms_of_random_trees_mean_the_same(tree, events):
    check(tree, events)


@settings(max_examples=120, deadline=None)
@given(st.lists(st.one_of(NUMERIC, NUMERIC.map(Not)), min_size=2, max_size=6), st.sampled_from([And, Or]))
def test_merged_number_predicates_mean_the_same_for_each_number(parts, join):
    tree = parts[0]
    for part in parts[1:]:
        tree = join(tree, part)
    values = [*NUMBERS, 0.25, 3, 1.75, 7, "x", None]
    check(tree, [{"a": value, "b": value} for value in values])


@settings(max_examples=60, deadline=None)
@given(st.lists(TREES, min_size=2, max_size=4), st.randoms(), st.sampled_from([And, Or]))
def test_the_order_of_operands_does_not_matter(parts, random, join):
    def joined(trees):
        tree = trees[0]
        for part in trees[1:]:
            tree = join(tree, part)
        return tree

    other = random.sample(parts, len(parts))
    assert dnf(joined(parts), 10**6) == dnf(joined(other), 10**6)
    assert cnf(joined(parts), 10**6) == cnf(joined(other), 10**6)


@settings(max_examples=60, deadline=None)
@given(TREES)
def test_clauses_and_terms_and_literals_are_sorted_and_distinct(tree):
    for clauses in (dnf(tree, 10**6), cnf(tree, 10**6)):
        assert len({tuple(clause) for clause in clauses}) == len(clauses)
        for clause in clauses:
            assert len(set(clause)) == len(clause)
            assert [term.name for term in clause] == sorted(term.name for term in clause)
            for term in clause:
                if term.kind in ("in", "not in"):
                    assert all(one < two for one, two in itertools.pairwise(term.values))


def as_text(term):
    """The term in the language, if the language has words for it."""
    return str(term) if term.kind not in ("present", "absent") or term.family == "any" else None


@settings(max_examples=60, deadline=None)
@given(predicates(), st.lists(EVENTS, min_size=1, max_size=5))
def test_the_text_of_a_term_parses_to_the_same_condition(predicate, events):
    for clause in dnf(predicate):
        for term in clause:
            if text := as_text(term):
                again = parse(text)
                assert dnf(again) == [[term]]
                for event in events:
                    assert dnf_holds([[term]], event) is (truth_of(again, event) is True)


LEAVES = [
    "a = 1",
    "a < 2",
    "a BETWEEN 1 AND 2",
    "a NOT IN (1, 3)",
    "a = 'x'",
    "a IS NULL",
    "a IS DISTINCT FROM 2",
    "a",
    "b = 1",
]
DOMAIN = [{}, {"b": 1}, *({"a": value} for value in (0, 1, 1.5, 2, 3, "x", "y", True, False, [1]))]


@pytest.mark.parametrize(
    "joins", list(itertools.product((And, Or), repeat=2)), ids=lambda j: "-".join(o.__name__ for o in j)
)
def test_all_trees_of_up_to_three_leaves_mean_the_same_on_a_small_domain(joins):
    leaves = [parse(text) for text in LEAVES]
    inner, outer = joins
    for one, two in itertools.product(leaves, repeat=2):
        pair = inner(one, two)
        for first in (pair, Not(pair)):
            check(first, DOMAIN)
            for three in leaves:
                check(outer(first, three), DOMAIN)
                check(Not(outer(first, three)), DOMAIN[::3])
