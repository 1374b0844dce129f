"""What was measured, one record a point and engine, as CSV."""

from __future__ import annotations

import csv
import os
import platform
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Record:
    """An engine at a point. What was not measured is None, and `note` says why."""

    figure: str  # the panel: opindex-10a
    series: str  # the kind of workload, where a panel has several
    x: float | str
    engine: str
    kind: str  # "engine" or "rival"
    expressions: int
    events: int  # how many were matched
    event_seconds: float | None = None  # an event, in the best of the passes
    event_deviation: float | None = None  # of the events' best times
    matches: int | None = None  # of all these events together
    bytes: int | None = None  # the whole index, with the texts of the expressions
    build_seconds: float | None = None  # parsing included
    evaluations: float | None = None  # predicates evaluated an event
    note: str = ""
    workload: str = ""  # the generator and what of its parameters is not the default
    scale: float = 1.0
    seed: int = 0
    machine: str = ""


COLUMNS = tuple(field.name for field in fields(Record))
_INTEGERS = {"expressions", "events", "seed"}
_OPTIONAL_INTEGERS = {"matches", "bytes"}
_FLOATS = {"event_seconds", "event_deviation", "build_seconds", "evaluations", "scale"}


def of_figure(record: Record, figure: str) -> Record:
    """The record of a panel that shows the same sweep."""
    return replace(record, figure=figure)


def write(path: Path, records: Iterable[Record]) -> None:
    """Write a CSV file. An earlier one stays as it is until the new one is complete."""
    draft = path.with_name(path.name + ".part")
    with open(draft, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(asdict(record) for record in records)
    os.replace(draft, path)


def read(path: Path) -> list[Record]:
    """The records of a CSV file. ValueError if it is not one that `write` wrote."""
    with open(path, newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        if tuple(reader.fieldnames or ()) != COLUMNS:
            raise ValueError(f"{path} has other columns than bench writes: run its figure again")
        try:
            return [Record(**{name: _parsed(name, text) for name, text in row.items()}) for row in reader]
        except (TypeError, ValueError) as error:
            raise ValueError(f"{path}, line {reader.line_num}: {error}") from error


def _parsed(name: str, text: str) -> Any:
    if name in _INTEGERS:
        return int(text)
    if name in _OPTIONAL_INTEGERS:
        return int(text) if text else None
    if name in _FLOATS:
        return float(text) if text else None
    if name == "x":
        try:
            return float(text)
        except ValueError:
            return text
    return text


def machine() -> str:
    """Processor, cores and Python of this machine."""
    model = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    named = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), model)
    return f"{named}, {os.cpu_count()} cores, Python {platform.python_version()}"
