"""Scenario files: a workload, its size, the engines to run on it, and the number of matches that must come out.

```
{
    "about": "what it stands for, in a sentence",
    "workload": "BEGen",                              a generator of boolsieve.workloads
    "parameters": {"match_probability": 0.01},        its parameters; the rest are its defaults
    "expressions": 10000,
    "events": 256,
    "engines": "all",                                 or a list of names
    "matches": 25600                                  of all events together
}
```
"""

from __future__ import annotations

import dataclasses
import json
from functools import cached_property
from pathlib import Path
from typing import Any

import boolsieve as bs
from boolsieve import workloads

FOLDER = Path(__file__).with_name("scenarios")

GENERATORS: dict[str, type[workloads.Workload]] = {
    name: kind
    for name in workloads.__all__
    if isinstance(kind := getattr(workloads, name), type)
    and issubclass(kind, workloads.Workload)
    and kind is not workloads.Workload
}


class ScenarioError(ValueError):
    """A scenario file that cannot be used; the message names the file and the field."""


@dataclasses.dataclass(frozen=True)
class Scenario:
    """A scenario that was checked. Expressions and events are made once, when they are asked for."""

    name: str
    about: str
    workload: workloads.Workload
    expressions: int
    events: int
    engines: tuple[str, ...]
    matches: int | None  # None for a size that the file says nothing about

    def resized(self, expressions: int) -> Scenario:
        """The same with another number of expressions."""
        if expressions == self.expressions:
            return self
        return dataclasses.replace(self, expressions=expressions, matches=None)

    @cached_property
    def texts(self) -> list[str]:
        return self.workload.expressions(self.expressions).texts()

    @cached_property
    def event_columns(self) -> workloads.Events:
        return self.workload.events(self.events)

    @cached_property
    def dicts(self) -> list[dict[str, Any]]:
        return self.event_columns.dicts()

    @cached_property
    def expected(self) -> int:
        """The matches of all events: what the file says, or what `scan` finds at another size."""
        if self.matches is not None:
            return self.matches
        return int(self.index("scan").match_batch(self.dicts).total)

    def index(self, engine: str) -> bs.Index:
        index = bs.Index(engine=engine)
        index.add_many(range(self.expressions), self.texts)
        return index


def load(path: Path) -> Scenario:
    """Read and check a file; `ScenarioError` for whatever is wrong with it."""

    def refuse(field: str, why: str) -> ScenarioError:
        return ScenarioError(f"{path.name}: {field}: {why}")

    try:
        given = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise ScenarioError(f"{path.name}: cannot be read: {error}") from None
    except json.JSONDecodeError as error:
        raise ScenarioError(f"{path.name}: line {error.lineno}: not JSON: {error.msg}") from None
    if not isinstance(given, dict):
        raise ScenarioError(f"{path.name}: expected an object with the fields {', '.join(FIELDS)}")
    for field in given:
        if field not in FIELDS:
            raise refuse(field, f"unknown field; the fields are {', '.join(FIELDS)}")
    for field, kind in FIELDS.items():
        if field not in given:
            raise refuse(field, "missing")
        if not isinstance(given[field], kind) or isinstance(given[field], bool):
            raise refuse(field, f"expected {NAMES[kind]}, not {given[field]!r}")
        if kind is int and given[field] < (0 if field == "matches" else 1):
            raise refuse(field, f"{given[field]} is too small")

    if given["workload"] not in GENERATORS:
        raise refuse("workload", f"no generator {given['workload']!r}; there are {', '.join(GENERATORS)}")
    kind = GENERATORS[given["workload"]]
    known = [field.name for field in dataclasses.fields(kind)]
    for name in given["parameters"]:
        if name not in known:
            raise refuse(f"parameters.{name}", f"{kind.__name__} has {', '.join(known)}")
    try:
        workload = kind(**given["parameters"])
    except (TypeError, ValueError) as error:  # a generator names the parameter itself, but for wrong types
        raise ScenarioError(f"{path.name}: parameters.{error}") from None

    engines = bs.engines.names() if given["engines"] == "all" else given["engines"]
    if not isinstance(engines, list) or not engines:
        raise refuse("engines", f'expected "all" or a list of names, not {engines!r}')
    for engine in engines:
        if engine not in bs.engines.names():
            raise refuse("engines", f"no engine {engine!r}; there are {', '.join(bs.engines.names())}")
    return Scenario(
        path.stem,
        given["about"],
        workload,
        given["expressions"],
        given["events"],
        tuple(engines),
        given["matches"],
    )


FIELDS: dict[str, Any] = {
    "about": str,
    "workload": str,
    "parameters": dict,
    "expressions": int,
    "events": int,
    "engines": (str, list),
    "matches": int,
}
NAMES = {str: "text", dict: "an object", int: "a whole number", (str, list): '"all" or a list of names'}


def load_all(folder: Path = FOLDER) -> list[Scenario]:
    """All files of the folder, by name. Nothing is generated yet."""
    return [load(path) for path in sorted(folder.glob("*.json"))]
