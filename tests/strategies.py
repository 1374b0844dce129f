"""Hypothesis strategies for names, values, expressions (as text), events and sequences of updates.

Matches must be frequent, or the tests would only compare empty lists. So a test first draws a `World`: a few values of
each family, taken from lists of hard cases. The operands of its expressions and the values of its events come from
these few values, and each attribute has a family of its own that most of its operands and values belong to.
"""

from __future__ import annotations

import datetime as dt
import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

import boolsieve as bs
import oracle

INT64_MIN, INT64_MAX = -(2**63), 2**63 - 1
UTC = dt.timezone.utc
EAST = dt.timezone(dt.timedelta(hours=5, minutes=30))

NUMBERS: list[int | float] = [
    *(0, -0.0, 1, -1, 2, 3, 5, 10, 20, 40, 0.5, 2.5, 0.1, 1 / 3, -1 / 3, 1.0, 20.0),
    *(2**53 - 1, 2**53, 2**53 + 1, 2**53 + 2, float(2**53), float(2**53 + 2), -(2**53) - 1, -float(2**53)),
    *(
        INT64_MAX,
        INT64_MAX - 1,
        INT64_MIN,
        INT64_MIN + 1,
        float(2**63),
        -float(2**63),
        math.nextafter(2.0**63, 0),
    ),
    *(math.inf, -math.inf, 5e-324, -5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, 1e300),
]
# Seven, eight, nine and sixteen bytes in common: where keys made of the first bytes of a string could go wrong.
STRINGS = [
    *(
        "",
        "a",
        "b",
        "ab",
        "abc",
        "B",
        "it's",
        'say "hi"',
        "100%",
        "a_b",
        "a%b",
        "back\\slash",
        "two\nlines",
        " a ",
    ),
    *("\0", "a\0", "a\0b", "abcdefg", "abcdefgh", "abcdefgh\0", "abcdefghi", "abcdefgi", "abcdefgz"),
    *("abcdefghijklmno", "abcdefghijklmnop", "abcdefghijklmnopq", "abcdefghijklmnoq", "ABCDEFGHIJKLMNOP"),
    *(
        "é",
        "e\u0301",
        "ключ",
        "Ключ",
        "ΑΣ",
        "ας",
        "ασ",
        "İ",
        "ß",
        "\u212a",
        "\x7f",
        "\x80",
        "\ud7ff",
        "\ue000",
    ),
    *("\uffff", "😀", "a😀b", "\U0010ffff", "x" * 300),
]
TIMES: list[dt.date] = [
    *(
        dt.datetime(1970, 1, 1),
        dt.datetime(1970, 1, 1, 0, 0, 0, 1),
        dt.datetime(1969, 12, 31, 23, 59, 59, 999999),
    ),
    *(dt.datetime(2026, 1, 2), dt.datetime(2026, 1, 2, 3, 4, 5), dt.datetime(2026, 1, 2, 3, 4, 5, 678901)),
    *(dt.datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC), dt.datetime(2026, 1, 2, 5, 30, tzinfo=EAST)),
    *(
        dt.date(2026, 1, 2),
        dt.date(2026, 1, 3),
        dt.date(1970, 1, 1),
        dt.date(1600, 2, 29),
        dt.date(2000, 2, 29),
    ),
    *(dt.datetime.min, dt.datetime.max, dt.date.min, dt.date.max),
]
BOOLS = [False, True]
FAMILIES: dict[str, list[Any]] = {"number": NUMBERS, "string": STRINGS, "bool": BOOLS, "time": TIMES}

NAMES: dict[str, str] = {  # name -> the family that it mostly has
    "n": "number",
    "item.price": "number",
    "s": "string",
    'the "name" of it': "string",
    "b": "bool",
    "t": "time",
    "item.made.at": "time",
    "tags": "set",
    "ключ 😀": "set",
}

# One type a column: what a table can hold. The lists hold what SQL databases agree on.
TYPED_NAMES = {"i": "integer", "f": "real", "s": "string", "b": "bool", "t": "time", "tags": "strings"}
TYPED_FAMILIES: dict[str, list[Any]] = {
    "integer": [value for value in NUMBERS if isinstance(value, int)],
    "real": [value for value in NUMBERS if isinstance(value, float)],
    "string": [value for value in STRINGS if "\0" not in value],
    "bool": BOOLS,
    "time": [value for value in TIMES if isinstance(value, dt.datetime)],
}

