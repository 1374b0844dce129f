"""The journal of a durable index: records that are appended, forced to disk, and read again after a crash.

    offset  bytes  header (all numbers little-endian)
    0       8      magic: 89 'B' 'S' 'J' 0D 0A 1A 0A
    8       4      order mark: 0x0A0B0C0D
    12      4      version of this layout
    16      8      identity of the index that the records belong to
    24      8      number of the first record
    32      24     zero
    56      8      checksum of the bytes before
    64      -      records

    record  bytes
    0       8      length of its content
    8       8      number: one more than that of the record before
    16      8      how far the journal was known to be on disk when this was written, as a record's number
    24      8      checksum of all else, started with the record's offset
    32      -      content, then zeros up to a multiple of 8

Numbers go on from one journal to the next, so that a snapshot can tell which records are in it already.

What a crash leaves is cut off: a record that is not whole, and what lies behind it, was never acknowledged. That is not
taken on trust. A later record that is whole, and that was written when the bad one was known to be on disk, shows that
the file was damaged: an error, which tells where.

Group commit: whoever wants its record on disk while nobody is syncing does that for all records there are; the others
wait, and most find theirs done.
"""

from __future__ import annotations

import os
import struct
import threading
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from boolsieve.errors import StorageError
from boolsieve.memory.file import ALIGN, ORDER_MARK, checksum
from boolsieve.storage.files import replace, told, write_all

MAGIC = b"\x89BSJ\r\n\x1a\n"
VERSION = 1
HEADER = struct.Struct("<8sIIQQ24x")  # and its checksum
RECORD = struct.Struct("<QQQ")  # and its checksum
CONTENT = RECORD.size + 8  # where the content begins in a record


class Record(NamedTuple):
    number: int
    offset: int
    content: bytes


def _header(identity: int, first: int) -> bytes:
    header = HEADER.pack(MAGIC, ORDER_MARK, VERSION, identity, first)
    return header + struct.pack("<Q", checksum(header))


def _sum(head: bytes, content: bytes | memoryview, offset: int) -> int:
    return checksum(content, checksum(head, offset))


def _padded(length: int) -> int:
    return (length + 7) // 8 * 8


