"""`between` and `any_of`: what is taken, what is refused, how they show. contract/test_ranges.py has their meaning."""

from __future__ import annotations

import datetime as dt
import math
import pickle
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest

import boolsieve as bs


def filled() -> bs.Index:
    index = bs.Index()
    index.add_many(["five", "text", "none"], ["a = 5", "a >= 'm'", "a IS NULL"])
    return index


BAD: list[tuple[Any, type[Exception], str]] = [
    (bs.between(40, 20), ValueError, r"attribute 'a': between\(40, 20\) is empty"),
    (bs.between(5, 5, closed="left"), ValueError, r"between\(5, 5, closed='left'\) is empty"),
    (bs.between(0.5, math.nextafter(0.5, 1), closed="neither"), ValueError, "is empty"),
    (bs.between(2**60, 2**60 + 1, closed="neither"), ValueError, "is empty"),
    (bs.between(math.inf, None, closed="neither"), ValueError, "is empty"),
    (bs.between("b", "a"), ValueError, "is empty"),
    (bs.between("a", "a\0", closed="neither"), ValueError, "is empty"),
    (bs.between(None, "", closed="left"), ValueError, "is empty"),
    (bs.between(True, False), ValueError, "is empty"),
    (bs.between(dt.date(2026, 1, 2), dt.date(2026, 1, 1)), ValueError, "is empty"),
    (bs.any_of(), ValueError, r"attribute 'a': any_of\(\) without a value"),
    (bs.any_of(1, bs.between(3, 2)), ValueError, "is empty"),
    (bs.between(None, None), bs.EncodingError, r"attribute 'a': between\(None, None\) has no end"),
    (bs.between(1, "x"), bs.EncodingError, "has ends that do not compare"),
    (bs.between(0, True), bs.EncodingError, "has ends that do not compare"),
    (
        bs.between(math.nan, 1),
        ValueError,
        "attribute 'a': NaN cannot be an end of a range; None is for no end",
    ),
    (bs.between(pd.NaT, None), ValueError, "NaN cannot be an end"),
    (bs.between([1], 2), bs.EncodingError, "a value of type list cannot be an end of a range"),
    (bs.between(b"x", 2), bs.EncodingError, "a value of type bytes cannot be an end of a range"),
    (bs.any_of(1, b"x"), bs.EncodingError, "attribute 'a': a value of type bytes cannot be matched"),
    (bs.any_of({"b": 1}), bs.EncodingError, r"attribute 'a': any_of\(\) takes values, not dict"),
]


@pytest.mark.parametrize(("value", "kind", "message"), BAD)
def test_bad_values_name_the_attribute(value: Any, kind: type[Exception], message: str) -> None:
    index = filled()
    for call in (
        lambda: index.match({"a": value}),
        lambda: index.match_count({"b": 1, "a": value}),
        lambda: index.matches({"a": value}, "five"),
        lambda: index.top_k({"a": value}, 1),
        lambda: index.explain({"a": value}, "five"),
    ):
        with pytest.raises(kind, match=message):
            call()
    with pytest.raises(kind, match=f"row 2: .*{message}"):
        index.match_batch([{"a": 5}, {"a": bs.between(1, 2)}, {"a": value}])
    assert index.match({"a": 5}) == ["five"]
    assert index.match({"unused": value}) == ["none"]


def test_closed_is_one_of_four() -> None:
    with pytest.raises(ValueError, match="closed is one of 'both', 'left', 'right', 'neither', not 'all'"):
        bs.between(1, 2, closed="all")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("value", "same"),
    [
        (bs.between(5, 5), 5),
        (bs.between(5, 5.0), 5),
        (bs.any_of(5), 5),
        (bs.any_of(bs.any_of(5)), 5),
        (bs.any_of(bs.between(5, 5)), 5),
        (bs.any_of(None), None),
        (bs.any_of(["x", 5]), ["x", 5]),
        (bs.between("m", "m"), "m"),
        (bs.between(True, True), True),
        (bs.between(False, True, closed="right"), True),
        (bs.between(np.datetime64("2026-01-02"), dt.date(2026, 1, 2)), dt.date(2026, 1, 2)),
        (bs.between(Decimal("0.5"), 0.5), 0.5),
    ],
)
def test_one_value_is_the_plain_value(value: Any, same: Any) -> None:
    index = bs.Index()
    texts = [
        "a = 5",
        "a != 5",
        "a IS NULL",
        "a STARTS WITH 'm'",
        "a HAS 'x'",
        "a",
        "a = DATE '2026-01-02'",
        "a < 1",
    ]
    index.add_many(texts, texts)
    assert index.match({"a": value}) == index.match({"a": same})
    assert index.match_batch([{"a": value}]).to_lists() == index.match_batch([{"a": same}]).to_lists()


