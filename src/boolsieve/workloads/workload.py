"""What all generators share: the columnar form of expressions and events, how it is rendered, and how to draw.

Generators work on whole columns of integers. Text, objects, dicts, Arrow tables and files are made from these columns
when they are asked for, a chunk at a time.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib import import_module
from itertools import pairwise
from os import PathLike
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from boolsieve.language import Expr, attr, parse

Ints = NDArray[np.integer[Any]]
Objects = NDArray[np.object_]

OPERATORS = ("=", "!=", "<", "<=", ">", ">=", "BETWEEN", "IN", "NOT IN", "STARTS WITH")
EQ, NE, LT, LE, GT, GE, BETWEEN, IN, NOT_IN, PREFIX = range(len(OPERATORS))

# Rows that are rendered at once: bounds what lies in memory beside the result.
CHUNK = 1 << 16
# Rows of distinct attributes that are drawn at once.
DRAWN_ROWS = 1 << 14
# Stands between expressions while they are one string, so no name and no word may hold it.
SEPARATOR = "\0"
NEW_EXPRESSION = 2


def require(holds: bool, parameter: str, why: str) -> None:
    """ValueError that names the parameter, unless its condition holds."""
    if not holds:
        raise ValueError(f"{parameter}: {why}")


def pyarrow(module: str = "pyarrow") -> Any:
    """The module of pyarrow, or an ImportError that says how to get it."""
    try:
        return import_module(module)
    except ImportError as error:
        needs = "Arrow tables and Parquet files need pyarrow: pip install 'boolsieve[arrow]'"
        raise ImportError(needs, name="pyarrow") from error


def as_objects(items: Sequence[Any]) -> Objects:
    """A one-dimensional array of these very objects."""
    result = np.empty(len(items), dtype=object)
    result[:] = items
    return result


def offsets_of(sizes: Ints) -> Ints:
    """Where each of the lists of these sizes begins in their concatenation, and where the last one ends."""
    offsets = np.zeros(len(sizes) + 1, dtype=np.int64)
    np.cumsum(sizes, out=offsets[1:])
    return offsets


def joined(offsets: Ints, more: Ints) -> Ints:
    """Offsets of two runs, one after the other."""
    return np.concatenate([offsets, offsets[-1] + more[1:]])


def positions_of(starts: Ints, sizes: Ints) -> Ints:
    """The concatenated positions starts[i] ... starts[i] + sizes[i] - 1."""
    return np.arange(sizes.sum(), dtype=np.int64) + np.repeat(starts - offsets_of(sizes)[:-1], sizes)


def quoted_name(name: str) -> str:
    """The name as an expression writes it, in double quotes where it needs them."""
    return str(attr(name) == 0).removesuffix(" = 0")


def _integer_objects(codes: Ints, convert: Callable[[int], Any]) -> Objects:
    """Each integer through `convert`, which is called once a distinct value where the range is small."""
    if not len(codes):
        return np.empty(0, dtype=object)
    low, high = int(codes.min()), int(codes.max())
    if high - low <= len(codes):
        return as_objects([convert(code) for code in range(low, high + 1)])[codes - low]
    return as_objects([convert(code) for code in codes.tolist()])


@dataclass(frozen=True)
class Space:
    """The attributes' names, and what the integer codes of their values stand for.

    `table_of[a]` is the place in `tables` of the values that attribute `a` takes, or -1 where a code is itself the
    value. A table holds numbers or strings.
    """

    names: Sequence[str]
    tables: tuple[NDArray[Any], ...] = ()
    table_of: Ints = field(default_factory=lambda: np.empty(0, dtype=np.int16))

    def __post_init__(self) -> None:
        if not len(self.table_of):
            object.__setattr__(self, "table_of", np.full(len(self.names), 0 if self.tables else -1, np.int16))
        for words in (self.names, *(table for table in self.tables if table.dtype == object)):
            bad = next((word for word in words if SEPARATOR in word), None)
            require(bad is None, "words", f"{bad!r} holds the character NUL")

    @cached_property
    def textual(self) -> NDArray[np.bool_]:
        """Whether an attribute's values are strings."""
        kinds = np.array([table.dtype == object for table in self.tables] + [False])
        return kinds[self.table_of]

    @cached_property
    def _bases(self) -> Ints:
        return offsets_of(np.array([len(table) for table in self.tables], dtype=np.int64))

    @cached_property
    def _values(self) -> Objects:
        return as_objects([value for table in self.tables for value in table.tolist()])

    @cached_property
    def _literals(self) -> Objects:
        return as_objects(
            [
                "'" + value.replace("'", "''") + "'" if isinstance(value, str) else repr(value)
                for value in self._values.tolist()
            ]
        )

    def _look_up(
        self, attributes: Ints, codes: Ints, found: Objects, convert: Callable[[int], Any]
    ) -> Objects:
        tables = self.table_of[attributes]
        at = codes + self._bases[tables]
        if (tables >= 0).all():
            known: Objects = found[at]
            return known
        result = np.empty(len(codes), dtype=object)
        tabled = tables >= 0
        result[tabled] = found[at[tabled]]
        result[~tabled] = _integer_objects(codes[~tabled], convert)
        return result

    def literals(self, attributes: Ints, codes: Ints) -> Objects:
        """The values as an expression writes them."""
        if not self.tables:
            return _integer_objects(codes, str)
        return self._look_up(attributes, codes, self._literals, str)

    def values(self, attributes: Ints, codes: Ints) -> Objects:
        """The values as Python objects."""
        if not self.tables:
            return _integer_objects(codes, int)
        return self._look_up(attributes, codes, self._values, int)


