"""Scenario files: those that are shipped hold what they say, and a broken one is refused by file and field."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import scenarios
from scenarios import ScenarioError

GOOD: dict[str, Any] = {
    "about": "a few ranges",
    "workload": "Dexin",
    "parameters": {"attributes": 3, "cardinality": 100, "seed": 1},
    "expressions": 50,
    "events": 20,
    "engines": "all",
    "matches": 0,
}


def written(folder: Path, text: str) -> Path:
    path = folder / "some.json"
    path.write_text(text)
    return path


@pytest.mark.parametrize("path", sorted(scenarios.FOLDER.glob("*.json")), ids=lambda path: path.stem)
def test_shipped_scenarios_have_the_matches_they_say(path: Path) -> None:
    scenario = scenarios.load(path)
    assert scenario.expected == scenario.matches > 0
    assert scenario.index("scan").match_batch(scenario.dicts).total == scenario.matches


def test_a_scenario_is_read(tmp_path: Path) -> None:
    scenario = scenarios.load(written(tmp_path, json.dumps(GOOD)))
    assert (scenario.name, scenario.expressions, scenario.events) == ("some", 50, 20)
    assert scenario.engines == tuple(scenarios.bs.engines.names())
    assert len(scenario.texts) == 50
    assert len(scenario.dicts) == 20


def test_another_size_is_judged_by_scan(tmp_path: Path) -> None:
    scenario = scenarios.load(written(tmp_path, json.dumps(GOOD)))
    assert scenario.resized(50) is scenario
    larger = scenario.resized(2_000)
    assert larger.matches is None
    assert larger.expected == sum(map(larger.index("scan").match_count, larger.dicts)) > 0


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"workload": "BEGan"}, "workload: no generator 'BEGan'; there are .*BEGen"),
        ({"workload": "Workload"}, "workload: no generator 'Workload'"),
        ({"engines": ["scan", "skan"]}, "engines: no engine 'skan'; there are .*scan"),
        ({"engines": []}, "engines: expected"),
        ({"engines": "scan"}, "engines: expected"),
        ({"engines": [["scan"]]}, "engines: no engine"),
        ({"expressions": "many"}, "expressions: expected a whole number, not 'many'"),
        ({"expressions": True}, "expressions: expected a whole number, not True"),
        ({"events": 0}, "events: 0 is too small"),
        ({"matches": -1}, "matches: -1 is too small"),
        ({"matches": None}, "matches: expected a whole number"),
        ({"parameters": []}, "parameters: expected an object"),
        ({"parameters": {"attribute": 3}}, "parameters.attribute: Dexin has .*attributes"),
        ({"parameters": {"attributes": 0}}, "parameters.attributes: "),
        ({"parameters": {"attributes": "three"}}, "parameters"),
        ({"about": 5}, "about: expected text"),
        ({"rounds": 5}, "rounds: unknown field; the fields are about"),
    ],
)
def test_a_broken_field_is_named(changes: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match=f"^some.json: {message}"):
        scenarios.load(written(tmp_path, json.dumps({**GOOD, **changes})))


@pytest.mark.parametrize("field", list(GOOD))
def test_a_missing_field_is_named(field: str, tmp_path: Path) -> None:
    given = {name: value for name, value in GOOD.items() if name != field}
    with pytest.raises(ScenarioError, match=f"^some.json: {field}: missing"):
        scenarios.load(written(tmp_path, json.dumps(given)))


@pytest.mark.parametrize(
    ("text", "message"), [("{\n,}", "line 2: not JSON"), ("[]", "expected an object"), ("", "not JSON")]
)
def test_a_file_of_another_kind_is_named(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match=f"^some.json: .*{message}"):
        scenarios.load(written(tmp_path, text))
