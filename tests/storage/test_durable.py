"""Durable indexes: what was acknowledged is there again, whatever happened in between."""

from __future__ import annotations

import errno
import os
import struct
import threading
import time
from collections.abc import Callable
from datetime import date, datetime, timezone
from pathlib import Path
from typing import Any

import pytest
from cases import answers, at_step, error_of, filled, killed_at, put_byte

import boolsieve as bs
from boolsieve.storage.journal import Journal, JournalContent

Step = Callable[[bs.Index], object]
NOON = datetime(2026, 1, 2, 12, 0, 0, 5, tzinfo=timezone.utc)

# Each changes the content, so that the states in between can be told apart.
STEPS: list[Step] = [
    lambda index: index.add("a", "price < 5", weight=2.5, weights={"price": 1.25}),
    lambda index: index.add(-7, bs.attr("näme").like("%ü%")),
    lambda index: index.add_many([1, "zwei", 3], ["x = 1", "x = 2", "x = 3"], weight=[None, 1.0, None]),
    lambda index: index.add_many(["a", 4, 5], ["x = 9", "x = 4", "x ="], errors="skip"),
    lambda index: index.__setitem__("a", "price < 6"),
    lambda index: index.__setitem__("new", "price < 7"),
    lambda index: index.replace(3, "x = 33", weight=3.0),
    lambda index: index.remove(1),
    lambda index: index.pop("zwei"),
    lambda index: index.clear(),
    lambda index: index.add("last", "y = 1"),
    lambda index: index.add(
        "owned", "x = 4", attributes={"tier": "gold", "since": date(2026, 1, 2), "at": NOON}
    ),
    lambda index: index.add_many(
        [10, 11], ["x = 5", "x = 6"], attributes=[None, {"levels": [1, 2.5, True, NOON]}]
    ),
    lambda index: index.replace("owned", "x = 5", attributes={"tier": "silver"}),
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "index.bsv"


def content(index: bs.Index) -> list[Any]:
    return [
        (id_, str(index[id_]), index.weight(id_), index.weights(id_), index.attributes(id_)) for id_ in index
    ]


def states(steps: list[Step] = STEPS) -> list[list[Any]]:
    """The content before the first step, and after each."""
    index = bs.Index()
    found = [content(index)]
    for step in steps:
        step(index)
        found.append(content(index))
    return found


def journal_of(path: Path) -> Path:
    return path.with_name(path.name + ".journal")


def record_offsets(data: bytes) -> list[int]:
    """Where the records begin, and the end; by hand, as docs/storage.md tells it."""
    offsets = [64]
    while offsets[-1] < len(data):
        length = struct.unpack_from("<Q", data, offsets[-1])[0]
        offsets.append(offsets[-1] + 32 + (length + 7) // 8 * 8)
    return offsets


@pytest.mark.parametrize("engine", bs.engines.names())
def test_each_change_is_there_again(path: Path, engine: str) -> None:
    expected = states()
    bs.Index.open(path, engine).close()
    for before, after, step in zip(expected, expected[1:], STEPS, strict=False):
        with bs.Index.open(path) as index:
            assert content(index) == before
            step(index)
            assert content(index) == after
        reader = bs.Index.open(path, mode="r")
        assert content(reader) == after
        reader.check_invariants()
    assert bs.Index.open(path, mode="r").stats()["engine"] == engine


def test_a_checkpoint_empties_the_journal_and_changes_nothing(path: Path) -> None:
    with bs.Index.open(path) as index:
        for number, step in enumerate(STEPS):
            step(index)
            before = content(index)
            if number % 3 == 0:
                assert journal_of(path).stat().st_size > 64
                index.checkpoint()
                assert journal_of(path).stat().st_size == 64
                assert content(bs.Index.load(path, verify=True)) == before
            assert content(bs.Index.open(path, mode="r")) == before
    with bs.Index.open(path) as index:
        assert content(index) == before


def test_readers_see_the_last_checkpoint_or_all(path: Path) -> None:
    with bs.Index.open(path) as index:
        index.add(1, "a = 1")
        index.checkpoint()
        index.add(2, "a = 1")
        assert bs.Index.load(path).match({"a": 1}) == [1]
        reader = bs.Index.open(path, mode="r")
        assert reader.match({"a": 1}) == [1, 2]
        index.add(3, "a = 1")
        assert reader.match({"a": 1}) == [1, 2]
        for change in (
            lambda: reader.add(4, "a = 1"),
            reader.clear,
            reader.checkpoint,
            lambda: reader.remove(1),
        ):
            with pytest.raises(bs.StorageError, match="open for reading"):
                change()
        assert reader.copy().match({"a": 1}) == [1, 2]
    reader.close()


def test_a_reader_begins_anew_if_a_checkpoint_comes_between(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with bs.Index.open(path) as index:
        index.add(1, "a = 1")
        index.add(2, "a = 1")
        real = os.path.exists
        checkpoints = []

        def exists(asked: str) -> bool:  # asked after the snapshot was read and before the journal is
            if len(checkpoints) < 3:
                index.add(10 + len(checkpoints), "a = 1")
                index.checkpoint()
                checkpoints.append(asked)
            return real(asked)

        monkeypatch.setattr(os.path, "exists", exists)
        assert bs.Index.open(path, mode="r").match({"a": 1}) == [1, 2, 10, 11, 12]
        assert len(checkpoints) == 3


def test_one_writer_at_a_time(path: Path) -> None:
    index = bs.Index.open(path)
    with pytest.raises(
        bs.StorageError, match=f"index.bsv' is open for writing already, by process {os.getpid()}"
    ):
        bs.Index.open(path)
    index.close()
    bs.Index.open(path).close()


def test_the_lock_of_a_dead_process_is_free(path: Path) -> None:
    def work() -> None:
        index = bs.Index.open(path)
        index.add(1, "a = 1")
        os.open(os.devnull, os.O_RDONLY)  # a step to be killed at, with the lock held

    step = 0
    while killed_at(step, work):
        step += 1
        with bs.Index.open(path) as index:
            assert len(index) <= 1
            index.clear()
    assert step > 5


def test_a_process_killed_at_any_call_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    """Half of a write reaches the file before the process dies at it; opening, steps and checkpoints alike."""
    steps = [STEPS[0], *STEPS[2:5], STEPS[9], STEPS[10]]
    expected = states(steps)
    step = 0
    dead = True
    while dead:
        path = tmp_path / f"{step}.bsv"
        told, tell = os.pipe()

        def work(path: Path = path, tell: int = tell, write: Any = os.write) -> None:
            with bs.Index.open(path) as index:
                for number, change in enumerate(steps):
                    change(index)
                    write(tell, b".")
                    if number % 3 == 1:
                        index.checkpoint()

        dead = killed_at(step, work)
        os.close(tell)
        acknowledged = len(os.read(told, 1000))
        os.close(told)
        with bs.Index.open(path) as index:
            assert content(index) in expected[acknowledged : acknowledged + 2]
            index.check_invariants()
            index.add("on", "z = 1")
            index.checkpoint()
        assert sorted(os.listdir(tmp_path)) == [f"{step}.bsv{end}" for end in ("", ".journal", ".lock")]
        assert "on" in bs.Index.load(path, verify=True)
        for file in tmp_path.iterdir():
            file.unlink()
        step += 1
    assert acknowledged == len(steps)
    assert step > 40


def test_a_call_that_fails_makes_no_change_or_is_healed_by_a_checkpoint(tmp_path: Path) -> None:
    def fail(name: str, real: Any, arguments: tuple[Any, ...]) -> None:
        if name == "write":
            real(arguments[0], bytes(arguments[1])[: len(arguments[1]) // 2])
        raise OSError(errno.ENOSPC, "No space left on device")

    expected = states()
    failed = set()
    for step in range(2):
        for number, change in enumerate(STEPS):
            path = tmp_path / f"{step}-{number}.bsv"
            with bs.Index.open(path) as index:
                for earlier in STEPS[:number]:
                    earlier(index)
                with (
                    pytest.raises(bs.StorageError, match=r"cannot write '.*\.journal': No space left"),
                    at_step(step, fail) as calls,
                ):
                    change(index)
                failed.add(calls[step])
                if calls[step] == "write":
                    assert content(index) == expected[number]
                    change(index)
                else:  # what of it is on disk is unknown
                    with pytest.raises(bs.StorageError, match="a checkpoint is needed first"):
                        index.add("more", "a = 1")
                    assert "more" not in index
                    index.checkpoint()
                assert content(index) == expected[number + 1]
                index.add("more", "a = 1")
                now = content(index)
            assert content(bs.Index.open(path, mode="r")) == now
    assert failed == {"write", "fdatasync"}


def test_a_failing_checkpoint_loses_nothing(path: Path) -> None:
    def fail(name: str, real: Any, arguments: tuple[Any, ...]) -> None:
        raise OSError(errno.EIO, "Input/output error")

    bs.Index.open(path).close()
    step, done = 0, False
    while not done:
        with bs.Index.open(path) as index:
            index.add(step, "a = 1")
            with at_step(step, fail):
                error = error_of(index.checkpoint)
            done = error is None
            assert done or "Input/output error" in str(error)
        assert bs.Index.open(path, mode="r").match({"a": 1}) == list(range(step + 1))
        step += 1
    assert step > 6


def test_records_in_the_snapshot_are_not_applied_twice(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A crash between the two halves of a checkpoint: the snapshot is new, the journal old."""
    with bs.Index.open(path) as index:
        for step in STEPS[:5]:
            step(index)
        with monkeypatch.context() as patched:
            patched.setattr(Journal, "restart", lambda self: None)
            index.checkpoint()
        assert len(record_offsets(journal_of(path).read_bytes())) == 6
        STEPS[5](index)
    with bs.Index.open(path) as index:
        assert content(index) == states()[6]


def test_records_that_only_the_snapshot_has_are_no_loss(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As before, and the disk had not taken the last records of the old journal yet."""
    with bs.Index.open(path) as index:
        for step in STEPS[:5]:
            step(index)
        old = journal_of(path).read_bytes()
        index.checkpoint()
    journal_of(path).write_bytes(old[: record_offsets(old)[3]])
    with bs.Index.open(path) as index:
        assert content(index) == states()[5]
        STEPS[5](index)
    assert content(bs.Index.open(path, mode="r")) == states()[6]


@pytest.fixture
def written(path: Path) -> bytes:
    """The journal of all steps."""
    with bs.Index.open(path) as index:
        for step in STEPS:
            step(index)
    return journal_of(path).read_bytes()


def test_a_journal_cut_anywhere_gives_what_was_before(path: Path, written: bytes) -> None:
    offsets = record_offsets(written)
    expected = states()
    for length in range(len(written) - 1, -1, -1):
        os.truncate(journal_of(path), length)
        if length < 64:
            with pytest.raises(bs.StorageError, match="journal: header"):
                bs.Index.open(path)
            continue
        whole = sum(end <= length for end in offsets[1:])
        assert content(bs.Index.open(path, mode="r")) == expected[whole]
        if length % 25 == 0:
            with bs.Index.open(path) as index:  # cuts the rest off, and goes on from there
                assert journal_of(path).stat().st_size == offsets[whole]
                index.add("on", "z = 1")
                now = content(index)
            assert content(bs.Index.open(path, mode="r")) == now
            journal_of(path).write_bytes(written[:length])


def test_a_flipped_byte_in_the_journal_is_found(path: Path, written: bytes) -> None:
    offsets = record_offsets(written)
    expected = states()
    for at in range(len(written)):
        put_byte(journal_of(path), at, written[at] ^ 1 << at % 8)
        if at < 64:
            with pytest.raises(bs.StorageError, match=r"header|not the journal of"):
                bs.Index.open(path, mode="r")
        elif at < offsets[-2]:
            bad = sum(end <= at for end in offsets[1:])
            with pytest.raises(bs.StorageError, match=f"record {bad + 1} at byte {offsets[bad]} is damaged"):
                bs.Index.open(path, mode="r")
        else:  # the last record: like one that was not finished
            assert content(bs.Index.open(path, mode="r")) == expected[-2]
        put_byte(journal_of(path), at, written[at])


def append(path: Path, *records: bytes) -> None:
    """Appends records that nobody waits for."""
    name = str(journal_of(path))
    journal = Journal(name, JournalContent(name))
    for record in records:
        journal.append(record)
    journal.close()


def test_what_was_never_acknowledged_may_be_torn_anywhere(path: Path) -> None:
    """Two records wait for one sync, and of them the disk takes the second alone."""
    with bs.Index.open(path) as index:
        index.add(1, "a = 1")
    end = journal_of(path).stat().st_size
    append(path, b'{"do":"remove","id":1}', b'{"do":"clear"}')
    data = bytearray(journal_of(path).read_bytes())
    data[end + 40] ^= 1
    journal_of(path).write_bytes(data)
    assert bs.Index.open(path, mode="r").match({"a": 1}) == [1]
    with bs.Index.open(path):
        assert journal_of(path).stat().st_size == end


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (b'{"do":"remake"}', "unknown kind 'remake'"),
        (b'{"do":"remove","id":5}', "id 5 is not in the index"),
        (b"[]", "list indices"),
        (b'{"do":"add","ids":[1],"expressions":["a ="]}', "expected"),
        (b"\xff", "decode"),
    ],
)
def test_a_record_that_cannot_be_applied_is_named(path: Path, record: bytes, message: str) -> None:
    with bs.Index.open(path) as index:
        index.add(0, "a = 1")
    end = journal_of(path).stat().st_size
    append(path, record, b'{"do":"clear"}')
    for mode in ("a", "r"):
        with pytest.raises(
            bs.StorageError, match=f"record 2 at byte {end} of .* cannot be applied: .*{message}"
        ):
            bs.Index.open(path, mode=mode)


def test_threads_share_the_waiting_for_the_disk(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.fdatasync
    syncs = []

    def slow(descriptor: int) -> None:
        syncs.append(descriptor)
        time.sleep(0.01)
        real(descriptor)

    monkeypatch.setattr(os, "fdatasync", slow)
    with bs.Index.open(path) as index:

        def add(number: int) -> None:
            for i in range(10):
                index.add(number * 10 + i, f"a = {number}")
                if number == 3 and i == 5:
                    index.checkpoint()

        threads = [threading.Thread(target=add, args=(number,)) for number in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        now = content(index)
    assert len(now) == 160
    assert len(syncs) < 80
    assert content(bs.Index.open(path, mode="r")) == now


def test_what_the_engine_refuses_leaves_no_record(path: Path) -> None:
    with bs.Index.open(path, bs.engines.KIndex(max_values=5, strict=True)) as index:
        index.add(1, "a IN (1, 2)")
        before = journal_of(path).read_bytes()
        with pytest.raises(bs.BudgetError):
            index.add(2, "a BETWEEN 1 AND 100")
        with pytest.raises(bs.BudgetError):
            index[1] = "a BETWEEN 1 AND 100"
        assert journal_of(path).read_bytes() == before
        skipped = index.add_many([3, 4], ["a = 3", "a BETWEEN 1 AND 100"], errors="skip")
        assert [record.id for record in skipped] == [4]
    with bs.Index.open(path) as index:
        assert list(index) == [1, 3]


def test_a_refused_record_that_a_crash_left_at_the_end_is_dropped(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = bs.engines.KIndex(max_values=5, strict=True)
    with bs.Index.open(path, engine) as index, monkeypatch.context() as patched:
        index.add(1, "a IN (1, 2)")
        patched.setattr(Journal, "take_back", lambda self, number, content: None)
        with pytest.raises(bs.BudgetError):
            index.add(2, "a BETWEEN 1 AND 100")
    for _ in range(2):
        with bs.Index.open(path) as index:
            assert list(index) == [1]
            index.add(3, "a = 3")
            index.remove(3)


def test_files_that_do_not_belong_together_are_told(tmp_path: Path, path: Path) -> None:
    with bs.Index.open(path) as index:
        index.add(1, "a = 1")
    other = tmp_path / "other.bsv"
    with bs.Index.open(other) as index:
        index.add(2, "a = 1")
        old = other.read_bytes()
        index.checkpoint()
        index.add(3, "a = 1")
    journal = journal_of(path).read_bytes()
    journal_of(path).write_bytes(journal_of(other).read_bytes())
    for mode in ("a", "r"):
        with pytest.raises(bs.StorageError, match="is not the journal of"):
            bs.Index.open(path, mode=mode)
    other.write_bytes(old)
    with pytest.raises(bs.StorageError, match="records are missing between"):
        bs.Index.open(other)
    with pytest.raises(bs.StorageError, match="do not belong together"):
        bs.Index.open(other, mode="r")
    other.unlink()
    with pytest.raises(bs.StorageError, match=r"other.bsv' is missing, but its journal"):
        bs.Index.open(other)
    journal_of(path).write_bytes(journal)
    filled().save(path)
    with pytest.raises(bs.StorageError, match="is not the journal of"):
        bs.Index.open(path)


def test_a_saved_file_becomes_durable(path: Path) -> None:
    saved = filled("opindex")
    saved.save(path)
    expected = answers(saved)
    with bs.Index.open(path) as index:
        assert answers(index) == expected
        index.add(1, "a = 1")
    with bs.Index.open(path) as index:
        assert 1 in index
        index.save(path)  # is a checkpoint
        assert journal_of(path).stat().st_size == 64
        index.save(path.with_name("copy"))
    assert 1 in bs.Index.load(path.with_name("copy"))
    with bs.Index.open(path, mode="r") as index:
        assert 1 in index


def test_an_index_that_is_there_keeps_its_engine(path: Path) -> None:
    bs.Index.open(path, bs.engines.OpIndex(segments=False), max_clauses=7).close()
    with bs.Index.open(path) as index:
        assert index.max_clauses == 7
    bs.Index.open(path, bs.engines.OpIndex(segments=False), max_clauses=7).close()
    for engine in ("kindex", "opindex"):
        with pytest.raises(bs.StorageError, match=r"has the engine OpIndex\(segments=False\), not"):
            bs.Index.open(path, engine)
    with pytest.raises(bs.StorageError, match="has max_clauses=7, not 8"):
        bs.Index.open(path, max_clauses=8)
    bs.Index.open(path).close()  # and no lock was left


def test_a_closed_index_matches_and_refuses_changes(path: Path) -> None:
    with bs.Index.open(path) as index:
        index.add(1, "a = 1")
    index.close()
    assert index.match({"a": 1}) == [1]
    for change in (lambda: index.add(2, "a = 1"), lambda: index.remove(1), index.clear, index.checkpoint):
        with pytest.raises(bs.StorageError, match="is closed"):
            change()
    assert index.match({"a": 1}) == [1]


def test_other_indexes_have_no_checkpoints_and_may_be_closed() -> None:
    with bs.Index() as index:
        index.add(1, "a = 1")
    index.add(2, "a = 1")
    with pytest.raises(bs.StorageError, match=r"only an index that Index\.open gave"):
        index.checkpoint()
    with pytest.raises(ValueError, match='mode is "a" or "r"'):
        bs.Index.open("x", mode="w")


def test_where_it_cannot_be_opened_is_told(tmp_path: Path) -> None:
    with pytest.raises(bs.StorageError, match=r"cannot lock '.*no/x': No such file"):
        bs.Index.open(tmp_path / "no" / "x")
    with pytest.raises(bs.StorageError, match="not a file"):
        bs.Index.open(tmp_path)
    path = tmp_path / "text"
    path.write_text("not an index")
    with pytest.raises(bs.StorageError, match="header"):
        bs.Index.open(path)
    assert path.read_text() == "not an index"
