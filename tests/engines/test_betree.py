"""BE-Tree: the paper's example, the rules of its directories, its height, how it adapts."""

from __future__ import annotations

import pickle
import random
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pytest

import boolsieve as bs
import oracle
from boolsieve.engines import BETree
from boolsieve.workloads import BEGen

NONE = 0xFFFFFFFF
CLUSTER = np.dtype(
    [("first", "u8"), ("base", "u8"), ("child", "u4", 2)]
    + [
        (name, "u4")
        for name in (
            "above",
            "top",
            "entries",
            "dead",
            "capacity",
            "directory",
            "attribute",
            "clauses",
            "place",
        )
    ]
    + [("level", "u1"), ("bits", "u1"), ("split", "u1"), ("unused", "u1")]
)


class Tree:
    """Reads the tree from the buffers, for expressions of one clause each whose ids count from 1."""

    def __init__(self, index: bs.Index) -> None:
        buffers = index.buffers()
        self.raw = {name[7:]: array for name, array in buffers.items() if name.startswith("betree.")}
        self.clusters = self.raw["clusters"].view(CLUSTER)
        self.names = buffers["dictionary.attribute_name"].tolist()

    def children(self, cluster: int) -> list[int]:
        return [int(child) for child in self.clusters[cluster]["child"] if child != NONE]

    def partitions(self, cluster: int) -> list[int]:
        directory = int(self.clusters[cluster]["directory"])
        if directory == NONE:
            return []
        begin, length = (int(self.raw[f"directories.{name}"][directory]) for name in ("begin", "length"))
        return self.raw["directories.words"][2 * begin + 1 : 2 * (begin + length) : 2].tolist()

    def ids(self, cluster: int) -> list[int]:
        return (np.flatnonzero(self.raw["clause_cluster"] == cluster) + 1).tolist()

    def buckets(self, top: int) -> Iterable[int]:
        stack = [top]
        while stack:
            cluster = stack.pop()
            yield cluster
            stack += self.children(cluster)

    def describe(self, cluster: int = 0) -> dict[str, Any]:
        """The ids in its l-node; for each half what is below; for each attribute its p-node, by number of name."""
        found: dict[str, Any] = {"ids": self.ids(cluster)}
        for name, child in zip(("low", "high"), self.clusters[cluster]["child"], strict=True):
            if child != NONE:
                found[name] = self.describe(int(child))
        for top in self.partitions(cluster):
            found[f"p{self.names[self.clusters[top]['attribute']]}"] = self.describe(top)
        return found

    def height(self) -> int:
        """The most c-nodes on a way from the root."""
        stack, highest = [(0, 1)], 0
        while stack:
            cluster, height = stack.pop()
            highest = max(highest, height)
            stack += [(below, height + 1) for below in self.children(cluster) + self.partitions(cluster)]
        return highest


def filled(texts: Iterable[str], **options: Any) -> bs.Index:
    """One by one, under the ids from 1 on."""
    index = bs.Index(BETree(**options))
    for id_, text in enumerate(texts, 1):
        index.add(id_, text)
    index.check_invariants()
    return index


# --- The example of section 6 ---

# With the attributes a, b, c, d, in this order; the intervals on a and b reach over the middle.
EXAMPLE = {
    1: "a BETWEEN 2 AND 14",
    2: "c = 1",
    3: "d = 4",
    4: "a BETWEEN 4 AND 12 AND b BETWEEN 1 AND 9",
    5: "d = 5",
    6: "d = 6",
    7: "a BETWEEN 5 AND 13 AND b BETWEEN 3 AND 7",
    8: "a = 3",
    9: "a BETWEEN 6 AND 11 AND b BETWEEN 2 AND 8",
}
A, B, D = "p0", "p3", "p2"  # names are numbered as they come: a, c, d, b


