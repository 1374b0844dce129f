"""What the tests of gryphon and htree share: trees read from buffers, counts, damage."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np

import boolsieve as bs
import oracle

NONE = 0xFFFFFFFF


class Level:
    """The buffers of the only tree of an index, and the records in them; for one clause an expression."""

    def __init__(self, index: bs.Index, engine: str) -> None:
        raw = index.buffers()
        built = [level for level in range(8) if len(raw[f"{engine}.{level}.records"])]
        assert len(built) == 1, built
        start = f"{engine}.{built[0]}."
        self.of = {name[len(start) :]: array for name, array in raw.items() if name.startswith(start)}
        self.ids = list(index)
        used = self.of["ranks.values"] != NONE
        self.attribute_of = {
            int(rank): int(attribute)
            for attribute, rank in zip(
                self.of["ranks.keys"][used], self.of["ranks.values"][used], strict=True
            )
        }

    def ids_in(self, begin: int, end: int) -> list[Any]:
        """The ids of the records of a bucket."""
        found, records = [], self.of["records"]
        while begin < end:
            found.append(self.ids[int(records[begin])])
            begin += 2 + int(records[begin + 1] >> 1)
        return found


def counted(index: bs.Index, event: dict[str, Any]) -> tuple[list[Any], int, int]:
    """What an event matches, and how many candidates and predicates it took."""
    before = index.stats()
    found = index.match(event)
    after = index.stats()
    counts = [int(after[name] - before[name]) for name in ("candidates", "predicates_evaluated")]
    return found, counts[0], counts[1]


def corrupted(index: bs.Index, name: str, change: Callable[[Any], None]) -> bs.Index:
    """A copy of an index with a change to one of its engine's buffers."""
    rebuild, (format_, kind, options, budget, store, engine) = index.__reduce__()  # type: ignore[misc]
    engine = dict(engine)
    engine[name] = engine[name].copy()
    change(engine[name])
    return rebuild(format_, kind, options, budget, store, engine)  # type: ignore[no-any-return]


def put(at: Any, value: Any) -> Callable[[Any], None]:
    """A change: the value at a place."""

    def change(array: Any) -> None:
        array[at] = value

    return change


def turn_round(array: Any) -> None:
    """A change: all in the opposite order."""
    array[:] = array[::-1].copy()


def random_text(dice: random.Random) -> str:
    """A conjunction of predicates of all kinds on some of six attributes."""

    def predicate(name: str) -> str:
        low, high = sorted(dice.sample(range(12), 2))
        kinds = [
            f"{name} = {low}",
            f"{name} BETWEEN {low} AND {high}",
            f"{name} > {low}",
            f"{name} <= {high}",
            f"{name} IN ({low}, {high}, {high + 3})",
            f"{name} != {low}",
            f"{name} NOT IN ({low}, {high})",
            f"{name} NOT BETWEEN {low} AND {high}",
            f"{name} IS NULL",
        ]
        return dice.choice(kinds)

    return " AND ".join(predicate(name) for name in dice.sample("abcdef", dice.randint(1, 4)))


def update_and_match(index: bs.Index, steps: int, seed: int) -> None:
    """Adds, replaces and removes at random, and compares with the oracle in between."""
    dice = random.Random(seed)
    model: dict[int, bs.Expr] = {}
    for step in range(steps):
        id_ = dice.randrange(steps // 8)
        if dice.random() < 0.4 and id_ in model:
            del index[id_], model[id_]
        else:
            text = random_text(dice)
            index[id_] = text
            model[id_] = bs.parse(text)
        if step % 20 == 0:
            event = {name: dice.choice([0, 1, 2.5, 4, 7, 11, 14]) for name in dice.sample("abcdef", 4)}
            found = set(oracle.matching(model, event))
            assert index.match(event) == [other for other in index if other in found]
        if step % 200 == 0:
            index.check_invariants()


def bytes_of(index: bs.Index, engine: str) -> int:
    """What the engine's buffers hold."""
    return sum(array.nbytes for name, array in index.buffers().items() if name.startswith(engine + "."))


def narrow_ranges(n: int) -> list[str]:
    """Ranges on one attribute, no two with an end in common, of which a value meets about twenty."""
    starts = np.random.default_rng(5).permutation(n) * 40
    return [f"a BETWEEN {start} AND {start + 800 + i % 7}" for i, start in enumerate(starts.tolist())]
