"""H-Tree: cells by centre and width, the window of an event, attributes that are absent or many."""

from __future__ import annotations

import pickle
import random
from collections.abc import Callable
from typing import Any

import pytest
from tree_inside import (
    NONE,
    Level,
    bytes_of,
    corrupted,
    counted,
    narrow_ranges,
    put,
    turn_round,
    update_and_match,
)

import boolsieve as bs
import oracle
from boolsieve.engines import HTree

NAMES = {0: "", 1: "x", 2: "y"}  # attributes as the expressions name them

FLIGHTS = {
    "S1": "x BETWEEN 1 AND 2 AND y BETWEEN 10 AND 19",
    "S2": "x BETWEEN 1 AND 2 AND y BETWEEN 20 AND 29",
    "S3": "x BETWEEN 2 AND 3 AND y BETWEEN 20 AND 29",
    "S4": "x BETWEEN 5 AND 6",
    "S5": "x BETWEEN 5 AND 6 AND y BETWEEN 10 AND 19",
    "S6": "x BETWEEN 1 AND 6 AND y BETWEEN 10 AND 29",
    "S7": "y BETWEEN 10 AND 19",
}


def flights(**options: Any) -> bs.Index:
    index = bs.Index(HTree(leaf=1, **options))
    index.add_many(list(FLIGHTS), list(FLIGHTS.values()))
    return index


def trees(index: bs.Index) -> dict[str, Any]:
    """The trees by attribute, as dicts: (attribute, width, cell) or (attribute, "free") -> a deeper one or ids."""
    level = Level(index, "htree")
    nodes, cells = level.of["nodes"].reshape(-1, 7), level.of["cells"].reshape(-1, 3)

    def read(a: int, b: int) -> Any:
        if b != NONE:
            return level.ids_in(a, b)
        rank, grid, _, first, count, free, free_end = nodes[a].tolist()
        name = NAMES[level.attribute_of[rank]]
        found = {
            (name, (key >> 26) - grid, key & (1 << 26) - 1): read(x, y)
            for key, x, y in cells[first : first + count].tolist()
        }
        if (free, free_end) != (NONE, NONE):
            found[name, "free"] = read(free, free_end)
        return found

    places = level.of["directory"].reshape(-1, 2).tolist()
    return {
        NAMES[level.attribute_of[rank]]: read(a, b)
        for rank, (a, b) in enumerate(places)
        if (a, b) != (NONE, NONE)
    }


def test_cells_of_the_worked_example() -> None:
    """Each interval in the cell of its width and centre.

    Codes of x: 1 below 1, 2 from 1, 3 for 2, 4 to 3, 5 between, 6 from 5 to 6, 7 above. Of y: 2 from 10 to 19, 4 from
    20 to 29. x BETWEEN 1 AND 2 has the codes 2 to 3: width 1, since they differ by less than 2, and the centre 2.5 is
    in cell 2. y BETWEEN 10 AND 29 has 2 to 4: width 2, cell 3. A clause is filed under its narrowest attribute first.
    """
    assert trees(flights()) == {
        "x": {("x", 0, 6): {("y", 0, 2): ["S5"], ("y", "free"): ["S4"]}},
        "y": {
            ("y", 0, 2): {("x", 1, 2): ["S1"], ("x", "free"): ["S7"]},
            ("y", 0, 4): {("x", 1, 2): ["S2"], ("x", 1, 3): ["S3"]},
            ("y", 2, 3): ["S6"],
        },
    }
    assert trees(flights(levels=1)) == {
        "x": {("x", 0, 6): ["S4", "S5"]},
        "y": {("y", 0, 2): ["S1", "S7"], ("y", 0, 4): ["S2", "S3"], ("y", 2, 3): ["S6"]},
    }


