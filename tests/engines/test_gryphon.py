"""Gryphon: its tree, the walk of an event, collapsed chains, edges of cells, levels."""

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
from boolsieve.engines import Gryphon

# In the manner of the paper's figure: equalities on three attributes, some of which a subscription does not care about.
SUBSCRIPTIONS = {
    "S1": "a1 = 1 AND a2 = 2 AND a3 = 3",
    "S2": "a1 = 1 AND a2 = 2",
    "S3": "a1 = 1 AND a3 = 3",
    "S4": "a2 = 2 AND a3 = 1",
    "S5": "a1 = 2",
    "S6": "a1 = 1 AND a2 = 1",
}
NAMES = {0: "", 1: "a1", 2: "a2", 3: "a3"}  # attributes as the expressions name them
WHOLE = 1 << 63  # the key of the number 0; a step of 2 to the next


def subscriptions(**options: Any) -> bs.Index:
    index = bs.Index(Gryphon(leaf=1, **options))
    index.add_many(list(SUBSCRIPTIONS), list(SUBSCRIPTIONS.values()))
    return index


def tree(index: bs.Index) -> dict[Any, Any]:
    """The tree as dicts: "here" are the ids of a node; an attribute has a bucket, or edges by value or cells."""
    level = Level(index, "gryphon")
    nodes, tests = level.of["nodes"].reshape(-1, 4), level.of["tests"].reshape(-1, 4)
    edges = level.of["edges"].tolist()

    def value(rank: int, code: int) -> int:
        return (int(level.of["steps"][int(level.of["step_begin"][rank]) + code - 2]) - WHOLE) // 2

    def read(at: int) -> dict[Any, Any]:
        first, count, begin, end = (int(word) for word in nodes[at])
        found: dict[Any, Any] = {"here": level.ids_in(begin, end)} if begin < end else {}
        for rank, cells, edge, general in tests[first : first + count].tolist():
            name = NAMES[level.attribute_of[rank]]
            if not cells:
                found[name] = level.ids_in(edge, general)
                continue
            points = edges[edge]
            codes, children = edges[edge + 1 :][:points], edges[edge + 1 + points :][:points]
            found[name] = {
                value(rank, code): read(child) for code, child in zip(codes, children, strict=True)
            }
            if general:
                table = edge + 1 + 2 * points
                of_child: dict[int, list[int]] = {}
                for cell in range(cells):
                    for i in range(edges[table + cell], edges[table + cell + 1]):
                        of_child.setdefault(edges[table + cells + 1 + i], []).append(cell)
                found[name].update({tuple(which): read(child) for child, which in of_child.items()})
        return found

    return read(0)


def test_tree_of_the_worked_example_with_common_attributes_first() -> None:
    """As the paper draws it: a1, then a2, then a3. A node names what it tests, so no level of don't-cares is there."""
    assert tree(subscriptions(order="common")) == {
        "a1": {
            1: {"a2": {1: {"here": ["S6"]}, 2: {"here": ["S2"], "a3": ["S1"]}}, "a3": ["S3"]},
            2: {"here": ["S5"]},
        },
        "a2": ["S4"],
    }


def test_tree_of_the_worked_example_with_rare_attributes_first() -> None:
    assert tree(subscriptions()) == {
        "a3": {1: {"here": ["S4"]}, 3: {"a2": ["S1"], "a1": ["S3"]}},
        "a2": {1: {"here": ["S6"]}, 2: {"here": ["S2"]}},
        "a1": ["S5"],
    }


def test_walk_of_the_worked_example() -> None:
    index = subscriptions(order="common")
    # a1 = 1, there a2 = 2 (S2, and S1 of which a3 is left) and a3 (S3), and without a1: a2 (S4, of which a3 fails).
    assert counted(index, {"a1": 1, "a2": 2, "a3": 3}) == (["S1", "S2", "S3"], 4, 3)
    # a1 = 2 decides S5; without a1 there is S4.
    assert counted(index, {"a1": 2, "a2": 2, "a3": 1}) == (["S4", "S5"], 2, 2)
    assert counted(index, {"a2": 9}) == ([], 1, 1)
    assert counted(index, {"a3": 3}) == ([], 0, 0)
    index.check_invariants()


def test_edges_of_ranges_and_sets_are_cells() -> None:
    """The twelve codes of a1 make four cells: up to 2, to 4, to 6, above. An edge has all that its clauses need."""
    index = bs.Index(Gryphon(leaf=2))
    texts = [
        *(
            "a1 BETWEEN 1 AND 2",
            "a1 BETWEEN 1 AND 2 AND a2 = 1",
            "a1 IN (1, 7)",
            "a1 < 3",
            "a1 > 6",
            "a1 != 5",
        ),
        *("a1 = 4", "a1 = 4 AND a2 = 2", "a1 = 4 AND a2 = 3", "a2 = 4"),
    ]
    index.add_many(range(len(texts)), texts)
    assert tree(index)["a1"] == {
        4: {"here": [6]},
        (0,): {"here": [0]},
        (0, 1): {"here": [3]},
        (0, 3): {"here": [2]},
        (3,): {"here": [4]},
        (0, 1, 2, 3): {"here": [5]},
    }
    model = dict(enumerate(map(bs.parse, texts)))
    for value in [0, 1, 1.5, 2, 2.5, 4, 5, 6, 6.5, 7, 100]:
        for other in [1, 2, 4]:
            event = {"a1": value, "a2": other}
            assert index.match(event) == oracle.matching(model, event), event
    index.check_invariants()


