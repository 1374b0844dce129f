"""An index with a bit of everything, events for it, and the ways in which a process or a disk can fail."""

from __future__ import annotations

import os
import signal
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Any

import boolsieve as bs

EXPRESSIONS: dict[int | str, str] = {
    "cheap": "price < 5 AND color = 'red'",
    2: "name LIKE '%b_b%' OR NOT (x IN (1, 2, 3))",
    "set": "tags HAS 'x' AND y IS NULL",
    4: "name > 'a long text, beyond a key' AND name < 'zebra'",
    -5: "x BETWEEN 1 AND 9007199254740993.0 OR z NOT BETWEEN 0.5 AND 9007199254740993",
    7: "(a = 1 OR b = 2) AND (c = 3 OR d = 4) AND (e = 5 OR f = 6) AND (g = 7 OR h = 8) AND (i = 9 OR j = 10)",
    8: "name STARTS WITH 'he' AND name ENDS WITH 'lo'",
    9: "name ILIKE 'HE%o' OR name CONTAINS 'eb'",
    "always": "TRUE",
    "never": "FALSE",
    "regex": "name MATCHES '^z.*a$'",
    "gone": "price > 3",
    "other": "price > 4",
}
EVENTS: list[dict[str, Any]] = [
    {},
    {"price": 4, "color": "red"},
    {"name": "hello", "x": 7, "z": 3},
    {"name": "zebra", "x": 2, "z": 0.25},
    {"name": "bob b b", "tags": ["x", 5]},
    {"a": 1, "d": 4, "e": 5, "g": 7, "j": 10},
    {"price": 4.5, "tags": ["x"], "y": 1},
]


def filled(engine: Any = "scan") -> bs.Index:
    index = bs.Index(engine)
    index.add_many(list(EXPRESSIONS), list(EXPRESSIONS.values()))
    index.add("weighed", "price < 100 OR x = 7", weight=2.0, weights={"price": 3.0})
    index.add(
        "owned", "price < 50", attributes={"tier": "gold", "levels": [1, 2.5, "x"], "since": date(2026, 1, 2)}
    )
    del index["gone"]
    index["other"] = "price >= 4.5"
    return index


def answers(index: bs.Index) -> list[Any]:
    found: list[Any] = [index.match(event) for event in EVENTS]
    found += [list(ids) for ids in index.match_batch(EVENTS)]
    found += [index.match(event, where="tier = 'gold' AND levels HAS 'x'") for event in EVENTS]
    found += [index.top_k(event, 3) for event in EVENTS]
    return [*found, [(id_, str(index[id_]), index.attributes(id_)) for id_ in index]]


def error_of(call: Callable[[], object]) -> bs.StorageError | None:
    """The error that a call raises, if it does."""
    try:
        call()
    except bs.StorageError as error:
        return error
    return None


def put_byte(path: Path, at: int, value: int) -> None:
    """Overwrites one byte in place: far faster than writing the file anew, which some file systems force to disk."""
    with path.open("r+b", buffering=0) as file:
        file.seek(at)
        file.write(bytes([value]))


class Stop(BaseException):
    """Ends a step that is to fail, as no error of the operating system would."""


@contextmanager
def at_step(number: int, instead: Callable[[str, Any, tuple[Any, ...]], Any]) -> Iterator[list[str]]:
    """Does something else in place of the nth call that changes a disk. Gives the names of the calls made."""
    names = ["open", "write", "fsync", "fdatasync", "replace", "ftruncate"]
    real = {name: getattr(os, name) for name in names}
    calls: list[str] = []

    def replaced(name: str) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            calls.append(name)
            if len(calls) == number + 1:
                return instead(name, real[name], arguments)
            return real[name](*arguments)

        return call

    for name in names:
        setattr(os, name, replaced(name))
    try:
        yield calls
    finally:
        for name in names:
            setattr(os, name, real[name])


def die(name: str, real: Any, arguments: tuple[Any, ...]) -> None:
    """As if the machine went off; half of what was to be written is."""
    if name == "write":
        real(arguments[0], bytes(arguments[1])[: len(arguments[1]) // 2])
    os.kill(os.getpid(), signal.SIGKILL)


def killed_at(number: int, work: Callable[[], None]) -> bool:
    """Does the work in a process of its own that is killed at its nth call. False if it made fewer."""
    sys.stdout.flush()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # other threads are idle
        child = os.fork()
    if child == 0:
        status = 1
        try:
            with at_step(number, die):
                work()
            status = 0
        finally:
            os._exit(status)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        assert os.WTERMSIG(status) == signal.SIGKILL
        return True
    assert os.WEXITSTATUS(status) == 0
    return False
