"""Files that are there whole or not at all: written aside, forced to disk, renamed.

A crash at any point leaves the old file or the new one. Every error is a `StorageError` that tells the path.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress

from boolsieve.errors import StorageError

_numbers = itertools.count()
SMALL = 1 << 16  # parts below this are written together


@contextmanager
def told(doing: str, path: str) -> Iterator[None]:
    """Turns an error of the operating system into one that says what failed where."""
    try:
        yield
    except StorageError:
        raise
    except OSError as error:
        fitting = StorageError(f"cannot {doing} {path!r}: {error.strerror or error}")
        fitting.errno, fitting.filename = error.errno, path
        raise fitting from error


def write_all(descriptor: int, data: bytes | bytearray | memoryview) -> None:
    """Writes all of the data: a single call may take less, and takes 2 GB at most."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def _joined(parts: Iterable[bytes | memoryview]) -> Iterator[bytes | bytearray | memoryview]:
    """The same, with small parts together."""
    small = bytearray()
    for part in parts:
        if len(part) < SMALL:
            small += part
            if len(small) < SMALL:
                continue
        if small:
            yield small
            small = bytearray()
        if len(part) >= SMALL:
            yield part
    if small:
        yield small


def sync_folder(path: str) -> None:
    """Forces to disk that the file was created or renamed."""
    folder = os.open(os.path.dirname(path) or ".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def replace(path: str, parts: Iterable[bytes | memoryview]) -> None:
    """Makes the parts, one after another, the content of the file; what it was before stays until that is on disk."""
    target = os.path.realpath(path)
    aside = f"{target}.{os.getpid()}-{next(_numbers)}.tmp"
    with told("write", path):
        if os.path.isdir(target):
            raise IsADirectoryError(None, "it is a folder")
        descriptor = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
        try:
            try:
                for part in _joined(parts):
                    write_all(descriptor, part)
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
            os.replace(aside, target)
        except BaseException:
            with suppress(OSError):
                os.unlink(aside)
            raise
        sync_folder(target)
