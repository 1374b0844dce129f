"""What users would pick instead of an index, behind one interface: each takes the expressions and counts matches.

All but the closures work on what their package is good at, so they refuse (`UnsupportedError`) what it cannot say, and
numbers beyond 2**53, which not all of them compare exactly. Packages are optional: `rivals` lists those that can run
here, `missing` says how to get the others.
"""

from __future__ import annotations

import datetime as dt
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from boolsieve.errors import BoolsieveError
from boolsieve.language import And, Const, Expr, Not, Or, Predicate, parse
from boolsieve.language.values import Value, plain_value

Event = Mapping[str, Any]
Pairs = tuple[NDArray[np.int64], NDArray[np.int64]]  # events and expressions, by position

_NEGATED = {"=": "!=", "!=": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
_TEXT = ("LIKE", "ILIKE", "STARTS WITH", "ENDS WITH", "CONTAINS", "MATCHES")
_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.timezone.utc)
_EXACT = 2**53


class UnsupportedError(BoolsieveError, ValueError):
    """An expression or event that a rival cannot take."""


# --- From expressions to simple tests ---


class _Test(NamedTuple):
    """A test that is true or not true: there is no third outcome left.

    `op` is a comparison, IN, BETWEEN, IS NULL, IS DISTINCT FROM, HAS, or a test of text. All but IS NULL and IS
    DISTINCT FROM ask for an attribute that is present and of the family; only IS NULL has no family. Operands are
    bools, numbers, strings, and microseconds for times.
    """

    name: str
    family: str  # number, text, bool, time; in HAS that of the operand
    op: str
    operands: tuple[Any, ...] = ()
    negated: bool = False
    escape: str | None = None

    @property
    def column(self) -> str:
        """What an attribute must hold to be tested so."""
        return f"list of {self.family}" if self.op == "HAS" else self.family


def _typed(value: Value) -> tuple[str, Any]:
    if isinstance(value, bool):
        return "bool", value
    if isinstance(value, str):
        return "text", value
    if isinstance(value, dt.date):
        if not isinstance(value, dt.datetime):
            value = dt.datetime(value.year, value.month, value.day, tzinfo=dt.timezone.utc)
        return "time", (value - _EPOCH) // dt.timedelta(microseconds=1)
    return "number", value


class _Translator(ABC):
    """From a tree to another form. A node is asked for when it is true or when it is false, never for more."""

    @abstractmethod
    def test(self, test: _Test) -> Any: ...

    @abstractmethod
    def join(self, every: bool, parts: list[Any]) -> Any:
        """All of the parts, or one of them."""

    @abstractmethod
    def constant(self, value: bool) -> Any: ...

    def translate(self, expression: Expr) -> Any:
        """With a stack of its own, so that long chains are safe."""
        done: list[Any] = []
        todo: list[tuple[Expr, bool] | tuple[bool, int]] = [(expression, True)]
        while todo:
            item, wanted = todo.pop()
            if isinstance(item, bool):
                parts = done[-wanted:]
                del done[-wanted:]
                done.append(self.join(item, parts))
            elif isinstance(item, Const):
                done.append(self.constant(item.value is wanted))
            elif isinstance(item, Predicate):
                done.append(self._predicate(item, bool(wanted)))
            elif isinstance(item, Not):
                todo.append((item.operand, not wanted))
            else:
                every = isinstance(item, And) is wanted
                parts = list(_chain(item, bool(wanted), every))
                todo.append((every, len(parts)))
                todo.extend(reversed(parts))
        return done[0]

    def _predicate(self, predicate: Predicate, wanted: bool) -> Any:
        name, op = predicate.name, predicate.op
        wanted = wanted is not predicate.negated
        typed = [_typed(operand) for operand in predicate.operands]
        families = {family for family, _ in typed}
        if op == "ATTRIBUTE":
            return self.test(_Test(name, "bool", "=", (wanted,)))
        if op == "IS NULL":
            return self.test(_Test(name, "", op, (), not wanted))
        if op in ("HAS ANY", "HAS ALL", "HAS NONE", "HAS"):
            holds = wanted is not (op == "HAS NONE")
            tests = [_Test(name, family, "HAS", (x,), not holds) for family, x in typed]
            return self._joined((op == "HAS ALL") is holds, tests)
        if op == "IN":
            if not wanted and len(families) > 1:
                return self.constant(False)  # a value is of one family, so an equality is always unknown
            lists = [(f, tuple(x for family, x in typed if family == f)) for f in sorted(families)]
            return self._joined(False, [_Test(name, f, op, xs, not wanted) for f, xs in lists])
        if op == "BETWEEN" and not (wanted and len(families) == 1):
            bounds = zip((">=", "<="), typed, strict=True)
            ops = [(o if wanted else _NEGATED[o], f, x) for o, (f, x) in bounds]
            return self._joined(wanted, [_Test(name, f, o, (x,)) for o, f, x in ops])
        operands, family = tuple(x for _, x in typed), typed[0][0]
        if op in _NEGATED:
            return self.test(_Test(name, family, op if wanted else _NEGATED[op], operands))
        if op == "IS DISTINCT FROM" and not wanted:
            return self.test(_Test(name, family, "=", operands))
        return self.test(_Test(name, family, op, operands, not wanted, predicate.escape))

    def _joined(self, every: bool, tests: list[_Test]) -> Any:
        parts = [self.test(test) for test in tests]
        return parts[0] if len(parts) == 1 else self.join(every, parts)


