"""Hypothesis strategies for names, values, expressions (as text), events and sequences of updates.

Matches must be frequent, or the tests would only compare empty lists. So a test first draws a `World`: a few values of
each family, taken from lists of hard cases. The operands of its expressions and the values of its events come from
these few values, and each attribute has a family of its own that most of its operands and values belong to.
"""

from __future__ import annotations

import datetime as dt
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

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


# --- Worlds ---


@dataclass(frozen=True)
class World:
    """The few names and values that one test case is made of."""

    names: tuple[str, ...]
    values: dict[str, list[Any]]  # family -> values
    typed: bool = False  # each attribute has operands and values of its own family only

    def family(self, name: str) -> str:
        return (TYPED_NAMES if self.typed else NAMES)[name]

    def literals(self, family: str) -> st.SearchStrategy[Any]:
        """A value of the family, seldom one of another. A set's operands are its elements, of any family."""
        if self.typed:
            return st.sampled_from(self.values["string" if family == "strings" else family])
        other = st.sampled_from([value for values in self.values.values() for value in values])
        if family == "set":
            return other
        own = st.sampled_from(self.values[family])
        return st.one_of(own, own, own, own, own, own, other)


@st.composite
def worlds(draw: st.DrawFn, typed: bool = False) -> World:
    names, families = (TYPED_NAMES, TYPED_FAMILIES) if typed else (NAMES, FAMILIES)
    chosen = draw(st.lists(st.sampled_from(sorted(names)), min_size=1, max_size=4, unique=True))
    values = {
        family: draw(st.lists(st.sampled_from(pool), min_size=1, max_size=5))
        for family, pool in families.items()
    }
    return World(tuple(chosen), values, typed)


# --- Predicates and expressions ---


@st.composite
def like_patterns(draw: st.DrawFn, source: str) -> str:
    """The right-hand side of LIKE: a text with some of it replaced by wildcards, at times with an escape."""
    escape = draw(st.sampled_from(["", "", "!", "\\", "a", "é"]))
    pieces = []
    at = 0
    while at < len(source):
        what = draw(st.sampled_from(["same", "same", "same", "%", "_", "skip"]))
        length = draw(st.sampled_from([1, 1, 2, 8])) if what in ("same", "%") else 1
        piece = source[at : at + length]
        if what == "same":
            pieces.extend(escape + c if escape and c in ("%", "_", escape) else c for c in piece)
        elif what != "skip":
            pieces.append(what)
        at += length
    if draw(st.booleans()):
        pieces.append("%")
    if draw(st.booleans()):
        pieces.insert(0, "%")
    return literal_text("".join(pieces)) + (f" ESCAPE {literal_text(escape)}" if escape else "")


@st.composite
def substrings(draw: st.DrawFn, source: str) -> str:
    if not source:
        return ""
    begin = draw(st.integers(0, len(source)))
    return source[begin : draw(st.integers(begin, len(source)))]


@st.composite
def predicates(draw: st.DrawFn, world: World) -> str:
    name = draw(st.sampled_from(world.names))
    family = world.family(name)
    literals = world.literals(family)
    kinds = ["compare"] * 4 + ["in", "between", "null", "distinct"]
    if family == "string":
        kinds += ["like", "ilike", "part", "part", "matches"]
    elif family == "strings":
        kinds = ["has", "has many", "has many", "null"]
    elif family == "set":
        kinds = ["has"] * 4 + ["has many"] * 6 + ["compare", "null", "distinct"]
    elif family == "bool":
        kinds += ["bare"] * 3
    kind = draw(st.sampled_from(kinds))
    attribute = name_text(name)
    no = draw(st.sampled_from(["", "", "NOT "]))

    def one() -> str:
        return literal_text(draw(literals))

    def some() -> str:
        return (
            "("
            + ", ".join(literal_text(value) for value in draw(st.lists(literals, min_size=1, max_size=4)))
            + ")"
        )

    if kind == "compare":
        return f"{attribute} {draw(st.sampled_from(['=', '=', '!=', '<>', '<', '<=', '>', '>=']))} {one()}"
    if kind == "in":
        return f"{attribute} {no}IN {some()}"
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
        return f"{attribute} HAS {draw(st.sampled_from(['ANY', 'ALL', 'NONE']))} {some()}"
    source = draw(st.sampled_from(world.values["string"]))
    if kind == "part":
        operator = draw(st.sampled_from(["STARTS WITH", "ENDS WITH", "CONTAINS"]))
        return f"{attribute} {no}{operator} {literal_text(draw(substrings(source)))}"
    if kind == "matches":
        return f"{attribute} {no}MATCHES {literal_text(draw(st.sampled_from(PATTERNS)))}"
    if kind == "ilike" and draw(st.booleans()):
        source = source.swapcase()
    return f"{attribute} {no}{kind.upper()} {draw(like_patterns(source))}"


