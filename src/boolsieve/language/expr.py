"""Expressions as Python objects: the tree, and the builder that makes it from Python operators.

Everything that walks a tree keeps its own stack, so a chain of a million ANDs is as safe as one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NoReturn

from boolsieve.language.printer import predicate_text
from boolsieve.language.values import Value, plain_name, plain_pattern, plain_text, plain_value, plain_values

_COMPARISONS = ("=", "!=", "<", "<=", ">", ">=")
_TEXT_TESTS = ("STARTS WITH", "ENDS WITH", "CONTAINS", "MATCHES")
_PATTERNS = ("LIKE", "ILIKE")
_LISTS = ("IN", "HAS ANY", "HAS ALL", "HAS NONE")
_WITH_NOT = ("IN", "BETWEEN", "IS NULL", "IS DISTINCT FROM", *_PATTERNS, *_TEXT_TESTS, "HAS")
_COUNTS = {"ATTRIBUTE": 0, "IS NULL": 0, "BETWEEN": 2}
_OPERATORS = frozenset((*_COMPARISONS, *_TEXT_TESTS, *_PATTERNS, *_LISTS, *_WITH_NOT, "ATTRIBUTE"))


class _Operand:
    """What `&`, `|` and `~` combine: expressions, and attributes that stand alone."""

    __slots__ = ()
    __array_ufunc__ = None  # NumPy's scalars leave their operators to ours

    def __and__(self: Any, other: Expr | Attribute) -> And:
        return And(self, other)

    def __or__(self: Any, other: Expr | Attribute) -> Or:
        return Or(self, other)

    def __rand__(self: Any, other: Any) -> NoReturn:
        raise _not_an_operand(other)

    __ror__ = __rand__

    def __invert__(self: Any) -> Not:
        return Not(self)


class Expr(_Operand):
    """A Boolean expression: immutable, hashable, equal to another of the same structure.

    `&`, `|` and `~` combine expressions; `str()` gives text that parses back to an equal expression.
    """

    __slots__ = ()

    def __bool__(self) -> NoReturn:
        raise TypeError(
            "an expression has no truth value of its own; combine with & | ~ instead of and, or, not, "
            "and write a range as between()"
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Expr):
            return NotImplemented
        pairs: list[tuple[Expr, Expr]] = [(self, other)]
        while pairs:
            one, two = pairs.pop()
            if one is two:
                continue
            if one._key() != two._key():
                return False
            pairs.extend(zip(one._parts(), two._parts(), strict=True))
        return True

    def __hash__(self) -> int:
        # Prefix order tells trees apart, since each kind of node has a fixed number of parts.
        return hash(tuple(item._key() for item in self._walk()))

    def __str__(self) -> str:
        pieces: list[str] = []
        waiting: list[str | Expr] = [self]
        while waiting:
            item = waiting.pop()
            if isinstance(item, str):
                pieces.append(item)
            else:
                waiting.extend(reversed(item._layout()))
        return "".join(pieces)

    def __repr__(self) -> str:
        return f"Expr({str(self)!r})"

    def __reduce__(self) -> tuple[Callable[[str], Expr], tuple[str]]:
        from boolsieve.language.convert import parse

        return parse, (str(self),)

    def __copy__(self) -> Expr:
        return self

    def __deepcopy__(self, memo: object) -> Expr:
        return self

    def _parts(self) -> tuple[Expr, ...]:
        return ()

    def _key(self) -> object:
        """What the node is apart from its parts."""
        return type(self)

    def _layout(self) -> tuple[str | Expr, ...]:
        """Its text, with the parts still to be written."""
        raise NotImplementedError

    def _walk(self) -> Iterator[Expr]:
        """All nodes, in prefix order."""
        waiting: list[Expr] = [self]
        while waiting:
            item = waiting.pop()
            yield item
            waiting.extend(reversed(item._parts()))

    def attributes(self) -> list[str]:
        """The names of the attributes that it tests, sorted."""
        return sorted({item.name for item in self._walk() if isinstance(item, Predicate)})


class _Pair(Expr):
    __slots__ = ("_left", "_right")
    __match_args__ = ("left", "right")

    def __init__(self, left: Expr | Attribute, right: Expr | Attribute) -> None:
        self._left, self._right = _expression(left), _expression(right)

    @property
    def left(self) -> Expr:
        return self._left

    @property
    def right(self) -> Expr:
        return self._right

    def _parts(self) -> tuple[Expr, ...]:
        return self._left, self._right


class And(_Pair):
    """Both must hold."""

    __slots__ = ()

    def _layout(self) -> tuple[str | Expr, ...]:
        return (
            *_grouped(self._left, isinstance(self._left, Or)),
            " AND ",
            *_grouped(self._right, isinstance(self._right, _Pair)),
        )


class Or(_Pair):
    """One must hold."""

    __slots__ = ()

    def _layout(self) -> tuple[str | Expr, ...]:
        return (self._left, " OR ", *_grouped(self._right, isinstance(self._right, Or)))


class Not(Expr):
    """The operand must be false; if it is unknown, so is this."""

    __slots__ = ("_operand",)
    __match_args__ = ("operand",)

    def __init__(self, operand: Expr | Attribute) -> None:
        self._operand = _expression(operand)

    @property
    def operand(self) -> Expr:
        return self._operand

    def _parts(self) -> tuple[Expr, ...]:
        return (self._operand,)

    def _layout(self) -> tuple[str | Expr, ...]:
        return ("NOT ", *_grouped(self._operand, isinstance(self._operand, _Pair)))


class Const(Expr):
    """TRUE or FALSE."""

    __slots__ = ("_value",)
    __match_args__ = ("value",)

    def __init__(self, value: bool) -> None:
        if not isinstance(value, bool):
            raise TypeError(f"a constant is True or False, not {value!r}")
        self._value = value

    @property
    def value(self) -> bool:
        return self._value

    def _key(self) -> object:
        return Const, self._value

    def _layout(self) -> tuple[str | Expr, ...]:
        return ("TRUE" if self._value else "FALSE",)


class Predicate(Expr):
    """A test of one attribute.

    Attributes:
        name: of the attribute.
        op: "=", "!=", "<", "<=", ">", ">=", "IN", "BETWEEN", "IS NULL", "IS DISTINCT FROM", "LIKE", "ILIKE",
            "STARTS WITH", "ENDS WITH", "CONTAINS", "MATCHES", "HAS", "HAS ANY", "HAS ALL", "HAS NONE", or
            "ATTRIBUTE" for a boolean attribute that stands alone.
        operands: bools, ints, floats, strs, dates and datetimes in UTC.
        negated: whether the predicate's own NOT is there (NOT IN, IS NOT NULL, ...).
        escape: the escape character of LIKE and ILIKE.
    """

    __slots__ = ("_escape", "_name", "_negated", "_op", "_operands")
    __match_args__ = ("name", "op", "operands", "negated", "escape")

    def __init__(
        self,
        name: str,
        op: str,
        operands: Iterable[Any] = (),
        negated: bool = False,
        escape: str | None = None,
    ) -> None:
        name = plain_name(name)
        op = op or "ATTRIBUTE"
        if op not in _OPERATORS:
            raise ValueError(f"attribute {name!r}: unknown operator {op!r}")
        if negated and op not in _WITH_NOT:
            raise ValueError(f"attribute {name!r}: {op} has no NOT of its own; use ~")
        if escape is not None and op not in _PATTERNS:
            raise ValueError(f"attribute {name!r}: only LIKE and ILIKE take an escape, not {op}")
        values = plain_values(operands, name) if op in _LISTS else tuple(operands)
        count = _COUNTS.get(op, 1)
        if op not in _LISTS and len(values) != count:
            raise ValueError(f"attribute {name!r}: {op} takes {count} operands, not {len(values)}")
        if op in _PATTERNS:
            pattern, escape = plain_pattern(values[0], escape, name)
            values = (pattern,)
        elif op in _TEXT_TESTS:
            values = (plain_text(values[0], name),)
        elif op not in _LISTS:
            values = tuple(plain_value(value, name) for value in values)
        self._name, self._op, self._operands = name, op, values
        self._negated, self._escape = bool(negated), escape

    @property
    def name(self) -> str:
        return self._name

    @property
    def op(self) -> str:
        return self._op

    @property
    def operands(self) -> tuple[Value, ...]:
        return self._operands

    @property
    def negated(self) -> bool:
        return self._negated

    @property
    def escape(self) -> str | None:
        return self._escape

    def _key(self) -> object:
        # The types keep 1, 1.0 and TRUE apart.
        return (
            self._name,
            self._op,
            self._operands,
            self._negated,
            self._escape,
            (*map(type, self._operands),),
        )

    def _layout(self) -> tuple[str | Expr, ...]:
        return (predicate_text(self._name, self._op, self._operands, self._negated, self._escape),)


def trusted_predicate(
    name: str, op: str, operands: tuple[Value, ...], negated: bool, escape: str | None
) -> Predicate:
    """A predicate from parts that are known to be plain and right: the parser's."""
    predicate = Predicate.__new__(Predicate)
    predicate._name, predicate._op, predicate._operands = name, op, operands
    predicate._negated, predicate._escape = negated, escape
    return predicate


