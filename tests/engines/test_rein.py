"""REIN: its buckets, what is marked and compared, how buckets split."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import pairwise
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
from boolsieve.engines import Rein

WHOLE = 1 << 63
LOW, HIGH = 0, 1


def filled(texts: list[str], engine: Any = "rein") -> bs.Index:
    index = bs.Index(engine)
    index.add_many(range(len(texts)), texts)
    index.check_invariants()
    return index


def buckets(index: bs.Index, which: int) -> list[tuple[float, list[float]]]:
    """The first operand of each bucket of a list, and its operands in order."""
    raw = index.buffers()

    def items(name: str, at: int, words: int) -> Any:
        begin, length = raw[f"rein.{name}.begin"][at], raw[f"rein.{name}.length"][at]
        return raw[f"rein.{name}.words"].reshape(-1, words)[begin : begin + length].tolist()

    def number(low: int, high: int) -> float:
        return (low + (high << 32) - WHOLE) / 2

    return [
        (number(low, high), sorted(number(*key) for key in items("keys", bucket, 2)))
        for low, high, bucket in items("buckets", which, 3)
    ]


def test_two_lists_hold_the_ends_of_each_attribute() -> None:
    texts = [f"a BETWEEN {i} AND {i + 50}" for i in range(60)] + ["a > 5", "a <= 7"] * 10
    index = filled(texts, Rein(buckets=4))
    low, high = buckets(index, LOW), buckets(index, HIGH)
    assert [key for _, keys in low for key in keys] == sorted([*range(60), *[5.5] * 10])
    assert [key for _, keys in high for key in keys] == sorted([*range(50, 110), *[7] * 10])
    for found in (low, high):
        assert len(found) == 4
        assert all(first <= keys[0] for first, keys in found)
        assert all(keys[-1] < following for (_, keys), (following, _) in pairwise(found))


@pytest.mark.parametrize("count", [None, 1, 3])
def test_each_form_of_constraint_at_its_ends(count: int | None) -> None:
    texts = [form.format("a", 10, 20) for form in FORMS] * 40
    index, model = filled(texts, Rein(buckets=count)), bs.Index("scan")
    model.add_many(range(len(texts)), texts)
    assert_same(index, model, ({"a": value} for value in [9, 9.5, 10, 10.5, 15, 19.5, 20, 20.5, 21]))
    assert index.match({"b": 1}) == []


def test_only_the_buckets_of_the_value_are_compared() -> None:
    index = filled([f"a BETWEEN {i} AND {i + 1_000}" for i in range(2_000)], Rein(buckets=20))
    before = index.stats()["predicates_evaluated"]
    assert index.match_count({"a": 1_500}) == 1_001
    compared = index.stats()["predicates_evaluated"] - before
    assert 100 <= compared <= 2 * 2 * 2_000 / 20


def test_ranges_need_no_check_and_others_only_if_they_stay_unmarked() -> None:
    index = filled([f"a > {i}" for i in range(500)] + [f"a > {i} AND b NOT IN (7, 9)" for i in range(500)])
    assert counted(index, {"a": 100, "b": 1}) == (200, 100)
    assert counted(index, {"a": 9, "b": 7}) == (9, 9)
    assert counted(index, {"a": 9}) == (9, 0)


def test_buckets_split_where_operands_crowd() -> None:
    """All new operands are above the old ones, so the last bucket would take them all."""
    index = filled([f"a > {i}" for i in range(2_000)], Rein(buckets=10))
    for i in range(2_000, 4_000):
        index.add(i, f"a > {i}")
    index.check_invariants()
    sizes = [len(keys) for _, keys in buckets(index, LOW)]
    assert len(sizes) > 10
    assert max(sizes) <= 1_024
    assert index.match_count({"a": 3_000}) == 3_000


def test_bucket_of_equal_operands_is_not_split() -> None:
    index = filled([f"a > {i}" for i in range(100)])
    for i in range(100, 220):
        index.add(i, "a > 1000")
    index.check_invariants()
    assert sum(keys.count(1000.5) for _, keys in buckets(index, LOW)) == 120
    assert index.match_count({"a": 1_000}) == 100
    assert index.match_count({"a": 1_001}) == 220


def test_bucket_with_many_of_its_least_operand_is_split_above_it() -> None:
    index = filled([f"a > {i}" for i in range(100)], Rein(buckets=10))
    for i in range(100, 200):
        index.add(i, f"a > {i if i % 4 == 0 else 100}")
    index.check_invariants()
    assert [keys[0] for _, keys in buckets(index, LOW)][-2:] == [100.5, 104.5]
    assert index.match_count({"a": 102}) == 176


def test_events_that_lack_attributes() -> None:
    texts = [
        " AND ".join(f"{name} < {i}" for name in "abc" if subset >> "abc".index(name) & 1)
        for i in range(60)
        for subset in range(1, 8)
    ]
    index = filled(texts)
    for present in range(8):
        event = {name: 30 for name in "abc" if present >> "abc".index(name) & 1}
        expected = [at for at in range(len(texts)) if at // 7 > 30 and (at % 7 + 1) & present == at % 7 + 1]
        assert index.match(event) == expected


def test_many_attributes() -> None:
    check_many_attributes("rein")


def test_texts_and_ends_of_the_keys() -> None:
    check_texts_and_ends("rein")


@pytest.mark.parametrize("count", [None, 1, 5])
def test_updates_of_all_kinds_of_predicates(count: int | None) -> None:
    run_updates(Rein(buckets=count), seed=11)


def test_updates_of_ranges_with_equal_ends() -> None:
    run_updates(Rein(buckets=2), seed=12, attributes=2, forms=FORMS)


def test_copies_match_and_change_alike() -> None:
    dice = random.Random(13)
    index = filled(texts_of(dice, 300, 3), Rein(buckets=6))
    other = index.copy()
    assert repr(Rein(buckets=6)) == "Rein(buckets=6)"
    assert repr(Rein()) == "Rein()"
    for i in range(100):
        del other[i]
    other.add_many(range(300, 500), texts_of(dice, 200, 3))
    other.check_invariants()
    index.check_invariants()
    model = bs.Index("scan")
    model.add_many(list(other), list(other.values()))
    assert_same(other, model, (event_of(dice, 3) for _ in range(30)))


@pytest.mark.parametrize("count", [0, -1, 2.5, True, "many"])
def test_bad_options_are_refused(count: Any) -> None:
    with pytest.raises(ValueError, match="buckets is an int from 1 to 2"):
        Rein(buckets=count)


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("rein.dense.clause_at", swap(0, 1), "1: places do not rise"),
        ("rein.dense.column_attribute", swap(0, 1), "2: columns"),
        ("rein.dense.bits.words", put(slice(None), 0), "3: who lives"),
        ("rein.dense.counts", put(0, 1), "4: too many clauses"),
        ("rein.keys.length", put(0, 10_000), "5: within"),
        ("rein.buckets.words", put(0, 5), "6: the first bucket"),
        ("rein.buckets.words", swap(1, 2, 3), "6: bounds do not rise"),
        ("rein.places.length", add_one(0), "5: within|6: a bucket"),
        ("rein.buckets.words", add_one(3), "7: a key in a bucket that is not its own"),
        ("rein.entries", add_one(0), "7: number of entries"),
        ("rein.places.words", swap(0, -1), "8: a clause without its entries"),
    ],
)
def test_check_invariants_finds_damage(name: str, change: Callable[[Any], None], message: str) -> None:
    index = bs.Index(Rein(buckets=8))
    index.add_many(range(256), [f"a > {i % 37} AND b <= {i}" for i in range(256)])
    with pytest.raises(AssertionError, match=message):
        corrupted(index, name, change).check_invariants()
