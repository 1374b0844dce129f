"""TAMA: its cells, its counters, exact answers and approximate ones."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

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
from boolsieve import workloads
from boolsieve.engines import Tama


def filled(texts: list[str], engine: Any = "tama") -> bs.Index:
    index = bs.Index(engine)
    index.add_many(range(len(texts)), texts)
    index.check_invariants()
    return index


def cells_of(index: bs.Index, clause: int) -> list[int]:
    """The cells of the only attribute that a clause stands in: 1 is the whole, 2 and 3 its halves."""
    raw = index.buffers()
    assert len(raw["tama.tree_first"]) == 1
    found = []
    for cell, (begin, length) in enumerate(
        zip(raw["tama.lists.begin"], raw["tama.lists.length"], strict=True), 1
    ):
        if clause in raw["tama.lists.words"][begin : begin + length]:
            found.append(cell)
    return found


def eighths(*texts: str) -> bs.Index:
    """An attribute whose bottom cells begin at 0, 10, ... 70, with these expressions after 800 others."""
    index = filled([f"a = {i % 8 * 10}" for i in range(800)], Tama(levels=3))
    index.add_many(range(800, 800 + len(texts)), texts)
    index.check_invariants()
    return index


def test_intervals_stand_in_the_largest_cells_that_tile_them() -> None:
    index = eighths(
        "a BETWEEN 0 AND 39",
        "a BETWEEN 10 AND 65",
        "a BETWEEN 15 AND 18",
        "a >= 40",
        "a < 20",
        "a >= 0",
        "a IN (10, 12, 55, 71)",
    )
    assert index.buffers()["tama.tree_levels"].tolist() == [3]
    assert cells_of(index, 800) == [2]  # the lower half
    assert cells_of(index, 801) == [5, 6, 9, 14]  # 20 to 39, 40 to 59, 10 to 19, 60 to 69
    assert cells_of(index, 802) == [9]
    assert cells_of(index, 803) == [3]
    assert cells_of(index, 804) == [4]
    assert cells_of(index, 805) == [1]
    assert cells_of(index, 806) == [9, 13, 15]


def test_a_value_counts_the_cells_above_it_and_what_is_counted_is_checked() -> None:
    index = eighths("a BETWEEN 10 AND 65", "a BETWEEN 15 AND 18", "a >= 40", "a NOT IN (1, 2)")
    assert counted(index, {"a": 12}) == (2, 103)  # 100 points at 10 share the cell
    assert index.match({"a": 12}) == [800, 803]
    assert index.match({"a": 16}) == [800, 801, 803]
    assert index.match({"a": 66}) == [802, 803]
    assert index.match({"a": 1}) == []


@pytest.mark.parametrize("levels", [0, 1, 4, 16])
def test_each_form_of_constraint_at_its_ends(levels: int) -> None:
    texts = [form.format("a", low, low + 10) for low in range(0, 30, 5) for form in FORMS] * 10
    index, model = filled(texts, Tama(levels=levels)), bs.Index("scan")
    model.add_many(range(len(texts)), texts)
    assert_same(index, model, ({"a": value / 2} for value in range(-2, 90)))
    assert index.match({"b": 1}) == []


def test_a_clause_is_found_once_all_its_intervals_are_counted() -> None:
    index = filled([" AND ".join(f"a{k} > {i}" for k in range(i % 5 + 1)) for i in range(500)])
    event = {f"a{k}": 250.5 for k in range(3)}
    found, checked = counted(index, event)
    assert found == sum(i <= 250 and i % 5 < 3 for i in range(500))
    assert checked < found + 20


def test_a_clause_of_more_predicates_than_a_counter_holds() -> None:
    names = [f"a{k}" for k in range(300)]
    index = filled([" AND ".join(f"{name} > {i}" for name in names) for i in range(40)])
    assert index.match(dict.fromkeys(names, 20)) == list(range(20))
    assert index.match({**dict.fromkeys(names, 20), "a299": 5}) == list(range(5))
    assert index.match(dict.fromkeys(names[:-1], 20)) == []


def test_counters_of_one_event_mean_nothing_to_the_next() -> None:
    index = filled([f"a > {i} AND b > {i}" for i in range(200)])
    for _ in range(3):
        assert index.match({"a": 100}) == []
        assert index.match({"b": 100}) == []
        assert index.match({"a": 50, "b": 100}) == list(range(50))


# --- Approximate ---


def test_approximate_answers_hold_the_exact_ones_and_little_more() -> None:
    """The paper's workload: the finer the cells, the fewer false positives."""
    workload = workloads.Dexin(attributes=4)
    texts, events = workload.expressions(4_000).texts(), workload.events(40).dicts()
    exact = [set(found) for found in filled(texts).match_batch(events)]
    rates = []
    for levels in (2, 4, 6, 8):
        index = filled(texts, Tama(levels=levels, approximate=True))
        found = [set(ids) for ids in index.match_batch(events)]
        assert all(more >= some for more, some in zip(found, exact, strict=True))
        rates.append(sum(map(len, found)) / sum(map(len, exact)) - 1)
    assert rates == sorted(rates, reverse=True)
    assert rates[0] > 0.5
    assert 0 < rates[-1] < 0.05