class JournalContent:
    """What is in a journal: its records, and where the last whole one ends."""

    def __init__(self, path: str) -> None:
        self.path = path
        with told("read", path), open(path, "rb") as file:  # not mapped: its writer may cut it at any time
            self._data = file.read()
        self.size = len(self._data)
        self._read_header()
        self._read_offsets()

    def _error(self, problem: str) -> StorageError:
        return StorageError(f"cannot read {self.path!r} as a journal: {problem}")

    def _read_header(self) -> None:
        header = self._data[:ALIGN]
        if len(header) < ALIGN:
            raise self._error(f"header: the file has {self.size} bytes, and a header has {ALIGN}")
        magic, order, version, identity, first = HEADER.unpack_from(header)
        if magic != MAGIC:
            raise self._error("header: it does not begin as a journal of boolsieve does")
        if order != ORDER_MARK:
            raise self._error(
                f"header: the order mark is {order:#010x}, not {ORDER_MARK:#010x} (little-endian)"
            )
        if version != VERSION:
            raise self._error(
                f"header: it has layout version {version}; this boolsieve reads version {VERSION}"
            )
        if header != _header(identity, first):
            raise self._error("header: its checksum is wrong")
        self.identity: int = identity
        self.first: int = first

    def _read_offsets(self) -> None:
        self._offsets: list[int] = []
        self.end = ALIGN
        while (length := self._whole(self.end, self.last + 1)) is not None:
            self._offsets.append(self.end)
            self.end += CONTENT + _padded(length)
        later = self._later_witness()
        if later is not None:
            raise self._error(
                f"record {self.last + 1} at byte {self.end} is damaged: record {later} tells that it was whole"
            )

    @property
    def last(self) -> int:
        """The number of the last whole record; one less than the first if there is none."""
        return self.first + len(self._offsets) - 1

    def _whole(self, offset: int, number: int | None) -> int | None:
        """The length of the record that is there with that number, if it is whole."""
        if offset + CONTENT > self.size:
            return None
        length, found, _ = RECORD.unpack_from(self._data, offset)
        if (number is not None and found != number) or length > self.size - offset - CONTENT:
            return None
        start = offset + CONTENT
        if start + _padded(length) > self.size or any(self._data[start + length : start + _padded(length)]):
            return None
        head = self._data[offset : offset + RECORD.size]
        expected: int = struct.unpack_from("<Q", self._data, offset + RECORD.size)[0]
        return length if _sum(head, self._data[start : start + length], offset) == expected else None

    def _later_witness(self) -> int | None:
        """The number of a whole record behind the end that was written when the next one was known to be on disk."""
        bad = self.last + 1
        words = np.frombuffer(self._data, np.uint64, (self.size - self.end) // 8, self.end)
        if len(words) < 3:
            return None
        lengths, numbers, synced = words[:-2], words[1:-1], words[2:]
        likely = (numbers > bad) & (synced >= bad) & (synced < numbers) & (lengths <= self.size - self.end)
        for at in np.flatnonzero(likely).tolist():
            if self._whole(self.end + 8 * at, None) is not None:
                return int(numbers[at])
        return None

    def drop_last(self) -> None:
        self.end = self._offsets.pop()

    def records(self, after: int) -> Iterator[Record]:
        """The records with numbers beyond this one."""
        for number in range(max(after + 1, self.first), self.last + 1):
            offset = self._offsets[number - self.first]
            length = RECORD.unpack_from(self._data, offset)[0]
            yield Record(number, offset, self._data[offset + CONTENT : offset + CONTENT + length])


class Journal:
    """A journal that is written. One thread appends at a time; any number may wait for the disk."""

    def __init__(self, path: str, content: JournalContent) -> None:
        """Goes on where the content ends: what is behind that is cut off."""
        self.path = path
        self.identity = content.identity
        self._changed = threading.Condition()
        self._syncing = False
        self._failure = ""
        self._open(content.end, content.last)
        if content.size > content.end:
            with told("write", path):
                os.ftruncate(self._descriptor, content.end)
                os.fsync(self._descriptor)

    @classmethod
    def create(cls, path: str, identity: int, first: int) -> Journal:
        """A new journal, in place of what is there."""
        replace(path, [_header(identity, first)])
        return cls(path, JournalContent(path))

    def _open(self, end: int, last: int) -> None:
        with told("write", self.path):
            self._descriptor = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)
        self._end, self.last = end, last
        self._synced = self._target = last

    def append(self, content: bytes) -> int:
        """Writes a record, which is not on disk before `sync` was called with the number returned."""
        with self._changed:
            self._require_writable()
            head = RECORD.pack(len(content), self.last + 1, self._synced)
            record = head + struct.pack("<Q", _sum(head, content, self._end)) + content
            record += bytes(_padded(len(content)) - len(content))
            try:
                with told("write", self.path):
                    write_all(self._descriptor, record)
            except BaseException:
                self._cut_to(self._end)
                raise
            self._end += len(record)
            self.last += 1
            return self.last

    def take_back(self, number: int, content: bytes) -> None:
        """Removes the record that was appended last."""
        with self._changed:
            self.last = number - 1
            self._synced, self._target = min(self._synced, self.last), min(self._target, self.last)
            self._end -= CONTENT + _padded(len(content))
            self._cut_to(self._end)

    def _cut_to(self, end: int) -> None:
        try:
            os.ftruncate(self._descriptor, end)
        except OSError as error:
            self._failure = str(error.strerror)

    def _require_writable(self) -> None:
        if self._failure:
            raise StorageError(
                f"{self.path!r} could not be written before ({self._failure}): a checkpoint is needed first"
            )
        if self._descriptor < 0:
            raise StorageError(f"{self.path!r} is closed")

    def sync(self, number: int) -> None:
        """Returns when the record is on disk, with all before it."""
        with self._changed:
            while self._synced < number:
                self._require_writable()
                if self._syncing:
                    self._changed.wait()
                    continue
                self._syncing = True
                self._target = self.last
                self._changed.release()
                failure = ""
                try:
                    os.fdatasync(self._descriptor)
                except OSError as error:
                    failure = str(error.strerror)
                finally:
                    self._changed.acquire()
                    self._syncing = False
                    self._changed.notify_all()
                if failure:  # what of it reached the disk is unknown from now on, also to a further try
                    self._failure = failure
                    raise StorageError(f"cannot write {self.path!r}: {failure}")
                self._synced = max(self._synced, self._target)

    def restart(self) -> None:
        """Begins a new journal after the last record, once a snapshot holds all of them."""
        with self._changed:
            while self._syncing:
                self._changed.wait()
            replace(self.path, [_header(self.identity, self.last + 1)])
            if self._descriptor >= 0:
                os.close(self._descriptor)
            self._descriptor = -1
            self._open(ALIGN, self.last)
            self._failure = ""
            self._changed.notify_all()

    def close(self) -> None:
        """Forces to disk what is not there yet, and ends."""
        try:
            if self._descriptor >= 0 and not self._failure:
                self.sync(self.last)
        finally:
            with self._changed:
                while self._syncing:
                    self._changed.wait()
                if self._descriptor >= 0:
                    os.close(self._descriptor)
                self._descriptor = -1