PATTERNS = [
    "a",
    "^a",
    "b$",
    "^abc",
    "[a-c]+",
    "a.b",
    "x{3,5}",
    "^$",
    "(?i)AB",
    "\\d+",
    "a|b",
    "h(i|j)",
    "^[^a]",
    "\\.",
]
LIKE_PATTERNS = [
    "%",
    "_",
    "__",
    "a%",
    "%b",
    "%b%",
    "a_b",
    "a%b",
    "_%_",
    "abcdefg_",
    "%ij%m%",
    "é",
    "_́",
    "%\\%",
    "%😀%",
    "",
]
COMPARISONS = ["=", "!=", "<", "<=", ">", ">=", "IS DISTINCT FROM"]


# --- Text ---


def name_text(name: str) -> str:
    plain = all(part.isidentifier() and part.isascii() for part in name.split("."))
    return name if plain else '"' + name.replace('"', '""') + '"'


def literal_text(value: Any) -> str:
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float) and math.isinf(value):
        return "INFINITY" if value > 0 else "-INFINITY"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    if isinstance(value, dt.datetime):
        return f"TIMESTAMP '{value.isoformat(sep=' ').replace('+00:00', 'Z')}'"
    return f"DATE '{value.isoformat()}'"


def texts_about(values: Sequence[Any]) -> list[str]:
    """Each comparison with each value, and for strings each pattern."""
    texts = [f"a {op} {literal_text(value)}" for op in COMPARISONS for value in values]
    if isinstance(values[0], str):
        texts += [f"a LIKE {literal_text(pattern)}" for pattern in LIKE_PATTERNS]
        texts += [f"a LIKE '%!{character}%' ESCAPE '!'" for character in "%_!b"]
        texts += [f"a MATCHES {literal_text(pattern)}" for pattern in PATTERNS]
        parts = dict.fromkeys(value[:size] for value in values for size in (1, 2, 8))
        for op in ("STARTS WITH", "ENDS WITH", "CONTAINS"):
            texts += [f"a {no}{op} {literal_text(part)}" for part in parts for no in ("", "NOT ")]
    return texts


# --- Worlds ---

# Strategies that are made once: making one costs more than drawing from it.
COIN = st.booleans()
below = functools.lru_cache(maxsize=None)(lambda count: st.integers(0, count - 1))


def pick(draw: st.DrawFn, options: Sequence[Any]) -> Any:
    return options[draw(below(len(options)))]


def pick_some(draw: st.DrawFn, options: Sequence[Any], least: int, most: int) -> list[Any]:
    return [pick(draw, options) for _ in range(least + draw(below(most - least + 1)))]


@dataclass(frozen=True)
class World:
    """The few names and values that one test case is made of."""

    names: tuple[str, ...]
    values: dict[str, list[Any]]  # family -> values; the elements of sets are under "set"
    typed: bool = False  # each attribute has operands and values of its own family only

    def family(self, name: str) -> str:
        return (TYPED_NAMES if self.typed else NAMES)[name]

    def literal(self, draw: st.DrawFn, family: str) -> Any:
        """A value of the family, seldom one of another."""
        if not self.typed and draw(below(8)) == 7:
            family = pick(draw, list(FAMILIES))
        return pick(draw, self.values[family])


@st.composite
def worlds(draw: st.DrawFn, typed: bool = False) -> World:
    names, families = (TYPED_NAMES, TYPED_FAMILIES) if typed else (NAMES, FAMILIES)
    chosen = pick_some(draw, list(names), 1, 4)
    values = {family: pick_some(draw, pool, 1, 5) for family, pool in families.items()}
    values["strings"] = values["string"]
    values["set"] = pick_some(draw, [value for pool in values.values() for value in pool], 1, 4)
    return World(tuple(dict.fromkeys(chosen)), values, typed)


# --- Predicates and expressions ---

OPERATORS: dict[str, list[str]] = {  # family -> kinds of predicates, the frequent ones more than once
    "any": [*["compare"] * 4, "in", "between", "null", "distinct"],
    "string": [
        *["compare"] * 4,
        "in",
        "between",
        "null",
        "distinct",
        "like",
        "ilike",
        "part",
        "part",
        "matches",
    ],
    "bool": [*["compare"] * 4, *["bare"] * 3, "in", "between", "null", "distinct"],
    "set": [*["has"] * 4, *["has many"] * 6, "compare", "null", "distinct"],
    "strings": ["has", "has many", "has many", "null"],
}


