"""Each rule by small cases: the normal form as text, exactly."""

import pytest

from boolsieve.normal import cnf, dnf


def shown(clauses):
    """`a = 1 & b = 2 | c = 3`; always true is TRUE, never true is FALSE."""
    return " | ".join(" & ".join(map(str, clause)) or "TRUE" for clause in clauses) or "FALSE"


def check(text, expected):
    assert shown(dnf(text)) == expected


NEGATIONS = [
    ("a = 1", "a = 1", "a != 1"),
    ("a != 1", "a != 1", "a = 1"),
    ("a < 1", "a < 1", "a >= 1"),
    ("a <= 1", "a <= 1", "a > 1"),
    ("a IN (2, 1)", "a IN (1, 2)", "a NOT IN (1, 2)"),
    ("a NOT IN (2, 1)", "a NOT IN (1, 2)", "a IN (1, 2)"),
    ("a BETWEEN 1 AND 2", "a BETWEEN 1 AND 2", "a NOT BETWEEN 1 AND 2"),
    ("a BETWEEN 1 AND 1", "a = 1", "a != 1"),
    ("a BETWEEN 2 AND 1", "FALSE", "a IS A NUMBER"),
    ("a BETWEEN 1 AND 'x'", "FALSE", "a < 1 | a > 'x'"),
    ("a IN (1, 'x')", "a = 1 | a = 'x'", "FALSE"),
    ("a IS NULL", "a IS NULL", "a IS NOT NULL"),
    ("a IS DISTINCT FROM 1", "a != 1 | a IS NOT A NUMBER", "a = 1"),
    ("a IS NOT DISTINCT FROM 'x'", "a = 'x'", "a != 'x' | a IS NOT A STRING"),
    ("a", "a = TRUE", "a = FALSE"),
    ("a LIKE 'xy'", "a = 'xy'", "a != 'xy'"),
    ("a LIKE ''", "a = ''", "a != ''"),
    ("a LIKE 'xy%'", "a STARTS WITH 'xy'", "a NOT STARTS WITH 'xy'"),
    ("a LIKE '%%xy'", "a ENDS WITH 'xy'", "a NOT ENDS WITH 'xy'"),
    ("a LIKE '%xy%%'", "a CONTAINS 'xy'", "a NOT CONTAINS 'xy'"),
    ("a LIKE '%%'", "a IS A STRING", "FALSE"),
    ("a LIKE 'x%%y'", "a LIKE 'x%y'", "a NOT LIKE 'x%y'"),
    ("a LIKE '%_'", "a LIKE '_%'", "a NOT LIKE '_%'"),
    ("a LIKE 'x_%_%'", "a LIKE 'x__%'", "a NOT LIKE 'x__%'"),
    ("a LIKE 'x!%!!!_y' ESCAPE '!'", "a = 'x%!_y'", "a != 'x%!_y'"),
    ("a LIKE 'xé%%' ESCAPE 'é'", "a STARTS WITH 'x%'", "a NOT STARTS WITH 'x%'"),
    ("a LIKE '_é%_' ESCAPE 'é'", r"a LIKE '_\%_' ESCAPE '\'", r"a NOT LIKE '_\%_' ESCAPE '\'"),
    ("a ILIKE 'XÉ'", "a ILIKE 'xé'", "a NOT ILIKE 'xé'"),
    ("a ILIKE 'X%'", "a ILIKE 'x%'", "a NOT ILIKE 'x%'"),
    ("a ILIKE '%X'", "a ILIKE '%x'", "a NOT ILIKE '%x'"),
    ("a ILIKE '%X%'", "a ILIKE '%x%'", "a NOT ILIKE '%x%'"),
    ("a ILIKE 'X_Y'", "a ILIKE 'x_y'", "a NOT ILIKE 'x_y'"),
    ("a ILIKE '%'", "a IS A STRING", "FALSE"),
    ("a STARTS WITH ''", "a IS A STRING", "FALSE"),
    ("a ENDS WITH 'x'", "a ENDS WITH 'x'", "a NOT ENDS WITH 'x'"),
    ("a CONTAINS '%'", "a CONTAINS '%'", "a NOT CONTAINS '%'"),
    ("a MATCHES '^x+'", "a MATCHES '^x+'", "a NOT MATCHES '^x+'"),
    ("a HAS 1.0", "a HAS 1", "a NOT HAS 1"),
    ("a HAS ANY (1, 2)", "a HAS 1 | a HAS 2", "a NOT HAS 1 & a NOT HAS 2"),
    ("a HAS ALL (1, 2)", "a HAS 1 & a HAS 2", "a NOT HAS 1 | a NOT HAS 2"),
    ("a HAS NONE (1, 2)", "a NOT HAS 1 & a NOT HAS 2", "a HAS 1 | a HAS 2"),
    ("TRUE", "TRUE", "FALSE"),
    ("a = 1 AND b = 2", "a = 1 & b = 2", "a != 1 | b != 2"),
    ("a = 1 OR NOT b < 2", "a = 1 | b >= 2", "a != 1 & b < 2"),
]