def test_nanoseconds_are_ends() -> None:
    index = bs.Index()
    index.add(1, "a = TIMESTAMP '2026-01-02 00:00:00'")
    index.add(2, "a = TIMESTAMP '2026-01-02 00:00:00.000001'")
    index.add(3, "a > TIMESTAMP '2026-01-02 00:00:00' AND a < TIMESTAMP '2026-01-02 00:00:00.000001'")
    later = pd.Timestamp("2026-01-02 00:00:00.000000500")
    assert index.match({"a": bs.between(later, None)}) == [2, 3]
    assert index.match({"a": bs.between(later, later)}) == [3]
    assert index.match({"a": bs.between(later, None, closed="neither")}) == [2]
    assert index.match({"a": bs.between(None, later)}) == [1, 3]


def test_nested_attributes_may_have_ranges() -> None:
    index = bs.Index()
    index.add(1, "item.price < 5 AND item.size = 2")
    assert index.match({"item": {"price": bs.between(4, 9), "size": bs.any_of(1, 2)}}) == [1]
    assert index.match({"item.price": bs.between(4, 9), "item": {"price": 9, "size": 2}}) == [1]
    assert index.match({"item": {"price": bs.between(5, 9), "size": 2}}) == []


def test_they_show_as_they_are_written_and_compare() -> None:
    assert repr(bs.between(20, None)) == "between(20, None)"
    assert repr(bs.between(1, 2, closed="left")) == "between(1, 2, closed='left')"
    assert repr(bs.any_of("a", bs.any_of(1, bs.between(2, 3)))) == "any_of('a', 1, between(2, 3))"
    assert bs.between(1, 2) == bs.between(1, 2) != bs.between(1, 2, closed="right")
    assert len({bs.any_of(1, 2), bs.any_of(1, 2), bs.between(1, 2), bs.between(1, 2)}) == 2
    assert bs.any_of(1) != bs.between(1, 1)
    both = [bs.any_of(1, 2), bs.between(1, 2)]
    assert pickle.loads(pickle.dumps(both)) == both


def test_explanation_shows_the_range_and_what_is_possible() -> None:
    index = bs.Index()
    index.add("x", "price < 25 AND (format = 'ebook' OR rank > 3) AND NOT price = 20")
    event = {"price": bs.between(20, 40), "format": bs.any_of("hardcover", "ebook")}
    assert str(index.explain(event, "x")).splitlines() == [
        "TRUE    AND",
        "  TRUE    price < 25    (price is between(20, 40))",
        "  TRUE    OR",
        "    TRUE    format = 'ebook'    (format is any_of('hardcover', 'ebook'))",
        "    UNKNOWN rank > 3    (rank is absent)",
        "  TRUE    NOT",
        "    TRUE    price = 20    (price is between(20, 40))",
    ]
    index.add("y", "price < 25 AND price > 35")
    assert str(index.explain(event, "y")).splitlines() == [
        "FALSE   AND    (no one value satisfies all that is asked of it)",
        "  TRUE    price < 25    (price is between(20, 40))",
        "  TRUE    price > 35    (price is between(20, 40))",
    ]
    index.add("z", "price < 1 AND price > 35")
    assert [part.outcome for part in (index.explain(event, "z"), *index.explain(event, "z").children)] == [
        False,
        False,
        True,
    ]
    assert index.explain({"price": bs.any_of(1, 2)}, "x").children[0].value == bs.any_of(1, 2)


def test_counters_count_one_event() -> None:
    index = filled()
    index.match({"a": bs.any_of(5, "x")})
    index.match({"a": bs.between(1, 9)})
    index.match_batch([{"a": bs.any_of(*range(100))}, {"a": 5}])
    stats = index.stats()
    assert (stats["events_matched"], stats["matches"]) == (4, 5)