def _chain(node: Expr, wanted: bool, every: bool) -> Iterator[tuple[Expr, bool]]:
    """The operands of an AND of ANDs, or of an OR of ORs, in order."""
    todo = [(node, wanted)]
    while todo:
        node, wanted = todo.pop()
        if isinstance(node, Not):
            todo.append((node.operand, not wanted))
        elif isinstance(node, (And, Or)) and isinstance(node, And) is (wanted is every):
            todo.extend([(node.right, wanted), (node.left, wanted)])
        else:
            yield node, wanted


def _like(pattern: str, escape: str | None, fold: bool) -> str:
    """The regular expression of a LIKE pattern."""
    pieces: list[str] = []
    literal = ""
    characters = iter(pattern)
    for character in characters:
        if character == escape:
            literal += next(characters)
        elif character in "%_":
            pieces += [re.escape(literal.lower() if fold else literal), ".*" if character == "%" else "."]
            literal = ""
        else:
            literal += character
    return "".join([*pieces, re.escape(literal.lower() if fold else literal)])


def _regex(test: _Test) -> str:
    """What the whole text must match, in the notation of `re`."""
    operand = test.operands[0]
    if test.op in ("LIKE", "ILIKE"):
        body = _like(operand, test.escape, test.op == "ILIKE")
    else:
        before = "" if test.op == "STARTS WITH" else ".*"
        after = "" if test.op == "ENDS WITH" else ".*"
        body = before + re.escape(operand) + after
    return f"(?s:{body})"


# --- Events ---


def _values(event: Event) -> dict[str, Any]:
    """The attributes that are present: nested mappings as dotted names, lists as lists of plain values."""
    found: dict[str, Any] = {}
    nested: list[tuple[str, Event]] = []
    for name, value in event.items():
        if isinstance(value, Mapping):
            if "." not in name:
                nested.append((name, value))
        elif isinstance(value, (list, tuple, set, frozenset, np.ndarray)):
            found[name] = [plain_value(x, name) for x in value if x is not None and x == x]
        elif value is not None and value == value:
            found[name] = plain_value(value, name)
    for outer, mapping in nested:
        inner = {name: value for name, value in mapping.items() if "." not in name}
        for name, value in _values(inner).items():
            found.setdefault(f"{outer}.{name}", value)
    return found


# --- The interface ---


class Rival(ABC):
    """Another way to find the expressions that hold.

    Args:
        texts: the expressions in our language. What the rival cannot take raises `UnsupportedError`, before any work.
    """

    name: str
    needs: tuple[str, ...] = ()  # packages, by the names that pip takes

    @abstractmethod
    def __init__(self, texts: Sequence[str]) -> None: ...

    @abstractmethod
    def matches(self, events: Sequence[Event]) -> list[list[int]]:
        """For each event the positions of the expressions that hold, in order."""

    def counts(self, events: Sequence[Event]) -> list[int]:
        """For each event the number of expressions that hold."""
        return [len(row) for row in self.matches(events)]


def _translated(translator: _Translator, texts: Sequence[str]) -> list[Any]:
    """The expressions in the translator's form; errors say which one it was."""
    result = []
    for position, text in enumerate(texts):
        try:
            result.append(translator.translate(parse(text)))
        except UnsupportedError as error:
            raise UnsupportedError(f"expression {position}: {error}") from None
    return result