@pytest.mark.parametrize(("text", "expected", "negated"), NEGATIONS)
def test_a_predicate_and_its_negation_become_terms(text, expected, negated):
    check(text, expected)
    check(f"NOT ({text})", negated)
    check(f"NOT NOT ({text})", expected)


BOOLS = [
    ("a != TRUE", "a = FALSE"),
    ("a < TRUE", "a = FALSE"),
    ("a <= FALSE", "a = FALSE"),
    ("a > FALSE", "a = TRUE"),
    ("a < FALSE", "FALSE"),
    ("a >= FALSE", "a IS A BOOL"),
    ("a BETWEEN FALSE AND TRUE", "a IS A BOOL"),
    ("a NOT BETWEEN FALSE AND TRUE", "FALSE"),
    ("a IN (TRUE, FALSE)", "a IS A BOOL"),
    ("a NOT IN (TRUE, FALSE)", "FALSE"),
    ("a OR NOT a", "a IS A BOOL"),
    ("a AND NOT a", "FALSE"),
    ("a IS DISTINCT FROM TRUE", "a = FALSE | a IS NOT A BOOL"),
]


@pytest.mark.parametrize(("text", "expected"), BOOLS)
def test_bools_become_equalities(text, expected):
    check(text, expected)


CONJUNCTIONS = [
    ("a > 1 AND a < 5 AND a <= 4 AND a >= 1", "a > 1 AND a <= 4"),
    ("a > 1 AND a < 2", "a > 1 AND a < 2"),
    ("a >= 3 AND a <= 3", "a = 3"),
    ("a >= 3 AND a < 3", "FALSE"),
    ("a > 3 AND a < 2", "FALSE"),
    ("a > 1 AND a IN (0, 1, 2, 3)", "a IN (2, 3)"),
    ("a IN (1, 2, 3) AND a IN (2.0, 3, 4)", "a IN (2, 3)"),
    ("a = 1 AND a = 2", "FALSE"),
    ("a IN (1, 2, 3) AND a != 2", "a IN (1, 3)"),
    ("a != 1 AND a != 2 AND a NOT IN (2, 3)", "a NOT IN (1, 2, 3)"),
    ("a BETWEEN 1 AND 5 AND a NOT IN (0, 3, 9)", "a BETWEEN 1 AND 5 & a != 3"),
    ("a BETWEEN 1 AND 5 AND a NOT IN (1, 5)", "a > 1 AND a < 5"),
    ("a IN (1, 2, 3, 4) AND a NOT BETWEEN 2 AND 3", "a IN (1, 4)"),
    ("a NOT BETWEEN 2 AND 4 AND a NOT IN (1, 2, 3)", "a NOT BETWEEN 2 AND 4 & a != 1"),
    ("a NOT BETWEEN 2 AND 4 AND a NOT BETWEEN 4 AND 6", "a NOT BETWEEN 2 AND 6"),
    ("a BETWEEN 1 AND 9 AND a NOT BETWEEN 0 AND 3", "a > 3 AND a <= 9"),
    ("a BETWEEN 1 AND 9 AND a NOT BETWEEN 9 AND 12", "a >= 1 AND a < 9"),
    ("a BETWEEN 1 AND 9 AND a NOT BETWEEN 3 AND 4", "a BETWEEN 1 AND 9 & a NOT BETWEEN 3 AND 4"),
    ("a BETWEEN 1 AND 9 AND a NOT BETWEEN 0 AND 12", "FALSE"),
    ("a < 5 AND a NOT BETWEEN 7 AND 8", "a < 5"),
    ("a IS NOT NULL AND a < 5", "a < 5"),
    ("a LIKE '%' AND a < 'x'", "a < 'x'"),
    ("a < 5 AND a < 'x'", "FALSE"),
    ("a = 1 AND a HAS 1", "FALSE"),
    ("a IS NULL AND a != 1", "FALSE"),
    ("a IS NULL AND a IS NOT NULL", "FALSE"),
    ("a IS NULL AND a IS DISTINCT FROM 1", "a IS NULL"),
    ("a = 2 AND a IS DISTINCT FROM 1", "a = 2"),
    ("a = 'x' AND a IS DISTINCT FROM 1", "a = 'x'"),
    ("a IS DISTINCT FROM 1 AND a IS DISTINCT FROM 2", "a NOT IN (1, 2) | a IS NOT A NUMBER"),
    ("a STARTS WITH 'x' AND a NOT STARTS WITH 'x'", "FALSE"),
    ("a STARTS WITH 'x' AND a STARTS WITH 'x' AND a LIKE 'x%'", "a STARTS WITH 'x'"),
    ("a HAS 1 AND a HAS NONE (2, 1.0)", "FALSE"),
    ("a IN ('xy', 'xz', 'yy', 'zxz') AND a STARTS WITH 'x' AND NOT a LIKE '%z'", "a = 'xy'"),
    ("a IN ('x', 'y') AND a CONTAINS 'z'", "FALSE"),
    ("a IN ('x', 'y') AND a MATCHES 'z' AND a CONTAINS 'x'", "a = 'x' & a MATCHES 'z'"),
    ("a > 'x' AND a STARTS WITH 'x'", "a > 'x' & a STARTS WITH 'x'"),
    (
        "a = DATE '2026-01-02' AND a = TIMESTAMP '2026-01-02 00:00:00Z'",
        "a = TIMESTAMP '2026-01-02 00:00:00Z'",
    ),
    ("b = 1 AND a = 1 AND c = 1 AND a.b = 1 AND B = 1", "B = 1 & a = 1 & a.b = 1 & b = 1 & c = 1"),
    ("a = 1 AND TRUE", "a = 1"),
    ("a = 1 AND FALSE", "FALSE"),
    ("a = 1 AND a NOT LIKE '%'", "FALSE"),
]