def _grouped(part: Expr, parentheses: bool) -> tuple[str | Expr, ...]:
    return ("(", part, ")") if parentheses else (part,)


def _not_an_operand(other: Any) -> TypeError:
    return TypeError(
        f"only expressions combine with & and |, not {type(other).__name__}; put each comparison in "
        'parentheses: (bs.attr("a") == 1) & (bs.attr("b") < 2)'
    )


def _expression(operand: Expr | Attribute) -> Expr:
    if isinstance(operand, Expr):
        return operand
    if isinstance(operand, Attribute):
        return operand.is_true()
    raise _not_an_operand(operand)


class Attribute(_Operand):
    """An attribute by name; its operators and methods make predicates.

    Alone it stands for "is true": `bs.attr("in_stock") & (bs.attr("price") < 5)`.
    """

    __slots__ = ("_name",)
    __hash__ = None  # type: ignore[assignment]  # == makes an expression, so it cannot be a key

    def __init__(self, name: str) -> None:
        self._name = plain_name(name)

    @property
    def name(self) -> str:
        return self._name

    def __repr__(self) -> str:
        return f"attr({self._name!r})"

    def __bool__(self) -> NoReturn:
        raise TypeError(
            f"attribute {self._name!r} has no truth value of its own; combine with & | ~ instead of "
            "and, or, not"
        )

    def __eq__(self, value: Any) -> Predicate:  # type: ignore[override]
        return self._compare("=", value)

    def __ne__(self, value: Any) -> Predicate:  # type: ignore[override]
        return self._compare("!=", value)

    def __lt__(self, value: Any) -> Predicate:
        return self._compare("<", value)

    def __le__(self, value: Any) -> Predicate:
        return self._compare("<=", value)

    def __gt__(self, value: Any) -> Predicate:
        return self._compare(">", value)

    def __ge__(self, value: Any) -> Predicate:
        return self._compare(">=", value)

    def _compare(self, op: str, *values: Any, negated: bool = False) -> Predicate:
        return Predicate(self._name, op, values, negated)

    def between(self, low: Any, high: Any) -> Predicate:
        """low <= attribute <= high."""
        return self._compare("BETWEEN", low, high)

    def isin(self, values: Iterable[Any]) -> Predicate:
        """Equal to one of the values."""
        return Predicate(self._name, "IN", values)

    def notin(self, values: Iterable[Any]) -> Predicate:
        """Present, and equal to none of the values."""
        return Predicate(self._name, "IN", values, negated=True)

    def like(self, pattern: str, escape: str | None = None) -> Predicate:
        """The whole text matches the pattern: % is any run of characters, _ is one."""
        return Predicate(self._name, "LIKE", (pattern,), escape=escape)

    def ilike(self, pattern: str, escape: str | None = None) -> Predicate:
        """The same in lower case."""
        return Predicate(self._name, "ILIKE", (pattern,), escape=escape)

    def startswith(self, text: str) -> Predicate:
        return self._compare("STARTS WITH", text)

    def endswith(self, text: str) -> Predicate:
        return self._compare("ENDS WITH", text)

    def contains(self, text: str) -> Predicate:
        """The text stands somewhere within; an element of a list is tested by `has`."""
        return self._compare("CONTAINS", text)

    def matches(self, pattern: str) -> Predicate:
        """The regular expression (RE2's syntax) is found somewhere."""
        return self._compare("MATCHES", pattern)

    def has(self, value: Any) -> Predicate:
        """The list holds the value."""
        return self._compare("HAS", value)

    def has_any(self, values: Iterable[Any]) -> Predicate:
        return Predicate(self._name, "HAS ANY", values)

    def has_all(self, values: Iterable[Any]) -> Predicate:
        return Predicate(self._name, "HAS ALL", values)

    def has_none(self, values: Iterable[Any]) -> Predicate:
        return Predicate(self._name, "HAS NONE", values)

    def is_null(self) -> Predicate:
        """Absent."""
        return self._compare("IS NULL")

    def is_not_null(self) -> Predicate:
        """Present."""
        return self._compare("IS NULL", negated=True)

    def is_distinct_from(self, value: Any) -> Predicate:
        """Not equal, or absent; never unknown."""
        return self.is_not_null() if value is None else self._compare("IS DISTINCT FROM", value)

    def is_not_distinct_from(self, value: Any) -> Predicate:
        """Present and equal; never unknown."""
        return self.is_null() if value is None else self._compare("IS DISTINCT FROM", value, negated=True)

    def is_true(self) -> Predicate:
        """The attribute alone, as a boolean."""
        return self._compare("ATTRIBUTE")


def attr(name: str) -> Attribute:
    """The attribute of that name; dots lead into nested records (`item.price`)."""
    return Attribute(name)