Form = Literal["conjunction", "cnf", "dnf"]


@dataclass(frozen=True)
class Expressions:
    """Generated expressions: predicates in clauses in expressions, as columns.

    A conjunction is one clause. In `cnf` an expression is an AND of clauses that are ORs, in `dnf` an OR of ANDs.
    """

    space: Space
    offsets: Ints  # of each expression's clauses
    clause_offsets: Ints  # of each clause's predicates
    attributes: Ints  # one a predicate
    operators: Ints  # one a predicate, places in OPERATORS
    value_offsets: Ints  # of each predicate's operands
    values: Ints  # the operands' codes
    form: Form = "conjunction"

    @classmethod
    def conjunctions(
        cls, space: Space, sizes: Ints, attributes: Ints, operators: Ints, value_offsets: Ints, values: Ints
    ) -> Expressions:
        """One clause an expression, of the given sizes."""
        offsets = np.arange(len(sizes) + 1, dtype=np.int64)
        return cls(space, offsets, offsets_of(sizes), attributes, operators, value_offsets, values)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def part(self, start: int, stop: int) -> Expressions:
        """The expressions from `start` to before `stop`."""
        offsets = self.offsets[start : stop + 1]
        clauses = self.clause_offsets[offsets[0] : offsets[-1] + 1]
        first, last = int(clauses[0]), int(clauses[-1])
        bounds = self.value_offsets[first : last + 1]
        return replace(
            self,
            offsets=offsets - offsets[0],
            clause_offsets=clauses - first,
            attributes=self.attributes[first:last],
            operators=self.operators[first:last],
            value_offsets=bounds - bounds[0],
            values=self.values[bounds[0] : bounds[-1]],
        )

    def then(self, other: Expressions) -> Expressions:
        """These expressions, then others over the same space in the same form."""
        return replace(
            self,
            offsets=joined(self.offsets, other.offsets),
            clause_offsets=joined(self.clause_offsets, other.clause_offsets),
            attributes=np.concatenate([self.attributes, other.attributes]),
            operators=np.concatenate([self.operators, other.operators]),
            value_offsets=joined(self.value_offsets, other.value_offsets),
            values=np.concatenate([self.values, other.values]),
        )

    @property
    def sizes(self) -> Ints:
        """How many predicates each expression has."""
        return np.diff(self.clause_offsets[self.offsets])

    @cached_property
    def _heads(self) -> Objects:
        """What stands before the first operand, by attribute and operator."""
        heads = np.empty(len(self.space.names) * len(OPERATORS), dtype=object)
        tails = [f" {name} (" if name.endswith("IN") else f" {name} " for name in OPERATORS]
        used = np.zeros(len(heads), dtype=bool)
        used[self.attributes.astype(np.int64) * len(OPERATORS) + self.operators] = True
        for attribute, codes in enumerate(used.reshape(-1, len(OPERATORS))):
            if codes.any():
                name = quoted_name(self.space.names[attribute])
                for operator in np.flatnonzero(codes).tolist():
                    heads[attribute * len(OPERATORS) + operator] = name + tails[operator]
        return heads

    def _glue(self) -> Objects:
        """What stands between two predicates: [the first has a list, its clause closes, what begins, opens]."""
        inner, outer = (" OR ", " AND ") if self.form == "cnf" else (" AND ", " OR ")
        glue = np.empty((2, 2, 3, 2), dtype=object)
        for close_list, close, begins, opens in np.ndindex(glue.shape):
            between = (inner, outer, SEPARATOR)[begins]
            glue[close_list, close, begins, opens] = ")" * (close_list + close) + between + "(" * opens
        return glue

    def _chunk(self, start: int, stop: int) -> list[str]:
        clauses = self.clause_offsets[self.offsets[start] : self.offsets[stop] + 1]
        first, last = int(clauses[0]), int(clauses[-1])
        bounds = self.value_offsets[first : last + 1]
        attributes, operators = self.attributes[first:last].astype(np.int64), self.operators[first:last]
        codes = self.values[bounds[0] : bounds[-1]]
        counts = np.diff(bounds)

        begins = np.zeros(last - first, dtype=np.int8)
        begins[clauses[:-1] - first] = 1
        begins[self.clause_offsets[self.offsets[start:stop]] - first] = NEW_EXPRESSION
        lists = (operators == IN) | (operators == NOT_IN)
        if self.form == "conjunction":
            inside = np.zeros(last - first, dtype=bool)
        else:
            per_expression = np.diff(self.offsets[start : stop + 1])
            several = np.repeat(per_expression > 1, per_expression) & (np.diff(clauses) > 1)
            inside = np.repeat(several, np.diff(clauses))
        before = np.zeros_like(lists)
        before[1:] = lists[:-1]
        left = np.zeros_like(inside)
        left[1:] = inside[:-1]
        fresh = (begins > 0).astype(np.int8)
        glue = self._glue()[before.astype(np.int8), left * fresh, begins, inside * fresh]
        heads = self._heads[attributes * len(OPERATORS) + operators]

        if len(codes) == last - first:
            owners = attributes
        else:
            owner = np.repeat(np.arange(last - first), counts)
            owners = attributes[owner]
            firsts = bounds[:-1] - bounds[0]
            more = as_objects([", ", " AND "])[(operators == BETWEEN).astype(np.int8)][owner]
            more[firsts] = heads
            heads = more
            joints = np.full(len(codes), "", dtype=object)
            joints[firsts] = glue
            glue = joints
        pieces = np.empty((len(codes), 3), dtype=object)
        pieces[:, 0] = glue
        pieces[:, 1] = heads
        pieces[:, 2] = self.space.literals(owners, codes)
        end = ")" * (int(lists[-1]) + int(inside[-1]))
        return ("".join(pieces.ravel().tolist())[len(SEPARATOR) :] + end).split(SEPARATOR)

    def iter_texts(self) -> Iterator[str]:
        """The expressions in the language's notation, a chunk in memory at a time."""
        for start in range(0, len(self), CHUNK):
            yield from self._chunk(start, min(start + CHUNK, len(self)))

    def texts(self) -> list[str]:
        """The expressions in the language's notation."""
        return list(self.iter_texts())

    def exprs(self) -> list[Expr]:
        """The expressions as objects."""
        return [parse(text) for text in self.iter_texts()]

    def arrow(self) -> Any:
        """A pyarrow table with the columns `id` (0, 1, ...) and `expression` (text)."""
        pa = pyarrow()
        return pa.table(
            {"id": pa.array(np.arange(len(self))), "expression": pa.array(self.texts(), pa.string())}
        )

    def write_jsonl(self, path: str | PathLike[str]) -> None:
        """Write a line {"id": ..., "expression": ...} for each expression."""
        encode = json.encoder.encode_basestring_ascii
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(
                f'{{"id": {at}, "expression": {encode(text)}}}\n' for at, text in enumerate(self.iter_texts())
            )

    def write_parquet(self, path: str | PathLike[str]) -> None:
        """Write the table that `arrow` gives. Needs pyarrow."""
        pq = pyarrow("pyarrow.parquet")
        pq.write_table(self.arrow(), path)