def test_approximate_mode_still_checks_what_is_no_interval() -> None:
    dice = random.Random(21)
    texts = texts_of(dice, 400, 3)
    index, model = filled(texts, Tama(levels=3, approximate=True)), bs.Index("scan")
    model.add_many(range(len(texts)), texts)
    intervals = {
        i for i, text in enumerate(texts) if not any(w in text for w in ("IN (", "NULL", "!", "NOT", "sa"))
    }
    for _ in range(50):
        event = event_of(dice, 3)
        more, exact = set(index.match(event)), set(model.match(event))
        assert more >= exact
        assert {i for i in more - exact if "!" in texts[i] or "sa" in texts[i]} <= set(range(400)) - intervals
        assert not any("NULL" in texts[i] and " AND " not in texts[i] for i in more - exact)


# --- Sparse events, updates ---


def test_many_attributes() -> None:
    check_many_attributes("tama")


def test_texts_and_ends_of_the_keys() -> None:
    check_texts_and_ends("tama")


@pytest.mark.parametrize("levels", [0, 3, 8])
def test_updates_of_all_kinds_of_predicates(levels: int) -> None:
    run_updates(Tama(levels=levels), seed=22)


def test_updates_of_ranges_with_equal_ends() -> None:
    run_updates(Tama(levels=5), seed=23, attributes=2, forms=FORMS)


def test_attributes_that_come_later_are_taken_in() -> None:
    index = filled([f"a > {i}" for i in range(100)])
    for i in range(100, 150):
        index.add(i, f"b > {i} AND c < 5")
    index.check_invariants()
    assert index.match({"b": 120.5, "c": 4}) == list(range(100, 121))


def test_copies_match_and_change_alike() -> None:
    dice = random.Random(24)
    index = filled(texts_of(dice, 300, 3), Tama(levels=4))
    other = index.copy()
    assert repr(Tama(levels=4, approximate=True)) == "Tama(levels=4, approximate=True)"
    assert repr(Tama()) == "Tama()"
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
    ({"levels": -1}, "levels is an int from 0 to 16, not -1"),
    ({"levels": 17}, "levels is an int from 0 to 16"),
    ({"levels": 3.0}, "levels is an int from 0 to 16"),
    ({"approximate": 1}, "approximate is a bool, not 1"),
]


@pytest.mark.parametrize(("options", "message"), BAD_OPTIONS)
def test_bad_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Tama(**options)


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("tama.tree_of.values", put(slice(None), 0), "1: "),
        ("tama.bound", swap(1, 2), "2: bounds do not rise"),
        ("tama.bound", put(0, 7), "2: bounds of a tree"),
        ("tama.tree_first", add_one(1), "2: cells of a tree"),
        ("tama.tree_levels", add_one(0), "2: "),
        ("tama.needed", add_one(3), "3: what a clause needs"),
        ("tama.counts", put(2, 1), "5: the largest clause"),
        ("tama.lists.words", swap(0, -1), "4: the cells of a clause"),
        ("tama.lists.words", put(0, 10**6), "4: an entry without a clause"),
        ("tama.bound", add_one(1), "4: the cells of a clause"),
    ],
)
def test_check_invariants_finds_damage(name: str, change: Callable[[Any], None], message: str) -> None:
    index = bs.Index(Tama(levels=3))
    index.add_many(range(256), [f"a > {i % 37} AND b <= {i}" for i in range(256)])
    with pytest.raises(AssertionError, match=message):
        corrupted(index, name, change).check_invariants()


def test_check_invariants_finds_a_dead_clause_that_is_still_counted() -> None:
    index = bs.Index("tama")
    index.add_many(range(100), ["a > 1"] * 100)
    del index[5]
    with pytest.raises(AssertionError, match="3: a dead clause"):
        corrupted(index, "tama.needed", put(5, 1)).check_invariants()
