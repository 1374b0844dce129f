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
    """The part that both databases share. `types` maps an attribute to integer, real, string, bool, time or strings."""

    operators: frozenset[str]
    templates: dict[str, str]  # operator -> SQL, {a} the attribute, {x} the operand

    def __init__(self, types: Mapping[str, str], events: Sequence[Mapping[str, Any]]) -> None:
        self.types, self.events = types, events

    def outcomes(self, expression: Expr) -> list[bool | None]:
        parameters: list[Any] = []
        return self.run(self.sql(expression, parameters), parameters)

    def outcomes_of_text(self, text: str) -> list[bool | None]:
        return self.run(text, [])

    def run(self, condition: str, parameters: list[Any]) -> list[bool | None]:
        raise NotImplementedError

    def literal(self, value: Any, kind: str, parameters: list[Any]) -> str:
        raise NotImplementedError

    def supports(self, expression: Expr) -> bool:
        return all(predicate.op in self.operators for predicate in predicates_of(expression))

    def sql(self, node: Expr, parameters: list[Any]) -> str:
        if isinstance(node, Const):
            return "TRUE" if node.value else "FALSE"
        if isinstance(node, Not):
            return f"(NOT {self.sql(node.operand, parameters)})"
        if isinstance(node, (And, Or)):
            word = "AND" if isinstance(node, And) else "OR"
            return f"({self.sql(node.left, parameters)} {word} {self.sql(node.right, parameters)})"
        assert isinstance(node, Predicate)
        return ("(NOT " if node.negated else "(") + self.predicate_sql(node, parameters) + ")"

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

    def __init__(self, types: Mapping[str, str], events: Sequence[Mapping[str, Any]]) -> None:
        super().__init__(types, events)
        self.connection = sqlite3.connect(":memory:")
        self.connection.execute("PRAGMA case_sensitive_like = ON")
        columns = [name for name, kind in types.items() if kind != "strings"]
        names = ", ".join(f'"{name}"' for name in columns)
        self.connection.execute(f"CREATE TABLE events ({names})")
        self.connection.executemany(
            f"INSERT INTO events VALUES ({', '.join('?' * len(columns))})",
            [[self.value(event.get(name), types[name]) for name in columns] for event in events],
        )

    @staticmethod
    def value(value: Any, kind: str) -> Any:
        return microseconds(value) if kind == "time" and value is not None else value

    def literal(self, value: Any, kind: str, parameters: list[Any]) -> str:
        parameters.append(self.value(value, kind))
        return "?"

    def run(self, condition: str, parameters: list[Any]) -> list[bool | None]:
        rows = self.connection.execute(f"SELECT {condition} FROM events ORDER BY rowid", parameters)
        return [None if outcome is None else bool(outcome) for (outcome,) in rows]

    def close(self) -> None:
        self.connection.close()


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
    connection = duckdb.connect(config={"threads": 1})  # one for all: opening costs more than most tests

    def __init__(self, types: Mapping[str, str], events: Sequence[Mapping[str, Any]]) -> None:
        super().__init__(types, events)
        columns = {"at": pa.array(range(len(events)), pa.int64())}
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

    def run(self, condition: str, parameters: list[Any]) -> list[bool | None]:
        rows = self.connection.execute(f'SELECT {condition} FROM events ORDER BY "at"', parameters).fetchall()
        return [outcome for (outcome,) in rows]

    def close(self) -> None:
        self.connection.unregister("events")


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