Layout = Literal["auto", "map", "wide"]


@dataclass(frozen=True)
class Events:
    """Generated events: pairs of attribute and value, as columns."""

    space: Space
    offsets: Ints  # of each event's pairs
    attributes: Ints
    values: Ints  # codes

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def sizes(self) -> Ints:
        """How many pairs each event has."""
        return np.diff(self.offsets)

    @property
    def is_dense(self) -> bool:
        """Whether the events have half of all attributes or more."""
        return 2 * len(self.attributes) >= len(self) * len(self.space.names)

    def take(self, rows: Ints) -> Events:
        """The events at these places, in this order."""
        sizes = self.sizes[rows]
        at = positions_of(self.offsets[rows], sizes)
        return Events(self.space, offsets_of(sizes), self.attributes[at], self.values[at])

    def then(self, other: Events) -> Events:
        """These events, then others over the same space."""
        return Events(
            self.space,
            joined(self.offsets, other.offsets),
            np.concatenate([self.attributes, other.attributes]),
            np.concatenate([self.values, other.values]),
        )

    def iter_dicts(self) -> Iterator[dict[str, Any]]:
        """The events as dicts, a chunk in memory at a time."""
        names = as_objects(self.space.names)
        for start in range(0, len(self), CHUNK):
            bounds = self.offsets[start : start + CHUNK + 1]
            part = slice(int(bounds[0]), int(bounds[-1]))
            keys = names[self.attributes[part]].tolist()
            values = self.space.values(self.attributes[part], self.values[part]).tolist()
            for low, high in pairwise((bounds - bounds[0]).tolist()):
                yield dict(zip(keys[low:high], values[low:high], strict=True))

    def dicts(self) -> list[dict[str, Any]]:
        """The events as dicts."""
        return list(self.iter_dicts())

    def arrow(self, layout: Layout = "auto") -> Any:
        """A pyarrow table, one row an event.

        `wide` has a column an attribute; `map` has the columns `numbers` and `words`, maps from names to numbers and
        to strings (only those that the attributes need); `auto` is wide if the events are dense.
        """
        require(layout in ("auto", "map", "wide"), "layout", f"{layout!r} is none of 'auto', 'map', 'wide'")
        if layout == "wide" or (layout == "auto" and self.is_dense):
            return self._wide()
        return self._maps()

    def _wide(self) -> Any:
        pa = pyarrow()
        rows = np.repeat(np.arange(len(self)), self.sizes)
        order = np.argsort(self.attributes, kind="stable")
        ends = np.searchsorted(self.attributes[order], np.arange(len(self.space.names) + 1))
        columns = {}
        for attribute, name in enumerate(self.space.names):
            at = order[ends[attribute] : ends[attribute + 1]]
            table = self.space.table_of[attribute]
            indices = np.zeros(len(self), dtype=np.int64)
            indices[rows[at]] = self.values[at]
            absent = np.ones(len(self), dtype=bool)
            absent[rows[at]] = False
            codes = pa.array(indices, mask=absent)
            if table < 0:
                columns[name] = codes
            else:
                kind = pa.string() if self.space.textual[attribute] else None
                known = pa.array(self.space.tables[table], kind)
                columns[name] = known.take(codes)
        return pa.table(columns)

    def _maps(self) -> Any:
        pa = pyarrow()
        names = pa.array(self.space.names, pa.string())
        textual = self.space.textual[self.attributes]
        rows = np.repeat(np.arange(len(self)), self.sizes)
        columns = {}
        for column, mask in (("numbers", ~textual), ("words", textual)):
            if column == (
                "words" if (~self.space.textual).all() else "numbers" if self.space.textual.all() else ""
            ):
                continue
            attributes = self.attributes[mask]
            offsets = offsets_of(np.bincount(rows[mask], minlength=len(self))).astype(np.int32)
            if self.space.tables:
                items = pa.array(self.space.values(attributes, self.values[mask]).tolist())
            else:
                items = pa.array(self.values[mask].astype(np.int64))
            columns[column] = pa.MapArray.from_arrays(offsets, names.take(pa.array(attributes)), items)
        return pa.table(columns)

    def write_jsonl(self, path: str | PathLike[str]) -> None:
        """Write each event as an object in a line of its own."""
        encode = json.JSONEncoder(separators=(", ", ": ")).encode
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(encode(event) + "\n" for event in self.iter_dicts())

    def write_parquet(self, path: str | PathLike[str], layout: Layout = "auto") -> None:
        """Write the table that `arrow` gives. Needs pyarrow."""
        pq = pyarrow("pyarrow.parquet")
        pq.write_table(self.arrow(layout), path)


