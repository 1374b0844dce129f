"""One index, many threads: a match sees the index before or after an update, never in between."""

from __future__ import annotations

import contextlib
import copy
import pickle
import random
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa
import pytest

import boolsieve as bs
from boolsieve.encoding.regex import RegexSets

ROUNDS = 150
READERS = 4


def run_together(writer: Callable[[], None], readers: list[Callable[[], None]]) -> None:
    """Runs the readers over and over while the writer works; the first failure of any thread is raised."""
    done = threading.Event()
    failures: list[BaseException] = []

    def guarded(work: Callable[[], None], again: bool) -> None:
        try:
            work()
            while again and not done.is_set() and not failures:
                work()
        except BaseException as failure:
            failures.append(failure)
        finally:
            if not again:
                done.set()

    threads = [threading.Thread(target=guarded, args=(reader, True)) for reader in readers]
    threads.append(threading.Thread(target=guarded, args=(writer, False)))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


@pytest.fixture
def index() -> bs.Index:
    index = bs.Index()
    index.add_many(range(200), [f"a = {value % 5} AND b > {value}" for value in range(200)])
    return index


EVENT = {"a": 1, "b": 100}
ALWAYS = [id_ for id_ in range(100) if id_ % 5 == 1]


def add_and_remove_pairs(index: bs.Index) -> Callable[[], None]:
    def write() -> None:
        for at in range(ROUNDS):
            pair = [f"first {at}", f"second {at}"]
            index.add_many(pair, ["a = 1 OR b = 1", "a < 2 AND tags IS NULL"])
            if at % 3 == 0:
                for id_ in range(1000, 1020):
                    index.add(id_, f"c{id_} = {at} AND s LIKE '%{at}%'")
                for id_ in range(1000, 1020):
                    del index[id_]

    return write