def like_pattern(draw: st.DrawFn, source: str) -> str:
    """The right-hand side of LIKE: a text with some of it replaced by wildcards, at times with an escape."""
    escape = pick(draw, ["", "", "!", "\\", "a", "é"])
    pieces = ["%"] if draw(COIN) else []
    at = 0
    while at < len(source):
        what = pick(draw, ["same", "same", "same", "%", "_", "skip"])
        length = pick(draw, [1, 2, 8, 300]) if what in ("same", "%") else 1
        if what == "same":
            piece = source[at : at + length]
            pieces.extend(escape + c if escape and c in ("%", "_", escape) else c for c in piece)
        elif what != "skip":
            pieces.append(what)
        at += length
    if draw(COIN):
        pieces.append("%")
    return literal_text("".join(pieces)) + (f" ESCAPE {literal_text(escape)}" if escape else "")


def predicate(draw: st.DrawFn, world: World) -> str:
    name = pick(draw, world.names)
    family = world.family(name)
    kind = pick(draw, OPERATORS.get(family, OPERATORS["any"]))
    attribute = name_text(name)
    no = pick(draw, ["", "", "NOT "])

    def one() -> str:
        return literal_text(world.literal(draw, family))

    def some(most: int) -> str:
        return "(" + ", ".join(one() for _ in range(1 + draw(below(most)))) + ")"

    if kind == "compare":
        return f"{attribute} {pick(draw, ['=', '=', '!=', '<>', '<', '<=', '>', '>='])} {one()}"
    if kind == "in":
        return f"{attribute} {no}IN {some(4)}"
    if kind == "between":
        return f"{attribute} {no}BETWEEN {one()} AND {one()}"
    if kind == "null":
        return f"{attribute} IS {no}NULL"
    if kind == "distinct":
        return f"{attribute} IS {no}DISTINCT FROM {one()}"
    if kind == "bare":
        return f"{no}{attribute}"
    if kind == "has":
        return f"{attribute} {no}HAS {one()}"
    if kind == "has many":
        return f"{attribute} HAS {pick(draw, ['ANY', 'ALL', 'NONE'])} {some(3)}"
    source = pick(draw, world.values["string"])
    if kind == "part":
        begin = draw(below(len(source) + 1))
        part = source[begin : begin + draw(below(len(source) - begin + 1))]
        return f"{attribute} {no}{pick(draw, ['STARTS WITH', 'ENDS WITH', 'CONTAINS'])} {literal_text(part)}"
    if kind == "matches":
        return f"{attribute} {no}MATCHES {literal_text(pick(draw, PATTERNS))}"
    if kind == "ilike" and draw(COIN):
        source = source.swapcase()
    return f"{attribute} {no}{kind.upper()} {like_pattern(draw, source)}"


@st.composite
def expressions(draw: st.DrawFn, world: World, leaves: int = 6) -> str:
    """Predicates joined in any order and shape. Some parentheses are left out, so that precedence matters."""
    parts = []
    for _ in range(1 + draw(below(leaves))):
        constant = draw(below(15)) == 14
        parts.append(pick(draw, ["TRUE", "FALSE"]) if constant else predicate(draw, world))
    while True:
        if draw(below(5)) == 4:
            at = draw(below(len(parts)))
            parts[at] = f"NOT ({parts[at]})"
        if len(parts) == 1:
            return parts[0]
        at = draw(below(len(parts) - 1))
        form = pick(draw, ["{} AND {}", "({}) AND ({})", "{} OR {}", "({}) OR ({})"])
        parts[at : at + 2] = [form.format(*parts[at : at + 2])]


# --- Events ---


def spellings(value: Any) -> list[Any]:
    """The same value in the types that events hold it in."""
    if isinstance(value, bool):
        return [value, np.bool_(value)]
    if isinstance(value, int):
        same: list[Any] = [value, np.int64(value)]
        if float(value) == value:
            same.append(float(value))
        if 0 <= value < 256:
            same.append(np.uint8(value))
        return same
    if isinstance(value, float):
        same = [value, np.float64(value)]
        if (
            value == 0
            or math.isinf(value)
            or (1e-30 < abs(value) < 1e30 and float(np.float32(value)) == value)
        ):
            same.append(np.float32(value))
        return same
    if isinstance(value, str):
        # NumPy strips trailing NULs from its strings.
        return [value] if value.endswith("\0") else [value, np.str_(value)]
    if isinstance(value, dt.datetime) and value.tzinfo is None:
        same = [value, value.replace(tzinfo=UTC), np.datetime64(value, "us")]
        if 1 < value.year < 9999:
            same.append(value.replace(tzinfo=UTC).astimezone(EAST))
        if value == dt.datetime(value.year, value.month, value.day):
            same.append(value.date())
        return same
    return [value]


ABSENT = [None, math.nan, np.float64("nan"), np.float32("nan")]


def some_set(draw: st.DrawFn, world: World) -> Any:
    elements = []
    for _ in range(draw(below(6))):
        here = draw(below(8)) < 7
        elements.append(pick(draw, spellings(world.literal(draw, "set")) if here else ABSENT))
    return pick(draw, [list, list, tuple, frozenset])(elements)


