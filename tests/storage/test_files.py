"""Saving and loading: every engine, every way to load; files that are cut, flipped, forged; writes that fail."""

from __future__ import annotations

import errno
import json
import os
import random
import struct
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import EVENTS, Stop, answers, at_step, error_of, filled, killed_at, put_byte
from hypothesis import settings

import boolsieve as bs
from boolsieve.memory.file import ALIGN, COPIES, checksum

WAYS: list[dict[str, Any]] = [{}, {"verify": True}, {"verify": False}, {"trusted": False}]
HEADER = struct.Struct("<8sIIQQQQQ")


def engines() -> list[Any]:
    found: list[Any] = []
    for name in bs.engines.names():
        kind = bs.engines.get(name)
        for options in [{}, *kind.test_variants]:
            label = "-".join([name, *(f"{option}={value}" for option, value in options.items())])
            found.append(pytest.param(kind(**options), id=label))
    return found


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "index.bsv"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A file of an engine with buffers."""
    path = tmp_path_factory.mktemp("whole") / "index.bsv"
    filled("opindex").save(path)
    return path.read_bytes()


@pytest.fixture(scope="module")
def expected() -> list[Any]:
    return answers(filled())


class Parsed:
    """A file taken apart as docs/storage.md tells it; `signed` puts it together with right checksums."""

    def __init__(self, data: bytes) -> None:
        length = HEADER.unpack_from(data)[4]
        directory = json.loads(data[ALIGN : ALIGN + length])
        self.about: dict[str, Any] = directory["about"]
        self.buffers: dict[str, np.ndarray[Any, Any]] = {
            name: np.frombuffer(data, kind, count, offset).copy()
            for name, kind, offset, count, _ in directory["buffers"]
        }

    def signed(self, **header: Any) -> bytes:
        start = 1 << 16  # the directory may be longer than it must be
        rows, body = [], bytearray()
        for name, array in self.buffers.items():
            raw = array.tobytes()
            offset = start + len(body)
            kind = array.dtype.kind + str(array.dtype.itemsize)
            rows.append([name, kind, offset, len(array), checksum(raw, offset)])
            body += raw + bytes(-len(raw) % ALIGN)
        directory = json.dumps({"about": self.about, "buffers": rows}).encode()
        return signed(directory.ljust(start - ALIGN), bytes(body), **header)


def signed(directory: bytes, body: bytes, **header: Any) -> bytes:
    given = {"magic": b"\x89BSV\r\n\x1a\n", "order": 0x0A0B0C0D, "version": 1, **header}
    size = ALIGN + len(directory) + len(body)
    head = HEADER.pack(*given.values(), size, len(directory), checksum(directory, ALIGN), 0, 0)
    return head + struct.pack("<Q", checksum(head)) + directory + body


@pytest.mark.parametrize("way", WAYS, ids=str)
@pytest.mark.parametrize("engine", engines())
def test_what_was_saved_answers_alike_and_can_be_changed(
    engine: bs.engines.Engine, way: dict[str, Any], path: Path, expected: list[Any]
) -> None:
    saved = filled(engine)
    saved.save(path)
    before = path.read_bytes()
    index = bs.Index.load(path, **way)
    index.check_invariants()
    assert answers(index) == expected
    assert repr(index) == repr(saved)
    index.add("fresh", "q = 5 AND price < 7", weight=1.5)
    del index["set"]
    index["cheap"] = "price < 6"
    saved.add("fresh", "q = 5 AND price < 7", weight=1.5)
    del saved["set"]
    saved["cheap"] = "price < 6"
    index.check_invariants()
    assert answers(index) == answers(saved)
    assert index.match({"q": 5, "price": 6}) == saved.match({"q": 5, "price": 6})
    assert path.read_bytes() == before
    index.save(path)
    assert answers(bs.Index.load(path, **way)) == answers(saved)


def test_the_file_is_what_the_documentation_says(path: Path) -> None:
    index = filled("kindex")
    index.save(path)
    file = Parsed(path.read_bytes())
    assert file.about["engine"] == "kindex"
    assert file.about["expressions"] == len(index)
    held = index.buffers()
    assert file.buffers.keys() == held.keys()
    for name, array in held.items():
        assert file.buffers[name].dtype == array.dtype
        np.testing.assert_array_equal(file.buffers[name], array)
    assert checksum(b"boolsieve" * 20, 7) == 0x68F087B1BC0248EF  # of all versions


@pytest.mark.skipif(COPIES, reason="the sanitizer's build maps nothing")
def test_a_change_copies_what_it_touches_and_no_more(path: Path) -> None:
    index = bs.Index("opindex")
    index.add_many(range(2000), [f"a{i % 10} = {i} AND name = 'text {i}'" for i in range(2000)])
    index.save(path)
    index = bs.Index.load(path)
    all_of_it = index.stats()["mapped_bytes"]
    assert all_of_it == index.stats()["bytes"]
    index.match({"a1": 1, "name": "text 1"})
    assert index.stats()["mapped_bytes"] == all_of_it
    index.remove(5)  # needs no text
    assert 0 < index.stats()["mapped_bytes"] < all_of_it
    assert index.stats()["mapped_bytes"] >= sum(
        len(f"a{i % 10} = {i} AND name = 'text {i}'") for i in range(2000)
    )
    index.clear()
    assert index.stats()["mapped_bytes"] == 0


def test_the_file_may_go_and_the_index_stays(path: Path, expected: list[Any]) -> None:
    filled("psthash").save(path)
    index = bs.Index.load(path)
    bs.Index().save(path)
    path.unlink()
    assert answers(index) == expected
    assert answers(index.copy()) == expected
    clone = index.copy()
    del index
    assert answers(clone) == expected


def test_an_empty_index_and_one_with_holes_come_back(path: Path) -> None:
    index = bs.Index("opindex")
    for way in WAYS:
        index.save(path)
        assert len(bs.Index.load(path, **way)) == 0
    index.add_many(range(100), [f"a = {i % 7}" for i in range(100)])
    for i in range(0, 100, 3):
        index.remove(i)
    index.save(path)
    for way in WAYS:
        again = bs.Index.load(path, **way)
        assert again.match({"a": 3}) == index.match({"a": 3})
        assert again.stats()["clauses"] == 66
        again.check_invariants()


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_a_file_cut_anywhere_is_refused(whole: bytes, path: Path, way: dict[str, Any]) -> None:
    path.write_bytes(whole)
    for length in range(len(whole) - 1, -1, -17 if way else -1):
        os.truncate(path, length)
        with pytest.raises(bs.StorageError, match="header"):
            bs.Index.load(path, **way)
    path.write_bytes(whole + b"\0")
    with pytest.raises(bs.StorageError, match="header"):
        bs.Index.load(path, **way)


def test_each_flipped_byte_is_found_by_its_checksum(path: Path) -> None:
    small = bs.Index()
    small.add("alice", "price < 5 AND color = 'red'")
    small.save(path)
    data = path.read_bytes()
    for at in range(len(data)):
        put_byte(path, at, data[at] ^ 1 << at % 8)
        with pytest.raises(bs.StorageError, match=r"header|directory|buffer '"):
            bs.Index.load(path, verify=True)
        put_byte(path, at, data[at])


def test_a_flipped_byte_is_found_at_once_or_at_the_first_change(whole: bytes, path: Path) -> None:
    """Without verify: matching is safe, if not right, and nothing is changed on a damaged ground."""
    path.write_bytes(whole)
    found_at_once = 0
    for at in range(64, len(whole), 5):
        put_byte(path, at, whole[at] ^ 0x80)
        try:
            index = bs.Index.load(path)
        except bs.StorageError:
            found_at_once += 1
        else:
            for event in EVENTS:
                with suppress(ValueError):  # a name, an id or a text that is no UTF-8 any more
                    index.match(event)
            for change in (lambda index=index: index.add("new", "a = 1"), index.clear):
                with pytest.raises(bs.StorageError, match="checksum"):
                    change()
            del index
        put_byte(path, at, whole[at])
    assert found_at_once > len(whole) / 15


def test_learning_checks_first(path: Path) -> None:
    index = bs.Index("opindex")
    index.add_many(range(50), [f"a = {i} AND b = {i % 3}" for i in range(50)])
    index.save(path)
    data = bytearray(path.read_bytes())
    data[data.index(b"a = 7 AND")] = ord("b")
    path.write_bytes(data)
    index = bs.Index.load(path)

    def match_many() -> None:
        for _ in range(1000):
            index.match({"a": 7, "b": 1})

    with pytest.raises(bs.StorageError, match=r"'store\.text'"):
        match_many()


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ({"magic": b"\x89PNG\r\n\x1a\n"}, "does not begin as a file of boolsieve"),
        ({"magic": b"\x89BSV\n\x1a\n\0"}, "does not begin as a file of boolsieve"),
        ({"order": 0x0D0C0B0A}, "order mark is 0x0d0c0b0a"),
        ({"version": 2}, "layout version 2; this boolsieve reads version 1"),
    ],
)
def test_a_file_of_others_is_refused(whole: bytes, path: Path, header: dict[str, Any], message: str) -> None:
    path.write_bytes(Parsed(whole).signed(**header))
    for way in WAYS:
        with pytest.raises(bs.StorageError, match=message):
            bs.Index.load(path, **way)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": 0}, "has format 0; this boolsieve reads format 1"),
        ({"engine": "no such"}, "there is no engine 'no such'"),
        ({"options": {"no": 1}}, "TypeError"),
        ({"options": {"segments": 3}}, "TypeError"),
        ({"options": None}, "TypeError"),
        ({"max_clauses": 0}, "max_clauses"),
        ({"max_clauses": 1 << 70}, "OverflowError"),
        ({"journal": {"identity": 1}}, "KeyError"),
        ({"journal": {"identity": -1, "number": 0}}, "no such journal"),
        ({"engine": "scan", "options": {}}, "buffers that this boolsieve does not know"),
        ({"engine": "kindex", "options": {}}, "'kindex.terms' is missing"),
    ],
)
def test_a_directory_that_tells_other_things_is_refused(
    whole: bytes, path: Path, change: dict[str, Any], message: str
) -> None:
    file = Parsed(whole)
    file.about.update(change)
    path.write_bytes(file.signed())
    for way in WAYS:
        with pytest.raises(bs.StorageError, match=message):
            bs.Index.load(path, **way)


def entry(*parts: Any) -> bytes:
    return json.dumps({"about": {}, "buffers": [list(parts)]}).encode()


@pytest.mark.parametrize(
    "directory",
    [
        b"",
        b"[]",
        b"[" * 100_000,
        b"{" + b'"a":' * 10,
        b'{"about": {}}',
        b'{"about": {}, "buffers": [5]}',
        b"\xff\xfe",
        entry("x", "u4", ALIGN, 0),
        entry("x", "u4", 0, 1, 0),
        entry("x", "u4", 1 << 63, 1, 0),
        entry("x", "u4", -64, 1, 0),
        entry("x", "u4", 1 << 80, 1, 0),
        entry("x", "u4", "here", 1, 0),
        entry("x", "u4", 192, 1 << 62, 0),
        entry("x", "u4", 192, 1 << 90, 0),
        entry("x", "u4", 192, -1, 0),
        entry("x", "u4", 192, 17, 0),
        entry("x", "u4", 192, 15, True),
        entry("x", "O8", 192, 1, 0),
        entry("x", "u64", 192, 1, 0),
    ],
)
def test_hostile_offsets_and_sizes_are_refused(path: Path, directory: bytes) -> None:
    padded = directory + b" " * (-len(directory) % 128)
    path.write_bytes(signed(padded, bytes(64)))
    for way in WAYS:
        with pytest.raises(bs.StorageError, match="directory"):
            bs.Index.load(path, **way)


HOSTILE = [
    0,
    1,
    2,
    5,
    0x7F,
    0xFF,
    0xFFFF,
    0x7FFFFFFF,
    0x80000000,
    0xFFFFFFFE,
    0xFFFFFFFF,
    1 << 40,
    2**64 - 1,
    2**63,
]


def use(path: Path, **way: Any) -> bool:
    """Loads and uses a forged index in every way; whether it was taken. No error but these, and no crash."""
    try:
        index = bs.Index.load(path, **way)
    except bs.StorageError:
        return False
    for event in EVENTS:
        for ask in (
            index.match,
            index.match_count,
            lambda event, index=index: index.top_k(event, 3),
            lambda event, index=index: index.match(event, where="tier = 'gold' AND levels HAS 'x'"),
        ):
            # Text that is no UTF-8, or no expression; years beyond 9999.
            with suppress(ValueError, OverflowError):
                ask(event)
    if way.get("trusted", True):
        return True
    try:
        for id_ in list(index)[::2]:
            index.get(id_)
            index.matches(EVENTS[1], id_)
            del index[id_]
        for i in range(40):
            index.add(f"fresh {i}", f"price = {i} AND name LIKE '%f{i}%' AND tags HAS {i}")
            index[1000 + i] = f"x > {i}"
        index.match_batch(EVENTS)
    except (ValueError, KeyError):
        pass
    return True


@pytest.mark.parametrize("engine", ["scan", "opindex", "kindex", "hybrid", "psthash"])
def test_a_forged_store_with_right_checksums_is_refused_or_safe(engine: str, path: Path) -> None:
    """Elements and lengths of each buffer of the store; more of them with more Hypothesis examples."""
    filled(engine).save(path)
    whole = path.read_bytes()
    rng = random.Random(engine)
    refused = taken = 0
    for name in [name for name in Parsed(whole).buffers if name.startswith(("store.", "dictionary."))]:
        if name == "store.text":
            continue
        for _ in range(settings.default.max_examples // (6 if engine == "scan" else 30) + 1):
            file = Parsed(whole)
            array = file.buffers[name]
            if len(array) and rng.random() < 0.9:
                value = rng.choice(
                    [*HOSTILE, rng.randrange(1 << 64), int(array[rng.randrange(len(array))]) + 1]
                )
                raw = np.array([value & (2**64 - 1)], np.uint64).view(np.uint8)[: array.dtype.itemsize]
                array[rng.randrange(len(array))] = raw.copy().view(array.dtype)[0]
            else:
                file.buffers[name] = np.resize(array, rng.choice([0, 1, len(array) + 1, 3 * len(array) + 8]))
            path.unlink()  # a new file: to overwrite one is forced to disk by some file systems
            path.write_bytes(file.signed())
            for way in ({}, {"trusted": False}):
                if way and array.dtype.kind == "f":
                    continue
                took = use(path, **way)
                taken, refused = taken + took, refused + (not took)
    assert refused > taken > 0


def test_a_forged_engine_is_built_anew_where_it_is_not_trusted(path: Path, expected: list[Any]) -> None:
    rng = random.Random(5)
    for engine in bs.engines.names():
        filled(engine).save(path)
        file = Parsed(path.read_bytes())
        for name, array in file.buffers.items():
            if not name.startswith(("store.", "dictionary.")) and len(array):
                array.view(np.uint8)[:] = rng.randrange(256)
        path.write_bytes(file.signed())
        index = bs.Index.load(path, trusted=False)
        index.check_invariants()
        assert answers(index) == expected


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("store.begin", 0, "'store.begin' refers"),
        ("store.owner", 1 << 20, "'store.owner' refers"),
        ("store.head", 0xFFFFFFF0, "'store.head' refers"),
        ("store.slot_clauses", 1 << 30, "'store.slot_clause' refers"),
        ("store.text_length", 1 << 30, "'store.text_begin' refers"),
        ("store.ids.places", 1 << 20, "'store.ids.places' refers"),
        ("dictionary.views", 1 << 20, "'dictionary.views' refers"),
        ("dictionary.names.ends", 1 << 20, "'dictionary.names' refers"),
        ("dictionary.patterns.next", 1 << 20, "'dictionary.patterns.next' refers"),
        ("dictionary.patterns.floating.rows", 1 << 20, "'dictionary.patterns.rows' refers"),
    ],
)
def test_the_error_names_the_buffer(path: Path, name: str, value: int, message: str) -> None:
    index = filled()
    words = [f"name CONTAINS '{a}{b}'" for a in "abcdefghijklmn" for b in "opqrstuvwxyz"]
    index.add_many(range(100, 100 + len(words)), words)
    index.save(path)
    file = Parsed(path.read_bytes())
    file.buffers[name][-16 if name == "dictionary.views" else -1] = value
    path.write_bytes(file.signed())
    with pytest.raises(bs.StorageError, match=message) as error:
        bs.Index.load(path)
    assert str(path) in str(error.value)


def test_a_failing_write_leaves_the_old_file_and_nothing_else(path: Path) -> None:
    old, new = filled(), bs.Index()
    new.add(1, "a = 1")
    old.save(path)
    before = path.read_bytes()

    def fail(name: str, real: Any, arguments: tuple[Any, ...]) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    step = 0
    while True:
        with at_step(step, fail) as calls:
            error = error_of(lambda: new.save(path))
        if error is None:
            break
        assert str(error) == f"cannot write {str(path)!r}: No space left on device"
        assert error.errno == errno.ENOSPC
        assert os.listdir(path.parent) == [path.name]
        assert path.read_bytes() == before or "replace" in calls[:step]
        step += 1
    assert len(calls) == step >= 5
    assert bs.Index.load(path).match({"a": 1}) == [1]


def test_an_interrupted_save_leaves_the_old_file_and_nothing_else(path: Path) -> None:
    filled().save(path)
    before = path.read_bytes()

    def stop(name: str, real: Any, arguments: tuple[Any, ...]) -> None:
        raise Stop

    for step in range(4):
        with pytest.raises(Stop), at_step(step, stop):
            bs.Index().save(path)
        assert os.listdir(path.parent) == [path.name]
        assert path.read_bytes() == before


def test_a_killed_save_leaves_the_old_file_or_the_new_one(path: Path) -> None:
    new = bs.Index()
    new.add(1, "a = 1")
    filled().save(path)
    before, step = path.read_bytes(), 0
    while killed_at(step, lambda: new.save(path)):
        step += 1
        if path.read_bytes() != before:
            assert bs.Index.load(path, verify=True).match({"a": 1}) == [1]
    assert step >= 5
    assert bs.Index.load(path, verify=True).match({"a": 1}) == [1]


def test_short_writes_go_on(path: Path, expected: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, data: real(descriptor, bytes(data[:1000])))
    filled().save(path)
    assert answers(bs.Index.load(path, verify=True)) == expected


@pytest.mark.parametrize("call", [bs.Index.load, lambda path: bs.Index.open(path, mode="r")])
def test_what_is_not_there_cannot_be_loaded(tmp_path: Path, call: Callable[[Any], Any]) -> None:
    with pytest.raises(bs.StorageError, match=r"'.*no'.*: No such file"):
        call(tmp_path / "no")
    with pytest.raises(bs.StorageError, match="not a file"):
        call(tmp_path)


def test_where_it_cannot_be_saved_is_told(tmp_path: Path) -> None:
    with pytest.raises(bs.StorageError, match=r"cannot write '.*': .*folder"):
        bs.Index().save(tmp_path)
    with pytest.raises(bs.StorageError, match=r"cannot write '.*no/x': No such file"):
        bs.Index().save(tmp_path / "no" / "x")
    assert os.listdir(tmp_path) == []
    assert issubclass(bs.StorageError, OSError)


def test_a_link_stays_a_link(tmp_path: Path, path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(path)
    filled().save(link)
    assert link.is_symlink()
    assert len(bs.Index.load(path)) == len(filled())


@pytest.mark.parametrize(
    "options", [{"verify": 1}, {"trusted": None}, {"verify": "all"}, {"verify": False, "trusted": False}]
)
def test_options_of_load_are_checked(path: Path, options: dict[str, Any]) -> None:
    filled().save(path)
    with pytest.raises(ValueError, match=r"verif|trusted"):
        bs.Index.load(path, **options)
