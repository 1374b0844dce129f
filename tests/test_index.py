"""The public Index from outside: ids, the mapping protocol, bulk loads, errors, events of every make, explanations."""

from __future__ import annotations

import builtins
import copy
import datetime as dt
import decimal
import enum
import math
import pickle
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import boolsieve as bs
from boolsieve.encoding.regex import RegexSets

INT64_MIN, INT64_MAX = -(2**63), 2**63 - 1


@pytest.fixture
def index() -> bs.Index:
    """Three expressions under ids of both types."""
    index = bs.Index()
    index.add("cheap", "price < 10")
    index.add(7, "color = 'red' OR color = 'blue'")
    index.add("rare", "tags HAS 'rare' AND price >= 10")
    return index


def contents(index: bs.Index) -> list[tuple[Any, str]]:
    return [(id_, str(expression)) for id_, expression in index.items()]


def rows(matches: Any) -> list[list[Any]]:
    return [list(ids) for ids in matches]


class Lazy(Mapping[str, Any]):
    """A mapping that makes its values when it is asked for them and keeps none."""

    def __init__(self, make: Callable[[], dict[str, Any]]) -> None:
        self.make = make

    def __getitem__(self, key: str) -> Any:
        return self.make()[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.make())

    def __len__(self) -> int:
        return len(self.make())


# --- Ids ---


@pytest.mark.parametrize(
    "id_", [0, -1, INT64_MAX, INT64_MIN, "", "a", "ключ 😀", "nul\0inside", "x" * 10_000]
)
def test_ids_are_int64_or_str(id_: Any) -> None:
    index = bs.Index()
    index.add(id_, "a = 1")
    assert id_ in index
    assert index.match({"a": 1}) == [id_]
    assert type(index.match({"a": 1})[0]) is type(id_)
    assert rows(index.match_batch([{"a": 1}])) == [[id_]]
    del index[id_]
    assert len(index) == 0


@pytest.mark.parametrize("id_", [True, False, 1.0, 2**63, -(2**63) - 1, None, b"x", (1,), [1]])
def test_other_ids_are_refused_by_name(index: bs.Index, id_: Any) -> None:
    before = contents(index)
    for attempt in (
        lambda: index.add(id_, "a = 1"),
        lambda: index.__setitem__(id_, "a = 1"),
        lambda: index.add_many(["fine", id_], ["a = 1", "a = 1"]),
    ):
        with pytest.raises(bs.EncodingError) as caught:
            attempt()
        assert repr(id_) in str(caught.value)
    assert contents(index) == before


@pytest.mark.parametrize("id_", [True, 7.0, None, [7], {}, b"cheap", object(), 2**70])
def test_other_ids_are_never_in_an_index(index: bs.Index, id_: Any) -> None:
    index.add(1, "a = 1")
    assert id_ not in index
    with pytest.raises(KeyError):
        index[id_]


def test_numpy_integers_are_ids() -> None:
    index = bs.Index()
    index.add(np.int64(5), "a = 1")
    assert index.match({"a": 1}) == [5]
    assert type(index.match({"a": 1})[0]) is int
    assert 5 in index
    assert np.int32(5) in index


def test_a_number_and_its_digits_are_different_ids() -> None:
    index = bs.Index()
    index.add(1, "a = 1")
    index.add("1", "a = 2")
    assert index.match({"a": 1}) == [1]
    assert index.match({"a": 2}) == ["1"]


def test_id_is_added_only_once(index: bs.Index) -> None:
    before = contents(index)
    with pytest.raises(bs.DuplicateIdError, match="cheap"):
        index.add("cheap", "a = 1")
    assert contents(index) == before
    assert index.match({"price": 5}) == ["cheap"]
    assert index.match({"a": 1}) == []


@pytest.mark.parametrize("text", ["", "a =", "a = 1 AND", "(a = 1", "a ~ 1", "a = NULL"])
def test_bad_text_leaves_the_index_as_it_was(index: bs.Index, text: str) -> None:
    before = contents(index)
    with pytest.raises(bs.ParseError):
        index.add("new", text)
    with pytest.raises(bs.ParseError):
        index["cheap"] = text
    assert contents(index) == before
    assert index.match({"price": 5}) == ["cheap"]


@pytest.mark.parametrize("expression", [None, 5, b"a = 1", ["a = 1"], True])
def test_expression_must_be_text_or_tree(index: bs.Index, expression: Any) -> None:
    with pytest.raises(TypeError):
        index.add("new", expression)
    assert "new" not in index


# --- The mapping ---


def test_getting_gives_the_parsed_expression(index: bs.Index) -> None:
    assert index["cheap"] == bs.parse("price < 10")
    assert isinstance(index["cheap"], bs.Expr)
    assert index.get("cheap") == bs.parse("price < 10")
    assert index.get("unknown") is None


def test_expression_is_kept_as_its_user_wrote_it() -> None:
    index = bs.Index()
    text = "NOT (a = 1 AND b != 2) OR a IN (3, 3)"
    index.add(1, text)
    assert index[1] == bs.parse(text)
    assert index[1] != bs.parse("a != 1 OR b = 2 OR a = 3")