@st.composite
def events(draw: st.DrawFn, world: World) -> dict[str, Any]:
    """A dict with the world's attributes: some missing, some absent, some of a wrong family, some nested."""
    event: dict[str, Any] = {}
    for name in world.names:
        how = pick(draw, ["value"] * 10 + ["missing", "absent", "set"])
        if how == "missing":
            continue
        if how == "absent":
            value = pick(draw, ABSENT)
        elif how == "set" or world.family(name) == "set":
            value = some_set(draw, world)
        else:
            value = pick(draw, spellings(world.literal(draw, world.family(name))))
        inner = event
        if "." in name and draw(COIN):
            *path, name = name.split(".")
            for part in path:
                inner = inner.setdefault(part, {})
        inner[name] = value
    if draw(below(10)) == 9:
        event["unused"] = pick(draw, [1, "x", object(), b"bytes", {"a": object()}, 2**70])
    return event


def some_range(draw: st.DrawFn, world: World, family: str) -> Any:
    """A range with ends out of the world's values, or one of those values if the range would be empty."""
    values = world.values[family]
    ends = [pick(draw, values), pick(draw, values)]
    keep = pick(draw, ["both", "both", "low", "high"])
    closed = pick(draw, ["both", "left", "right", "neither"])
    if oracle.typed(ends[0])[1] > oracle.typed(ends[1])[1]:
        ends.reverse()
    range_ = bs.between(
        ends[0] if keep in ("both", "low") else None, ends[1] if keep in ("both", "high") else None, closed
    )
    return range_ if oracle.in_range(range_, []) else ends[0]


@st.composite
def open_events(draw: st.DrawFn, world: World) -> dict[str, Any]:
    """An event with ranges and alternatives for one or two of its attributes."""
    event = draw(events(world))
    for name in dict.fromkeys(pick_some(draw, world.names, 1, 2)):
        family = world.family(name)

        def one(family: str = family) -> Any:
            how = pick(draw, ["value", "value", "range", "absent", "set"])
            if how == "set" or family == "set":
                return some_set(draw, world)
            if how == "range":
                return some_range(draw, world, family)
            return None if how == "absent" else pick(draw, spellings(world.literal(draw, family)))

        if family == "set" or draw(COIN):
            event[name] = bs.any_of(*(one() for _ in range(1 + draw(below(4)))))
        else:
            event[name] = some_range(draw, world, family)
    return event


@st.composite
def typed_events(draw: st.DrawFn, world: World) -> dict[str, Any]:
    """A row of a table: each attribute of its own type or None."""
    event: dict[str, Any] = {}
    for name in world.names:
        values = world.values[world.family(name)]
        if draw(below(6)) == 5:
            event[name] = None
        else:
            event[name] = (
                pick_some(draw, values, 0, 4) if world.family(name) == "strings" else pick(draw, values)
            )
    return event


# A small set, so that replacements and removals meet what is there. The string '1' is not the number 1.
IDS: list[int | str] = [0, 1, 2, 3, -1, INT64_MAX, INT64_MIN, "1", "2", "a", "", "ключ 😀", "x" * 100]


def ids() -> st.SearchStrategy[int | str]:
    return st.sampled_from(IDS)


# --- Updates ---


@st.composite
def update_sequences(draw: st.DrawFn, world: World, max_size: int = 30) -> list[tuple[Any, ...]]:
    """Steps for an index: (add, id, text), (add_many, ids, texts), (set, id, text), (remove, id), (match, event).

    All are valid: an id is added only if it is not there, removed only if it is.
    """
    present: dict[int | str, None] = {}
    steps: list[tuple[Any, ...]] = []
    text = expressions(world, leaves=3)
    for _ in range(1 + draw(below(max_size))):
        free = [id_ for id_ in dict.fromkeys(pick_some(draw, IDS, 0, 4)) if id_ not in present]
        kind = pick(draw, ["add", "add_many", "set", "remove", "match", "match"])
        if kind == "add" and free:
            steps.append(("add", free[0], draw(text)))
            present[free[0]] = None
        elif kind == "add_many":
            steps.append(("add_many", free, [draw(text) for _ in free]))
            present.update(dict.fromkeys(free))
        elif kind == "set":
            id_ = pick(draw, IDS)
            steps.append(("set", id_, draw(text)))
            present[id_] = None
        elif kind == "remove" and present:
            id_ = pick(draw, list(present))
            steps.append(("remove", id_))
            del present[id_]
        elif kind == "match":
            steps.append(("match", draw(events(world))))
    return steps
