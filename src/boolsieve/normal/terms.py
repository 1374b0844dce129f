"""Terms as Python objects: one condition on one attribute, as it stands in a clause of a normal form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from boolsieve.language.printer import name_text, predicate_text
from boolsieve.language.values import Value

Family = Literal["any", "number", "string", "bool", "time", "set"]
Kind = Literal["range", "in", "not range", "not in", "present", "absent", "holds", "fails"]

_NOUNS = {"number": "A NUMBER", "string": "A STRING", "bool": "A BOOL", "time": "A TIME", "set": "A SET"}
# Derived predicates -> the operator, and the wildcards that the operand lacks on either side.
_DERIVED = {
    "has": ("HAS", "", ""),
    "starts": ("STARTS WITH", "", ""),
    "ends": ("ENDS WITH", "", ""),
    "contains": ("CONTAINS", "", ""),
    "like": ("LIKE", "", ""),
    "matches": ("MATCHES", "", ""),
    "folded equals": ("ILIKE", "", ""),
    "folded starts": ("ILIKE", "", "%"),
    "folded ends": ("ILIKE", "%", ""),
    "folded contains": ("ILIKE", "%", "%"),
    "folded like": ("ILIKE", "", ""),
}


@dataclass(frozen=True, slots=True, repr=False)
class Term:
    r"""One condition on one attribute.

    `str()` writes it in the language of expressions; only "has a value of that family" and "has none" have no
    words there and read `a IS A NUMBER`, `a IS NOT A NUMBER`.

    Attributes:
        name: of the attribute.
        family: of the values that it tests; "any" for presence as such.
        kind: "range", "in", "not range" (outside a closed range), "not in", "present", "absent", "holds",
            "fails".
        values: the two ends of a range, the members of a set, or the operand of a derived predicate. A
            missing end of a range is None. In the operand of "like" and "folded like", \ is the escape.
        low_open, high_open: of a range, whether the end itself is excluded.
        derived: which predicate holds or fails, such as "starts", "has", "folded contains"; else "".
    """

    name: str
    family: Family
    kind: Kind
    values: tuple[Value | None, ...] = ()
    low_open: bool = False
    high_open: bool = False
    derived: str = ""

    def __repr__(self) -> str:
        return f"Term({str(self)!r})"

    def __str__(self) -> str:
        negated = self.kind in ("not range", "not in", "absent", "fails")
        if self.kind in ("present", "absent"):
            if self.family == "any":
                return predicate_text(self.name, "IS NULL", (), not negated)
            return f"{name_text(self.name)} IS {'NOT ' if negated else ''}{_NOUNS[self.family]}"
        values = tuple(value for value in self.values if value is not None)
        if self.derived:
            return self._derived_text(values[0], negated)
        if self.kind in ("in", "not in"):
            if len(values) == 1:
                return predicate_text(self.name, "!=" if negated else "=", values)
            return predicate_text(self.name, "IN", values, negated)
        if len(values) == 2 and not (self.low_open or self.high_open):
            return predicate_text(self.name, "BETWEEN", values, negated)
        low, high = self.values
        ends = []
        if low is not None:
            ends.append(predicate_text(self.name, ">" if self.low_open else ">=", (low,)))
        if high is not None:
            ends.append(predicate_text(self.name, "<" if self.high_open else "<=", (high,)))
        return " AND ".join(ends)

    def _derived_text(self, operand: Value, negated: bool) -> str:
        operator, head, tail = _DERIVED[self.derived]
        if operator not in ("LIKE", "ILIKE"):
            return predicate_text(self.name, operator, (operand,), negated)
        assert isinstance(operand, str)
        if not self.derived.endswith("like"):
            operand = "".join("\\" + c if c in "%_\\" else c for c in operand)
        escape = "\\" if "\\" in operand else None
        return predicate_text(self.name, operator, (head + operand + tail,), negated, escape)


def pattern_text(operand: bytes) -> str:
    """The operand of a term as text; a pattern (0xFF and 0xFE are its wildcards) gets escapes."""
    if b"\xff" in operand or b"\xfe" in operand:
        for plain in (b"\\", b"%", b"_"):
            operand = operand.replace(plain, b"\\" + plain)
    return operand.replace(b"\xff", b"%").replace(b"\xfe", b"_").decode()
