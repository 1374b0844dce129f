"""The lock of the one process that may write: flock on a file beside, which holds the process' number."""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress

from boolsieve.errors import StorageError
from boolsieve.storage.files import told


class WriterLock:
    """Held until `release`; the operating system lets it go when the process dies, however that happens.

    The file stays: who removed it could let two in, one with the old file and one with a new one.
    """

    def __init__(self, path: str) -> None:
        self.path = path + ".lock"
        with told("lock", path):
            self._descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            holder = os.pread(self._descriptor, 20, 0).decode(errors="replace").strip()
            self.release()
            if not isinstance(error, BlockingIOError):
                raise StorageError(f"cannot lock {path!r}: {error.strerror}") from error
            by = f"process {holder}" if holder else "another process"
            raise StorageError(
                f"{path!r} is open for writing already, by {by} (lock {self.path!r})"
            ) from None
        with suppress(OSError):  # on a full disk the number is missing, and nothing else
            os.ftruncate(self._descriptor, 0)
            os.pwrite(self._descriptor, b"%d\n" % os.getpid(), 0)

    def release(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1
