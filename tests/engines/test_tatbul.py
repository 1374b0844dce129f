"""What only Tatbul's five indexes have: evaluation counts, levels, compressed sets, the hybrid's clusters."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

import boolsieve as bs
from boolsieve.engines import Hybrid

ENGINES = ["cluster", "interval", "hybrid", "segmenttree", "intervaltree"]
EXACT = ENGINES[1:]

# Example 4. P2 begins at 20: the list of profiles has 30, but figure 6 counts it among those that hold x = 20.
PROFILES = [
    "x BETWEEN 10 AND 25 AND y BETWEEN 70 AND 110",
    "x BETWEEN 20 AND 45 AND y BETWEEN 60 AND 90",
    "x BETWEEN 20 AND 40 AND y BETWEEN 70 AND 80",
    "x > 45 AND x < 50 AND y > 40 AND y < 50",
    "x <= 40 AND y <= 30",
    "x = 55 AND y BETWEEN 20 AND 80",
    "x BETWEEN 5 AND 45 AND y = 50",
    "x = 35 AND y = 20",
    "x BETWEEN 60 AND 65",
    "y BETWEEN 100 AND 120",
]
DOCUMENT = {"x": 20, "y": 80}


def filled(engine: Any, texts: list[str]) -> bs.Index:
    index = bs.Index(engine)
    index.add_many(range(len(texts)), texts)
    return index


def counted(index: bs.Index, event: dict[str, Any]) -> tuple[list[Any], int, int]:
    """Matches, candidates checked and comparisons of one event."""
    before = index.stats()
    found = index.match(event)
    after = index.stats()
    return found, *(after[name] - before[name] for name in ("candidates", "predicates_evaluated"))


# --- Evaluations: table 1, figures 7 and 8 ---


@pytest.mark.parametrize("engine", ENGINES)
def test_many_copies_of_example_4_need_as_many_evaluations_as_table_1_says(engine: str) -> None:
    """The trees have the same keys whatever the number of copies; what depends on it is how sets are stored."""
    evaluations = []
    for copies in (64, 256):
        index = filled(engine, PROFILES * copies)
        index.check_invariants()
        found, candidates, comparisons = counted(index, DOCUMENT)
        assert found == [i for i in range(10 * copies) if i % 10 < 3]
        assert candidates == (len(found) if engine == "cluster" else 0)
        evaluations.append(comparisons)
    few, many = evaluations
    if engine in ("interval", "hybrid", "segmenttree"):
        assert few == many == {"interval": 8, "hybrid": 11, "segmenttree": 18}[engine]
    else:
        assert many > 3.5 * few


@pytest.mark.parametrize("engine", ENGINES)
def test_evaluations_grow_slowly_where_profiles_overlap_little(engine: str) -> None:
    """Figure 7: intervals of size 10, two attributes; ten times the profiles cost a few comparisons more."""

    def evaluations(n: int) -> float:
        texts = [f"x BETWEEN {20 * i} AND {20 * i + 10} AND y BETWEEN 0 AND {n - i}" for i in range(n)]
        index = filled(engine, texts)
        total = 0
        for i in range(0, n, n // 50):
            found, _, comparisons = counted(index, {"x": 20 * i + 5, "y": 0})
            assert found == [i]
            total += comparisons
        return total / 50

    assert evaluations(2_000) < evaluations(200) + 12


@pytest.mark.parametrize("engine", EXACT)
def test_sets_decide_alone_where_all_predicates_are_intervals(engine: str) -> None:
    n = 4_000
    index = filled(engine, [f"x BETWEEN {i % 63} AND {i % 63 + 40} AND y >= {i % 50}" for i in range(n)])
    found, candidates, _ = counted(index, {"x": 45, "y": 30})
    assert found == [i for i in range(n) if i % 63 <= 45 <= i % 63 + 40 and i % 50 <= 30]
    assert candidates == 0


@pytest.mark.parametrize("engine", ENGINES)
def test_what_sets_do_not_hold_is_checked(engine: str) -> None:
    n = 2_000
    texts = [f"x BETWEEN {i % 30} AND {i % 30 + 5} AND z != {i % 3} AND rare{i} IS NULL" for i in range(n)]
    index = filled(engine, texts)
    found, candidates, _ = counted(index, {"x": 10, "z": 1, "rare7": 0})
    assert found == [i for i in range(n) if i % 30 <= 10 <= i % 30 + 5 and i % 3 != 1 and i != 7]
    assert candidates >= len(found)
    assert index.match({"x": 10}) == []


# --- Hybrid ---


def test_minimum_cluster_size_says_where_splitting_ends() -> None:
    texts = [f"x BETWEEN {10 * i} AND {10 * i + 4}" for i in range(2_000)]
    sizes, comparisons = [], []
    for least in (1, 64, 10_000):
        index = filled(Hybrid(min_cluster=least), texts)
        index.check_invariants()
        sizes.append(sum(len(array) for name, array in index.buffers().items() if name.endswith("trees.key")))
        found, _, count = counted(index, {"x": 12_344})
        assert found == [1_234]
        comparisons.append(count)
    assert sizes == [1_999, 31, 0]  # 2,000 halved to 1 and to 63
    assert comparisons[2] == counted(filled("interval", texts), {"x": 12_344})[2]


@pytest.mark.parametrize(
    ("value", "error"), [(0, ValueError), (2**32, ValueError), (1.5, TypeError), (True, TypeError)]
)
def test_a_bad_minimum_cluster_size_is_refused(value: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="min_cluster: "):
        Hybrid(min_cluster=value)


def test_options_go_into_copies() -> None:
    assert repr(Hybrid(min_cluster=3)) == "Hybrid(min_cluster=3)"
    assert bs.engines.create(Hybrid(min_cluster=3)).options() == {"min_cluster": 3}


# --- Updates ---


def levels(index: bs.Index) -> list[int]:
    """How many clauses the tail and each level have."""
    buffers = index.buffers()
    return [len(buffers["tail"]), *(len(buffers[f"level{i}.clause"]) for i in range(5))]


@pytest.mark.parametrize("engine", ENGINES)
def test_clauses_go_from_the_tail_into_levels_that_grow_by_four(engine: str) -> None:
    index = bs.Index(engine)
    for i in range(15):
        index.add(i, f"x = {i}")
    assert levels(index) == [15, 0, 0, 0, 0, 0]
    index.add(15, "x = 15")
    assert levels(index) == [0, 16, 0, 0, 0, 0]
    for i in range(16, 80):
        index.add(i, f"x = {i}")
    assert levels(index) == [0, 0, 80, 0, 0, 0]
    index.check_invariants()


@pytest.mark.parametrize("engine", ENGINES)
def test_any_history_of_updates_gives_what_scan_gives(engine: str) -> None:
    dice = random.Random(11)
    index, plain = bs.Index(engine), bs.Index("scan")

    def text() -> str:
        kinds = ["{a} BETWEEN {x} AND {y}", "{a} = {x}", "{a} IN ({x}, {y})", "{a} != {x}", "{a} < {y}"]
        parts = []
        for a in dice.sample("abcd", dice.randint(1, 3)):
            x = dice.randrange(50)
            parts.append(dice.choice(kinds).format(a=a, x=x, y=x + 1 + dice.randrange(40)))
        return " AND ".join(parts)

    for step in range(1_500):
        if step % 3 == 2:
            gone = dice.choice(list(plain))
            for each in (index, plain):
                each.remove(gone)
        else:
            new = text()
            for each in (index, plain):
                each.add(step, new)
        if step % 100 == 0:
            index.check_invariants()
            for _ in range(10):
                event = {a: dice.randrange(90) for a in dice.sample("abcd", 3)}
                assert index.match(event) == plain.match(event)
    index.check_invariants()


# --- Memory: what made bit vectors of n bits a node quadratic ---

WORST: dict[str, Callable[[int, int], str]] = {
    "wide": lambda i, n: f"x BETWEEN {i} AND {i + n // 2}",
    "nested": lambda i, n: f"x BETWEEN {i} AND {4 * n - i}",
    "stairs": lambda i, n: f"x <= {i}",
    "two wide": lambda i, n: f"x BETWEEN {i} AND {i + n // 2} AND y BETWEEN {n - i} AND {2 * n - i}",
    "attribute each": lambda i, n: f"a{i} = 1 AND x >= {i}",
}


@pytest.mark.parametrize("shape", WORST)
@pytest.mark.parametrize("engine", ENGINES)
def test_bytes_grow_with_the_number_of_profiles(engine: str, shape: str) -> None:
    def size(n: int) -> int:
        index = filled(engine, [WORST[shape](i, n) for i in range(n)])
        return sum(
            array.nbytes for name, array in index.buffers().items() if name.startswith(("level", "tail"))
        )

    # A segment tree holds an interval log n times.
    assert size(10_000) <= (13 if engine == "segmenttree" else 12) * size(1_000)


# --- Invariants ---


def corrupted(engine: str, name: str, change: Callable[[Any], None]) -> bs.Index:
    texts = [
        f"a BETWEEN {i % 40} AND {i % 40 + 9} AND b >= {i % 7}" if i % 3 else f"c = {i}" for i in range(60)
    ]
    index = filled(engine, [*texts, "d != 5"])
    index.add(61, "a = 1")  # stays in the tail
    index.check_invariants()
    rebuild, (format_, kind, options, budget, store, buffers) = index.__reduce__()  # type: ignore[misc]
    buffers = dict(buffers)
    buffers[name] = buffers[name].copy()
    change(buffers[name])
    return rebuild(format_, kind, options, budget, store, buffers)  # type: ignore[no-any-return]


def put(at: Any, value: Any) -> Callable[[Any], None]:
    def change(array: Any) -> None:
        assert array[at] != value
        array[at] = value

    return change


def swap_ends(array: Any) -> None:
    array[[0, -1]] = array[[-1, 0]]


SHARED = [
    ("tail", put(0, 3), "1: a clause that is there twice"),
    ("tail", put(0, 1_000), "1: a clause of the tail"),
    ("level0.clause", put(0, 1_000), "1: a clause that is not in the store"),
    ("level0.clause", put(0, 60), "1: a clause that is there twice"),
    ("level0.part_begin", put(1, 0), "2: partitions do not rise"),
    ("level0.part_of.values", swap_ends, "2: "),
    ("level0.part_decided", put(0, 61), "2: more decided clauses than clauses"),
    ("level0.test_attribute", put(0, 3), "3: the first test is not the home"),
    ("level0.test_count", put(1, 2), "3: care sets"),
    ("level0.cares.data", put(-1, 4_000), "3: care sets: "),
    ("level0.part_decided", put(-1, 1), "5: a clause is said to be decided and is not"),
]
OWN = [
    ("cluster", "level0.trees.key", swap_ends, "4: trees: 2: a key outside its region"),
    ("cluster", "level0.trees.root", put(0, 1), "4: trees: 1: a node that no tree has"),
    ("cluster", "level0.trees.clusters.data", put(-1, 4_000), "4: trees: 3: sets"),
    ("hybrid", "level0.trees.clusters.change", put(0, 1_000), "4: trees: 3: elementary trees"),
    ("interval", "level0.trees.start", put(0, 2**64 - 1), "4: trees: 2: parts overlap"),
    ("interval", "level0.trees.part_change", put(0, 10_000), "4: trees: 2: changes of a part"),
    ("interval", "level0.trees.set_change", put(0, 10_000), "4: trees: 3: where a set is stored"),
    ("interval", "level0.trees.change", put(0, 5), "4: a tree does not give a clause that holds the key"),
    ("segmenttree", "level0.trees.start", put(1, 0), "4: trees: 2: leaves do not rise"),
    ("segmenttree", "level0.trees.first_node", put(1, 1), "4: trees: 1: shape of a tree"),
    ("segmenttree", "level0.trees.sets.begin", put(1, 10_000), "4: trees: 3: sets"),
    ("intervaltree", "level0.trees.left", put(0, 0), "4: trees: 1: a child"),
    ("intervaltree", "level0.trees.low", put(0, 2**64 - 1), "4: trees: 2: low ends"),
    ("intervaltree", "level0.trees.high", put(0, 1), "4: trees: 2: high ends"),
    ("intervaltree", "level0.trees.low_number", put(0, 59), "4: trees: 3: the numbers of a node"),
]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("name", "change", "message"), SHARED)
def test_check_invariants_finds_damage(
    engine: str, name: str, change: Callable[[Any], None], message: str
) -> None:
    with pytest.raises(AssertionError, match=message):
        corrupted(engine, name, change).check_invariants()


@pytest.mark.parametrize(("engine", "name", "change", "message"), OWN)
def test_check_invariants_finds_damage_in_trees(
    engine: str, name: str, change: Callable[[Any], None], message: str
) -> None:
    with pytest.raises(AssertionError, match=message):
        corrupted(engine, name, change).check_invariants()
