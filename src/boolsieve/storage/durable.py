"""The files of a durable index: a snapshot at `path`, a journal and a lock beside it.

A snapshot tells to which number its journal's records are in it. A checkpoint replaces first the snapshot and then the
journal; a crash between the two leaves a journal whose records are known to be in the snapshot, and are passed over.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from boolsieve.errors import BudgetError, StorageError
from boolsieve.storage.journal import Journal, JournalContent
from boolsieve.storage.lock import WriterLock

Change = dict[str, Any]
Apply = Callable[[Change], None]


def journal_path(path: str) -> str:
    return path + ".journal"


def replay(path: str, identity: int, number: int, apply: Apply) -> JournalContent | None:
    """Applies what the journal has beyond the snapshot. None if the journal is of a later snapshot than this one."""
    content = JournalContent(journal_path(path))
    if content.identity != identity:
        raise StorageError(f"{content.path!r} is not the journal of {path!r}")
    if content.first > number + 1:
        return None
    for record in content.records(number):
        try:
            apply(json.loads(record.content))
        except Exception as error:
            # What the engine refuses is taken back at once, unless a crash comes between: it was not acknowledged.
            if record.number == content.last and isinstance(error, BudgetError):
                content.drop_last()
                break
            raise StorageError(
                f"record {record.number} at byte {record.offset} of {content.path!r} cannot be applied: {error}"
            ) from error
    return content


class Durable:
    """The right to write, and the journal."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._lock = WriterLock(path)
        self._journal: Journal | None = None
        self._remove_leftovers()

    def _remove_leftovers(self) -> None:
        """What a crash left of files that were written aside."""
        folder, base = os.path.split(os.path.realpath(self.path))
        leftover = re.compile(re.escape(base) + r"(\.journal)?\.\d+-\d+\.tmp")
        for name in os.listdir(folder):
            if leftover.fullmatch(name):
                with suppress(OSError):
                    os.unlink(os.path.join(folder, name))

    def is_new(self) -> bool:
        """Whether there is no snapshot yet."""
        if os.path.exists(self.path):
            return False
        if os.path.exists(journal_path(self.path)):
            raise StorageError(
                f"{self.path!r} is missing, but its journal {journal_path(self.path)!r} is there"
            )
        return True

    def start(self, identity: int, number: int, apply: Apply) -> None:
        """Replays the journal on the snapshot, and goes on with it."""
        path = journal_path(self.path)
        if not os.path.exists(path):
            self._journal = Journal.create(path, identity, number + 1)
            return
        content = replay(self.path, identity, number, apply)
        if content is None:
            raise StorageError(
                f"{path!r} does not go on where {self.path!r} ends: records are missing between them"
            )
        if content.last < number:  # records that were in memory and in the snapshot never reached the journal
            self._journal = Journal.create(path, identity, number + 1)
        else:
            self._journal = Journal(path, content)

    @property
    def journal(self) -> Journal:
        if self._journal is None:
            raise StorageError(f"{self.path!r} is closed")
        return self._journal

    def append(self, change: Change) -> tuple[Journal, int, bytes]:
        """Writes a change. What it returns is for `sync` and `take_back` of the journal."""
        content = json.dumps(change, ensure_ascii=False, separators=(",", ":")).encode()
        return self.journal, self.journal.append(content), content

    def close(self) -> None:
        """Forces all to disk and lets others write."""
        try:
            if self._journal is not None:
                self._journal.close()
        finally:
            self._journal = None
            self._lock.release()
