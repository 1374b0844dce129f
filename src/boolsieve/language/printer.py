"""The leaves of an expression as canonical text, which parses back to an equal leaf."""

from __future__ import annotations

import datetime
import math
import re

from boolsieve.language.parser import RESERVED
from boolsieve.language.values import Value

_WORDS = re.compile(r"[A-Za-z_][\w$]*(\.[A-Za-z_][\w$]*)*", re.ASCII)


def name_text(name: str) -> str:
    """The name of an attribute, in double quotes only where it needs them."""
    # The pattern is quick for the common case; only the slow test knows the letters of all scripts.
    plain = _WORDS.fullmatch(name) or (not name.isascii() and all(map(_is_word, name.split("."))))
    if plain and name.partition(".")[0].upper() not in RESERVED:
        return name
    return '"' + name.replace('"', '""') + '"'


def _is_word(part: str) -> bool:
    return (part[:1] == "_" or part[:1].isalpha()) and all(c.isalnum() or c in "_$" for c in part)


def literal_text(value: Value) -> str:
    """An operand as a literal of its type."""
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float) and math.isinf(value):
        return "INFINITY" if value > 0 else "-INFINITY"
    if isinstance(value, datetime.datetime):
        return f"TIMESTAMP '{value.replace(tzinfo=None).isoformat(' ')}Z'"
    if isinstance(value, datetime.date):
        return f"DATE '{value.isoformat()}'"
    return repr(value)


def predicate_text(
    name: str, op: str, operands: tuple[Value, ...], negated: bool = False, escape: str | None = None
) -> str:
    """A predicate, with the NOT that belongs to it."""
    subject = name_text(name)
    if op == "ATTRIBUTE":
        return subject
    if op == "IS NULL":
        return f"{subject} IS NOT NULL" if negated else f"{subject} IS NULL"
    if op == "IS DISTINCT FROM":
        return f"{subject} IS {'NOT ' if negated else ''}DISTINCT FROM {literal_text(operands[0])}"
    if op == "BETWEEN":
        tail = f"{literal_text(operands[0])} AND {literal_text(operands[1])}"
    elif op in ("IN", "HAS ANY", "HAS ALL", "HAS NONE"):
        tail = f"({', '.join(map(literal_text, operands))})"
    else:
        tail = literal_text(operands[0])
    if escape is not None:
        tail += f" ESCAPE {literal_text(escape)}"
    return f"{subject} NOT {op} {tail}" if negated else f"{subject} {op} {tail}"