@pytest.mark.parametrize(("text", "expected"), CONJUNCTIONS)
def test_a_conjunction_is_merged_by_attribute(text, expected):
    check(text, expected)


DISJUNCTIONS = [
    ("a = 1 OR a = 3 OR a IN (1, 2)", "a IN (1, 2, 3)"),
    ("a < 5 OR a = 5", "a <= 5"),
    ("a < 5 OR a > 5", "a != 5"),
    ("a < 5 OR a >= 5", "a IS A NUMBER"),
    ("a < 5 OR a > 7", "a NOT BETWEEN 5 AND 7"),
    ("a <= 5 OR a > 7", "a <= 5 | a > 7"),
    ("a NOT BETWEEN 1 AND 9 OR a IN (1, 5)", "a IN (1, 5) | a NOT BETWEEN 1 AND 9"),
    ("a BETWEEN 1 AND 3 OR a BETWEEN 2 AND 5 OR a = 2 OR a = 9", "a BETWEEN 1 AND 5 | a = 9"),
    ("a != 1 OR a != 2", "a IS A NUMBER"),
    ("a NOT IN (1, 2, 3) OR a = 2", "a NOT IN (1, 3)"),
    ("a = 1 OR a = 'x'", "a = 1 | a = 'x'"),
    ("a = 1 OR a IS NOT NULL", "a IS NOT NULL"),
    ("a IS NULL OR a IS NOT NULL", "TRUE"),
    ("a = 1 OR a != 1", "a IS A NUMBER"),
    ("a = 1 OR a IS DISTINCT FROM 1", "TRUE"),
    ("a IS NULL OR a IS DISTINCT FROM 1", "a != 1 | a IS NOT A NUMBER"),
    ("a = 'x' OR a IS DISTINCT FROM 1", "a != 1 | a IS NOT A NUMBER"),
    ("a IS DISTINCT FROM 1 OR a IS DISTINCT FROM 'x'", "TRUE"),
    ("a IS DISTINCT FROM 1 OR a IS NOT NULL", "TRUE"),
    ("a STARTS WITH 'x' OR a NOT STARTS WITH 'x'", "a IS A STRING"),
    ("a HAS 1 OR a NOT HAS 1", "a IS A SET"),
    ("a = 1 OR (a > 5 AND a < 7) OR (a >= 7 AND a < 9)", "a > 5 AND a < 9 | a = 1"),
    ("a = 1 OR TRUE", "TRUE"),
    ("a = 1 OR FALSE OR (b = 1 AND b = 2)", "a = 1"),
    ("a = 1 OR (b = 1 OR b != 1 OR b IS DISTINCT FROM 1) AND c = 1", "a = 1 | c = 1"),
]


