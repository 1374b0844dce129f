"""Budgets, depth, length, and numbers at the edge of their types."""

import math
import pickle

import pytest

from boolsieve.errors import BudgetError
from boolsieve.language import Not, attr, parse
from boolsieve.normal import DEFAULT_BUDGET, cnf, dnf
from boolsieve.normal.clauses import all_through_one

DEEP = 100_000


def choices(n, form=" AND "):
    """n choices between two attributes: 2^n clauses."""
    other = " OR " if form == " AND " else " AND "
    return form.join(f"(a{i} = 1{other}b{i} = 1)" for i in range(n))


def shown(clauses):
    return [[str(term) for term in clause] for clause in clauses]


def test_the_default_budget_takes_1024_clauses_and_no_more():
    assert DEFAULT_BUDGET == 1024
    assert len(dnf(choices(10))) == 1024
    with pytest.raises(
        BudgetError, match=r"needs 2,048 clauses in disjunctive .* budget is 1,024.*max_clauses="
    ):
        dnf(choices(11))
    assert len(dnf(choices(11), 2048)) == 2048
    assert len(cnf(choices(10, " OR "))) == 1024
    with pytest.raises(BudgetError, match="conjunctive"):
        cnf(choices(11, " OR "))


def test_the_error_tells_need_and_budget():
    with pytest.raises(BudgetError) as caught:
        dnf(choices(5), budget=31)
    assert (caught.value.needed, caught.value.budget) == (32, 31)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.needed, again.budget) == (str(caught.value), 32, 31)


def test_an_astronomic_need_is_counted_without_expansion():
    with pytest.raises(BudgetError, match=r"at least 10\^18 clauses") as caught:
        dnf(choices(5_000))
    assert caught.value.needed == 10**18
    assert caught.value.budget == 1024


def test_contradictions_are_pruned_before_clauses_are_counted():
    # 3^5 combinations, but only those that agree on a are left.
    choice = "(a = 1 AND b{0} = 1 OR a = 2 AND b{0} = 2 OR a = 3 AND b{0} = 3)"
    text = " AND ".join(choice.format(i) for i in range(5))
    assert len(dnf(text, budget=16)) == 3


def test_few_clauses_with_too_many_terms_in_all_are_refused():
    # 500 levels with 50 terms each, and a clause for each level that holds all terms above it.
    levels = (" AND ".join(f"a{i}_{j} = 1" for j in range(50)) for i in range(500))
    text = "".join(f"{level} AND (b = {i} OR (" for i, level in enumerate(levels)) + "c = 1" + "))" * 500
    with pytest.raises(BudgetError, match=r"501 clauses with [\d,]+ terms and literals in all.*max_clauses="):
        dnf(text)


def test_a_budget_below_one_is_an_error():
    with pytest.raises(ValueError, match="not 0"):
        dnf("a = 1", budget=0)


def test_normal_forms_share_one_flat_form_and_an_error_leaves_no_trace():
    texts = [
        "name LIKE 'x%y' AND b = 'text'",
        choices(4),
        "FALSE",
        "b ILIKE 'É_' OR a = 2.5",
        choices(3),
        "TRUE",
        "é = 'ü' AND a IS NULL",
    ]
    for disjunctive, form in ((True, dnf), (False, cnf)):
        found = all_through_one(texts, 8, disjunctive)
        for text, clauses in zip(texts, found, strict=True):
            if clauses is None:
                with pytest.raises(BudgetError):
                    form(text, 8)
            else:
                assert clauses == form(text, 8)
        assert (found[1] is None) is disjunctive


def test_a_hundred_thousand_nots_cancel_out():
    expr = attr("a") == 1
    for _ in range(DEEP):
        expr = Not(expr)
    assert shown(dnf(expr)) == [["a = 1"]]
    assert shown(cnf(Not(expr))) == [["a != 1"]]


def test_deep_parentheses_and_chains():
    assert shown(dnf("(" * DEEP + "a = 1" + ")" * DEEP)) == [["a = 1"]]
    assert shown(dnf(" AND ".join(["a != 1"] * DEEP))) == [["a != 1"]]
    assert shown(dnf("(a > 1 AND " * DEEP + "a < 2" + ")" * DEEP)) == [["a > 1 AND a < 2"]]
    [[term]] = dnf(" OR ".join(f"a = {(i * 7919) % DEEP}" for i in range(DEEP)))
    assert term.values == tuple(range(DEEP))


def test_deep_alternation_of_and_and_or():
    half = DEEP // 2
    assert shown(dnf("(a = 1 OR (a > 0 AND " * half + "a = 2" + "))" * half)) == [["a IN (1, 2)"]]
    with pytest.raises(BudgetError, match=f"{half + 1:,} clauses"):
        dnf("NOT (a = 1 AND " * DEEP + "b = 1" + ")" * DEEP)
    text = "(a = 1 AND b = 1 OR " * half + "c = 1" + ")" * half
    assert shown(dnf(text, DEEP)) == [["a = 1", "b = 1"], ["c = 1"]]


def test_deep_groups_with_one_alternative_are_taken_at_once():
    # Each OR has one alternative left, after the contradiction in the other.
    text = "".join(f"(a{i} = 1 AND (x = 1 AND x = 2 OR " for i in range(DEEP // 5))
    [clause] = dnf(text + "b = 1" + "))" * (DEEP // 5))
    assert len(clause) == DEEP // 5 + 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a = 9007199254740993 AND a = 9007199254740992.0", []),
        (
            "a > 9007199254740992.0 AND a < 9007199254740993",
            [["a > 9007199254740992 AND a < 9007199254740993"]],
        ),
        ("a >= 9007199254740993 AND a <= 9007199254740992.0", []),
        (
            "a IN (9007199254740993, 9007199254740992.0, 9007199254740992)",
            [["a IN (9007199254740992, 9007199254740993)"]],
        ),
        ("a = 9223372036854775807 AND a = 9223372036854775808.0", []),
        (
            "a IN (9223372036854775808.0, 9223372036854775807)",
            [["a IN (9223372036854775807, 9.223372036854776e+18)"]],
        ),
        ("a IN (-9223372036854775808, -9223372036854775808.0)", [["a = -9223372036854775808"]]),
        ("a = 0 AND a = -0.0", [["a = 0"]]),
        ("a IN (0.0, -0.0, 0)", [["a = 0"]]),
        ("a < 1 AND a > 0.5", [["a > 0.5 AND a < 1"]]),
        ("a >= -INFINITY AND a <= INFINITY", [["a BETWEEN -INFINITY AND INFINITY"]]),
        ("a >= INFINITY AND a > 9223372036854775807", [["a >= INFINITY"]]),
        ("a <= -INFINITY AND a != -INFINITY", [["a < -INFINITY"]]),
        ("a = INFINITY AND a > 1e308", [["a = INFINITY"]]),
    ],
)
def test_numbers_compare_exactly_by_value(text, expected):
    assert shown(dnf(text)) == expected


def test_infinite_literals_from_the_builder():
    assert shown(dnf(attr("a") < math.inf)) == [["a < INFINITY"]]


def test_strings_are_ordered_by_code_point():
    # UTF-16 would put the emoji before U+FFFF.
    assert shown(dnf("a > '\uffff' AND a < '\U0001f600'")) == [["a > '\uffff' AND a < '\U0001f600'"]]
    assert dnf("a > '\U0001f600' AND a < '\uffff'") == []


def test_text_expr_and_attribute_are_taken():
    assert dnf("a") == dnf(parse("a")) == dnf(attr("a"))