def expressions(world: World, leaves: int = 6) -> st.SearchStrategy[str]:
    """Nested expressions. Some parentheses are left out, so that precedence matters."""
    leaf = st.one_of(*[predicates(world)] * 12, st.sampled_from(["TRUE", "FALSE"]))
    return st.recursive(
        leaf,
        lambda inner: st.one_of(
            st.builds("{} AND {}".format, inner, inner),
            st.builds("({}) AND ({})".format, inner, inner),
            st.builds("{} OR {}".format, inner, inner),
            st.builds("({}) OR ({})".format, inner, inner),
            st.builds("NOT ({})".format, inner),
        ),
        max_leaves=leaves,
    )


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


absent = st.sampled_from([None, math.nan, np.float64("nan"), np.float32("nan")])


@st.composite
def sets(draw: st.DrawFn, world: World) -> Any:
    elements = draw(
        st.lists(st.one_of(*[world.literals("set").map(spellings).flatmap(st.sampled_from)] * 6, absent))
    )
    return draw(st.sampled_from([list, list, tuple, frozenset]))(elements)


@st.composite
def events(draw: st.DrawFn, world: World) -> dict[str, Any]:
    """A dict with the world's attributes: some missing, some absent, some of a wrong family, some nested."""
    event: dict[str, Any] = {}
    for name in world.names:
        how = draw(st.sampled_from(["value"] * 8 + ["missing", "absent", "set"]))
        if how == "missing":
            continue
        if how == "absent":
            value = draw(absent)
        elif how == "set" or world.family(name) == "set":
            value = draw(sets(world))
        else:
            value = draw(world.literals(world.family(name)).map(spellings).flatmap(st.sampled_from))
        if "." in name and draw(st.booleans()):
            *path, last = name.split(".")
            inner = event
            for part in path:
                inner = inner.setdefault(part, {})
            inner[last] = value
        else:
            event[name] = value
    if draw(st.integers(0, 9)) == 0:
        event["unused"] = draw(st.sampled_from([1, "x", object(), b"bytes", {"a": object()}, 2**70]))
    return event


@st.composite
def typed_events(draw: st.DrawFn, world: World) -> dict[str, Any]:
    """A row of a table: each attribute of its own type or None."""
    event: dict[str, Any] = {}
    for name in world.names:
        literals = world.literals(world.family(name))
        values = st.lists(literals, max_size=4) if world.family(name) == "strings" else literals
        event[name] = draw(st.one_of(values, values, values, values, st.none()))
    return event


def ids() -> st.SearchStrategy[int | str]:
    """A small set, so that replacements and removals meet what is there. The string '1' is not the number 1."""
    return st.sampled_from([0, 1, 2, 3, -1, INT64_MAX, INT64_MIN, "1", "2", "a", "", "ключ 😀", "x" * 100])


# --- Updates ---


@st.composite
def update_sequences(draw: st.DrawFn, world: World, max_size: int = 30) -> list[tuple[Any, ...]]:
    """Steps for an index: (add, id, text), (add_many, ids, texts), (set, id, text), (remove, id), (match, event).

    All are valid: an id is added only if it is not there, removed only if it is.
    """
    present: dict[int | str, None] = {}
    steps: list[tuple[Any, ...]] = []
    text = expressions(world, leaves=3)
    for _ in range(draw(st.integers(1, max_size))):
        free = sorted((id_ for id_ in draw(st.sets(ids(), max_size=4)) if id_ not in present), key=repr)
        kind = draw(st.sampled_from(["add", "add_many", "set", "remove", "match", "match"]))
        if kind == "add" and free:
            steps.append(("add", free[0], draw(text)))
            present[free[0]] = None
        elif kind == "add_many":
            steps.append(("add_many", free, [draw(text) for _ in free]))
            present.update(dict.fromkeys(free))
        elif kind == "set":
            id_ = draw(ids())
            steps.append(("set", id_, draw(text)))
            present[id_] = None
        elif kind == "remove" and present:
            id_ = draw(st.sampled_from(list(present)))
            steps.append(("remove", id_))
            del present[id_]
        elif kind == "match":
            steps.append(("match", draw(events(world))))
    return steps