@pytest.mark.parametrize(("text", "expected"), DISJUNCTIONS)
def test_alternatives_on_one_attribute_are_united(text, expected):
    check(text, expected)


DISTRIBUTIONS = [
    ("(a = 1 OR a = 2) AND (b = 1 OR b = 2)", "a IN (1, 2) & b IN (1, 2)"),
    ("(a = 1 OR b = 1) AND c = 1", "a = 1 & c = 1 | b = 1 & c = 1"),
    ("(a = 1 OR b = 1) AND (a = 2 OR c = 1)", "a = 1 & c = 1 | a = 2 & b = 1 | b = 1 & c = 1"),
    ("(a = 1 OR b = 1) AND (a = 1 OR c = 1)", "a = 1 | b = 1 & c = 1"),
    ("a = 1 OR (a = 1 AND b = 1)", "a = 1"),
    ("(a = 1 AND b = 1) OR (b = 1 AND a = 1.0)", "a = 1 & b = 1"),
    ("NOT (a = 1 AND (b = 1 OR c = 1))", "a != 1 | b != 1 & c != 1"),
    ("(a = 1 OR b = 1) AND (a = 2 OR a = 3) AND b = 2", "FALSE"),
    (
        "a = 1 AND (b = 1 OR (c = 1 AND (d = 1 OR e = 1)))",
        "a = 1 & b = 1 | a = 1 & c = 1 & d = 1 | a = 1 & c = 1 & e = 1",
    ),
]


@pytest.mark.parametrize(("text", "expected"), DISTRIBUTIONS)
def test_and_is_distributed_over_or(text, expected):
    check(text, expected)


CONJUNCTIVE = [
    ("TRUE", []),
    ("FALSE", [""]),
    ("a = 1", ["a = 1"]),
    ("(b = 1 OR a = 1 OR a = 2) AND c = 1", ["a IN (1, 2) | b = 1", "c = 1"]),
    ("a = 1 AND a != 1", [""]),
    ("(a = 1 OR b = 1 OR a IS DISTINCT FROM 1) AND c = 1", ["c = 1"]),
    ("a = 1 OR (b = 1 AND c = 1)", ["a = 1 | b = 1", "a = 1 | c = 1"]),
    ("a = 1 OR (a = 2 AND c = 1)", ["a = 1 | c = 1", "a IN (1, 2)"]),
    ("(a = 1 OR b = 1) AND a = 1", ["a = 1"]),
    ("a > 1 AND a < 5 AND a != 3", ["a > 1 AND a < 5", "a != 3"]),
    ("NOT (a = 1 AND b = 1)", ["a != 1 | b != 1"]),
]


@pytest.mark.parametrize(("text", "expected"), CONJUNCTIVE)
def test_or_is_distributed_over_and_in_cnf(text, expected):
    assert [" | ".join(map(str, clause)) for clause in cnf(text)] == expected