class _Pairwise(Rival):
    """A rival that finds pairs of event and expression, in any order."""

    @abstractmethod
    def _pairs(self, events: Sequence[Event]) -> Pairs: ...

    def matches(self, events: Sequence[Event]) -> list[list[int]]:
        rows, expressions = self._pairs(events)
        order = np.lexsort((expressions, rows))
        ends = np.cumsum(np.bincount(rows, minlength=len(events)))[:-1]
        return [part.tolist() for part in np.split(expressions[order], ends)] if len(events) else []

    def counts(self, events: Sequence[Event]) -> list[int]:
        counts: list[int] = np.bincount(self._pairs(events)[0], minlength=len(events)).tolist()
        return counts


class _Columns:
    """The attributes of the expressions as columns c0, c1, ..., each of one kind."""

    def __init__(self, rival: str) -> None:
        self._rival = rival
        self._places: dict[str, int] = {}
        self.kinds: list[
            str
        ] = []  # a family, "list of" one, or "" for a column that is only tested for presence

    def __call__(self, test: _Test) -> str:
        """The column that is tested."""
        at = self._places.setdefault(test.name, len(self._places))
        if at == len(self.kinds):
            self.kinds.append("")
        if test.column:
            if self.kinds[at] not in ("", test.column):
                raise UnsupportedError(
                    f"{self._rival} has columns of one type, but attribute {test.name!r} is tested as "
                    f"{self.kinds[at]} and as {test.column}"
                )
            self.kinds[at] = test.column
        if test.family in ("number", "time"):
            for operand in test.operands:
                self._check(operand, test.name)
        return f"c{at}"

    def _check(self, value: float, name: str) -> None:
        if abs(value) > _EXACT:
            raise UnsupportedError(f"{self._rival} does not compare {value!r} of {name!r} exactly")

    def rows(self, events: Sequence[Event]) -> Iterator[dict[int, Any]]:
        """Each event by columns."""
        for position, event in enumerate(events):
            try:
                yield dict(self._row(_values(event)))
            except UnsupportedError as error:
                raise UnsupportedError(f"event {position}: {error}") from None

    def _row(self, event: dict[str, Any]) -> Iterator[tuple[int, Any]]:
        for name, value in event.items():
            at = self._places.get(name, -1)
            if at < 0:
                continue
            kind = self.kinds[at]
            if not kind:
                yield at, True
            elif isinstance(value, list) and kind.startswith("list of "):
                # Elements of other families are just not equal.
                yield at, [x for f, x in map(_typed, value) if f == kind[8:]]
            else:
                family, plain = _typed(value) if not isinstance(value, list) else ("list", None)
                if family != kind:
                    raise UnsupportedError(
                        f"attribute {name!r} holds {family}, but {self._rival} has a column of {kind}"
                    )
                if isinstance(plain, (int, float)):
                    self._check(plain, name)
                yield at, plain

    def columns(self, events: Sequence[Event]) -> list[list[Any]]:
        """Each column with None where an attribute is absent."""
        columns: list[list[Any]] = [[None] * len(events) for _ in self.kinds]
        for position, row in enumerate(self.rows(events)):
            for at, value in row.items():
                columns[at][position] = value
        return columns


class _Text(_Translator):
    """A translator to text in which AND and OR are `words`."""

    words = ("and", "or")
    constants = ("False", "True")

    def __init__(self, columns: _Columns) -> None:
        self.columns = columns

    def join(self, every: bool, parts: list[str]) -> str:
        return "(" + f" {self.words[not every]} ".join(parts) + ")"

    def constant(self, value: bool) -> str:
        return self.constants[value]


# --- A Python loop ---

Check = Callable[[dict[str, Any]], bool]


