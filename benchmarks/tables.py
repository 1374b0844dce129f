"""Records of runs, and the tables of docs/benchmarks.md that are made from them.

`python benchmarks/tables.py` writes the tables anew between the page's markers. `python benchmarks/tables.py NAME
RESULTS` first keeps pytest-benchmark's RESULTS as records/NAME.json: per benchmark who did what in which time, with the
machine, the versions and the date.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
RECORDS = ROOT / "benchmarks" / "records"
PAGE = ROOT / "docs" / "benchmarks.md"
BEGIN, END = "<!-- records: begin -->", "<!-- records: end -->"

PACKAGES = ("boolsieve", "numpy", "pyarrow", "pandas", "duckdb", "polars", "rule-engine")
ENGINE_COLUMNS = {  # operation -> heading; microseconds, or bytes for memory
    "build": "build, µs an expression",
    "match": "match, µs an event",
    "batch": "batch, µs an event",
    "update": "update, µs an expression",
    "memory": "bytes an expression",
    "load": "load, µs an expression",
    "parse": "parse, µs an expression",
}


class RecordError(ValueError):
    """A file that is no record, or no result of pytest-benchmark."""


def installed() -> dict[str, str]:
    found = {}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def record_of(results: dict[str, Any], versions: dict[str, str]) -> dict[str, Any]:
    """What of pytest-benchmark's results is kept."""
    try:
        machine = results["machine_info"]
        cpu = machine["cpu"]
        return {
            "date": results["datetime"][:10],
            "machine": f"{cpu.get('brand_raw', machine['machine'])}, {cpu.get('count', '?')} cores",
            "system": f"{machine['system']}, Python {machine['python_version']}",
            "versions": versions,
            "results": [
                {**bench["extra_info"], "seconds": float(f"{bench['stats']['min']:.4g}")}
                for bench in results["benchmarks"]
                if "operation" in bench["extra_info"]  # structures alone are no part of the tables
            ],
        }
    except (KeyError, TypeError) as error:
        raise RecordError(f"not a result of pytest-benchmark: {error} is missing") from None


def per_item(result: dict[str, Any]) -> str:
    """Microseconds or bytes an item, in three digits."""
    value = result["bytes"] if "bytes" in result else result["seconds"] * 1e6
    return figure(value / result["items"])


def figure(value: float) -> str:
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def markdown(heading: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [heading, ["---"] * len(heading), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def scenarios_of(results: list[dict[str, Any]]) -> list[str]:
    return list(dict.fromkeys(result["scenario"] for result in results))


def engine_table(results: list[dict[str, Any]]) -> str:
    """A line for each engine and other one, with the operations that it was measured in."""
    found: dict[tuple[str, int | None], dict[str, str]] = {}
    for result in results:
        line = found.setdefault((result["who"], result.get("expressions")), {})
        line[result["operation"]] = per_item(result)
    used = [op for op in ENGINE_COLUMNS if any(op in cells for cells in found.values())]
    rows = [
        [who if size is None else f"{who} ({size:,} expressions)", *(cells.get(op, "") for op in used)]
        for (who, size), cells in found.items()
    ]
    return markdown(["", *(ENGINE_COLUMNS[op] for op in used)], rows)


def section(name: str, record: dict[str, Any]) -> str:
    """A record as Markdown: the machine, a table a scenario, and one of encoding."""
    results = record["results"]
    versions = ", ".join(f"{package} {number}" for package, number in record["versions"].items())
    parts = [f"### {name}", f"{record['date']}; {record['machine']}; {record['system']}; {versions}."]
    encoded = [result for result in results if result["operation"] == "encode"]
    tabled = [result for result in results if result["operation"] in ENGINE_COLUMNS]
    for scenario in scenarios_of(tabled):
        of_scenario = [result for result in tabled if result["scenario"] == scenario]
        sizes = [result["items"] for result in of_scenario if result["operation"] == "build"]
        size = f", {sizes[0]:,} expressions" if sizes else ""
        parts += [f"**{scenario}**{size}", engine_table(of_scenario)]
    if encoded:
        forms = list(dict.fromkeys(result["who"] for result in encoded))
        cells = {(result["scenario"], result["who"]): per_item(result) for result in encoded}
        rows = [[s, *(cells.get((s, form), "") for form in forms)] for s in scenarios_of(encoded)]
        parts += ["**encoding**", markdown(["", *(f"{form}, µs an event" for form in forms)], rows)]
    return "\n\n".join(parts)


def tables(folder: Path = RECORDS) -> str:
    """All records of the folder."""
    sections = []
    for path in sorted(folder.glob("*.json")):
        try:
            sections.append(section(path.stem, json.loads(path.read_text(encoding="utf-8"))))
        except (KeyError, TypeError, json.JSONDecodeError) as error:
            raise RecordError(f"{path.name} is no record: {error!r}") from None
    return "\n\n".join(sections)


def with_tables(page: str, text: str) -> str:
    """The page with other tables between its markers."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise RecordError(f"the page has no {BEGIN} and {END}")
    return f"{before}{BEGIN}\n\n{text}\n\n{END}{after}"


def main(arguments: Sequence[str]) -> int:
    try:
        if len(arguments) == 2:
            name, source = arguments
            results = json.loads(Path(source).read_text(encoding="utf-8"))
            record = record_of(results, installed())
            path = RECORDS / f"{name}.json"
            lines = ",\n".join(f"  {json.dumps(result)}" for result in record.pop("results"))
            head = json.dumps(record, indent=1)[:-2]
            path.write_text(f'{head},\n "results": [\n{lines}\n ]\n}}\n', encoding="utf-8")
        elif arguments:
            raise RecordError("usage: tables.py [NAME RESULTS]")
        PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8"), tables()), encoding="utf-8")
    except (OSError, ValueError) as error:
        print(f"tables: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
