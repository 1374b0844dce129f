"""The meaning of expressions in plain Python: slow, obvious, and independent of the package but for its tree classes.

`evaluate` walks the syntax tree under SQL's three-valued logic and gives True, False or None (unknown). Nothing here
looks at normal forms, keys or engines, so it can judge all of them.

An event with `between` or `any_of` values stands for many plain events, and matches if one of them does. Of the values
in a range, only those need be tried that an operand equals, and the next one after each: all others behave as one of
these. Values are all int64 and float64, all strings, and for times all half microseconds. String predicates on a range
of strings are unknown.
"""

from __future__ import annotations

import datetime as dt
import functools
import itertools
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from boolsieve.encoding.ranges import AnyOf, Between
from boolsieve.language.expr import And, Const, Expr, Not, Or, Predicate

EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.timezone.utc)
ABSENT = ("absent", None)


# --- Values ---


def microseconds(value: dt.date) -> int:
    """A date or datetime in microseconds since 1970 in UTC; without a zone it is UTC already."""
    if not isinstance(value, dt.datetime):
        value = dt.datetime(value.year, value.month, value.day)
    # Subtracting the offset by hand, because astimezone() overflows near the first and the last year.
    offset = value.utcoffset() or dt.timedelta(0)
    return (value.replace(tzinfo=dt.timezone.utc) - EPOCH - offset) // dt.timedelta(microseconds=1)


def typed(value: Any) -> tuple[str, Any]:
    """The family of a value and the value in a form that compares by Python's own operators."""
    if isinstance(value, np.datetime64):
        if np.isnat(value):
            return ABSENT
        return "time", int(value.astype("datetime64[us]").astype(np.int64))
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or value != value:
        return ABSENT
    if isinstance(value, bool):
        return "bool", value
    if isinstance(value, (int, float)):
        return "number", value
    if isinstance(value, str):
        return "string", str.__str__(value)
    if isinstance(value, dt.date):
        return "time", microseconds(value)
    raise AssertionError(f"the oracle knows no value like {value!r}")


@dataclass(frozen=True)
class Tried:
    """One of the values that an attribute may have."""

    family: str
    value: Any
    in_range: bool = True


def event_value(event: Mapping[str, Any], name: str) -> tuple[str, Any]:
    """The family and value of the event's attribute."""
    return value_of(raw_value(event, name))


def raw_value(event: Mapping[str, Any], name: str) -> Any:
    """What the event has for the attribute. A key with dots goes before nested mappings."""
    value: Any = event
    if name in event:
        value = event[name]
    else:
        for part in name.split("."):
            if not isinstance(value, Mapping) or part not in value:
                return None
            value = value[part]
    return value


def value_of(value: Any) -> tuple[str, Any]:
    if isinstance(value, Tried):
        return value.family, value.value
    if isinstance(value, Mapping):  # it holds attributes, and is none
        return ABSENT
    if isinstance(value, (list, tuple, set, frozenset, np.ndarray)):
        return "set", [element for element in map(typed, value) if element != ABSENT]
    return typed(value)


# --- Patterns ---

ANY_RUN, ANY_ONE = object(), object()


def like_tokens(pattern: str, escape: str | None, fold: bool) -> list[Any]:
    """The pattern as a list of characters, ANY_RUN and ANY_ONE."""
    tokens: list[Any] = []
    run: list[str] = []

    def flush() -> None:
        text = "".join(run)
        tokens.extend(text.lower() if fold else text)
        run.clear()

    at = 0
    while at < len(pattern):
        character = pattern[at]
        if escape is not None and character == escape:
            at += 1
            run.append(pattern[at])
        elif character in "%_":
            flush()
            tokens.append(ANY_RUN if character == "%" else ANY_ONE)
        else:
            run.append(character)
        at += 1
    flush()
    return tokens