def check_pairs(found: list[Any]) -> int:
    """What must hold of every result: the permanent ids, then whole pairs in order. Gives the number of pairs."""
    assert found[: len(ALWAYS)] == ALWAYS
    rest = found[len(ALWAYS) :]
    expected = [id_ for at in range(len(rest) // 2) for id_ in (f"first {at}", f"second {at}")]
    assert rest == expected
    return len(rest) // 2


def test_expressions_added_in_one_call_are_seen_together(index: bs.Index) -> None:
    def match_again() -> Callable[[], None]:
        seen = 0

        def read() -> None:
            nonlocal seen
            pairs = check_pairs(index.match(EVENT))
            assert pairs >= seen  # time goes forward
            seen = pairs

        return read

    run_together(add_and_remove_pairs(index), [match_again() for _ in range(READERS)])
    assert check_pairs(index.match(EVENT)) == ROUNDS
    index.check_invariants()


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("batch", [[EVENT] * 20, pa.Table.from_pylist([EVENT] * 20)], ids=["dicts", "arrow"])
def test_batch_sees_one_state_of_the_index(index: bs.Index, batch: Any, threads: int) -> None:
    def read() -> None:
        found = [list(ids) for ids in index.match_batch(batch, threads=threads)]
        check_pairs(found[0])
        assert all(ids == found[0] for ids in found)

    run_together(add_and_remove_pairs(index), [read] * 2)
    assert check_pairs(index.match(EVENT)) == ROUNDS


def test_replaced_expression_never_goes_missing(index: bs.Index) -> None:
    index.add("changing", "a = 1")

    def write() -> None:
        for at in range(ROUNDS * 4):
            index["changing"] = ["a = 1", "a > 0 OR b = 5", "TRUE", "a != 7 AND b >= 100"][at % 4]

    def read() -> None:
        assert index.match(EVENT) == [*ALWAYS, "changing"]
        assert index.matches(EVENT, "changing") is True
        assert index.match_count(EVENT) == len(ALWAYS) + 1
        assert index.explain(EVENT, "changing").outcome is True
        assert "changing" in index

    run_together(write, [read] * READERS)


def test_refused_add_many_is_never_seen(index: bs.Index) -> None:
    def write() -> None:
        for _ in range(ROUNDS):
            with pytest.raises(bs.ParseError):
                index.add_many(["x", "y", "z"], ["a = 1", "TRUE", "a ="])

    def read() -> None:
        assert index.match(EVENT) == ALWAYS

    run_together(write, [read] * READERS)
    assert len(index) == 200


def test_writers_do_not_lose_each_others_work(index: bs.Index) -> None:
    def writer(name: str) -> Callable[[], None]:
        def write() -> None:
            for at in range(ROUNDS):
                index.add(f"{name} {at}", "a = 1")
                if at % 2:
                    del index[f"{name} {at}"]

        return write

    threads = [threading.Thread(target=writer(name)) for name in "pqr"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    index.check_invariants()
    kept = [f"{name} {at}" for name in "pqr" for at in range(0, ROUNDS, 2)]
    assert sorted(index.match(EVENT)[len(ALWAYS) :]) == sorted(kept)
    assert len(index) == 200 + len(kept)


@pytest.mark.parametrize("duplicate", [copy.copy, lambda index: pickle.loads(pickle.dumps(index))])
def test_copies_taken_during_updates_are_whole(index: bs.Index, duplicate: Any) -> None:
    def read() -> None:
        other = duplicate(index)
        other.check_invariants()
        check_pairs(other.match(EVENT))

    run_together(add_and_remove_pairs(index), [read])


def test_iteration_during_updates_sees_one_state(index: bs.Index) -> None:
    def read() -> None:
        ids = list(index)
        assert ids[:200] == list(range(200))
        check_pairs([*ALWAYS, *(id_ for id_ in ids if isinstance(id_, str))])
        index.stats()
        len(index)

    run_together(add_and_remove_pairs(index), [read])


def test_two_threads_give_the_rows_of_one() -> None:
    dice = random.Random(5)
    index = bs.Index()
    index.add_many(
        range(300), [f"a{dice.randrange(9)} >= {dice.randrange(50)} AND s != 'x{i % 7}'" for i in range(300)]
    )
    events = [
        {**{f"a{i}": dice.randrange(50) for i in dice.sample(range(9), 4)}, "s": f"x{dice.randrange(9)}"}
        for _ in range(2000)
    ]
    expected = [index.match(event) for event in events]
    columns = {name: [event.get(name) for event in events] for name in ["s", *(f"a{i}" for i in range(9))]}
    for batch in (
        events,
        pa.table(columns),
        pa.concat_tables([pa.table(columns).slice(i, 100) for i in range(0, 2000, 100)]),
    ):
        for threads in (1, 2, 3):
            assert [list(ids) for ids in index.match_batch(batch, threads=threads)] == expected


def test_error_in_a_thread_reaches_the_caller() -> None:
    index = bs.Index()
    index.add(1, "a = 1")
    events: list[Any] = [{"a": 1}] * 500
    events[400] = {"a": object()}
    with pytest.raises(bs.EncodingError, match="400"):
        index.match_batch(events, threads=2)
    assert [list(ids) for ids in index.match_batch(events[:400], threads=2)] == [[1]] * 400


def stream_of(index: bs.Index, callback: Callable[[], None]) -> pa.RecordBatchReader:
    """Two batches of one event; the callback runs in the midst of matching them."""
    batch = pa.RecordBatch.from_pylist([EVENT])

    def batches() -> Iterator[pa.RecordBatch]:
        yield batch
        callback()
        yield batch

    return pa.RecordBatchReader.from_batches(batch.schema, batches())


def test_reading_in_the_midst_of_a_batch_passes_a_waiting_writer(index: bs.Index) -> None:
    writer = threading.Thread(target=index.add, args=("new", "a = 1"))

    def match_again() -> None:
        writer.start()
        for _ in range(100):  # the writer is waiting after a few of these
            time.sleep(0.001)
            assert index.match(EVENT) == ALWAYS

    assert index.match_batch(stream_of(index, match_again)).to_lists() == [ALWAYS, ALWAYS]
    writer.join()
    assert index.match(EVENT) == [*ALWAYS, "new"]


def test_changing_in_the_midst_of_a_batch_is_an_error(index: bs.Index) -> None:
    with pytest.raises((bs.EncodingError, OSError), match="cannot be changed"):
        index.match_batch(stream_of(index, lambda: index.add("new", "a = 1")))
    assert "new" not in index
    index.add("new", "a = 1")
    assert index.match(EVENT) == [*ALWAYS, "new"]


def test_using_the_index_in_the_midst_of_a_change_is_an_error(
    index: bs.Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    register = RegexSets.add

    def add(*arguments: Any) -> None:
        for use in (lambda: index.match(EVENT), lambda: index.remove(1), lambda: 1 in index):
            with pytest.raises(RuntimeError, match="in the middle of"):
                use()
        register(*arguments)

    monkeypatch.setattr(RegexSets, "add", add)
    index.add("new", "a = 1 OR s MATCHES 'x'")
    assert index.match(EVENT) == [*ALWAYS, "new"]


def test_popped_expression_is_the_one_that_was_removed(index: bs.Index) -> None:
    popped: list[str] = []
    written: list[str] = []

    def write() -> None:
        for at in range(ROUNDS * 4):
            written.append(f"a = {at}")
            with contextlib.suppress(bs.DuplicateIdError):
                index.add("changing", written[-1])
                continue
            written.pop()

    def pop() -> None:
        with contextlib.suppress(bs.UnknownIdError):
            popped.append(str(index.pop("changing")))

    run_together(write, [pop])
    pop()
    assert popped == written
