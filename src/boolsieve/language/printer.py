"""The leaves of an expression as canonical text, which parses back to an equal leaf."""

from __future__ import annotations

import datetime
import math

from boolsieve.language.parser import RESERVED
from boolsieve.language.values import Value


def name_text(name: str) -> str:
    """The name of an attribute, in double quotes only where it needs them."""
    parts = name.split(".")
    if all(map(_is_word, parts)) and parts[0].upper() not in RESERVED:
        return name
    return '"' + name.replace('"', '""') + '"'


def _is_word(part: str) -> bool:
    # ASCII text without letters and digits of other scripts is the common case, and isidentifier is quick for it.
    if part.isascii():
        return part.replace("$", "_").isidentifier() and not part.startswith("$")
    return (part[0] == "_" or part[0].isalpha()) and all(c.isalnum() or c in "_$" for c in part)


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
    subject, literals = name_text(name), [literal_text(value) for value in operands]
    if op == "ATTRIBUTE":
        return subject
    if op == "IS NULL":
        return f"{subject} IS {'NOT ' if negated else ''}NULL"
    if op == "IS DISTINCT FROM":
        return f"{subject} IS {'NOT ' if negated else ''}DISTINCT FROM {literals[0]}"
    if op == "BETWEEN":
        tail = f"{literals[0]} AND {literals[1]}"
    elif op == "IN" or op in ("HAS ANY", "HAS ALL", "HAS NONE"):
        tail = f"({', '.join(literals)})"
    else:
        tail = literals[0]
    if escape is not None:
        tail += f" ESCAPE {literal_text(escape)}"
    return f"{subject} {'NOT ' if negated else ''}{op} {tail}"