def test_builder_expressions_go_in_like_text() -> None:
    index = bs.Index()
    built = (bs.attr("genre") == "classics") & bs.attr("price").between(20, 40) & (bs.attr("ranking") < 5)
    index.add(42, built)
    index.add(43, str(built))
    assert index[42] == index[43] == built
    assert index.match({"genre": "classics", "price": 20, "ranking": 4}) == [42, 43]


def test_assigning_replaces_in_place_or_adds(index: bs.Index) -> None:
    index["cheap"] = "price < 5"
    index["new"] = bs.parse("price < 5")
    assert list(index) == ["cheap", 7, "rare", "new"]
    assert index.match({"price": 7}) == []
    assert index.match({"price": 4}) == ["cheap", "new"]


def test_deleting_and_its_method(index: bs.Index) -> None:
    del index["cheap"]
    index.remove(7)
    assert list(index) == ["rare"]
    assert index.match({"price": 5, "color": "red"}) == []


def test_unknown_ids_are_key_errors_that_name_them(index: bs.Index) -> None:
    for attempt in (
        lambda: index["nobody"],
        lambda: index.__delitem__("nobody"),
        lambda: index.remove("nobody"),
        lambda: index.matches({}, "nobody"),
        lambda: index.explain({}, "nobody"),
    ):
        with pytest.raises(bs.UnknownIdError, match="nobody"):
            attempt()
    assert issubclass(bs.UnknownIdError, KeyError)


def test_iteration_is_in_order_of_addition(index: bs.Index) -> None:
    assert len(index) == 3
    assert list(index) == list(index.keys()) == ["cheap", 7, "rare"]
    assert list(index.values()) == [index[id_] for id_ in index]
    assert list(index.items()) == [(id_, index[id_]) for id_ in index]
    assert dict(index)[7] == index[7]


def test_repr_says_engine_and_size(index: bs.Index) -> None:
    assert "Index" in repr(index)
    assert "3" in repr(index)
    assert str(index.stats()["engine"]) in repr(index)


# --- Engines ---


def test_unknown_engine_is_an_error_that_lists_the_names() -> None:
    with pytest.raises(ValueError, match="nonesuch") as caught:
        bs.Index(engine="nonesuch")
    for name in bs.engines.names():
        assert name in str(caught.value)


@pytest.mark.parametrize("engine", [5, None, b"scan", dict])
def test_engine_of_a_wrong_type_is_an_error(engine: Any) -> None:
    with pytest.raises(TypeError):
        bs.Index(engine=engine)


def test_engine_objects_are_taken() -> None:
    index = bs.Index(engine=bs.engines.Scan())
    index.add(1, "a = 1")
    assert index.match({"a": 1}) == [1]
    assert index.stats()["engine"] == "scan"


def test_engine_object_serves_one_index_only_or_stays_independent() -> None:
    engine = bs.engines.Scan()
    first = bs.Index(engine=engine)
    first.add(1, "a = 1")
    try:
        second = bs.Index(engine=engine)
    except ValueError:
        return
    second.add(2, "a = 1")
    assert first.match({"a": 1}) == [1]
    assert second.match({"a": 1}) == [2]


# --- add_many ---


@pytest.mark.parametrize(
    "wrap",
    [
        list,
        tuple,
        iter,
        lambda values: (value for value in values),
        np.array,
        pd.Series,
        lambda values: pd.Series(values, index=range(10, 10 + len(values))),
        pl.Series,
        pa.array,
        lambda values: pa.chunked_array([values[:1], values[1:]]),
        lambda values: dict.fromkeys(values).keys(),
    ],
)
def test_add_many_takes_columns_of_every_make(wrap: Any) -> None:
    texts = ["a = 1", "a = 2", "a < 2"]
    for ids in ([10, -20, 30], ["x", "y", "ключ"]):
        index = bs.Index()
        assert index.add_many(wrap(ids), wrap(texts)) == []
        assert list(index) == ids
        assert [type(id_) for id_ in index] == [type(id_) for id_ in ids]
        assert index.match({"a": 1}) == [ids[0], ids[2]]
        assert index[ids[1]] == bs.parse("a = 2")


def test_add_many_takes_trees_and_texts_and_mixed_ids() -> None:
    index = bs.Index()
    index.add_many([1, "1"], [bs.attr("a") == 1, "a = 2"])
    assert index[1] == bs.parse("a = 1")
    assert index.match({"a": 2}) == ["1"]


def test_add_many_of_nothing_changes_nothing(index: bs.Index) -> None:
    before = contents(index)
    assert index.add_many([], []) == []
    assert contents(index) == before


@pytest.mark.parametrize(
    ("ids", "texts", "error", "position", "culprit"),
    [
        ([1, 2, 3], ["a = 1", "a =", "a = 3"], bs.ParseError, 1, "2"),
        ([1, 2, 1], ["a = 1", "a = 2", "a = 3"], bs.DuplicateIdError, 2, "1"),
        ([1, "cheap"], ["a = 1", "a = 2"], bs.DuplicateIdError, 1, "cheap"),
        ([1, None], ["a = 1", "a = 2"], bs.EncodingError, 1, "None"),
        ([1, 2], ["a = 1", None], TypeError, 1, "2"),
    ],
)
def test_add_many_is_all_or_nothing(
    index: bs.Index, ids: list[Any], texts: list[Any], error: type[Exception], position: int, culprit: str
) -> None:
    before = contents(index)
    with pytest.raises(error) as caught:
        index.add_many(ids, texts)
    assert culprit in str(caught.value)
    assert f"position {position}" in str(caught.value)
    assert contents(index) == before
    assert index.match({"a": 1, "price": 1}) == ["cheap"]
    index.check_invariants()


