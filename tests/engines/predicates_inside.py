"""What the shared index of distinct predicates holds, read from an index' buffers."""

from __future__ import annotations

from typing import Any

import boolsieve as bs

NONE = 0xFFFFFFFF
LOWEST, HIGHEST = 1, (1 << 64) - 1
WHOLE = 1 << 63  # the key of the number 0; a step of 2 to the next
POINT, RANGE, SET, MEMBER = range(4)


def value(key: int) -> float:
    return (key - WHOLE) / 2


def predicates(index: bs.Index, engine: str, names: str) -> dict[int, tuple[Any, ...]]:
    """number -> (attribute, what it asks for, references). For names of one letter, and whole numbers."""
    raw = index.buffers()
    low, high, sets = (raw[f"store.{name}"].tolist() for name in ("low", "high", "sets"))
    found: dict[int, tuple[Any, ...]] = {}
    columns = (raw[f"{engine}.predicates.{name}"].tolist() for name in ("head", "at", "references"))
    for number, (head, at, references) in enumerate(zip(*columns, strict=True)):
        shape = head & 15
        if shape > MEMBER:
            continue
        name = names[int(raw["dictionary.attribute_name"][head >> 4])]
        asked: Any
        if shape == MEMBER:
            asked = value(sets[at])
        elif shape == POINT:
            asked = value(low[at])
        elif shape == SET:
            asked = frozenset(value(key) for key in sets[low[at] : low[at] + high[at]])
        elif at == NONE:
            asked = "present"
        else:
            asked = (
                "-" if low[at] == LOWEST else value(low[at]),
                "-" if high[at] == HIGHEST else value(high[at]),
            )
        found[number] = (name, asked, references)
    return found


def lists(index: bs.Index, prefix: str, words: int = 1) -> list[list[int]]:
    """The items of each list of a `Lists` under that prefix."""
    raw = index.buffers()
    items = raw[f"{prefix}.words"].tolist()
    bounds = zip(raw[f"{prefix}.begin"].tolist(), raw[f"{prefix}.length"].tolist(), strict=True)
    return [items[begin * words : (begin + length) * words] for begin, length in bounds]


def counted(index: bs.Index, event: dict[str, Any]) -> tuple[list[Any], int, int]:
    """What matches, how many candidates it took and how many predicates."""
    before = index.stats()
    found = index.match(event)
    after = index.stats()
    counts = [int(after[name] - before[name]) for name in ("candidates", "predicates_evaluated")]
    return found, counts[0], counts[1]


def corrupted(index: bs.Index, name: str, at: Any, value: Any) -> bs.Index:
    """A copy of the index with one change in a buffer of its engine."""
    index.check_invariants()
    rebuild, (format_, kind, options, budget, store, engine) = index.__reduce__()  # type: ignore[misc]
    engine = dict(engine)
    engine[name][at] = value
    return rebuild(format_, kind, options, budget, store, engine)  # type: ignore[no-any-return]