def test_insertion_example_of_figure_3() -> None:
    index = bs.Index(BETree(capacity=3, min_size=2))
    steps = {}
    for id_, text in EXAMPLE.items():
        index.add(id_, text)
        index.check_invariants()
        steps[id_] = Tree(index).describe()
    assert steps[3] == {"ids": [1, 2, 3]}
    # The root overflows, and a is chosen.
    assert steps[4] == {"ids": [2, 3], A: {"ids": [1, 4]}}
    assert steps[5] == {"ids": [2, 3, 5], A: {"ids": [1, 4]}}
    # It overflows again, and d is chosen.
    assert steps[6] == {"ids": [2], A: {"ids": [1, 4]}, D: {"ids": [3, 5, 6]}}
    assert steps[7] == {"ids": [2], A: {"ids": [1, 4, 7]}, D: {"ids": [3, 5, 6]}}
    # The l-node below a overflows and is clustered.
    assert steps[8] == {"ids": [2], A: {"ids": [1, 4, 7], "low": {"ids": [8]}}, D: {"ids": [3, 5, 6]}}
    # Its top bucket was split already, so it is partitioned, by b.
    assert steps[9] == {
        "ids": [2],
        A: {"ids": [1], "low": {"ids": [8]}, B: {"ids": [4, 7, 9]}},
        D: {"ids": [3, 5, 6]},
    }
    assert index.match({"a": 7, "b": 5}) == [1, 4, 7, 9]
    assert index.match({"a": 3, "b": 2, "d": 5}) == [1, 5, 8]


# --- The rules of section 4 ---


def test_buckets_are_split_before_they_are_partitioned() -> None:
    """All have a = 5 and would be apart by b: but first a is cut down to a single value."""
    index = filled([f"a = 5 AND b > {i}" for i in range(12)] + ["a = 90", "a = 1"], capacity=4)
    tree = Tree(index)
    partitioned = [cluster for cluster in range(1, len(tree.clusters)) if tree.partitions(cluster)]
    for cluster in partitioned:
        assert tree.clusters[cluster]["split"] or tree.clusters[cluster]["level"] == 0
    (top,) = tree.partitions(0)
    homes = [cluster for cluster in tree.buckets(top) if tree.clusters[cluster]["level"] == 0]
    assert homes, "the clauses on a = 5 should be in an atomic bucket"