@pytest.mark.parametrize(("ids", "texts"), [([1, 2], ["a = 1"]), ([1], ["a = 1", "a = 2"]), ([], ["a = 1"])])
def test_ids_and_expressions_must_be_equally_many(index: bs.Index, ids: Any, texts: Any) -> None:
    before = contents(index)
    for wrap in (list, iter):
        with pytest.raises(ValueError, match="length"):
            index.add_many(wrap(ids), wrap(texts))
    with pytest.raises(ValueError, match="length"):
        index.add_many(ids, texts, errors="skip")
    assert contents(index) == before


def test_failing_iterator_leaves_the_index_as_it_was(index: bs.Index) -> None:
    def texts() -> Iterator[str]:
        yield "a = 1"
        raise RuntimeError("the source broke")

    before = contents(index)
    with pytest.raises(RuntimeError, match="the source broke"):
        index.add_many([1, 2], texts())
    with pytest.raises(RuntimeError, match="the source broke"):
        index.add_many([1, 2], texts(), errors="skip")
    assert contents(index) == before
    assert index.match({"a": 1}) == []


@pytest.fixture
def interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Registering the pattern `stop` fails once, after all checks are passed."""
    register, stopped = RegexSets.add, []

    def add(self: RegexSets, name: int, pattern: str, attribute: int) -> None:
        if pattern == "stop" and not stopped:
            stopped.append(pattern)
            raise KeyboardInterrupt
        register(self, name, pattern, attribute)

    monkeypatch.setattr(RegexSets, "add", add)


CHANGES: dict[str, Callable[[bs.Index], None]] = {
    "add": lambda index: index.add("new", "price > 1 OR color MATCHES 'stop'"),
    "add_many": lambda index: index.add_many([1, "new"], ["price IN (1, 2)", "color MATCHES 'stop'"]),
    "replace": lambda index: index.replace("cheap", "price = 3 OR color MATCHES 'stop'"),
    "assign": lambda index: index.__setitem__("new", "color MATCHES 'stop'"),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_interrupted_change_leaves_the_index_as_it_was(
    index: bs.Index, interrupted: None, change: Callable[[bs.Index], None]
) -> None:
    index.add("pattern", "color MATCHES '^s'")
    before = contents(index), index.stats()["clauses"]
    with pytest.raises(KeyboardInterrupt):
        change(index)
    index.check_invariants()
    assert (contents(index), index.stats()["clauses"]) == before
    assert index.match({"price": 3, "color": "stop"}) == ["cheap", "pattern"]
    change(index)
    index.check_invariants()
    changed = ["cheap", "pattern"] if "new" not in index else ["cheap", "pattern", "new"]
    assert index.match({"price": 3, "color": "stop"}) == changed


def test_failed_compaction_leaves_the_index_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    index = bs.Index()
    index.add("pattern", "a MATCHES 'stop'")

    def fail(*_: Any) -> None:
        raise MemoryError

    def delete_all() -> None:
        for number in range(3000):
            del index[number]

    index.add_many(range(3000), [f"b = {number}" for number in range(3000)])
    with monkeypatch.context() as patch:
        patch.setattr(RegexSets, "add", fail)
        with pytest.raises(MemoryError):
            delete_all()
    index.check_invariants()
    assert list(index) == ["pattern", *range(3001 - len(index), 3000)]
    assert index.match({"a": "stop", "b": 2999}) == ["pattern", 2999]
    del index[2999]
    index.check_invariants()
    assert index.match({"a": "stop", "b": 2999}) == ["pattern"]


def test_bad_expressions_can_be_skipped_and_are_reported(index: bs.Index) -> None:
    report = index.add_many(
        [1, 2, "cheap", 3, 1, None, 4],
        ["a = 1", "a =", "a = 1", "a > 0", "a = 1", "a = 1", 5],
        errors="skip",
    )
    assert list(index) == ["cheap", 7, "rare", 1, 3]
    assert index.match({"a": 1}) == [1, 3]
    assert [(record.position, record.id) for record in report] == [
        (1, 2),
        (2, "cheap"),
        (4, 1),
        (5, None),
        (6, 4),
    ]
    kinds = [bs.ParseError, bs.DuplicateIdError, bs.DuplicateIdError, bs.EncodingError, TypeError]
    for record, kind in zip(report, kinds, strict=True):
        assert isinstance(record.error, kind)
        assert str(record.error)


def test_errors_must_be_a_known_word(index: bs.Index) -> None:
    with pytest.raises(ValueError, match="ignore"):
        index.add_many([1], ["a = 1"], errors="ignore")


@pytest.mark.parametrize("rich_is_there", [True, False])
def test_progress_bar_works_with_and_without_rich(
    rich_is_there: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if rich_is_there:
        pytest.importorskip("rich")
    else:
        original = builtins.__import__

        def without_rich(name: str, *arguments: Any, **keywords: Any) -> Any:
            if name.split(".")[0] == "rich":
                raise ImportError("No module named 'rich'")
            return original(name, *arguments, **keywords)

        monkeypatch.setattr(builtins, "__import__", without_rich)
    index = bs.Index()
    index.add_many(range(2000), [f"a = {value}" for value in range(2000)], progress=True)
    assert len(index) == 2000
    assert index.match({"a": 1999}) == [1999]
    index.add_many((id_ for id_ in range(2000, 2010)), ("a = 1" for _ in range(10)), progress=True)
    assert len(index) == 2010
    assert capsys.readouterr().out == ""  # a bar belongs on stderr


# --- The clause budget ---


def wide(clauses_a_part: int, parts: int) -> str:
    """A conjunction of disjunctions over different attributes: clauses_a_part ** parts clauses."""
    part = "(" + " OR ".join(f"a{{0}}x{i} = {i}" for i in range(clauses_a_part)) + ")"
    return " AND ".join(part.format(at) for at in range(parts))


def test_expression_over_the_clause_budget_is_refused_by_id() -> None:
    index = bs.Index(max_clauses=10)
    index.add("small", wide(10, 1))
    with pytest.raises(bs.BudgetError, match="large") as caught:
        index.add("large", wide(11, 1))
    assert (caught.value.needed, caught.value.budget) == (11, 10)
    assert "11" in str(caught.value)
    assert "10" in str(caught.value)
    with pytest.raises(bs.BudgetError, match="large"):
        index["large"] = wide(11, 1)
    with pytest.raises(bs.BudgetError, match="large"):
        index.add_many(["fine", "large"], ["a = 1", wide(11, 1)])
    assert list(index) == ["small"]
    (record,) = index.add_many(["fine", "large"], ["a = 1", wide(11, 1)], errors="skip")
    assert (record.position, record.id) == (1, "large")
    assert isinstance(record.error, bs.BudgetError)


def test_budget_holds_before_the_clauses_are_made() -> None:
    with pytest.raises(bs.BudgetError):
        bs.Index().add("huge", wide(10, 50))


def test_default_budget_is_1024_clauses() -> None:
    index = bs.Index()
    index.add("fits", wide(2, 10))
    assert index.stats()["clauses"] == 1024
    with pytest.raises(bs.BudgetError, match=r"1,?024"):
        index.add("does not", wide(2, 11))


@pytest.mark.parametrize("max_clauses", [0, -1])
def test_budget_must_be_positive(max_clauses: int) -> None:
    with pytest.raises(ValueError, match="max_clauses"):
        bs.Index(max_clauses=max_clauses)


# --- Events ---


@pytest.mark.parametrize("event", [None, 5, "price", [("price", 5)], {"price"}])
def test_event_must_be_a_mapping(index: bs.Index, event: Any) -> None:
    for attempt in (index.match, index.match_count):
        with pytest.raises(bs.EncodingError):
            attempt(event)
    for explained in (index.matches, index.explain):
        with pytest.raises(bs.EncodingError):
            explained(event, "cheap")


def test_any_mapping_is_an_event(index: bs.Index) -> None:
    from collections import ChainMap, OrderedDict, defaultdict
    from types import MappingProxyType

    for make in (OrderedDict, MappingProxyType, ChainMap, lambda event: defaultdict(int, event)):
        assert index.match(make({"price": 5})) == ["cheap"]
    counted: defaultdict[str, int] = defaultdict(int)
    index.match(counted)
    assert not counted  # a look-up must not add keys


@pytest.mark.parametrize("value", [b"bytes", object(), 1 + 2j, dt.timedelta(1), dt.time(1), dict.fromkeys])
def test_unsuitable_value_is_an_error_where_its_attribute_is_used(index: bs.Index, value: Any) -> None:
    for attempt in (
        lambda event: index.match(event),
        lambda event: index.match_count(event),
        lambda event: index.matches(event, "cheap"),
        lambda event: index.match_batch([event]),
    ):
        with pytest.raises(bs.EncodingError, match="price") as caught:
            attempt({"price": value})
        assert type(value).__name__ in str(caught.value)
        attempt({"unused": value, "price": 5})


@pytest.mark.parametrize("value", [[1], b"bytes", object(), {"a": 1}])
def test_unsuitable_element_is_an_error_where_elements_are_tested(index: bs.Index, value: Any) -> None:
    for attempt in (index.match, lambda event: index.match_batch([event])):
        with pytest.raises(bs.EncodingError, match="tags") as caught:
            attempt({"tags": ["rare", value]})
        assert type(value).__name__ in str(caught.value)
        attempt({"unused": [value], "tags": ["rare"]})


@pytest.mark.parametrize("value", [2**63, 2**70, 10**400, -(2**63) - 1, -(10**400)])
def test_integers_beyond_int64_are_numbers_of_events(value: int) -> None:
    index = bs.Index()
    index.add("above", "a > 9223372036854775807")
    index.add("below", "a < -9223372036854775807")
    index.add("some", "a = 5 OR tags HAS 5")
    assert index.match({"a": value, "tags": [value]}) == ["above" if value > 0 else "below"]


def test_bad_event_of_a_batch_is_named_by_its_row(index: bs.Index) -> None:
    events: list[Any] = [{"price": 1}] * 5
    for bad in ({"price": b"x"}, 5, None):
        for threads in (1, 2):
            with pytest.raises(bs.EncodingError, match="3"):
                index.match_batch([*events[:3], bad, *events[3:]], threads=threads)


def test_index_works_on_after_a_bad_event(index: bs.Index) -> None:
    with pytest.raises(bs.EncodingError):
        index.match({"color": "red", "price": object()})
    assert index.match({}) == []
    assert index.match({"price": 5}) == ["cheap"]


def test_absent_values_of_every_make_are_absent() -> None:
    index = bs.Index()
    index.add("absent", "a IS NULL")
    index.add("present", "a IS NOT NULL")
    absent = [None, math.nan, np.float64("nan"), np.float32("nan"), np.datetime64("NaT"), pd.NaT, pd.NA]
    for value in absent:
        assert index.match({"a": value}) == ["absent"], value
    for value in (0, "", False, [], "nan", [None]):
        assert index.match({"a": value}) == ["present"], value


def test_numbers_of_every_make() -> None:
    index = bs.Index()
    index.add("five", "a = 5")
    for make in (
        int,
        float,
        np.int8,
        np.uint8,
        np.int32,
        np.uint64,
        np.int64,
        np.float16,
        np.float32,
        np.float64,
    ):
        assert index.match({"a": make(5)}) == ["five"], make
        assert index.match({"a": make(6)}) == [], make
    for value in (True, "5", np.bool_(True), np.str_("5")):
        assert index.match({"a": value}) == []


def test_times_of_every_make() -> None:
    index = bs.Index()
    index.add("day", "a = DATE '2026-01-02'")
    zone = dt.timezone(dt.timedelta(hours=-3))
    for value in (
        dt.date(2026, 1, 2),
        dt.datetime(2026, 1, 2),
        dt.datetime(2026, 1, 1, 21, tzinfo=zone),
        pd.Timestamp("2026-01-02"),
        pd.Timestamp("2026-01-02 02:00", tz="Europe/Sofia"),
        np.datetime64("2026-01-02"),
        np.datetime64("2026-01-02T00:00:00.000000000"),
    ):
        assert index.match({"a": value}) == ["day"], value


def test_decimals_are_numbers_whatever_their_size() -> None:
    index = bs.Index()
    index.add("most", "a = 9223372036854775807")
    index.add("half", "a = 0.5")
    index.add("large", "a > 1e300")
    for text, expected in (
        ("9223372036854775807", ["most"]),
        ("9223372036854775807.0", ["most"]),
        ("9223372036854775808", []),
        ("0.50", ["half"]),
        ("1E+301", ["large"]),
        ("1E+999999999", ["large"]),
        ("-1E+999999999", []),
        ("1E-999999999", []),
        ("Infinity", ["large"]),
        ("NaN", []),
    ):
        assert index.match({"a": decimal.Decimal(text)}) == expected, text


@pytest.mark.parametrize("first", [True, False])
def test_hour_that_comes_twice_is_told_apart(first: bool) -> None:
    index = bs.Index()
    index.add("first", "a = TIMESTAMP '2026-10-25 00:30:00Z'")
    index.add("second", "a = TIMESTAMP '2026-10-25 01:30:00Z'")
    time = pd.Timestamp("2026-10-25 02:30").tz_localize("Europe/Berlin", ambiguous=first)
    for value in (time, time.to_pydatetime()):
        assert index.match({"a": value}) == ["first" if first else "second"]


def test_time_beyond_the_calendar_is_an_error_that_names_its_attribute(index: bs.Index) -> None:
    for value in (pd.Timestamp(np.datetime64("20000-01-01", "s")), np.datetime64("20000-01-01", "s")):
        with pytest.raises(bs.EncodingError, match="'price'"):
            index.match({"price": value})


def test_sets_of_every_make() -> None:
    index = bs.Index()
    index.add("has", "a HAS 2")
    for make in (list, tuple, set, frozenset, np.array):
        assert index.match({"a": make([1, 2])}) == ["has"], make
        assert index.match({"a": make([1, 3])}) == [], make
    assert index.match({"a": 2}) == []


def test_subclasses_of_the_builtin_types_are_values() -> None:
    class Text(str):
        pass

    class Whole(int):
        pass

    class Color(str, enum.Enum):
        RED = "red"

    index = bs.Index()
    index.add("s", "a = 'red'")
    index.add("n", "a = 5")
    assert index.match({"a": Text("red")}) == ["s"]
    assert index.match({"a": Color.RED}) == ["s"]
    assert index.match({"a": Whole(5)}) == ["n"]


def test_names_may_be_any_unicode_text() -> None:
    index = bs.Index()
    for name in ("ключ", "😀", "with space", 'with "quotes"', "a" * 5000, "select", "日本語.キー"):
        quoted = '"' + name.replace('"', '""') + '"'
        index.add(name, f"{quoted} = 1")
        assert index.match({name: 1}) == [name]


def test_strings_that_only_the_batch_holds_live_until_they_are_compared() -> None:
    index = bs.Index()
    index.add("long", "a >= 'a long string 100' AND a < 'a long string 200'")

    def event(number: int) -> Mapping[str, Any]:
        made = Lazy(lambda: {"a": "".join(["a long ", "string ", str(number)])})
        surrogate = {"a": f"a long string {number}\ud800"}
        nested = {"b": {"c": number}, "a": f"a long string {number}"}
        return (made, surrogate, nested)[number % 3]

    events = [event(number) for number in range(100, 300)]
    assert rows(index.match_batch(events)) == [["long"]] * 100 + [[]] * 100


def test_event_may_change_while_its_values_are_asked() -> None:
    index = bs.Index()
    index.add("time", "a >= TIMESTAMP '2026-01-01 00:00:00Z' AND b = 1")
    event: dict[str, Any] = {}

    class Zone(dt.tzinfo):
        def utcoffset(self, when: dt.datetime | None) -> dt.timedelta:
            event.clear()
            event.update({f"c{i}": object() for i in range(100)})
            return dt.timedelta(0)

    for _ in range(10):
        event.clear()
        event.update(a=dt.datetime(2026, 1, 2, tzinfo=Zone()), b=1)
        assert index.match(event) == []


def test_keys_that_are_no_strings_are_ignored(index: bs.Index) -> None:
    assert index.match({5: 1, None: 2, ("price",): 3, "price": 5}) == ["cheap"]


def test_flat_key_goes_before_the_nested_one() -> None:
    index = bs.Index()
    index.add("four", "item.price = 4")
    index.add("none", "item.price IS NULL")
    assert index.match({"item.price": 4, "item": {"price": 5}}) == ["four"]
    assert index.match({"item": {"price": 5}, "item.price": 4}) == ["four"]
    assert index.match({"item": 4}) == ["none"]


def test_event_that_contains_itself_is_read_as_deep_as_names_are() -> None:
    index = bs.Index()
    index.add("deep", "a.a.b = 1 AND c.a.b = 1")
    event: dict[str, Any] = {"b": 1}
    event["a"] = event["c"] = event
    for one in (index, copy.copy(index)):
        assert one.match(event) == ["deep"]
        assert one.explain(event, "deep").outcome is True


def test_lone_surrogates_are_values_like_others() -> None:
    index = bs.Index()
    index.add_many(
        ["red", "not", "after", "part"], ["a = 'red'", "a != 'red'", "a > '\ud7ff'", "a CONTAINS 'x'"]
    )
    assert index.match({"a": "\ud800x", "b": "\udfff"}) == ["not", "after", "part"]
    assert index.match({"\ud800": 1, "a": "red"}) == ["red"]


# --- Batches ---


EVENTS: list[dict[str, Any]] = [
    {"price": 5, "color": "red", "tags": ["rare"]},
    {"price": 20, "color": None, "tags": ["rare", "new"]},
    {"price": None, "color": "green", "tags": []},
    {"price": 9, "color": "blue", "tags": None},
]
EXPECTED = [["cheap", 7], ["rare"], [], ["cheap", 7]]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    "make",
    [
        list,
        tuple,
        iter,
        pd.DataFrame,
        lambda events: pl.DataFrame(events, strict=False),
        pa.Table.from_pylist,
        pa.RecordBatch.from_pylist,
        lambda events: pa.Table.from_pylist(events).to_reader(max_chunksize=2),
    ],
)
def test_batches_of_every_make(index: bs.Index, make: Any, threads: int) -> None:
    assert rows(index.match_batch(make(EVENTS), threads=threads)) == EXPECTED


def test_matches_hold_offsets_and_ids(index: bs.Index) -> None:
    matches = index.match_batch(EVENTS)
    assert len(matches) == 4
    assert matches[0] == ["cheap", 7]
    assert matches[-1] == ["cheap", 7]
    with pytest.raises(IndexError):
        matches[4]
    assert matches.offsets.tolist() == [0, 2, 3, 3, 5]
    assert matches.ids.tolist() == ["cheap", 7, "rare", "cheap", 7]


def test_matches_go_to_other_libraries() -> None:
    index = bs.Index()
    index.add_many([1, 2], ["a > 0", "a > 1"])
    matches = index.match_batch([{"a": 1}, {"a": 0}, {"a": 2}])
    assert matches.ids.dtype == np.int64
    pairs = [(0, 1), (2, 1), (2, 2)]
    for table in (matches.to_pandas(), matches.to_polars().to_pandas(), pa.table(matches).to_pandas()):
        assert list(table.itertuples(index=False, name=None)) == pairs
    assert matches.to_arrow().to_pylist() == [[1], [], [1, 2]]


@pytest.mark.parametrize("threads", [0, -1, 1.5, "2", True])
def test_threads_must_be_a_positive_number(index: bs.Index, threads: Any) -> None:
    with pytest.raises((ValueError, TypeError), match="threads"):
        index.match_batch(EVENTS, threads=threads)


def test_more_threads_than_there_is_work_for_are_no_harm(index: bs.Index) -> None:
    events = [{"price": 1}] * 40_000
    for batch in (events, pa.Table.from_pylist(events)):
        assert index.match_batch(batch, threads=2**40).total == 40_000


def test_batch_must_be_rows_or_a_table(index: bs.Index) -> None:
    for batch in (5, None, "price", {"price": 5}):
        with pytest.raises(bs.EncodingError):
            index.match_batch(batch)


def test_unsuitable_arrow_column_is_an_error_only_where_it_is_used(index: bs.Index) -> None:
    column = pa.array([b"x", b"y"], pa.binary())
    with pytest.raises(bs.EncodingError, match=r"price.*binary"):
        index.match_batch(pa.table({"price": column}))
    assert rows(index.match_batch(pa.table({"price": [5, 50], "blob": column}))) == [["cheap"], []]


def test_arrow_columns_of_nested_types() -> None:
    index = bs.Index()
    index.add("nested", "item.price > 3 AND item.made.by = 'me'")
    index.add("absent", "item.price IS NULL")
    items = [
        {"price": 4, "made": {"by": "me"}},
        {"price": 4, "made": None},
        None,
        {"price": None, "made": None},
    ]
    made = pa.struct({"by": pa.string()})
    column = pa.array(items, pa.struct({"price": pa.int32(), "made": made}))
    assert rows(index.match_batch(pa.table({"item": column}))) == [["nested"], [], ["absent"], ["absent"]]


def test_arrow_map_column_holds_sparse_attributes() -> None:
    index = bs.Index()
    index.add(1, "a0 = 0 AND a999 = 999")
    index.add(2, "a5 IS NULL AND a6 IS NOT NULL")
    events = [{"a0": 0, "a999": 999}, {"a6": 1}, {"a5": 1, "a6": 1}, {"a0": None, "a999": 999}]
    column = pa.array([list(event.items()) for event in events], pa.map_(pa.string(), pa.int64()))
    assert rows(index.match_batch(pa.table({"attributes": column}))) == [[1], [2], [], []]


@pytest.mark.parametrize(
    "column",
    [
        *(
            pa.array([4, 5, None], kind)
            for kind in (pa.int8(), pa.uint8(), pa.int16(), pa.uint32(), pa.int64(), pa.uint64())
        ),
        *(pa.array([4, 5, None], kind) for kind in (pa.float32(), pa.float64())),
        pa.array([4, 5, None], pa.int64()).cast(pa.float16()),
        pa.array([4, 5, None], pa.int64()).cast(pa.decimal128(25, 3)),
        pa.array([4, 5, None], pa.int64()).dictionary_encode(),
        pa.array([4.0, 5.0, math.nan]),
    ],
    ids=lambda column: str(column.type),
)
def test_arrow_numbers_of_every_type(column: pa.Array) -> None:
    index = bs.Index()
    index.add_many(["five", "less", "absent"], ["a = 5", "a < 4.5", "a IS NULL"])
    assert rows(index.match_batch(pa.table({"a": column}))) == [["less"], ["five"], ["absent"]]


@pytest.mark.parametrize(
    "kind", [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), pa.string())], ids=str
)
def test_arrow_strings_of_every_type(kind: pa.DataType) -> None:
    index = bs.Index()
    index.add_many(["long", "empty", "absent"], ["a ENDS WITH 'тринадцать'", "a = ''", "a IS NULL"])
    column = pa.array(["ключ тринадцать", "", None, "x"]).cast(kind)
    assert rows(index.match_batch(pa.table({"a": column}))) == [["long"], ["empty"], ["absent"], []]


@pytest.mark.parametrize(
    "kind",
    [
        *(pa.timestamp(unit) for unit in ("s", "ms", "us", "ns")),
        pa.timestamp("us", tz="UTC"),
        pa.timestamp("ns", tz="Europe/Sofia"),
        pa.date32(),
        pa.date64(),
    ],
    ids=str,
)
def test_arrow_times_of_every_type(kind: pa.DataType) -> None:
    index = bs.Index()
    index.add_many(
        ["day", "before", "absent"], ["a = DATE '2026-01-02'", "a < DATE '2026-01-02'", "a IS NULL"]
    )
    column = pa.array([dt.datetime(2026, 1, 2), dt.datetime(1969, 7, 20), None], pa.timestamp("us")).cast(
        kind
    )
    if getattr(kind, "tz", None):
        column = pa.array([dt.datetime(2026, 1, 2), dt.datetime(1969, 7, 20), None], pa.timestamp(kind.unit))
        column = column.cast(pa.int64()).cast(kind)
    assert rows(index.match_batch(pa.table({"a": column}))) == [["day"], ["before"], ["absent"]]


def test_arrow_lists_are_sets() -> None:
    index = bs.Index()
    index.add_many(["has", "lacks"], ["a HAS 2", "a NOT HAS 2"])
    values = [[1, 2], [], None, [None, 3], [2, 2]]
    for kind in (pa.list_(pa.int16()), pa.large_list(pa.float64())):
        found = rows(index.match_batch(pa.table({"a": pa.array(values, kind)})))
        assert found == [["has"], ["lacks"], [], ["lacks"], ["has"]]


# --- Explanations and statistics ---


def test_explanation_shows_each_outcome_and_value(index: bs.Index) -> None:
    index.add("deal", "price < 10 AND (color = 'red' OR NOT tags HAS 'new')")
    explained = index.explain({"price": 5, "color": "green"}, "deal")
    text = str(explained)
    assert explained.outcome is None
    for part in ("price < 10", "color = 'red'", "tags HAS 'new'", "TRUE", "FALSE", "UNKNOWN", "5", "green"):
        assert part in text
    left, right = explained.children
    assert left.outcome is True
    assert right.outcome is None
    assert [child.outcome for child in right.children] == [False, None]
    assert left.children == [] or left.children == ()


@pytest.mark.parametrize(
    ("event", "outcome"), [({"price": 5}, True), ({"price": 50}, False), ({}, None), ({"price": "5"}, None)]
)
def test_explanation_agrees_with_matches(
    index: bs.Index, event: dict[str, Any], outcome: bool | None
) -> None:
    assert index.explain(event, "cheap").outcome is outcome
    assert index.matches(event, "cheap") is (outcome is True)


def test_explanation_of_a_deep_expression_does_not_overflow() -> None:
    index = bs.Index()
    index.add("deep", "NOT " * 20_001 + "a = 1")
    assert index.match({"a": 2}) == ["deep"]
    explained = index.explain({"a": 2}, "deep")
    assert explained.outcome is True
    assert "a = 1" in str(explained)


def test_stats_are_a_mapping(index: bs.Index) -> None:
    stats = index.stats()
    assert {"engine", "expressions", "clauses", "predicates", "attributes", "bytes"} <= set(stats)
    assert stats["expressions"] == 3
    assert stats["clauses"] >= 3
    assert stats["attributes"] >= 3
    assert stats["bytes"] > 0


def test_bytes_grow_with_the_index() -> None:
    index = bs.Index()
    empty = index.stats()["bytes"]
    index.add_many(range(10_000), [f"a{i % 50} = {i} AND b = 'value {i}'" for i in range(10_000)])
    assert index.stats()["bytes"] > empty + 10_000 * 16


# --- Copies ---


@pytest.mark.parametrize(
    "duplicate", [copy.copy, copy.deepcopy, lambda index: pickle.loads(pickle.dumps(index))]
)
def test_copies_keep_everything_and_live_apart(index: bs.Index, duplicate: Any) -> None:
    other = duplicate(index)
    assert contents(other) == contents(index)
    other["cheap"] = "price < 1"
    index.add("new", "TRUE")
    assert index.match({"price": 5}) == ["cheap", "new"]
    assert other.match({"price": 5}) == []


def test_copies_keep_the_budget() -> None:
    other = pickle.loads(pickle.dumps(bs.Index(max_clauses=2)))
    with pytest.raises(bs.BudgetError):
        other.add(1, "a = 1 OR b = 1 OR c = 1")


def test_bad_regular_expression_is_shown_where_it_stands() -> None:
    pytest.importorskip("re2")
    with pytest.raises(bs.ParseError, match="regular expression") as caught:
        bs.Index().add("bad", "a = 1\n  AND b MATCHES '(x'")
    assert (caught.value.line, caught.value.column) == (2, 17)
    assert "^" in str(caught.value)


def test_frame_goes_in_without_pyarrow(monkeypatch: pytest.MonkeyPatch) -> None:
    pd = pytest.importorskip("pandas")
    index = bs.Index()
    index.add_many(["low", "red"], ["price < 5", "color = 'red'"])
    frame = pd.DataFrame({"price": [1.0, 9.0, None], "color": ["red", "blue", "red"]})

    def missing(self: Any, requested_schema: Any = None) -> Any:
        raise ImportError("pyarrow is not there")

    monkeypatch.setattr(pd.DataFrame, "__arrow_c_stream__", missing)
    assert index.match_batch(frame).to_lists() == [["low", "red"], [], ["red"]]


@pytest.mark.parametrize("missing", [None, float("nan")])
def test_absent_flat_key_does_not_hide_the_nested_one(missing: Any) -> None:
    index = bs.Index()
    index.add("found", "item.price = 4")
    assert index.match({"item.price": missing, "item": {"price": 4}}) == ["found"]


def test_pickle_of_another_format_is_refused(index: bs.Index) -> None:
    restore, (number, *rest) = index.__reduce__()
    assert contents(restore(number, *rest)) == contents(index)
    with pytest.raises(bs.StorageError, match=f"format {number + 1}"):
        restore(number + 1, *rest)


def test_buffers_are_copies_by_name(index: bs.Index) -> None:
    buffers = index.buffers()
    assert buffers["store.owner"].tolist() == [0, 1, 2]
    buffers["store.owner"][:] = 0
    assert index.buffers()["store.owner"].tolist() == [0, 1, 2]


@pytest.mark.parametrize("as_table", [False, True])
def test_string_predicates_are_evaluated_once_for_each_distinct_value(
    as_table: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("re2")
    from boolsieve.encoding.regex import RegexSets

    asked: list[str] = []
    original = RegexSets.find

    def find(self: RegexSets, name: int, text: str) -> list[int]:
        asked.append(text)
        return original(self, name, text)

    monkeypatch.setattr(RegexSets, "find", find)
    index = bs.Index()
    index.add_many([1, 2], ["a MATCHES '^x' AND b MATCHES 'z$'", "a ILIKE 'X%'"])
    events = [{"a": f"x{i % 3}", "b": f"{i % 2}z"} for i in range(600)]
    rows = pa.Table.from_pylist(events) if as_table else events
    assert index.match_batch(rows).to_lists() == [[1, 2]] * 600
    assert sorted(asked) == ["0z", "1z", "x0", "x1", "x2"]
