"""The plain loops and the vector loops give the same answers; BOOLSIEVE_SIMD chooses between them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import pytest

MATCH_ALL = """
import json, math, random
import pyarrow as pa
import boolsieve as bs

draw = random.Random(5)
hard = [-math.inf, -2.0**63, -2.0**62, -0.5, -0.0, 0.0, 5e-324, 0.5, 2.0**53, 2.0**62, 2.0**63, math.inf]

def integer():
    return draw.choice([draw.randrange(-20, 20), draw.randrange(-2**63, 2**63), 2**62 - 1, 2**62, 2**63 - 1, -2**63])

def real():
    return draw.choice([float(draw.randrange(-20, 20)), draw.uniform(-20, 20), draw.choice(hard)])

def small():
    return draw.choice([draw.randrange(-40, 40) / 2, -0.0])

def maybe(make):
    return make() if draw.random() < 0.9 else None

makers = {"i": integer, "r": real, "h": small, "b": lambda: draw.random() < 0.5}
indexes = {name: bs.Index(name) for name in bs.engines.names()}
for id_ in range(300):
    parts = []
    for name in draw.sample(list(makers), draw.randrange(1, 4)):
        a, make = bs.attr(name), makers[name]
        parts.append(draw.choice([
            lambda: a == make(), lambda: a != make(), lambda: a < make(), lambda: a >= make(),
            lambda: a.between(*sorted([make(), make()])), lambda: ~a.between(*sorted([make(), make()])),
            lambda: a.isin([make(), make(), make()]), lambda: a.is_null(), lambda: ~a.is_null(),
        ])())
    expression = parts[0]
    for part in parts[1:]:
        expression = expression & part if draw.random() < 0.6 else expression | part
    for index in indexes.values():
        index.add(id_, expression)
events = [{name: maybe(make) for name, make in makers.items()} for _ in range(1500)]
types = {"i": pa.int64(), "r": pa.float64(), "h": pa.float64(), "b": pa.bool_()}
table = pa.Table.from_pylist(events, pa.schema(list(types.items())))
rows = [indexes["scan"].match(event) for event in events]
print(json.dumps({
    "simd": index.stats()["simd"],
    "rows": rows,
    "others": [name for name, index in indexes.items() if [index.match(event) for event in events] != rows],
    "dicts": [name for name, index in indexes.items() if index.match_batch(events).to_lists() != rows],
    "arrow": [name for name, index in indexes.items() if index.match_batch(table).to_lists() != rows],
}))
"""


def answers(choice: str | None) -> dict[str, Any]:
    environment = {name: value for name, value in os.environ.items() if name != "BOOLSIEVE_SIMD"}
    if choice is not None:
        environment["BOOLSIEVE_SIMD"] = choice
    done = subprocess.run(
        [sys.executable, "-c", MATCH_ALL], env=environment, capture_output=True, text=True, check=True
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.fixture(scope="module")
def portable() -> dict[str, Any]:
    return answers("portable")


@pytest.fixture(scope="module")
def default() -> dict[str, Any]:
    return answers(None)


def test_environment_chooses_the_plain_loops(portable: dict[str, Any], default: dict[str, Any]) -> None:
    assert portable["simd"] == "portable"
    assert default["simd"] in ("avx2", "portable")


def test_both_give_the_same_matches(portable: dict[str, Any], default: dict[str, Any]) -> None:
    assert sum(map(len, portable["rows"])) > 1000
    assert portable["rows"] == default["rows"]


@pytest.mark.parametrize("choice", ["portable", "default"])
def test_engines_and_batches_agree_with_single_events(choice: str, request: pytest.FixtureRequest) -> None:
    found = request.getfixturevalue(choice)
    assert (found["others"], found["dicts"], found["arrow"]) == ([], [], [])