@dataclass(frozen=True, kw_only=True)
class Workload(ABC):
    """Parameters of a generator; the same ones, the seed included, always give the same expressions and events."""

    seed: int = 0

    def __post_init__(self) -> None:
        require(self.seed >= 0, "seed", f"{self.seed} is negative")
        self.check()

    @abstractmethod
    def check(self) -> None:
        """ValueError for parameters that cannot be met."""

    def require_least(self, least: int, *parameters: str) -> None:
        for name in parameters:
            value = getattr(self, name)
            require(value >= least, name, f"{value} is below {least}" if least else f"{value} is negative")

    def require_share(self, parameter: str) -> None:
        value = getattr(self, parameter)
        require(0 <= value <= 1, parameter, f"{value} is no share")

    def require_positive_share(self, parameter: str) -> None:
        value = getattr(self, parameter)
        require(0 < value <= 1, parameter, f"{value} is not in (0, 1]")

    def require_drawable(self, *sizes: str) -> None:
        """Of a workload with `dimensions`: that many different ones can be drawn."""
        dimensions = self.dimensions  # type: ignore[attr-defined]
        self.require_least(1, *sizes)
        for name in sizes:
            size = getattr(self, name)
            require(
                size <= dimensions,
                name,
                f"{size} distinct attributes cannot be drawn from {dimensions} dimensions",
            )

    @abstractmethod
    def expressions(self, n: int) -> Expressions:
        """Generate n expressions."""

    @abstractmethod
    def events(self, n: int) -> Events:
        """Generate n events."""

    def stream(self, purpose: str) -> np.random.Generator:
        """The random numbers for one purpose: what is drawn for one leaves all others as they are."""
        return np.random.default_rng([self.seed, *purpose.encode()])