def like(text: str, pattern: str, escape: str | None, fold: bool) -> bool:
    """LIKE over code points, as the set of pattern positions that the text so far can stand at."""
    tokens = like_tokens(pattern, escape, fold)
    if fold:
        text = text.lower()

    def closed(positions: set[int]) -> set[int]:
        for position in sorted(positions):
            while position < len(tokens) and tokens[position] is ANY_RUN:
                position += 1
                positions.add(position)
        return positions

    positions = closed({0})
    for character in text:
        after = set()
        for position in positions:
            if position < len(tokens):
                token = tokens[position]
                if token is ANY_RUN:
                    after.add(position)
                elif token is ANY_ONE or token == character:
                    after.add(position + 1)
        positions = closed(after)
    return len(tokens) in positions


@functools.lru_cache(maxsize=1000)
def regex(pattern: str) -> re.Pattern[str]:
    """An RE2 pattern of the subset that `re` shares: classes are ASCII, `$` is the end of the text."""
    return re.compile(re.sub(r"(?<!\\)\$", r"\\Z", pattern), re.ASCII)


# --- Predicates ---

COMPARISONS = {
    "=": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}

STRING_TESTS = {
    "LIKE": lambda text, operand, escape: like(text, operand, escape, fold=False),
    "ILIKE": lambda text, operand, escape: like(text, operand, escape, fold=True),
    "STARTS WITH": lambda text, operand, escape: text.startswith(operand),
    "ENDS WITH": lambda text, operand, escape: text.endswith(operand),
    "CONTAINS": lambda text, operand, escape: operand in text,
    "MATCHES": lambda text, operand, escape: regex(operand).search(text) is not None,
}


def negate(outcome: bool | None) -> bool | None:
    return None if outcome is None else not outcome


def any_of(outcomes: list[bool | None]) -> bool | None:
    return True if True in outcomes else None if None in outcomes else False


def all_of(outcomes: list[bool | None]) -> bool | None:
    return negate(any_of([negate(outcome) for outcome in outcomes]))


def compare(op: str, value: tuple[str, Any], operand: tuple[str, Any]) -> bool | None:
    return COMPARISONS[op](value[1], operand[1]) if value[0] == operand[0] else None


def predicate_outcome(predicate: Predicate, event: Mapping[str, Any]) -> bool | None:
    value = event_value(event, predicate.name)
    operands = [typed(operand) for operand in predicate.operands]
    op = predicate.op
    outcome: bool | None
    if op in COMPARISONS:
        outcome = compare(op, value, operands[0])
    elif op == "ATTRIBUTE":
        outcome = compare("=", value, ("bool", True))
    elif op == "IN":
        outcome = any_of([compare("=", value, operand) for operand in operands])
    elif op == "BETWEEN":
        outcome = all_of([compare(">=", value, operands[0]), compare("<=", value, operands[1])])
    elif op == "IS NULL":
        outcome = value == ABSENT
    elif op == "IS DISTINCT FROM":
        outcome = compare("=", value, operands[0]) is not True
    elif op in STRING_TESTS:
        raw = raw_value(event, predicate.name)
        is_string = value[0] == "string" and not (isinstance(raw, Tried) and raw.in_range)
        outcome = STRING_TESTS[op](value[1], operands[0][1], predicate.escape) if is_string else None
    elif op in ("HAS", "HAS ANY", "HAS ALL", "HAS NONE"):
        if value[0] != "set":
            outcome = None
        else:
            has = [operand in value[1] for operand in operands]
            outcome = all(has) if op == "HAS ALL" else not any(has) if op == "HAS NONE" else any(has)
    else:
        raise AssertionError(f"the oracle knows no operator like {op!r}")
    return negate(outcome) if predicate.negated else outcome


# --- Events that stand for many ---