class _Closure(_Translator):
    """To a function of an event whose keys say the family too, so that one lookup tells absent and other families."""

    def join(self, every: bool, parts: list[Check]) -> Check:
        fixed = tuple(parts)

        def check_all(event: dict[str, Any]) -> bool:
            for check in fixed:  # noqa: SIM110  (all() over a generator takes half as long again)
                if not check(event):
                    return False
            return True

        def check_any(event: dict[str, Any]) -> bool:
            for check in fixed:  # noqa: SIM110
                if check(event):
                    return True
            return False

        return check_all if every else check_any

    def constant(self, value: bool) -> Check:
        return lambda e: value

    def test(self, test: _Test) -> Check:
        key = f"{'list' if test.op == 'HAS' else test.family}:{test.name}"
        op, negated, operands = test.op, test.negated, test.operands
        if op == "IS NULL":
            return (lambda e: key in e) if negated else (lambda e: key not in e)
        x = operands[0]
        if op == "=":
            return lambda e: e.get(key) == x
        if op == "IS DISTINCT FROM":
            return lambda e: e.get(key) != x
        if op == "!=":
            return lambda e: (v := e.get(key)) is not None and v != x
        if op == "<":
            return lambda e: (v := e.get(key)) is not None and v < x
        if op == "<=":
            return lambda e: (v := e.get(key)) is not None and v <= x
        if op == ">":
            return lambda e: (v := e.get(key)) is not None and v > x
        if op == ">=":
            return lambda e: (v := e.get(key)) is not None and v >= x
        if op == "BETWEEN":
            y = operands[1]
            return lambda e: (v := e.get(key)) is not None and x <= v <= y
        if op == "IN":
            members = frozenset(operands)
            if negated:
                return lambda e: (v := e.get(key)) is not None and v not in members
            return lambda e: e.get(key) in members
        if op == "HAS":
            element = (test.family, x)
            return lambda e: (v := e.get(key)) is not None and (element in v) is not negated
        found = self._text_test(test)
        return lambda e: (v := e.get(key)) is not None and found(v) is not negated

    @staticmethod
    def _text_test(test: _Test) -> Callable[[str], bool]:
        x = test.operands[0]
        if test.op == "STARTS WITH":
            return lambda v: v.startswith(x)
        if test.op == "ENDS WITH":
            return lambda v: v.endswith(x)
        if test.op == "CONTAINS":
            return lambda v: x in v
        if test.op == "MATCHES":
            raise UnsupportedError("closures have no MATCHES: Python's expressions are not RE2's")
        pattern = re.compile(_regex(test))
        if test.op == "ILIKE":
            return lambda v: pattern.fullmatch(v.lower()) is not None
        return lambda v: pattern.fullmatch(v) is not None


class Closures(Rival):
    """A Python loop over the expressions, each compiled to nested functions."""

    name = "closures"

    def __init__(self, texts: Sequence[str]) -> None:
        self._checks: list[Check] = _translated(_Closure(), texts)

    def matches(self, events: Sequence[Event]) -> list[list[int]]:
        return [
            [at for at, check in enumerate(self._checks) if check(event)]
            for event in map(self._keyed, events)
        ]

    @staticmethod
    def _keyed(event: Event) -> dict[str, Any]:
        keyed: dict[str, Any] = {}
        for name, value in _values(event).items():
            keyed[f":{name}"] = True
            if isinstance(value, list):
                keyed[f"list:{name}"] = frozenset(map(_typed, value))
            else:
                family, plain = _typed(value)
                keyed[f"{family}:{name}"] = plain
        return keyed


# --- pandas ---


class _PandasText(_Text):
    constants = ("(index != index)", "(index == index)")

    def test(self, test: _Test) -> str:
        column, op = self.columns(test), test.op
        # Where numbers are absent stands NaN, which fails all but !=. Other columns have a second one that tells.
        present = f"{column} == {column}" if test.family in ("number", "time") else f"p{column}"
        if op == "IS NULL":
            return f"p{column}" if test.negated else f"(not p{column})"
        if op in ("HAS", "ILIKE", "MATCHES"):
            raise UnsupportedError(f"pandas' eval has no {op}")
        x = repr(test.operands[0])
        if op == "IS DISTINCT FROM":
            return f"({column} != {x} or not p{column})"
        if op == "IN":
            condition = f"{column} {'not in' if test.negated else 'in'} {list(test.operands)!r}"
        elif op == "BETWEEN":
            condition = f"{column} >= {x} and {column} <= {test.operands[1]!r}"
        elif op in _TEXT:
            condition = f"{'not ' * test.negated}{column}.str.fullmatch({_regex(test)!r})"
        else:
            condition = f"{column} {'==' if op == '=' else op} {x}"
        if present.startswith("p") or op == "!=" or test.negated:
            condition = f"{condition} and {present}"
        return f"({condition})"