def require_count(n: int) -> None:
    require(n >= 0, "n", f"{n} is negative")


def numbered(letter: str, count: int) -> list[str]:
    """The names a0, a1, ..."""
    return [f"{letter}{at}" for at in range(count)]


def zipf_weights(count: int, exponent: float) -> NDArray[np.float64]:
    """Probabilities that fall with the rank r as r**-exponent; exponent 0 is uniform."""
    weights: NDArray[np.float64] = np.arange(1, count + 1, dtype=np.float64) ** -float(exponent)
    weights /= weights.sum()
    return weights


def draw(rng: np.random.Generator, shape: Any, weights: NDArray[np.float64]) -> Ints:
    """Independent draws of places in `weights`, with these probabilities."""
    drawn: Ints
    if (weights == weights[0]).all():
        drawn = rng.integers(0, len(weights), shape, dtype=np.int64)
    else:
        cumulative = np.cumsum(weights)
        drawn = np.searchsorted(cumulative / cumulative[-1], rng.random(shape), side="right")
        drawn = np.minimum(drawn, len(weights) - 1)
    return drawn


def draw_distinct(rng: np.random.Generator, sizes: Ints, weights: NDArray[np.float64]) -> Ints:
    """For each row `sizes[row]` distinct places in `weights`, one after the other with these probabilities.

    Drawing with repetition and leaving repetitions out is the same as drawing without repetition, so rows are drawn at
    once; those that come out short draw on, and at last are completed by exponential races (the places whose
    exponential times of rate `weights` are the least win).
    """
    offsets = offsets_of(sizes)
    result = np.empty(offsets[-1], dtype=np.int32)
    order = np.argsort(
        sizes, kind="stable"
    )  # rows of about one size go together: no draw is wasted on short ones
    for start in range(0, len(sizes), DRAWN_ROWS):
        rows = order[start : start + DRAWN_ROWS]
        width = int(sizes[rows[-1]])
        drawn = draw(rng, (len(rows), width), weights)
        ordered = np.sort(drawn, axis=1)
        repeated = np.flatnonzero((ordered[:, 1:] == ordered[:, :-1]).any(axis=1))
        if len(repeated):
            drawn[repeated] = _without_repetitions(rng, drawn[repeated], weights)
        result[positions_of(offsets[rows], sizes[rows])] = drawn[np.arange(width) < sizes[rows, None]]
    return result


