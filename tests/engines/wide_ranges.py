"""What the tests of rein, dexin and tama share: expressions that nearly every value satisfies, and events for them."""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Callable, Iterable
from typing import Any

import boolsieve as bs

NONE = 0xFFFFFFFF

# Section 3.2 of the DEXIN paper: eight kinds of ranges, two of points.
FORMS = [
    "{0} > {1}",
    "{0} >= {1}",
    "{0} < {2}",
    "{0} <= {2}",
    "{0} > {1} AND {0} < {2}",
    "{0} > {1} AND {0} <= {2}",
    "{0} >= {1} AND {0} < {2}",
    "{0} >= {1} AND {0} <= {2}",
    "{0} = {1}",
    "{0} != {1}",
]
OTHERS = [
    "{0} IN ({1}, {2}, 50)",
    "{0} NOT IN ({1}, {2})",
    "{0} NOT BETWEEN {1} AND {2}",
    "{0} IS NOT NULL",
    "{0} IS NULL",
    "s{0} < 'a rather long text {1}'",
    "s{0} STARTS WITH 'a'",
]


def predicate(dice: random.Random, name: str, forms: list[str]) -> str:
    low = dice.choice([dice.randint(0, 100), dice.randint(0, 10) * 10, 50])
    return dice.choice(forms).format(name, low, low + dice.randint(20, 60))


def texts_of(dice: random.Random, n: int, attributes: int, forms: list[str] | None = None) -> list[str]:
    """Conjunctions over up to four of a few attributes."""
    names = [f"a{i}" for i in range(attributes)]
    return [
        " AND ".join(
            predicate(dice, name, forms or FORMS + OTHERS)
            for name in dice.sample(names, dice.randint(1, min(4, attributes)))
        )
        for _ in range(n)
    ]


def event_of(dice: random.Random, attributes: int, share: float = 0.8) -> dict[str, Any]:
    """Values on operands and between them; some attributes are missing."""
    event: dict[str, Any] = {}
    for i in range(attributes):
        if dice.random() < share:
            event[f"a{i}"] = dice.choice([dice.randint(-5, 165), dice.randint(0, 16) * 10, 50, 49.5, 2**62])
        if dice.random() < share / 2:
            event[f"sa{i}"] = dice.choice(["a rather long text 5", "a", "b"])
    return event


def assert_same(index: bs.Index, other: bs.Index, events: Iterable[dict[str, Any]]) -> None:
    for event in events:
        assert index.match(event) == other.match(event), event


def counted(index: bs.Index, event: dict[str, Any]) -> tuple[int, int]:
    """How many matches an event has, and how many clauses were checked for it."""
    before = index.stats()["candidates"]
    found = index.match_count(event)
    return found, int(index.stats()["candidates"] - before)


def run_updates(engine: Any, seed: int, attributes: int = 4, forms: list[str] | None = None) -> bs.Index:
    """Grows, shrinks and grows again; compared with scan and checked on the way."""
    dice = random.Random(seed)
    index, model = bs.Index(engine), bs.Index("scan")
    ids: list[int] = []
    following = 0
    for add, remove in [(300, 60), (40, 250), (500, 100), (0, 300)]:
        texts = texts_of(dice, add, attributes, forms)
        many = add // 3
        for target in (index, model):
            target.add_many(range(following, following + many), texts[:many])
            for i in range(many, add):
                target.add(following + i, texts[i])
        ids += range(following, following + add)
        following += add
        dice.shuffle(ids)
        for id_ in ids[:remove]:
            del index[id_], model[id_]
        del ids[:remove]
        for id_ in ids[:20]:
            text = texts_of(dice, 1, attributes, forms)[0]
            index[id_] = text
            model[id_] = text
        index.check_invariants()
        assert_same(index, model, (event_of(dice, attributes) for _ in range(25)))
    return index


def corrupted(index: bs.Index, name: str, change: Callable[[Any], None]) -> bs.Index:
    """A copy of an index with one buffer of its engine changed."""
    index.check_invariants()
    rebuild, (format_, kind, options, budget, store, engine) = index.__reduce__()  # type: ignore[misc]
    engine = dict(engine)
    change(engine[name])
    return rebuild(format_, kind, options, budget, store, engine)  # type: ignore[no-any-return]


def put(at: Any, value: Any) -> Callable[[Any], None]:
    def change(array: Any) -> None:
        array[at] = value

    return change


def add_one(at: Any) -> Callable[[Any], None]:
    def change(array: Any) -> None:
        array[at] += 1

    return change


def swap(one: int, other: int, words: int = 1) -> Callable[[Any], None]:
    """Two items of so many words change places."""

    def change(array: Any) -> None:
        items = array.reshape(-1, words)
        items[[one, other]] = items[[other, one]]

    return change


def check_many_attributes(engine: Any) -> None:
    """20,000 attributes: memory stays in proportion to the predicates, and answers are right."""
    dice = random.Random(4)
    texts = [
        " AND ".join(
            f"x{dice.randrange(20_000)} {dice.choice(['>=', '<', '=', '!='])} {dice.randint(0, 9)}"
            for _ in range(dice.randint(1, 4))
        )
        for _ in range(20_000)
    ]
    index, model = bs.Index(engine), bs.Index("scan")
    for target in (index, model):
        target.add_many(range(len(texts)), texts)
        for i in range(0, 20_000, 3):
            del target[i]
        for i in range(0, 3_000, 3):
            target.add(i, texts[i])
    own = index.stats()["bytes"] - model.stats()["bytes"]
    assert own < 250 * len(index)
    events = [
        {f"x{i}": dice.randint(-1, 10) for i in dice.sample(range(20_000), size)} for size in (1, 30, 5_000)
    ]
    assert_same(index, model, events)
    assert index.match_count(events[-1]) > 100


def check_texts_and_ends(engine: Any) -> None:
    """Keys at both ends of what 64 bits hold, strings, times, booleans: each often enough for a column of its own."""
    dice = random.Random(8)
    operands = {
        "n": [-(2**63), -(2**61), -1, 0, 1, 2**61, 2**62, 2**63 - 1, 0.5, -1e300, 1e300],
        "s": ["''", "'a'", "'b'", "'zz'"],
        "t": ["DATE '2020-01-01'", "TIMESTAMP '2026-01-02 03:04:05Z'", "DATE '1999-12-31'"],
        "f": ["TRUE", "FALSE"],
    }
    texts = []
    for _ in range(600):
        parts = []
        for name in dice.sample(sorted(operands), dice.randint(1, 3)):
            operator = dice.choice(["=", "!="] if name == "f" else ["=", "!=", "<", "<=", ">", ">="])
            parts.append(f"{name} {operator} {dice.choice(operands[name])}")
        texts.append(" AND ".join(parts))
    index, model = bs.Index(engine), bs.Index("scan")
    for target in (index, model):
        target.add_many(range(len(texts)), texts)
    index.check_invariants()
    values: dict[str, list[Any]] = {
        "n": [-(2**63), -(2**62), -1, -0.5, 0, 0.25, 1, 2**61, 2**62 + 1, 2**63 - 1, 1e301, -1e301],
        "s": ["", "a", "aa", "b", "zz", "zzz"],
        "t": [dt.date(2020, 1, 1), dt.datetime(2026, 1, 2, 3, 4, 5), dt.date(2030, 1, 1)],
        "f": [True, False],
    }
    for _ in range(150):
        event = {name: dice.choice(values[name]) for name in values if dice.random() < 0.8}
        assert index.match(event) == model.match(event), event