def after(family: str, value: Any) -> Any:
    """The next value of a family; None if there is none."""
    if family == "string":
        return value + "\0"
    if family == "time":
        return value + Fraction(1, 2)
    if value == math.inf:
        return None
    whole = math.floor(value) + 1 if -(2**63) <= value < 2**63 - 1 else None
    real = float(value) if value < math.inf else math.inf
    while not real > value:
        real = math.nextafter(real, math.inf)
    return real if whole is None or real < whole else whole


def in_range(range_: Between, operands: list[tuple[str, Any]]) -> list[Tried]:
    """The values of a range that have to be tried, in view of the operands that they are compared with."""
    low, high = typed(range_.low), typed(range_.high)
    family = low[0] if low != ABSENT else high[0]
    assert (family != "absent" and ABSENT in (low, high)) or low[0] == high[0]

    def inside(value: Any) -> bool:
        return (
            low == ABSENT or value > low[1] or (value == low[1] and range_.closed in ("both", "left"))
        ) and (high == ABSENT or value < high[1] or (value == high[1] and range_.closed in ("both", "right")))

    if family == "bool":
        return [Tried(family, value) for value in (False, True) if inside(value)]
    lowest = {"number": -math.inf, "string": "", "time": typed(dt.datetime.min)[1] - 1}[family]
    starts = [lowest if low == ABSENT else low[1], *(value for kind, value in operands if kind == family)]
    values = [each for start in starts for each in (start, after(family, start)) if each is not None]
    return [Tried(family, value) for value in values if inside(value)]


def tried_values(value: Any, operands: list[tuple[str, Any]]) -> list[Tried]:
    tried = []
    for one in value.values if isinstance(value, AnyOf) else [value]:
        tried += (
            in_range(one, operands) if isinstance(one, Between) else [Tried(*value_of(one), in_range=False)]
        )
    return tried


def plain_events(expression: Expr, event: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Of the plain events that an event stands for, those that can differ for the expression."""
    operands: dict[str, list[tuple[str, Any]]] = {}
    for part in parts_of(expression):
        if isinstance(part, Predicate):
            operands.setdefault(part.name, []).extend(map(typed, part.operands))
    open_names = {name: raw_value(event, name) for name in operands}
    tried = {
        name: tried_values(value, operands[name])
        for name, value in open_names.items()
        if isinstance(value, (AnyOf, Between))
    }
    for values in itertools.product(*tried.values()):
        yield {**event, **dict(zip(tried, values, strict=True))}


def parts_of(expression: Expr) -> Iterator[Expr]:
    todo = [expression]
    while todo:
        node = todo.pop()
        yield node
        if isinstance(node, Not):
            todo.append(node.operand)
        elif isinstance(node, (And, Or)):
            todo += [node.left, node.right]


# --- Expressions ---


def evaluate(expression: Expr, event: Mapping[str, Any]) -> bool | None:
    """True, False or None for unknown. The stack is a list: trees may be 100,000 levels deep."""
    todo: list[tuple[Expr, bool]] = [(expression, False)]
    outcomes: list[bool | None] = []
    while todo:
        node, operands_done = todo.pop()
        if isinstance(node, Const):
            outcomes.append(node.value)
        elif isinstance(node, Predicate):
            outcomes.append(predicate_outcome(node, event))
        elif not operands_done:
            todo.append((node, True))
            if isinstance(node, Not):
                todo.append((node.operand, False))
            else:
                todo.extend([(node.left, False), (node.right, False)])
        elif isinstance(node, Not):
            outcomes.append(negate(outcomes.pop()))
        else:
            pair = [outcomes.pop(), outcomes.pop()]
            assert isinstance(node, (And, Or))
            outcomes.append(all_of(pair) if isinstance(node, And) else any_of(pair))
    (outcome,) = outcomes
    return outcome


def matching(expressions: Mapping[Any, Expr], event: Mapping[str, Any]) -> list[Any]:
    """The ids that an index over these expressions must report, in order."""
    return [
        id_
        for id_, expression in expressions.items()
        if any(evaluate(expression, plain) is True for plain in plain_events(expression, event))
    ]