def _without_repetitions(rng: np.random.Generator, drawn: Ints, weights: NDArray[np.float64]) -> Ints:
    width = drawn.shape[1]
    longer = np.concatenate([drawn, draw(rng, (len(drawn), 2 * width + 8), weights)], axis=1)
    order = np.argsort(longer, axis=1, kind="stable")
    ordered = np.take_along_axis(longer, order, axis=1)
    again = np.zeros(longer.shape, dtype=bool)
    again[:, 1:] = ordered[:, 1:] == ordered[:, :-1]
    seen = np.empty_like(again)
    np.put_along_axis(seen, order, again, axis=1)
    kept = np.argsort(seen, axis=1, kind="stable")[:, :width]
    result = np.take_along_axis(longer, kept, axis=1)
    have = np.minimum((~seen).sum(axis=1), width)
    short = np.flatnonzero(have < width)
    step = max(1, (1 << 22) // len(weights))
    for start in range(0, len(short), step):
        rows = short[start : start + step]
        times = rng.standard_exponential((len(rows), len(weights))) / weights
        taken = np.arange(width) < have[rows, None]
        times[np.nonzero(taken)[0], result[rows][taken]] = np.inf
        wanted = int((width - have[rows]).max())
        fastest = np.argpartition(times, wanted - 1, axis=1)[:, :wanted]
        fastest = np.take_along_axis(
            fastest, np.argsort(np.take_along_axis(times, fastest, 1), axis=1), axis=1
        )
        places = np.arange(width) - have[rows, None]
        result[rows] = np.where(
            taken, result[rows], np.take_along_axis(fastest, np.maximum(places, 0), axis=1)
        )
    return result


def draw_members(
    rng: np.random.Generator, counts: Ints, low: int, high: int | Ints
) -> tuple[Ints, NDArray[np.bool_]]:
    """For each row up to `counts[row]` distinct numbers of low ... high - 1, in order, and a mask of where they are."""
    width = int(counts.max(initial=1))
    ends = np.broadcast_to(np.asarray(high, dtype=np.int64), len(counts))[:, None]
    members = rng.integers(low, ends, (len(counts), width))
    members = np.sort(np.where(np.arange(width) < counts[:, None], members, ends), axis=1)
    held = members < ends
    held[:, 1:] &= members[:, 1:] != members[:, :-1]
    return members, held


def operand_lists(
    operators: Ints, first: Ints, second: Ints, members: Ints, held: NDArray[np.bool_]
) -> tuple[Ints, Ints]:
    """Offsets and values of all operands: `first`, and for BETWEEN `second`; a row of `members` for each IN, NOT IN."""
    lists = np.flatnonzero((operators == IN) | (operators == NOT_IN))
    between = np.flatnonzero(operators == BETWEEN)
    counts = np.ones(len(operators), dtype=np.int64)
    counts[between] = 2
    counts[lists] = held.sum(axis=1)
    offsets = offsets_of(counts)
    values = np.empty(offsets[-1], dtype=np.int64)
    values[offsets[:-1]] = first
    values[offsets[between] + 1] = second[between]
    values[positions_of(offsets[lists], counts[lists])] = members[held]
    return offsets, values


def vocabulary(size: int, *, exponent: float = 1.0, seed: int = 0) -> dict[str, int]:
    """Made-up words with Zipf frequencies, the most frequent first: stands for a word list of a real language."""
    require(size >= 0, "size", f"{size} is negative")
    rng = np.random.default_rng([seed, *b"vocabulary"])
    syllables = as_objects([first + vowel for first in "bcdfghklmnprstvz" for vowel in "aeiou"])
    words: dict[str, None] = {}
    while len(words) < size:
        lengths = rng.integers(1, 5, size)
        parts = syllables[rng.integers(0, len(syllables), (size, 4))].tolist()
        tails = rng.choice(np.array(["", "n", "r", "s", "t"], dtype=object), size).tolist()
        words.update(
            (
                ("".join(row[:length]) + tail, None)
                for row, length, tail in zip(parts, lengths, tails, strict=True)
            )
        )
    counts = np.maximum(1, 1_000_000 * zipf_weights(max(size, 1), exponent)).astype(np.int64)
    return dict(zip(list(words)[:size], counts.tolist(), strict=False))


def frequency_space(frequencies: Mapping[str, int], limit: int) -> tuple[list[str], NDArray[np.float64]]:
    """The `limit` most frequent words and their probabilities."""
    bad = next((word for word, count in frequencies.items() if count <= 0), None)
    require(bad is None, "words", f"the frequency of {bad!r} is not positive")
    ranked = sorted(frequencies.items(), key=lambda item: (-item[1], item[0]))[:limit]
    counts = np.array([count for _, count in ranked], dtype=np.float64)
    return [word for word, _ in ranked], counts / counts.sum()
