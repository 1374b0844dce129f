# distutils: language = c++
"""The normal forms for Python: clauses as lists of readable terms."""

from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport uint8_t, uint32_t, uint64_t

from boolsieve.language.convert cimport tree_of
from boolsieve.language.tree cimport *
from boolsieve.normal cimport normalise
from boolsieve.normal.normalise cimport append_cnf, append_dnf

from datetime import datetime, timedelta, timezone

from boolsieve.errors import BudgetError
from boolsieve.language.convert import parse
from boolsieve.normal.terms import Term as ReadableTerm
from boolsieve.normal.terms import pattern_text

DEFAULT_BUDGET = normalise.DEFAULT_BUDGET

# In the order of the enums of the same names.
cdef tuple FAMILIES = ("any", "number", "string", "bool", "time", "set")
cdef tuple KINDS = ("range", "in", "not range", "not in", "present", "absent", "holds", "fails")
cdef tuple DERIVED = (
    "has", "starts", "ends", "contains", "like", "matches",
    "folded equals", "folded starts", "folded ends", "folded contains", "folded like",
)
cdef object EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def dnf(expression, budget=DEFAULT_BUDGET):
    """The expression (text or Expr) as a list of conjunctions: it is true if all terms of one of them are.

    Always true is [[]], never true is [].

    >>> dnf("NOT (price >= 5 OR color != 'red') OR name LIKE 'ab%'")
    [[Term("color = 'red'"), Term('price < 5')], [Term("name STARTS WITH 'ab'")]]
    """
    cdef Normal normal
    append_expression(expression, normal, budget, True)
    return clauses_of(normal, 0)


def cnf(expression, budget=DEFAULT_BUDGET):
    """The expression (text or Expr) as a list of disjunctions: it is true if one term of each of them is.

    Always true is [], never true is [[]].
    """
    cdef Normal normal
    append_expression(expression, normal, budget, False)
    return clauses_of(normal, 0)


def all_through_one(expressions, budget, disjunctive):
    """The clauses of each expression, all of them appended to one flat form; for one over the budget None."""
    cdef Normal normal
    cdef list appended = []
    cdef list found = []
    for expression in expressions:
        try:
            append_expression(expression, normal, budget, disjunctive)
        except BudgetError:
            appended.append(False)
        else:
            appended.append(True)
    for done in appended:
        found.append(clauses_of(normal, sum(item is not None for item in found)) if done else None)
    return found


cdef int append_expression(object expression, Normal& normal, object budget, bint disjunctive) except -1:
    cdef Tree tree
    if budget < 1:
        raise ValueError(f"a budget is at least one clause, not {budget}")
    tree_of(parse(expression), tree)
    if disjunctive:
        return append_dnf(tree, normal, budget)
    return append_cnf(tree, normal, budget)


cdef list clauses_of(const Normal& normal, uint64_t expression):
    cdef uint64_t clause, term
    cdef list clauses = []
    for clause in range(normal.expression_begin[expression], normal.expression_begin[expression + 1]):
        clauses.append([
            readable(normal, normal.terms[term])
            for term in range(normal.clause_begin[clause], normal.clause_begin[clause + 1])
        ])
    return clauses


cdef object readable(const Normal& normal, const Term& term):
    cdef uint32_t i
    cdef bint derived = term.kind == TERM_HOLDS or term.kind == TERM_FAILS
    cdef list values = [value_of(normal, normal.literals[term.first + i]) for i in range(term.count)]
    if term.bounds & LOW_NONE:
        values[0] = None
    if term.bounds & HIGH_NONE:
        values[1] = None
    return ReadableTerm(
        PyUnicode_DecodeUTF8(normal.arena.data() + term.name, term.name_length, NULL),
        FAMILIES[<int>term.family],
        KINDS[<int>term.kind],
        tuple(values),
        (term.bounds & LOW_OPEN) != 0,
        (term.bounds & HIGH_OPEN) != 0,
        DERIVED[<int>term.derived] if derived else "",
    )


cdef object value_of(const Normal& normal, Literal literal):
    if literal.type == LITERAL_STRING:
        return pattern_text(normal.arena.data()[literal.offset:literal.offset + literal.length])
    if literal.type == LITERAL_FLOAT:
        return literal.real
    if literal.type == LITERAL_BOOL:
        return literal.integer != 0
    if literal.type == LITERAL_TIME:
        return EPOCH + timedelta(microseconds=literal.integer)
    return literal.integer
