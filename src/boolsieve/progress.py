"""A progress bar on the standard error stream: rich's if it is installed, else a plain line."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

STEP = 4096  # how many items go between two updates


@contextmanager
def progress_bar(
    wanted: bool, total: int | None, what: str = "adding"
) -> Iterator[Callable[[int], None] | None]:
    """Yields a function to call with the number of items done so far, or None if no bar is wanted."""
    if not wanted:
        yield None
        return
    try:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
    except ImportError:
        yield from _plain(total, what)
        return
    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(what, total=total)
        yield lambda done: bar.update(task, completed=done)


def _plain(total: int | None, what: str) -> Iterator[Callable[[int], None]]:
    start = time.monotonic()

    def show(done: int) -> None:
        rate = done / max(time.monotonic() - start, 1e-9)
        of = f" of {total:,}" if total is not None else ""
        print(f"\r{what}: {done:,}{of} ({rate:,.0f}/s)", end="", file=sys.stderr, flush=True)

    yield show
    print(file=sys.stderr)
