"""The exceptions. Each derives from `BoolsieveError` and from the builtin that fits."""

from __future__ import annotations


class BoolsieveError(Exception):
    """The base of all errors that boolsieve raises on purpose."""


class ParseError(BoolsieveError, ValueError):
    """Text that is not an expression.

    Attributes:
        text: what was parsed.
        line, column: where, counted from 1 in characters.
        expected: what would have been right there.
    """

    def __init__(
        self, problem: str, text: str = "", line: int = 1, column: int = 1, expected: str = ""
    ) -> None:
        self.problem, self.text, self.line, self.column, self.expected = problem, text, line, column, expected
        super().__init__(problem)

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return type(self), (self.problem, self.text, self.line, self.column, self.expected)

    def __str__(self) -> str:
        message = f"{self.problem} at line {self.line}, column {self.column}"
        if self.expected:
            message += f": expected {self.expected}"
        lines = self.text.split("\n")
        if self.line > len(lines):
            return message
        # A long line is cut around the place, so that the caret stays in sight.
        shown, at = lines[self.line - 1], self.column - 1
        left = max(0, at - 60)
        right = min(len(shown), at + 40)
        head, tail = ("..." if left else ""), ("..." if right < len(shown) else "")
        pad = "".join("\t" if c == "\t" else " " for c in shown[left:at])
        return f"{message}\n  {head}{shown[left:right]}{tail}\n  {' ' * len(head)}{pad}^"


class BudgetError(BoolsieveError, ValueError):
    """An expression whose normal form has more clauses than allowed, or a range more values than an engine takes.

    Attributes:
        needed: how many clauses it would have before simplification, or values.
        budget: how many are allowed.
    """

    def __init__(self, message: str, needed: int = 0, budget: int = 0) -> None:
        self.needed, self.budget = needed, budget
        super().__init__(message)

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return type(self), (self.args[0], self.needed, self.budget)


class EncodingError(BoolsieveError, TypeError):
    """A value, a column or an id of a type that cannot be taken."""


class UnknownIdError(BoolsieveError, KeyError):
    """An id that the index does not hold."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class DuplicateIdError(BoolsieveError, ValueError):
    """An id that the index holds already."""


class StorageError(BoolsieveError, OSError):
    """A file that cannot be read or written as an index."""

    def __str__(self) -> str:  # also where errno is set
        return str(self.args[0]) if self.args else ""