def test_chains_of_dont_cares_cost_nothing() -> None:
    """5,000 attributes, a clause each: an event looks at those of its attributes alone."""
    index = bs.Index("gryphon")
    index.add_many(range(5_000), [f"a{i} = 1 AND b{i % 50} = 2" for i in range(5_000)])
    assert counted(index, {"a77": 1, "b27": 2, "x": 3})[:2] == ([77], 1)
    level = Level(index, "gryphon")
    assert len(level.of["nodes"]) == 4  # the root


@pytest.mark.parametrize("order", ["rare", "common"])
def test_narrow_ranges_of_one_attribute_are_found_without_reading_all(order: Any) -> None:
    n = 20_000
    index = bs.Index(Gryphon(order=order))
    texts = narrow_ranges(n)
    index.add_many(range(n), texts)
    value = 20 * n
    expected = [i for i, text in enumerate(texts) if int(text.split()[2]) <= value <= int(text.split()[4])]
    found, candidates, _ = counted(index, {"a": value})
    assert found == expected
    assert len(found) in (20, 21)
    assert candidates < n / 25  # three of 64 cells


def test_memory_is_linear_where_each_range_has_ends_of_its_own() -> None:
    size = []
    for n in (3_000, 30_000):
        index = bs.Index("gryphon")
        index.add_many(range(n), narrow_ranges(n))
        size.append(bytes_of(index, "gryphon"))
    assert size[1] <= 12 * size[0]


def test_order_of_attributes_follows_the_clauses() -> None:
    index = bs.Index(Gryphon(leaf=1))
    index.add_many(range(20), ["a1 = 1 AND a2 = 2" if i < 15 else "a2 = 3" for i in range(20)])
    assert list(tree(index)) == ["a1", "a2"]  # the rarer one first
    index.add_many(range(20, 400), [f"a1 = {i}" for i in range(20, 400)])
    assert list(tree(index)) == ["a2", "a1"]
    assert index.match({"a1": 1, "a2": 2}) == list(range(15))


def test_levels_grow_with_the_clauses() -> None:
    """Clauses that come one by one are scanned while they are few, then stand in trees of rising size."""
    index = bs.Index(Gryphon(leaf=2))
    for id_ in range(1_000):
        index.add(id_, f"a = {id_ % 50} AND b > {id_ % 7}")
        raw = index.buffers()
        assert len(raw["gryphon.fresh"]) < 8
    clauses = [len(raw[f"gryphon.{level}.nodes"]) > 0 for level in range(8)]
    assert clauses[3:] == [
        True,
        False,
        False,
        False,
        False,
    ]  # 8 * 4^4 = 2048, and what came since in the smaller ones
    index.check_invariants()
    assert index.match({"a": 7, "b": 3}) == [i for i in range(7, 1_000, 50) if i % 7 < 3]


def test_trees_let_go_of_the_dead() -> None:
    index = bs.Index(Gryphon(leaf=1))
    for id_ in range(3_000):
        index.add(id_, f"a = {id_ % 10}")
        if id_ >= 50:
            del index[id_ - 50]
    assert index.match({"a": 3}) == [2953, 2963, 2973, 2983, 2993]
    index.check_invariants()
    assert sum(len(a) for name, a in index.buffers().items() if name.endswith(".records")) < 2 * 3_000


@pytest.mark.parametrize("options", [{"leaf": 1}, {"leaf": 3, "order": "common"}, {}])
def test_updates_mixed_with_matches(options: dict[str, Any]) -> None:
    update_and_match(bs.Index(Gryphon(**options)), 1_600, 7)


def test_many_operands_on_one_attribute_stay_exact() -> None:
    """More than the codes can tell apart: what they leave open the store decides."""
    n = 40_000
    index = bs.Index("gryphon")
    index.add_many(range(n), [f"a >= {i}.5 AND a <= {i + 2}.25" for i in range(n)])
    for value in (0.5, 17.3, 20_000, 39_999.9, 40_001.25, 40_001.5):
        assert index.match({"a": value}) == [i for i in range(n) if i + 0.5 <= value <= i + 2.25], value
    index.check_invariants()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"leaf": 0}, "leaf is an int from 1 to 2"),
        ({"leaf": 2.0}, "leaf is an int"),
        ({"order": "random"}, "order is 'rare' or 'common', not 'random'"),
    ],
)
def test_bad_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Gryphon(**options)


def test_options_go_with_copies() -> None:
    assert repr(Gryphon()) == "Gryphon()"
    assert repr(Gryphon(leaf=1, order="common")) == "Gryphon(leaf=1, order='common')"
    index = pickle.loads(pickle.dumps(subscriptions(order="common")))
    assert tree(index) == tree(index.copy()) == tree(subscriptions(order="common"))
    index.add_many(range(9), ["a1 = 5"] * 9)
    assert list(tree(index)) == ["a1", "a2"]
    index.check_invariants()


def damaged(name: str, change: Callable[[Any], None]) -> bs.Index:
    dice = random.Random(2)
    index = bs.Index(Gryphon(leaf=2))
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
        ("2.ranks.values", turn_round, "2: the map of ranks"),
        ("2.step_begin", put(1, 10**6), "2: number of steps"),
        ("2.steps", turn_round, "2: order of steps"),
        ("2.records", put(1, 10**6), "2: length of a record"),
        ("2.root", turn_round, "3: root"),
        ("2.nodes", put(0, 10**6), "3: "),
        ("2.nodes", put(7, 10**6), "5: records beyond the records"),
        ("2.tests", put(6, 10**6), "3: "),
        ("2.edges", put(1, 0), "4: order of the points"),
        ("2.edges", put(-1, NONE), "3: "),
        ("2.records", put(3, 0), "5: a record that says something else"),
        ("2.records", put(0, 1), "4: |5: "),
    ],
)
def test_check_invariants_finds_damage(name: str, change: Callable[[Any], None], message: str) -> None:
    with pytest.raises(AssertionError, match=message):
        damaged("gryphon." + name, change).check_invariants()