class PandasEval(_Pairwise):
    """`DataFrame.eval`, the engine of `query`, once an expression over all events."""

    name = "pandas eval"
    needs = ("pandas",)

    def __init__(self, texts: Sequence[str]) -> None:
        self._columns = _Columns(self.name)
        self._conditions: list[str] = _translated(_PandasText(self._columns), texts)

    def _pairs(self, events: Sequence[Event]) -> Pairs:
        frame = self._frame(events)
        rows = [np.flatnonzero(frame.eval(condition).to_numpy()) for condition in self._conditions]
        sizes = [len(row) for row in rows]
        found = np.concatenate([np.empty(0, np.int64), *rows])
        return found, np.repeat(np.arange(len(rows), dtype=np.int64), sizes)

    def _frame(self, events: Sequence[Event]) -> Any:
        pandas = import_module("pandas")
        series: dict[str, Any] = {}
        for at, (kind, values) in enumerate(
            zip(self._columns.kinds, self._columns.columns(events), strict=True)
        ):
            present = np.array([value is not None for value in values], dtype=bool)
            series[f"pc{at}"] = present
            if kind in ("number", "time"):
                series[f"c{at}"] = np.array(values, dtype=np.float64)
            elif kind == "text":
                series[f"c{at}"] = pandas.Series(["" if v is None else v for v in values], dtype=str)
            elif kind == "bool":
                series[f"c{at}"] = np.array([value is True for value in values], dtype=bool)
        return pandas.DataFrame(series, index=pandas.RangeIndex(len(events)))


# --- DuckDB: expressions as SQL ---


class _Sql(_Text):
    words = ("AND", "OR")
    constants = ("FALSE", "TRUE")
    functions = {
        "STARTS WITH": "starts_with",
        "ENDS WITH": "suffix",
        "CONTAINS": "contains",
        "MATCHES": "regexp_matches",
        "HAS": "list_contains",
    }

    def test(self, test: _Test) -> str:
        column, op = self.columns(test), test.op
        literals = [_sql_literal(operand) for operand in test.operands]
        if op == "IS NULL":
            return f"{column} IS {'NOT ' * test.negated}NULL"
        if op in self.functions:
            condition = f"{self.functions[op]}({column}, {literals[0]})"
        elif op == "IN":
            condition = f"{column} IN ({', '.join(literals)})"
        elif op == "BETWEEN":
            condition = f"{column} BETWEEN {literals[0]} AND {literals[1]}"
        else:
            condition = f"{column} {op} {literals[0]}"
            if test.escape is not None:
                # It takes one byte, and puts an ILIKE pattern into lower case before it looks for it.
                if not test.escape.isascii() or test.escape.isalpha():
                    raise UnsupportedError(f"DuckDB takes no escape {test.escape!r}")
                condition += f" ESCAPE {_sql_literal(test.escape)}"
        return f"(NOT {condition})" if test.negated else f"({condition})"


def _sql_literal(value: Any) -> str:
    if isinstance(value, str):
        if "\0" in value:
            raise UnsupportedError("DuckDB's text holds no character NUL")
        return "'" + value.replace("'", "''") + "'"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    return repr(value) if "e" in repr(value) else f"{value!r}e0"  # an exponent makes it a DOUBLE


class DuckDBSql(_Pairwise):
    """A table of events, and each expression a column of a SELECT; on one thread, which keeps the order of rows."""

    name = "DuckDB SQL"
    needs = ("duckdb", "pyarrow")

    # Conditions in one query. On 64 events a condition costs 3 ms alone, 0.5 ms among 50, 0.4 ms among 200. With the
    # optimizer, which takes time in proportion to the square, it is 3 ms among 5 and 130 ms among 200.
    CHUNK = 100

    def __init__(self, texts: Sequence[str]) -> None:
        self._columns = _Columns("DuckDB")
        self._conditions: list[str] = _translated(_Sql(self._columns), texts)
        self._connection = import_module("duckdb").connect(config={"threads": 1})
        self._connection.execute("PRAGMA disable_optimizer")

    def _pairs(self, events: Sequence[Event]) -> Pairs:
        self._connection.register("events", self._table(events))
        rows, expressions = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
        for start in range(0, len(self._conditions), self.CHUNK):
            conditions = self._conditions[start : start + self.CHUNK]
            columns = ", ".join(f"coalesce({text}, FALSE) AS e{at}" for at, text in enumerate(conditions))
            found = self._connection.execute(f"SELECT {columns} FROM events").fetchnumpy()
            table = np.array([found[f"e{at}"] for at in range(len(conditions))], dtype=bool)
            at, row = np.nonzero(table)
            rows.append(row)
            expressions.append(at + start)
        return np.concatenate(rows), np.concatenate(expressions)

    def _table(self, events: Sequence[Event]) -> Any:
        arrow = import_module("pyarrow")
        types = {
            "": arrow.bool_(),
            "bool": arrow.bool_(),
            "number": arrow.float64(),
            "time": arrow.float64(),
            "text": arrow.string(),
        }
        types |= {f"list of {kind}": arrow.list_(types[kind]) for kind in ("bool", "number", "time", "text")}
        columns = self._columns.columns(events)
        arrays = {
            f"c{at}": arrow.array(values, types[kind])
            for at, (kind, values) in enumerate(zip(self._columns.kinds, columns, strict=True))
        }
        return arrow.table({"row": arrow.array(range(len(events)), arrow.int64()), **arrays})