def test_walk_of_the_worked_example() -> None:
    index = flights()
    # Below x: cell 3 of width 0, which is empty. Below y: cell 2 of width 0, there cells 2 and 3 of x and "free"; and
    # cells 0 to 3 of width 2.
    assert counted(index, {"x": 2, "y": 15}) == (["S1", "S6", "S7"], 3, 5)
    assert counted(index, {"x": 6, "y": 15}) == (["S4", "S5", "S6", "S7"], 4, 6)
    # Without x, what constrains it on the second level is passed over, and S6 fails at once.
    assert counted(index, {"y": 25}) == ([], 1, 1)
    assert counted(flights(levels=1), {"y": 25}) == ([], 3, 3)
    index.check_invariants()


@pytest.mark.parametrize("leaf", [1, 5, 60])
def test_all_intervals_of_a_small_domain(leaf: int) -> None:
    """Each interval has one cell, and each value finds all that it lies in, whatever the grid."""
    intervals = [(low, high) for low in range(24) for high in range(low, 24)]
    index = bs.Index(HTree(leaf=leaf))
    index.add_many(range(len(intervals)), [f"a BETWEEN {low} AND {high}" for low, high in intervals])
    index.check_invariants()
    for half in range(-2, 50):
        found = [i for i, (low, high) in enumerate(intervals) if low <= half / 2 <= high]
        assert index.match({"a": half / 2}) == found


def test_a_clause_has_one_record_however_wide_it_is() -> None:
    n = 10_000
    index = bs.Index("htree")
    index.add_many(range(n), [f"a BETWEEN {i} AND {i * 7 + 5}" for i in range(n)])
    level = Level(index, "htree")
    assert sorted(level.ids_in(0, len(level.of["records"]))) == list(range(n))


@pytest.mark.parametrize("unit", [1.0, 1e-9, 3e14])
def test_cells_follow_the_operands(unit: float) -> None:
    """Narrow intervals of any unit: an event reads some cells of them."""
    n = 20_000
    index = bs.Index("htree")
    index.add_many(range(n), [f"a BETWEEN {i * unit!r} AND {(i + 5) * unit!r}" for i in range(n)])
    found, candidates, _ = counted(index, {"a": 777.5 * unit})
    assert found == list(range(773, 778))
    assert candidates < 150


def test_narrow_ranges_of_one_attribute_are_found_without_reading_all() -> None:
    n = 20_000
    index = bs.Index("htree")
    texts = narrow_ranges(n)
    index.add_many(range(n), texts)
    found, candidates, _ = counted(index, {"a": 20 * n})
    assert len(found) in (20, 21)
    assert candidates < 200


def test_memory_is_linear_where_each_range_has_ends_of_its_own() -> None:
    size = []
    for n in (3_000, 30_000):
        index = bs.Index("htree")
        index.add_many(range(n), narrow_ranges(n))
        size.append(bytes_of(index, "htree"))
    assert size[1] <= 12 * size[0]


def test_many_attributes() -> None:
    """No attribute is in many clauses: each clause is under one of its own, and an event reads what is under its."""
    n, dice = 20_000, random.Random(3)
    attributes = [dice.sample(range(n), 3) for _ in range(n)]
    index = bs.Index("htree")
    index.add_many(
        range(n), [" AND ".join(f"a{a} > {i % 9}" for a in row) for i, row in enumerate(attributes)]
    )
    index.check_invariants()
    event = {f"a{a}": 9 for row in attributes[:10] for a in row}
    found, candidates, _ = counted(index, event)
    assert found == [i for i, row in enumerate(attributes) if all(f"a{a}" in event for a in row)]
    assert candidates < 150
    assert counted(index, {"other": 1}) == ([], 0, 0)


def test_what_constrains_no_attribute_by_an_interval_is_found() -> None:
    texts = [
        "TRUE",
        "a IS NULL",
        "a != 3",
        "a NOT IN (1, 2)",
        "a IS NOT NULL",
        "b CONTAINS 'x'",
        "b < 'longer than keys'",
    ]
    texts = [text + (f" AND c > {i}" if i else "") for i in range(3) for text in texts]
    index = bs.Index(HTree(leaf=1))
    index.add_many(range(len(texts)), texts)
    index.check_invariants()
    model = dict(enumerate(map(bs.parse, texts)))
    for event in (
        {},
        {"a": 3},
        {"a": 1, "c": 2},
        {"b": "longer than kez", "c": 9},
        {"a": 4, "b": "x", "c": 1.5},
    ):
        assert index.match(event) == oracle.matching(model, event), event


