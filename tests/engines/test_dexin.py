"""DEXIN: its slots and cells, the two methods, the plan, what updates leave behind."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from wide_ranges import (
    FORMS,
    add_one,
    assert_same,
    check_many_attributes,
    check_texts_and_ends,
    corrupted,
    counted,
    event_of,
    put,
    run_updates,
    swap,
    texts_of,
)

import boolsieve as bs
from boolsieve.engines import Dexin
from boolsieve.engines.dexin import plan

WHOLE = 1 << 63  # the key of the number 0; a step of 2 to the next
LOW, HIGH, OUT = 0, 1, 2
METHODS = ["auto", "exclusive", "inclusive"]


def filled(texts: list[str], engine: Any = "dexin") -> bs.Index:
    index = bs.Index(engine)
    index.add_many(range(len(texts)), texts)
    index.check_invariants()
    return index


def slots(index: bs.Index, side: int) -> list[list[tuple[float, int]]]:
    """The entries (operand, place) of each slot of the only column, in the order of their nodes."""
    raw = index.buffers()
    assert len(raw["dexin.needs"]) == 1
    nodes = raw["dexin.trees.words"].reshape(-1, 5)
    begin, length = raw["dexin.trees.begin"], raw["dexin.trees.length"]
    found = []
    for slot in range(len(raw["dexin.bound"])):
        at = slot * 3 + side
        inside = nodes[begin[at] : begin[at] + length[at]].tolist()
        found.append([((low + (high << 32) - WHOLE) / 2, place) for low, high, place, _, _ in inside])
    return found


def entries(index: bs.Index, side: int) -> list[tuple[float, int]]:
    return sorted(entry for slot in slots(index, side) for entry in slot)


# --- Section 3.2 and 3.3: intervals, rules 1 to 4 ---


@pytest.mark.parametrize("method", METHODS)
def test_rules_for_each_form_of_constraint(method: str) -> None:
    """10 and 20 as ends, forty times each form so that the attribute has slots; values on, next to and off the ends."""
    texts = [form.format("a", 10, 20) for form in FORMS] * 40
    index = filled(texts, Dexin(method=method))
    expected = {
        9: [2, 3, 9],
        10: [1, 2, 3, 6, 7, 8],
        15: [0, 1, 2, 3, 4, 5, 6, 7, 9],
        20: [0, 1, 3, 5, 7, 9],
        21: [0, 1, 9],
    }
    expected[9.5] = expected[9]
    expected[10.5] = expected[19.5] = expected[15]
    for value, forms in expected.items():
        assert index.match({"a": value}) == [i for i in range(400) if i % 10 in forms], value
    assert index.match({"b": 10}) == []


def test_an_end_that_is_not_there_has_no_entry() -> None:
    texts = ["a > 10", "a <= 20", "a = 15", "a != 7", "a BETWEEN 12 AND 14"] * 20
    index = filled(texts)
    every = range(0, 100, 5)
    # An open end is the closed one of the next key: half a step further.
    assert entries(index, LOW) == [(10.5, i) for i in every] + [(12, i + 4) for i in every] + [
        (15, i + 2) for i in every
    ]
    assert entries(index, HIGH) == sorted(
        [(20, i + 1) for i in every] + [(15, i + 2) for i in every] + [(14, i + 4) for i in every]
    )
    assert entries(index, OUT) == [(7, i + 3) for i in every]


def test_slots_follow_the_operands() -> None:
    """Operands on both sides of a wide gap: the gap gets no slots, and each slot about as many entries."""
    dice = random.Random(1)
    values = [dice.choice([0, 10**12]) + dice.randrange(100_000) for _ in range(4_000)]
    index = filled([f"a >= {value}" for value in values], Dexin(slots=100))
    inside = [[operand for operand, _ in slot] for slot in slots(index, LOW)]
    assert 90 <= len(inside) <= 100
    assert max(map(len, inside)) < 3 * 4_000 / 100
    assert [operand for slot in inside for operand in sorted(slot)] == sorted(values)
    assert index.match_count({"a": 10**11}) == sum(value < 10**11 for value in values)


def test_slots_are_chosen_anew_for_other_operands() -> None:
    index = filled([f"a <= {i}" for i in range(1_000)], Dexin(slots=50))
    for i in range(1_000, 8_000):
        index.add(i, f"a <= {i * 1_000}")
    index.check_invariants()
    assert max(len(slot) for slot in slots(index, HIGH)) < 8_000 / 2
    assert index.match_count({"a": 5_000_500}) == 2_999
    assert index.match_count({"a": 500}) == 7_500


# --- Section 3.4: the pipeline ---


def test_methods_answer_alike_and_check_what_they_should() -> None:
    dice = random.Random(2)
    texts = [
        " AND ".join(f"a{i} BETWEEN {low} AND {low + 40}" for i in range(6) for low in [dice.randint(0, 60)])
        for _ in range(3_000)
    ]
    indexes = {method: filled(texts, Dexin(method=method)) for method in METHODS}
    checked = 0
    for _ in range(20):
        event = {f"a{i}": dice.randint(0, 100) for i in range(6)}
        found = {method: counted(index, event) for method, index in indexes.items()}
        assert len({matches for matches, _ in found.values()}) == 1
        assert found["inclusive"][1] == 3_000
        assert found["exclusive"][1] == 0
        assert found["auto"][1] <= 3 * found["auto"][0] + 30
        checked += found["auto"][1]
    assert checked > 0


def test_auto_checks_nothing_where_most_match() -> None:
    index = filled([" AND ".join(f"a{k} > {i}" for k in range(8)) for i in range(3_000)])
    assert counted(index, {f"a{k}": 2_950.5 for k in range(8)}) == (2_951, 0)


def test_plan_is_made_again_when_more_is_left_than_the_rates_say() -> None:
    """Each of twelve attributes excludes the same half, and the last one nearly all: by the rates it is not needed."""
    texts = [
        " AND ".join([*(f"a{i} {'<' if k % 2 else '>'} 50" for i in range(12)), f"b > {k % 1_000}"])
        for k in range(20_000)
    ]
    index = filled(texts)
    event = {**{f"a{i}": 20 for i in range(12)}, "b": 25.5}
    found, checked = counted(index, event)
    assert found == 260
    assert checked < 1_500


def test_partial_result_begins_anew_for_each_event() -> None:
    index = filled(["a < 50", "a >= 50"] * 50)
    for _ in range(3):
        assert index.match_count({"a": 10}) == 50
        assert index.match({"a": 60}) == list(range(1, 100, 2))
        assert index.match({}) == []


# --- Section 3.5: the plan ---


def cost(rates: list[float], order: list[int], exclusive: int) -> float:
    """Formula (6): for `exclusive` attributes what they exclude, for each of the others what is left before it."""
    left, total = 1.0, 0.0
    for at, i in enumerate(order):
        total += 1 - rates[i] if at < exclusive else left
        left *= rates[i]
    return total


def optimum(rates: list[float]) -> float:
    """The best of all choices that keep observations 2 and 3: any subset is excluded, the others by rising rate."""
    r, m = np.sort(rates), len(rates)
    excluded = (np.arange(1 << m)[:, None] >> np.arange(m) & 1).astype(bool)
    total = (excluded * (1 - r)).sum(axis=1)
    left = np.where(excluded, r, 1).prod(axis=1)
    for i in range(m):
        total += np.where(excluded[:, i], 0, left)
        left *= np.where(excluded[:, i], 1, r[i])
    return float(total.min())


def planned(rates: list[float]) -> float:
    steps = plan(rates)
    return cost(rates, [i for i, _ in steps], sum(method == "exclusive" for _, method in steps))


def rates_of_events(rng: np.random.Generator, attributes: int) -> list[float]:
    """Figure 15: widths of 0.2 to 0.8, a tenth are points; uniform or Zipf, at random for each attribute."""
    zipf = np.cumsum(1 / np.arange(1, 10_001)) / np.sum(1 / np.arange(1, 10_001))
    rates = []
    for _ in range(attributes):
        draws = rng.random(1_001)
        if rng.random() < 0.5:
            draws = np.searchsorted(zipf, draws) / 10_000
        width = rng.uniform(0.2, 0.8, 1_000) * (rng.random(1_000) >= 0.1)
        low = draws[1:] * (1 - width)
        rates.append(float(((low <= draws[0]) & (draws[0] <= low + width)).mean()))
    return rates


def test_plan_of_a_small_case() -> None:
    """0.3 is excluded first. 0.3 of all are left, and 0.5 excludes more than that, so the others are checked."""
    assert plan([0.9, 0.3, 0.5]) == [(1, "exclusive"), (2, "inclusive"), (0, "inclusive")]
    # 0.6 are left, 0.1 would be excluded; then 0.54 are left, and 0.05 would be.
    assert plan([0.95, 0.9, 0.6]) == [(2, "exclusive"), (1, "exclusive"), (0, "exclusive")]
    assert planned([0.9, 0.3, 0.5]) == pytest.approx(0.7 + 0.3 + 0.15)


def test_observations_hold_for_plans() -> None:
    dice = random.Random(3)
    for _ in range(300):
        rates = [dice.random() for _ in range(dice.randint(1, 12))]
        steps = plan(rates)
        assert sorted(i for i, _ in steps) == list(range(len(rates)))
        assert steps[0][1] == "exclusive"
        methods = [method for _, method in steps]
        assert methods == sorted(methods)  # exclusive before inclusive
        inclusive = [rates[i] for i, method in steps if method == "inclusive"]
        assert inclusive == sorted(inclusive)


@pytest.mark.parametrize("attributes", [2, 6, 10, 12, 14])
def test_plan_costs_hardly_more_than_the_optimum(attributes: int) -> None:
    rng = np.random.default_rng(attributes)
    cases = [rates_of_events(rng, attributes) for _ in range(25)]
    best, greedy = [optimum(rates) for rates in cases], [planned(rates) for rates in cases]
    assert all(g >= b - 1e-9 for g, b in zip(greedy, best, strict=True))
    assert sum(greedy) <= sum(best) * 1.05
    if attributes >= 10:
        assert all(g <= b * 1.05 for g, b in zip(greedy, best, strict=True))


# --- Sparse events ---


@pytest.mark.parametrize("method", METHODS)
def test_events_that_lack_attributes(method: str) -> None:
    """All subsets of three attributes, against clauses on each subset of them."""
    texts = [
        " AND ".join(f"{name} < {i}" for name in "abc" if subset >> "abc".index(name) & 1)
        for i in range(60)
        for subset in range(1, 8)
    ]
    index = filled(texts, Dexin(method=method))
    for present in range(8):
        event = {name: 30 for name in "abc" if present >> "abc".index(name) & 1}
        expected = [at for at in range(len(texts)) if at // 7 > 30 and (at % 7 + 1) & present == at % 7 + 1]
        assert index.match(event) == expected


def test_clauses_that_need_a_rare_attribute_are_checked_only_if_it_is_there() -> None:
    texts = [f"a > {i}" + (f" AND rare{i} = 1" if i % 100 == 0 else "") for i in range(1_000)]
    index = filled(texts, Dexin(method="exclusive"))
    assert counted(index, {"a": 2_000}) == (990, 0)
    assert counted(index, {"a": 2_000, "rare300": 1, "rare301": 1}) == (991, 1)
    assert counted(index, {"rare300": 1}) == (0, 1)


def test_many_attributes() -> None:
    check_many_attributes("dexin")


@pytest.mark.parametrize("method", ["auto", "exclusive"])
def test_texts_and_ends_of_the_keys(method: str) -> None:
    check_texts_and_ends(Dexin(method=method))


# --- Updates ---


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"slots": 1},
        {"slots": 7, "method": "exclusive"},
        {"slots": 7, "method": "exclusive", "trees": False},
    ],
)
def test_updates_of_all_kinds_of_predicates(options: dict[str, Any]) -> None:
    run_updates(Dexin(**options), seed=5)


@pytest.mark.parametrize("trees", [True, False])
def test_updates_of_ranges_with_equal_ends(trees: bool) -> None:
    """Few operands, so slots are full of equal keys."""
    index = run_updates(Dexin(method="exclusive", trees=trees), seed=6, attributes=2, forms=FORMS)
    assert index.stats()["expressions"] == 130


def test_removal_takes_entries_out_of_the_trees() -> None:
    index = filled([f"a BETWEEN {i % 90} AND {i % 90 + 40}" for i in range(1_000)])
    order = list(range(1_000))
    random.Random(7).shuffle(order)
    for id_ in order[:490]:
        del index[id_]
    index.check_invariants()
    assert len(entries(index, LOW)) == len(entries(index, HIGH)) == 510
    assert index.match({"a": 100}) == sorted(i for i in order[490:] if i % 90 <= 100 <= i % 90 + 40)


def test_lists_take_less_memory_and_keep_entries_of_the_removed() -> None:
    texts = [f"a BETWEEN {i % 90} AND {i % 90 + 40}" for i in range(1_000)]
    trees, lists = filled(texts), filled(texts, Dexin(trees=False))
    for index in (trees, lists):
        for id_ in range(100, 400):
            del index[id_]
        index.check_invariants()
    assert trees.buffers()["dexin.trees.length"].sum() == 2 * 700
    assert lists.buffers()["dexin.trees.length"].sum() == 2 * 1_000
    assert len(lists.buffers()["dexin.trees.words"]) == 3 * 2_000
    assert len(trees.buffers()["dexin.trees.words"]) == 5 * 2_000
    for value in range(0, 140, 7):
        assert lists.match({"a": value}) == trees.match({"a": value})


@pytest.mark.parametrize("options", [{}, {"method": "exclusive"}, {"method": "exclusive", "trees": False}])
def test_heavy_duplicates(options: dict[str, Any]) -> None:
    texts = ["a >= 5 AND a <= 9"] * 2_000 + ["a = 5"] * 1_000 + ["a != 5"] * 1_000
    index = filled(texts, Dexin(**options))
    assert index.match_count({"a": 4}) == 1_000
    assert index.match_count({"a": 5}) == 3_000
    assert index.match_count({"a": 9}) == 3_000
    assert index.match_count({"a": 9.5}) == 1_000
    for id_ in range(0, 4_000, 3):
        del index[id_]
    index.check_invariants()
    assert index.match({"a": 5}) == [i for i in range(3_000) if i % 3]


def test_copies_match_and_change_alike() -> None:
    dice = random.Random(9)
    engine = Dexin(slots=20, method="exclusive", trees=False)
    index = filled(texts_of(dice, 300, 3), engine)
    other = index.copy()
    assert repr(engine) == "Dexin(slots=20, method='exclusive', trees=False)"
    assert repr(Dexin()) == "Dexin()"
    for i in range(100):
        del other[i]
    other.add_many(range(300, 500), texts_of(dice, 200, 3))
    other.check_invariants()
    index.check_invariants()
    model = bs.Index("scan")
    model.add_many(list(other), list(other.values()))
    assert_same(other, model, (event_of(dice, 3) for _ in range(30)))


# --- Options, invariants ---

BAD_OPTIONS = [
    ({"slots": 0}, "slots is an int from 1 to 2"),
    ({"slots": 2.0}, "slots is an int"),
    ({"slots": True}, "slots is an int"),
    ({"trees": 0}, "trees is a bool, not 0"),
    ({"method": "both"}, "method is one of auto, exclusive, inclusive, not 'both'"),
]


@pytest.mark.parametrize(("options", "message"), BAD_OPTIONS)
def test_bad_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Dexin(**options)


def reverse_places(words: Any) -> None:
    nodes = words.reshape(-1, 5)
    nodes[:, 2] = nodes[::-1, 2].copy()


def paint_root(words: Any) -> None:
    nodes = words.reshape(-1, 5)
    nodes[:, 3] |= 1 << 31


def paint_black(words: Any) -> None:
    nodes = words.reshape(-1, 5)
    nodes[:, 3] &= (1 << 31) - 1


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("dexin.dense.clause_at", swap(0, 1), "1: places do not rise"),
        ("dexin.dense.filed.words", add_one(0), "1: |2: "),
        ("dexin.dense.column_attribute", swap(0, 1), "2: columns"),
        ("dexin.dense.bits.words", put(slice(None), 0), "3: who lives"),
        ("dexin.dense.counts", put(0, 1), "4: too many clauses"),
        ("dexin.bound", swap(2, 3), "5: bounds do not rise"),
        ("dexin.bound", put(0, 1), "5: slots of a column"),
        ("dexin.slot_begin", add_one(1), "5: "),
        ("dexin.trees.words", reverse_places, "6: red-black 1: nodes out of order"),
        ("dexin.trees.words", paint_root, "6: red-black 2: a red root"),
        ("dexin.trees.words", paint_black, "6: red-black 3: black nodes on the way down"),
        ("dexin.root", put(slice(None), 0x7FFFFFFF), "6: red-black 1: nodes that are not reached"),
        ("dexin.bound", add_one(1), "6: a key in a slot that is not its own"),
        ("dexin.low_sums", add_one(3), "7: sums of a column"),
        ("dexin.needs", add_one(0), "7: how many need a column"),
        ("dexin.trees.words", add_one(2), "6: |8: "),
        ("dexin.dense.bits.words", add_one(-1), "2: a bit of an unused place|9: the set of a cell"),
    ],
)
def test_check_invariants_finds_damage(name: str, change: Callable[[Any], None], message: str) -> None:
    texts = [
        f"a > {i % 37} AND b <= {i % 41}" + (f" AND c{i} != 3" if i % 9 == 0 else "") for i in range(256)
    ]
    index = bs.Index("dexin")
    index.add_many(range(256), texts)
    with pytest.raises(AssertionError, match=message):
        corrupted(index, name, change).check_invariants()