# --- Interval joins ---


class _Ranges(_Translator):
    """To a list of (attribute, low, high), closed on both sides: conjunctions of comparisons with numbers."""

    def __init__(self, columns: _Columns) -> None:
        self.columns = columns

    def join(self, every: bool, parts: list[list[tuple[int, float, float]]]) -> Any:
        if not every:
            raise UnsupportedError("an interval join has no OR")
        return [interval for part in parts for interval in part]

    def constant(self, value: bool) -> Any:
        raise UnsupportedError(f"an interval join has no {'TRUE' if value else 'FALSE'}")

    def test(self, test: _Test) -> list[tuple[int, float, float]]:
        op = test.op
        if op not in ("=", "<", "<=", ">", ">=", "BETWEEN"):
            raise UnsupportedError(f"an interval join has no {'NOT ' * test.negated}{op}")
        if test.family not in ("number", "time"):
            raise UnsupportedError(f"an interval join knows numbers, not {test.family} as of {test.name!r}")
        at, x = int(self.columns(test)[1:]), float(test.operands[0])
        # All values are exact as doubles, so "less" is "at most the double before".
        low = x if op in ("=", ">=", "BETWEEN") else np.nextafter(x, np.inf) if op == ">" else -np.inf
        high = x if op in ("=", "<=") else np.nextafter(x, -np.inf) if op == "<" else np.inf
        return [(at, low, float(test.operands[1]) if op == "BETWEEN" else high)]


