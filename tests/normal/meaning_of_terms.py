"""What expressions and clauses mean, in plain Python and as slowly as it gets: the two sides that must agree."""

from __future__ import annotations

import datetime
import math
import re
from typing import Any

from boolsieve.language import And, Const, Expr, Not, Or, Predicate
from boolsieve.normal import Term

UTC = datetime.timezone.utc


def family(value: Any) -> str | None:
    """Of an event's value or a literal; None for an absent one."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, (int, float)):
        return "number"
    if isinstance(value, str):
        return "string"
    return "set" if isinstance(value, list) else "time"


def comparable(value: Any) -> Any:
    if isinstance(value, datetime.datetime):
        return value if value.tzinfo else value.replace(tzinfo=UTC)
    if isinstance(value, datetime.date):
        return datetime.datetime(value.year, value.month, value.day, tzinfo=UTC)
    return value


def equal(one: Any, two: Any) -> bool:
    return family(one) == family(two) and comparable(one) == comparable(two)


def has(elements: list[Any], wanted: Any) -> bool:
    return any(equal(element, wanted) for element in elements)


def like(text: str, pattern: str, escape: str | None = None, folded: bool = False) -> bool:
    expression, plain = "", False
    text = text.lower() if folded else text
    for c in pattern:
        if not plain and c == escape:
            plain = True
            continue
        if not plain and c in "%_":
            expression += ".*" if c == "%" else "."
        else:
            expression += re.escape(c.lower() if folded else c)
        plain = False
    return re.fullmatch(expression, text, re.DOTALL) is not None


_COMPARISONS = {
    "=": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}
_TEXT = {
    "STARTS WITH": str.startswith,
    "ENDS WITH": str.endswith,
    "CONTAINS": str.__contains__,
    "MATCHES": lambda text, pattern: re.search(pattern, text) is not None,
}


def compare(op: str, value: Any, literal: Any) -> bool | None:
    if family(value) != family(literal):
        return None
    return _COMPARISONS[op](comparable(value), comparable(literal))


def both(one: bool | None, two: bool | None) -> bool | None:
    if one is False or two is False:
        return False
    return None if one is None or two is None else True


def negation(truth: bool | None) -> bool | None:
    return None if truth is None else not truth


def either(one: bool | None, two: bool | None) -> bool | None:
    return negation(both(negation(one), negation(two)))


def truth_of_predicate(predicate: Predicate, event: dict[str, Any]) -> bool | None:
    value = event.get(predicate.name)
    op, operands = predicate.op, predicate.operands
    kind = family(value)
    truth: bool | None
    if op == "ATTRIBUTE":
        truth = value if kind == "bool" else None
    elif op in _COMPARISONS:
        truth = compare(op, value, operands[0])
    elif op == "IN":
        truth = False
        for operand in operands:
            truth = either(truth, compare("=", value, operand))
    elif op == "BETWEEN":
        truth = both(compare(">=", value, operands[0]), compare("<=", value, operands[1]))
    elif op == "IS NULL":
        truth = kind is None
    elif op == "IS DISTINCT FROM":
        truth = compare("=", value, operands[0]) is not True
    elif op in ("LIKE", "ILIKE"):
        truth = like(value, operands[0], predicate.escape, op == "ILIKE") if kind == "string" else None
    elif op in _TEXT:
        truth = _TEXT[op](value, operands[0]) if kind == "string" else None
    elif kind != "set":
        truth = None
    elif op == "HAS ALL":
        truth = all(has(value, operand) for operand in operands)
    else:
        truth = any(has(value, operand) for operand in operands) != (op == "HAS NONE")
    return negation(truth) if predicate.negated else truth


def truth_of(expr: Expr, event: dict[str, Any]) -> bool | None:
    """TRUE, FALSE or UNKNOWN (None)."""
    match expr:
        case And(left, right):
            return both(truth_of(left, event), truth_of(right, event))
        case Or(left, right):
            return either(truth_of(left, event), truth_of(right, event))
        case Not(operand):
            return negation(truth_of(operand, event))
        case Const(value):
            return value
    assert isinstance(expr, Predicate)
    return truth_of_predicate(expr, event)


_DERIVED = {
    "has": has,
    "starts": str.startswith,
    "ends": str.endswith,
    "contains": str.__contains__,
    "like": lambda text, operand: like(text, operand, "\\"),
    "matches": _TEXT["MATCHES"],
    "folded equals": lambda text, operand: text.lower() == operand,
    "folded starts": lambda text, operand: text.lower().startswith(operand),
    "folded ends": lambda text, operand: text.lower().endswith(operand),
    "folded contains": lambda text, operand: operand in text.lower(),
    "folded like": lambda text, operand: like(text.lower(), operand, "\\"),
}


def term_holds(term: Term, event: dict[str, Any]) -> bool:
    value = event.get(term.name)
    there = family(value) is not None if term.family == "any" else family(value) == term.family
    if term.kind == "absent":
        return not there
    if not there or term.kind == "present":
        return there
    if term.derived:
        return _DERIVED[term.derived](value, term.values[0]) == (term.kind == "holds")
    value = comparable(value)
    if term.kind in ("in", "not in"):
        return (value in term.values) == (term.kind == "in")
    low, high = term.values
    inside = True
    if low is not None:
        inside &= value > low if term.low_open else value >= low
    if high is not None:
        inside &= value < high if term.high_open else value <= high
    return inside == (term.kind == "range")


def dnf_holds(clauses: list[list[Term]], event: dict[str, Any]) -> bool:
    return any(all(term_holds(term, event) for term in clause) for clause in clauses)


def cnf_holds(clauses: list[list[Term]], event: dict[str, Any]) -> bool:
    return all(any(term_holds(term, event) for term in clause) for clause in clauses)