def test_clauses_are_in_the_smallest_bucket() -> None:
    """Offsets in the domain of a: 1 for the value 0, two more for each whole number; the middle of 64 is 32."""
    texts = [f"a BETWEEN {i} AND {i + width}" for i in range(0, 30, 2) for width in (0, 1, 5, 12)]
    tree = Tree(filled(texts, capacity=2))
    (top,) = tree.partitions(0)
    checked = 0
    for cluster in tree.buckets(top):
        record = tree.clusters[cluster]
        for id_ in tree.ids(cluster):
            i, width = 2 * ((id_ - 1) // 4), (0, 1, 5, 12)[(id_ - 1) % 4]
            low, high = 1 + 2 * i, 1 + 2 * (i + width)
            home = (low ^ high).bit_length()
            assert low >> int(record["level"]) == high >> int(record["level"])
            if record["split"]:
                assert home == record["level"]
                checked += 1
    assert checked > 10


def test_underflowing_buckets_merge_only_with_an_open_one() -> None:
    fillers = [f"z = {i}" for i in range(20)]
    points = [f"a = {i}" for i in range(8)]
    wide = [f"a BETWEEN {i % 3} AND {7 - i % 3} AND b BETWEEN 1 AND 9" for i in range(9)]
    # All but the last point go. The bucket over it is partitioned by b, so it is not open.
    index = filled(fillers + points + wide, capacity=4)
    for id_ in range(21, 28):
        del index[id_]
    index.check_invariants()
    partitioned = Tree(index).describe()["p1"]["low"]
    assert partitioned == {"ids": [], "high": {"ids": [28]}, "p2": {"ids": [*range(30, 38)]}}
    # With few wide ones that bucket is open: then it takes the point up, and the top bucket takes up all.
    index = filled(fillers + points + wide[:3], capacity=8)
    halves = {"low": {"ids": [21, 22, 23, 24]}, "high": {"ids": [25, 26, 27, 28]}}
    assert Tree(index).describe()["p1"] == {"ids": [], "low": {"ids": [30, 31], **halves}}
    for id_ in range(21, 28):
        del index[id_]
    index.check_invariants()
    assert Tree(index).describe()["p1"] == {"ids": [28, 30, 31]}


def test_too_small_partitions_are_dissolved() -> None:
    """Their clauses are inserted again above them."""
    index = filled([f"a = {i} AND b < 3" for i in range(8)] + ["b = 1"], capacity=4)
    assert Tree(index).describe()["ids"] == [9]
    for id_ in range(1, 7):
        del index[id_]
        index.check_invariants()
        assert ("p0" in Tree(index).describe()) == (id_ < 6)
    assert Tree(index).describe() == {"ids": [7, 8, 9]}
    assert index.match({"a": 7, "b": 1}) == [8, 9]


def test_leaf_buckets_merge_into_an_open_bucket() -> None:
    index = filled([f"a = {i}" for i in range(64)], capacity=8)
    (top,) = Tree(index).partitions(0)
    assert len(list(Tree(index).buckets(top))) > 15
    for id_ in range(5, 65):
        del index[id_]
    index.check_invariants()
    assert Tree(index).describe() == {"ids": [], "p0": {"ids": [1, 2, 3, 4]}}


def test_l_nodes_are_extended_where_no_attribute_is_shared() -> None:
    index = filled([f"a{i} = 1" for i in range(50)], capacity=5)
    tree = Tree(index)
    assert tree.describe() == {"ids": list(range(1, 51))}
    capacity = int(tree.clusters[0]["capacity"])
    assert capacity >= 50
    assert capacity % 5 == 0
    for id_ in range(1, 50):
        del index[id_]
    assert Tree(index).clusters[0]["capacity"] == 5


def test_large_directories_take_partitions_of_one_clause() -> None:
    """Then events look up their attributes, and nothing is left in the root for all of them to check."""
    index = bs.Index("betree")
    texts = [f"a{i // 3} = {i}" for i in range(300)] + [f"lonely{i} = 1" for i in range(100)]
    index.add_many(range(1, 401), texts)
    index.check_invariants()
    assert len(Tree(index).ids(0)) <= 20
    before = index.stats()["candidates"]
    assert index.match({"lonely7": 1}) == [308]
    assert index.stats()["candidates"] - before <= 21


def test_only_attributes_that_a_clause_needs_lead_to_it() -> None:
    texts = (
        [f"a IS NULL AND b = {i}" for i in range(9)] + [f"a != {i}" for i in range(9)] + ["TRUE", "c IS NULL"]
    )
    index = filled(texts, capacity=1, min_size=1)
    assert index.match({}) == [19, 20]
    assert index.match({"b": 3}) == [4, 19, 20]
    assert index.match({"a": 5, "b": 3, "c": 1}) == [10, 11, 12, 13, 14, 16, 17, 18, 19]


# --- Events that leave values open ---


@pytest.mark.parametrize("options", [{}, {"capacity": 1, "min_size": 1}])
def test_descent_follows_the_buckets_that_overlap(options: dict[str, Any]) -> None:
    n = 2_000
    dice = random.Random(6)
    texts = [f"a BETWEEN {i} AND {i + dice.randrange(4)} AND b = {i % 5}" for i in range(n)]
    texts += [f"c = {i} AND a IS NULL" if i % 2 else f"c = {i}" for i in range(n)]
    index, scan = bs.Index(BETree(**options)), bs.Index("scan")
    for each in (index, scan):
        each.add_many(range(2 * n), texts)
    index.check_invariants()
    for low in dice.sample(range(n), 20):
        apart = [i * n // 12 for i in range(12)]
        for event in (
            {"a": bs.between(low, low + 8), "b": low % 5, "c": low},
            {"a": low, "b": bs.between(0, 3), "c": bs.between(low, low + 8)},
            {"a": bs.any_of(*apart, bs.between(low, low + 3)), "b": bs.any_of(1, 2)},
            {"a": bs.any_of("x", *apart), "c": low | 1},
        ):
            assert index.match(event) == scan.match(event)
            assert candidates(index, [event]) < 400  # a scan looks at 4,000
    everything = {name: bs.between(-1, None) for name in "abc"}
    assert index.match(everything) == scan.match(everything)


def test_text_range_leaves_string_predicates_open() -> None:
    """Neither they nor their negation hold: what is absent from the event's table may not be taken as absent."""
    texts = [f"b = {i} AND s NOT STARTS WITH 'x'" if i % 2 else f"b = {i} AND s > 'c'" for i in range(100)]
    index, scan = filled(texts), bs.Index("scan")
    scan.add_many(range(1, 101), texts)
    for i in range(100):
        event = {"b": i, "s": bs.between("a", "d")}
        assert index.match(event) == scan.match(event) == ([] if i % 2 else [i + 1])


# --- Domains ---


def test_domains_grow_with_the_keys() -> None:
    """Each key lies outside of all before it, on both sides in turn."""
    values = [(-1) ** i * 2**i for i in range(62)]
    index = filled([f"a >= {v} AND a <= {v + 1}" for v in values], capacity=2)
    for i, value in enumerate(values):
        assert i + 1 in index.match({"a": value})
        assert i + 1 in index.match({"a": value + 0.5}) or abs(value) > 2**52
    assert index.match({"a": 2**62}) == []
    assert index.match({"a": 10.0**300}) == []


def test_events_outside_of_the_domain_meet_open_ranges() -> None:
    texts = (
        [f"a > {i}" for i in range(10)] + [f"a < {i}" for i in range(10)] + [f"a = {i}" for i in range(10)]
    )
    index = filled(texts, capacity=2)
    assert index.match({"a": 10**15}) == list(range(1, 11))
    assert index.match({"a": -(10**15)}) == list(range(11, 21))
    assert index.match({"a": 9}) == [*range(1, 10), 30]


@pytest.mark.parametrize("side", [1, -1])
def test_keys_that_rise_or_fall_are_placed_again_seldom(side: int) -> None:
    """A p-node is made anew when its domain doubles: the tree stays as good as one that knew all keys."""
    n = 3_000
    index = filled([f"a = {side * i}" for i in range(n)], capacity=5)
    before = index.stats()["candidates"]
    for i in range(0, n, 100):
        assert index.match({"a": side * i}) == [i + 1]
    assert index.stats()["candidates"] - before <= 30 * 12


# --- Height: O(k log N) for k predicates and N values ---

N = 2_000
ORDERS: dict[str, list[int]] = {
    "sorted": list(range(N)),
    "reversed": list(range(N))[::-1],
    "identical": [7] * N,
    "outwards": [(-1) ** i * i for i in range(N)],
    "doubling": [2 ** (i % 60) for i in range(N)],
    "inwards": [(i // 2 if i % 2 else 2**40 - i // 2) for i in range(N)],
}


@pytest.mark.parametrize("order", list(ORDERS))
@pytest.mark.parametrize("batch", [False, True])
def test_height_is_bounded_whatever_the_order(order: str, batch: bool) -> None:
    values = ORDERS[order]
    texts = [f"a = {v} AND b <= {v} AND c BETWEEN {v} AND {v + 3}" for v in values]
    index = bs.Index(BETree(capacity=2, min_size=1))
    if batch:
        index.add_many(range(N), texts)
    else:
        for id_, text in enumerate(texts):
            index.add(id_, text)
    index.check_invariants()
    span = 2 * (max(values) + 3 - min(values)) + 3  # a key for each number and each gap, and the ends
    most = 3 * ((4 * span).bit_length() + 1) + 1
    assert Tree(index).height() <= most
    some = values[N // 3]
    expected = [i for i, v in enumerate(values) if v == some]
    assert index.match({"a": some, "b": some, "c": some}) == expected


def test_clauses_alike_with_very_many_predicates() -> None:
    text = " AND ".join(f"a{i} = 1" for i in range(1_000))
    index = filled([text] * 40, capacity=2)
    assert Tree(index).height() <= 1 + 16 * 4
    assert index.match({f"a{i}": 1 for i in range(1_000)}) == list(range(1, 41))


# --- Batches, updates ---


def candidates(index: bs.Index, events: list[dict[str, Any]]) -> float:
    before = index.stats()["candidates"]
    for event in events:
        index.match_count(event)
    return float(index.stats()["candidates"] - before) / len(events)


def test_few_candidates_do_not_match() -> None:
    """BE-B knows all clauses when it chooses attributes; BE comes close to it."""
    workload = BEGen()
    texts, events = workload.expressions(5_000).texts(), list(workload.events(50).dicts())
    batch, single = bs.Index("betree"), bs.Index("betree")
    batch.add_many(range(5_000), texts)
    for id_, text in enumerate(texts):
        single.add(id_, text)
    scan = bs.Index("scan")
    scan.add_many(range(5_000), texts)
    for event in events:
        assert batch.match(event) == single.match(event) == scan.match(event)
    matches = sum(scan.match_count(event) for event in events) / len(events)
    assert candidates(batch, events) < matches + 5_000 / 20
    assert candidates(single, events) < matches + 5_000 / 20


@pytest.mark.parametrize("options", [{}, {"capacity": 1, "min_size": 1}, {"capacity": 4}])
def test_updates_mixed_with_matches(options: dict[str, Any]) -> None:
    dice = random.Random(3)
    index, model = bs.Index(BETree(**options)), {}
    for step in range(2_500):
        id_ = dice.randrange(300)
        if id_ in model and dice.random() < (0.7 if step // 500 % 2 else 0.3):
            del index[id_], model[id_]
        else:
            value = dice.choice([dice.randrange(9), dice.randrange(-1000, 1000)])
            text = " AND ".join(
                f"{name} "
                + dice.choice(
                    [
                        f"= {value}",
                        f"!= {value}",
                        f"> {value}",
                        f"<= {value}",
                        f"BETWEEN {value} AND {value + dice.randrange(20)}",
                        f"IN ({value}, {value + 2}, {value + 9})",
                        "IS NOT NULL",
                    ]
                )
                for name in dice.sample("abcdef", dice.randint(1, 4))
            )
            index[id_] = text
            model[id_] = bs.parse(text)
        if step % 10 == 0:
            event = {name: dice.choice([0, 1, 2, 2.5, 3, 500]) for name in dice.sample("abcdef", 4)}
            found = set(oracle.matching(model, event))
            assert index.match(event) == [other for other in index if other in found]
        if step % 100 == 0:
            index.check_invariants()
    for id_ in list(index):
        del index[id_]
    index.check_invariants()
    assert Tree(index).describe() == {"ids": []}


def test_the_workload_changes_and_changes_back() -> None:
    """Figure 13: from uniform to Zipf and back, one by one; candidates stay few."""
    n = 3_000
    uniform = BEGen(match_probability=0.001)
    skewed = BEGen(match_probability=0.001, zipf=1.0, seed=1)
    texts = [*uniform.expressions(n).texts(), *skewed.expressions(n).texts(), *uniform.expressions(n).texts()]
    events = [*uniform.events(40).dicts(), *skewed.events(40).dicts()]
    index = filled(texts[:n])
    before = candidates(index, events)
    for id_ in range(n + 1, 3 * n + 1):
        index.add(id_, texts[id_ - 1])
        del index[id_ - n]
        if id_ % 300 == 0:
            index.match(events[id_ % len(events)])
    index.check_invariants()
    assert candidates(index, events) < 1.3 * before + 5


# --- Self-adjustment ---


def test_recycled_clauses_go_where_events_seldom_come() -> None:
    """All events have `hot`, none has `rare`; before there were events, `hot` looked better, as it has more values."""
    texts = [f"hot = {i % 50} AND rare = {i % 4}" for i in range(800)]
    index = filled(texts, capacity=100)
    events = [{"hot": i % 50, "other": i} for i in range(256)]
    first = candidates(index, events[:200])
    assert first > 20
    for _ in range(40):
        candidates(index, events)
    index.check_invariants()
    assert candidates(index, events[:200]) < first / 5
    assert index.match({"hot": 7, "rare": 3}) == [i + 1 for i in range(800) if i % 50 == 7 and i % 4 == 3]


@pytest.mark.parametrize(("matching", "capacity"), [(0, 5), (40, 20), (400, 160)])
def test_capacity_follows_the_share_of_matches(matching: int, capacity: int) -> None:
    """Table 4."""
    index = filled([f"a >= {0 if i < matching else 10 + i}" for i in range(1_000)])
    for _ in range(300):
        index.match({"a": 5})
    assert index.buffers()["betree.totals"][2] == capacity
    fixed = filled(["a > 1"], capacity=7)
    for _ in range(300):
        fixed.match({"a": 5})
    assert fixed.buffers()["betree.totals"][2] == 7


def test_copies_go_on_alike() -> None:
    index = filled([f"a = {i % 30} AND b > {i}" for i in range(500)], capacity=3)
    for twin in (index.copy(), pickle.loads(pickle.dumps(index))):
        twin.check_invariants()
        for id_ in range(1, 400):
            del twin[id_]
        twin.add("new", "a = 3")
        twin.check_invariants()
        assert twin.match({"a": 3, "b": 450}) == [i + 1 for i in range(399, 450) if i % 30 == 3] + ["new"]
    assert len(index) == 500


# --- Options ---


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"capacity": 0}, "capacity is a positive int, not 0"),
        ({"capacity": 2.5}, "capacity is a positive int, not 2.5"),
        ({"min_size": None}, "min_size is a positive int, not None"),
        ({"min_size": True}, "min_size is a positive int, not True"),
    ],
)
def test_bad_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        BETree(**options)


def test_options_go_with_copies() -> None:
    assert repr(BETree(capacity=4, min_size=2)) == "BETree(capacity=4, min_size=2)"
    assert repr(BETree()) == "BETree()"
    index = bs.Index(BETree(capacity=4, min_size=2)).copy()
    for id_ in range(1, 6):
        index.add(id_, f"a = {id_}" if id_ < 3 else f"b{id_} = 1")
    assert Tree(index).describe() == {"ids": [3, 4, 5], "p0": {"ids": [1, 2]}}


# --- Invariants ---


def corrupted(name: str, change: Callable[[Any], None]) -> bs.Index:
    index = bs.Index(BETree(capacity=4))
    texts = [f"a = {i % 8} AND b BETWEEN {i} AND {i + 9}" if i % 3 else f"c > {i}" for i in range(120)]
    index.add_many(range(120), texts)
    index.check_invariants()
    rebuild, (format_, kind, options, budget, store, engine) = index.__reduce__()  # type: ignore[misc]
    engine = dict(engine)
    change(engine[f"betree.{name}"])
    return rebuild(format_, kind, options, budget, store, engine)  # type: ignore[no-any-return]


def put(
    field: str, value: int, where: Callable[[Any], Any] = lambda k: k["top"] != NONE
) -> Callable[[Any], None]:
    """Changes a field of the first cluster for which the condition holds."""

    def change(words: Any) -> None:
        clusters = words.view(CLUSTER)
        clusters[field][np.flatnonzero(where(clusters))[0]] = value

    return change


def top(k: Any) -> Any:
    return k["top"] == np.arange(len(k))


def bucket(k: Any) -> Any:
    return (k["top"] != NONE) & ~top(k)


def add(at: Any, value: int) -> Callable[[Any], None]:
    def change(array: Any) -> None:
        array[at] += value

    return change


def replace_key(keys: Any) -> None:
    keys[np.flatnonzero(keys)[0]] = 12345


DAMAGE: list[tuple[str, Callable[[Any], None], str]] = [
    ("leaves.length", add(0, 10**6), "1: "),
    ("clusters", put("above", 0, bucket), "1: a bucket that is not below"),
    ("clusters", put("split", 0, lambda k: k["split"] == 1), "1: a child of a bucket|6: "),
    ("directories.words", add(1, 1), "2: a p-node that its directory does not lead to"),
    ("partitions.keys", replace_key, "1: .*a key that is not found"),
    ("clusters", put("first", 1 << 60, bucket), "3: a bucket that is no cell"),
    ("clusters", put("level", 1, top), "3: "),
    ("clusters", put("clauses", 1, top), "4: number of clauses"),
    ("clause_place", add(3, 1), "5: a clause that is not where it should be"),
    ("clusters", put("dead", 5), "5: number of entries"),
    ("clusters", put("base", 1, top), "6: "),
    ("clusters", put("entries", 0, lambda k: k["entries"] > 0), "5: number of entries|8: an empty node"),
    ("clusters", put("capacity", 0, lambda k: k["entries"] > 0), "8: an l-node beyond its capacity"),
]


@pytest.mark.parametrize(("name", "change", "message"), DAMAGE)
def test_check_invariants_finds_damage(name: str, change: Callable[[Any], None], message: str) -> None:
    with pytest.raises(AssertionError, match=message):
        corrupted(name, change).check_invariants()


def test_check_invariants_finds_entries_that_check_something_else() -> None:
    def change(words: Any) -> None:
        units = words.reshape(-1, 4)
        clauses = (
            (units[:, 0] == units[:, 1]) & (units[:, 0] > 0) & (units[:, 3] > 0)
        )  # clause n is expression n
        units[np.flatnonzero(clauses)[0] + 1, 2] += 2  # the operand of its first comparison

    with pytest.raises(AssertionError, match="7: an entry that does not say"):
        corrupted("leaves.words", change).check_invariants()