class _IntervalJoin(_Pairwise):
    """Ranges as rows (expression, attribute, low, high, size), events as rows (event, attribute, value).

    A range and a value of the same attribute join where the range holds the value; an expression holds if as many rows
    joined as it has attributes.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self._columns = _Columns(self.name)
        rows: list[tuple[int, int, float, float, int]] = []
        for position, ranges in enumerate(_translated(_Ranges(self._columns), texts)):
            merged: dict[int, tuple[float, float]] = {}
            for at, low, high in ranges:
                lowest, highest = merged.get(at, (-np.inf, np.inf))
                merged[at] = max(low, lowest), min(high, highest)
            rows += [(position, at, low, high, len(merged)) for at, (low, high) in merged.items()]
        types = {
            "expression": np.int64,
            "attribute": np.int64,
            "low": np.float64,
            "high": np.float64,
            "size": np.int64,
        }
        columns = zip(*rows, strict=True) if rows else ([] for _ in types)
        self._ranges: dict[str, NDArray[Any]] = {
            name: np.array(values, dtype=type_)
            for (name, type_), values in zip(types.items(), columns, strict=True)
        }

    def _event_rows(self, events: Sequence[Event]) -> dict[str, NDArray[Any]]:
        rows = [dict(row) for row in self._columns.rows(events)]
        sizes = [len(row) for row in rows]
        return {
            "event": np.repeat(np.arange(len(rows), dtype=np.int64), sizes),
            "attribute": np.array([at for row in rows for at in row], dtype=np.int64),
            "value": np.array([value for row in rows for value in row.values()], dtype=np.float64),
        }


class DuckDBJoin(_IntervalJoin):
    """The interval join in SQL, on one thread."""

    name = "DuckDB interval join"
    needs = ("duckdb", "pyarrow")

    QUERY = """
        SELECT event, expression
        FROM events JOIN ranges ON events.attribute = ranges.attribute AND value BETWEEN low AND high
        GROUP BY event, expression, size HAVING count(*) = size
    """

    def __init__(self, texts: Sequence[str]) -> None:
        super().__init__(texts)
        self._connection = import_module("duckdb").connect(config={"threads": 1})
        self._register("given", self._ranges)
        self._connection.execute("CREATE TABLE ranges AS SELECT * FROM given")
        self._connection.unregister("given")

    def _register(self, name: str, columns: dict[str, NDArray[Any]]) -> None:
        self._connection.register(name, import_module("pyarrow").table(columns))

    def _pairs(self, events: Sequence[Event]) -> Pairs:
        self._register("events", self._event_rows(events))
        found = self._connection.execute(self.QUERY).fetchnumpy()
        return found["event"], found["expression"]


class PolarsJoin(_IntervalJoin):
    """The interval join by `join_where`."""

    name = "polars join_where"
    needs = ("polars",)

    def __init__(self, texts: Sequence[str]) -> None:
        super().__init__(texts)
        columns = {"of" if name == "attribute" else name: column for name, column in self._ranges.items()}
        self._frame = import_module("polars").DataFrame(columns)

    def _pairs(self, events: Sequence[Event]) -> Pairs:
        polars = import_module("polars")
        col = polars.col
        joined = polars.DataFrame(self._event_rows(events)).join_where(
            self._frame,
            col("attribute") == col("of"),
            col("value") >= col("low"),
            col("value") <= col("high"),
        )
        counted = joined.group_by("event", "expression").agg(polars.len(), col("size").first())
        found = counted.filter(col("len") == col("size"))
        return found["event"].to_numpy(), found["expression"].to_numpy()


# --- rule-engine ---


class _RuleText(_Text):
    constants = ("false", "true")

    def test(self, test: _Test) -> str:
        column, op = self.columns(test), test.op
        if op == "IS NULL":
            return f"{column} {'!=' if test.negated else '=='} null"
        x = _rule_literal(test.operands[0])
        if op in ("ILIKE", "MATCHES"):
            raise UnsupportedError(f"rule-engine has no {op}")
        if op == "=":
            return f"{column} == {x}"
        if op == "IS DISTINCT FROM":
            return f"{column} != {x}"
        if op == "IN":
            condition = f"{column} in [{', '.join(map(_rule_literal, test.operands))}]"
        elif op == "HAS":
            condition = f"{x} in {column}"
        elif op == "BETWEEN":
            condition = f"{column} >= {x} and {column} <= {_rule_literal(test.operands[1])}"
        elif op in _TEXT:
            condition = f"{column} =~ {_rule_literal(_regex(test) + chr(92) + 'Z')}"
        else:
            condition = f"{column} {op} {x}"
        if test.negated:
            condition = f"not ({condition})"
        return f"({column} != null and {condition})"


def _rule_literal(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else repr(value)


class RuleEngine(Rival):
    """A `rule_engine.Rule` an expression, asked one after the other."""

    name = "rule-engine"
    needs = ("rule-engine",)

    def __init__(self, texts: Sequence[str]) -> None:
        self._columns = _Columns(self.name)
        rules = _translated(_RuleText(self._columns), texts)
        engine = import_module("rule_engine")
        context = engine.Context(default_value=None)
        self._rules = [engine.Rule(rule, context=context) for rule in rules]

    def matches(self, events: Sequence[Event]) -> list[list[int]]:
        named = [{f"c{at}": value for at, value in row.items()} for row in self._columns.rows(events)]
        return [[at for at, rule in enumerate(self._rules) if rule.matches(event)] for event in named]


# --- The registry ---

_ALL: tuple[type[Rival], ...] = (Closures, PandasEval, DuckDBSql, DuckDBJoin, PolarsJoin, RuleEngine)


def _absent(rival: type[Rival]) -> list[str]:
    return [package for package in rival.needs if find_spec(package.replace("-", "_")) is None]


def rivals() -> list[type[Rival]]:
    """Those whose packages are installed.

    >>> [rival.name for rival in rivals()][0]
    'closures'
    """
    return [rival for rival in _ALL if not _absent(rival)]


def missing() -> dict[str, str]:
    """The others by name, with how to get them."""
    return {
        rival.name: f"needs {' and '.join(absent)}: pip install 'boolsieve[rivals]'"
        for rival in _ALL
        if (absent := _absent(rival))
    }