def test_levels_grow_with_the_clauses() -> None:
    index = bs.Index(HTree(leaf=2))
    for id_ in range(1_000):
        index.add(id_, f"a = {id_ % 50} AND b > {id_ % 7}")
    raw = index.buffers()
    assert len(raw["htree.fresh"]) < 8
    assert [len(raw[f"htree.{level}.records"]) > 0 for level in range(3, 8)] == [
        True,
        False,
        False,
        False,
        False,
    ]
    index.check_invariants()
    assert index.match({"a": 7, "b": 3}) == [i for i in range(7, 1_000, 50) if i % 7 < 3]


@pytest.mark.parametrize("options", [{"leaf": 1}, {"leaf": 3, "levels": 1}, {"leaf": 1, "levels": 8}, {}])
def test_updates_mixed_with_matches(options: dict[str, Any]) -> None:
    update_and_match(bs.Index(HTree(**options)), 1_600, 17)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"levels": 0}, "levels is an int from 1 to 8, not 0"),
        ({"levels": True}, "levels is an int from 1 to 8, not True"),
        ({"leaf": 0}, "leaf is an int from 1 to 2"),
        ({"leaf": "2"}, "leaf is an int"),
    ],
)
def test_bad_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        HTree(**options)


def test_options_go_with_copies() -> None:
    assert repr(HTree()) == "HTree()"
    assert repr(HTree(levels=2, leaf=5)) == "HTree(levels=2, leaf=5)"
    index = pickle.loads(pickle.dumps(flights(levels=1)))
    assert trees(index) == trees(index.copy()) == trees(flights(levels=1))
    index.check_invariants()


def test_filing_follows_the_clauses() -> None:
    """S5 is under x, the rarer attribute, until x is the more common one."""
    index = flights(levels=1)
    assert trees(index)["y"]["y", 0, 2] == ["S1", "S7"]
    index.add_many(range(9), ["x = 5"] * 9)
    assert trees(index)["y"]["y", 0, 2] == ["S1", "S5", "S7"]


def damaged(name: str, change: Callable[[Any], None]) -> bs.Index:
    dice = random.Random(2)
    index = bs.Index(HTree(leaf=2))
    index.add_many(
        range(300),
        [
            f"a = {dice.randrange(9)} AND b > {dice.randrange(9)} AND c{i % 5} < {dice.randrange(9)}"
            for i in range(300)
        ],
    )
    index.add("one more", "a = 1")
    index.check_invariants()
    return corrupted(index, name, change)


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("fresh", put(slice(None), 5), "1: "),
        ("2.ranks.used", put(0, 3), "2: the map of ranks"),
        ("2.steps", turn_round, "2: order of steps"),
        ("2.records", put(1, 10**6), "2: length of a record"),
        ("2.directory", put(slice(None), NONE), "3: nodes out of reach"),
        ("2.directory", turn_round, "3: |4: |5: "),
        ("2.nodes", put(0, 10**6), "3: rank or grid"),
        ("2.nodes", put(2, 0), "4: widths of a node"),
        ("2.nodes", put(3, 10**6), "3: cells beyond the cells"),
        ("2.cells", put(0, 5 << 26), "4: "),
        ("2.cells", put(2, 10**6), "5: |3: "),
        ("2.records", put(3, 0), "5: a record that says something else"),
        ("2.records", put(0, 1), "4: |5: "),
    ],
)
def test_check_invariants_finds_damage(name: str, change: Callable[[Any], None], message: str) -> None:
    with pytest.raises(AssertionError, match=message):
        damaged("htree." + name, change).check_invariants()
