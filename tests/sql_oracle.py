"""SQLite and DuckDB as judges of what expressions mean.

A table holds the events, a tiny printer turns a syntax tree into SQL, and the database says TRUE, FALSE or NULL for
each row. A column has one type, so comparisons across families are left to the plain oracle; each database says which
operators it has. Texts that are SQL already can go in as they are (`outcomes_of_text`), past our own parser.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any

import duckdb
import pyarrow as pa

from boolsieve.language.expr import And, Const, Expr, Not, Or, Predicate
from oracle import microseconds

COMPARISONS = {"=", "!=", "<", "<=", ">", ">="}
COMMON = COMPARISONS | {"ATTRIBUTE", "IN", "BETWEEN", "IS NULL", "IS DISTINCT FROM"}


class SqlOracle:
    """The part that both databases share."""

    connection: Any
    types: Mapping[str, str]  # attribute -> kind: integer, real, string, bool, time, strings
    kinds: frozenset[str]
    operators: frozenset[str]
    templates: dict[str, str]  # operator -> SQL, {a} the attribute, {x} the operand

    def fill(self, types: Mapping[str, str], events: Sequence[Mapping[str, Any]]) -> None:
        """Makes the table of events anew."""
        raise NotImplementedError

    def outcomes(self, expressions: Sequence[Expr]) -> list[list[bool | None]]:
        """For each expression the outcome on each event."""
        parameters: list[Any] = []
        return self.run([self.sql(expression, parameters) for expression in expressions], parameters)

    def outcomes_of_texts(self, texts: Sequence[str]) -> list[list[bool | None]]:
        return self.run(texts, [])

    def run(self, conditions: Sequence[str], parameters: list[Any]) -> list[list[bool | None]]:
        # One query for all, since a query costs more than its conditions.
        query = f"SELECT {', '.join(conditions)} FROM events ORDER BY nth"
        rows = self.connection.execute(query, parameters).fetchall()
        return [
            [None if outcome is None else bool(outcome) for outcome in column]
            for column in zip(*rows, strict=True)
        ]

    def close(self) -> None:
        self.connection.close()

    def literal(self, value: Any, kind: str, parameters: list[Any]) -> str:
        raise NotImplementedError

    def supports(self, expression: Expr) -> bool:
        return all(
            predicate.op in self.operators and self.types[predicate.name] in self.kinds
            for predicate in predicates_of(expression)
        )

    def sql(self, node: Expr, parameters: list[Any]) -> str:
        if isinstance(node, Const):
            return "TRUE" if node.value else "FALSE"
        if isinstance(node, Not):
            return f"(NOT {self.sql(node.operand, parameters)})"
        if isinstance(node, (And, Or)):
            word = "AND" if isinstance(node, And) else "OR"
            return f"({self.sql(node.left, parameters)} {word} {self.sql(node.right, parameters)})"
        assert isinstance(node, Predicate)
        predicate = f"({self.predicate_sql(node, parameters)})"
        return f"(NOT {predicate})" if node.negated else predicate

    def predicate_sql(self, node: Predicate, parameters: list[Any]) -> str:
        attribute = '"' + node.name.replace('"', '""') + '"'
        kind = self.types[node.name]

        def operand(at: int) -> str:
            return self.literal(node.operands[at], kind, parameters)

        if node.op in COMPARISONS:
            return f"{attribute} {node.op} {operand(0)}"
        if node.op == "ATTRIBUTE":
            return attribute
        if node.op == "IN":
            return f"{attribute} IN ({', '.join(map(operand, range(len(node.operands))))})"
        if node.op == "BETWEEN":
            return f"{attribute} BETWEEN {operand(0)} AND {operand(1)}"
        if node.op == "IS NULL":
            return f"{attribute} IS NULL"
        if node.op == "IS DISTINCT FROM":
            return f"{attribute} IS DISTINCT FROM {operand(0)}"
        if node.op in ("LIKE", "ILIKE"):
            text = f"{attribute} {node.op} {operand(0)}"
            return text + (
                f" ESCAPE {self.literal(node.escape, 'string', parameters)}" if node.escape else ""
            )
        template = self.templates[node.op]
        if node.op in ("HAS ANY", "HAS ALL", "HAS NONE"):
            return template.format(a=attribute, x=", ".join(map(operand, range(len(node.operands)))))
        # A parameter for each time that the template names the operand.
        while "{x}" in template:
            template = template.replace("{x}", operand(0), 1)
        return template.format(a=attribute)


class SQLite(SqlOracle):
    """Numbers of both types compare exactly here; strings by the bytes of their UTF-8. Columns take any type."""

    templates = {
        "STARTS WITH": "substr({a}, 1, length({x})) = {x}",
        "ENDS WITH": "length({a}) >= length({x}) AND substr({a}, length({a}) - length({x}) + 1) = {x}",
        "CONTAINS": "instr({a}, {x}) > 0",
    }
    operators = frozenset(COMMON | {"LIKE"} | set(templates))

    kinds = frozenset({"integer", "real", "string", "bool", "time"})

    def __init__(self) -> None:
        self.connection = sqlite3.connect(":memory:")
        self.connection.execute("PRAGMA case_sensitive_like = ON")

    def fill(self, types: Mapping[str, str], events: Sequence[Mapping[str, Any]]) -> None:
        self.types = types
        columns = [name for name, kind in types.items() if kind in self.kinds]
        self.connection.execute("DROP TABLE IF EXISTS events")
        names = ", ".join(f'"{name}"' for name in ["nth", *columns])
        self.connection.execute(f"CREATE TABLE events ({names})")
        self.connection.executemany(
            f"INSERT INTO events VALUES (?{', ?' * len(columns)})",
            [
                [at, *(self.value(event.get(name), types[name]) for name in columns)]
                for at, event in enumerate(events)
            ],
        )

    @staticmethod
    def value(value: Any, kind: str) -> Any:
        return microseconds(value) if kind == "time" and value is not None else value

    def literal(self, value: Any, kind: str, parameters: list[Any]) -> str:
        parameters.append(self.value(value, kind))
        return "?"


class DuckDB(SqlOracle):
    """Has every operator, but compares BIGINT with DOUBLE by rounding: integer and real attributes do not mix."""

    templates = {
        "STARTS WITH": "starts_with({a}, {x})",
        "ENDS WITH": "suffix({a}, {x})",
        "CONTAINS": "contains({a}, {x})",
        "MATCHES": "regexp_matches({a}, {x})",
        "HAS": "list_contains({a}, {x})",
        "HAS ANY": "list_has_any({a}, [{x}])",
        "HAS ALL": "list_has_all({a}, [{x}])",
        "HAS NONE": "NOT list_has_any({a}, [{x}])",
    }
    operators = frozenset(COMMON | {"LIKE", "ILIKE"} | set(templates))
    arrow = {
        "integer": pa.int64(),
        "real": pa.float64(),
        "string": pa.string(),
        "bool": pa.bool_(),
        "time": pa.timestamp("us"),
        "strings": pa.list_(pa.string()),
    }
    casts = {
        "integer": "CAST(? AS BIGINT)",
        "real": "CAST(? AS DOUBLE)",
        "time": "make_timestamp(CAST(? AS BIGINT))",
    }

    kinds = frozenset(arrow)

    def __init__(self) -> None:
        self.connection = duckdb.connect(config={"threads": 1})

    def supports(self, expression: Expr) -> bool:
        # An escape must be one byte there, and ILIKE takes its pattern into lower case before it looks for escapes.
        escapes = [predicate.escape or "" for predicate in predicates_of(expression)]
        return super().supports(expression) and all(e.isascii() and not e.isalpha() for e in escapes)

    def fill(self, types: Mapping[str, str], events: Sequence[Mapping[str, Any]]) -> None:
        self.types = types
        columns = {"nth": pa.array(range(len(events)), pa.int64())}
        for name, kind in types.items():
            values = [event.get(name) for event in events]
            if kind == "time":
                micros = [None if value is None else microseconds(value) for value in values]
                columns[name] = pa.array(micros, pa.int64()).cast(pa.timestamp("us"))
            else:
                columns[name] = pa.array(values, self.arrow[kind])
        self.connection.register("events", pa.table(columns))

    def literal(self, value: Any, kind: str, parameters: list[Any]) -> str:
        parameters.append(microseconds(value) if kind == "time" else value)
        return self.casts.get(kind, "?")


def predicates_of(expression: Expr) -> list[Predicate]:
    todo, found = [expression], []
    while todo:
        node = todo.pop()
        if isinstance(node, Predicate):
            found.append(node)
        elif isinstance(node, Not):
            todo.append(node.operand)
        elif isinstance(node, (And, Or)):
            todo.extend([node.left, node.right])
    return found
