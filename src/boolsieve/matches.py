"""The matches of a batch of events: for each row the ids of the expressions that it satisfies."""

from __future__ import annotations

import importlib
import itertools
import operator
from collections.abc import Iterator
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from boolsieve.encoding import arrow
from boolsieve.errors import EncodingError

_SHOWN = 5  # rows, and ids a row, in repr
_ROWS_AT_ONCE = 4096  # that iteration turns into Python objects


class Matches:
    """For each row of a batch, the ids of its matches in order of addition.

    `len(matches)` is the number of rows, `matches[i]` the list of the ids of row i, a slice is a `Matches`
    again (with step 1 it shares the memory), and iteration yields lists of ids. The arrays are read-only.

    Arrow consumers take it without pyarrow and, for int ids, without copying them. As an array
    (`pyarrow.array(m)`, `polars.Series(m)`) it is a list of ids a row; as a stream (`pyarrow.table(m)`,
    `pandas.DataFrame.from_arrow(m)`, `duckdb.sql("FROM m")`) it is a table of the columns `row` and `id`, a
    match a line, like the frames of `to_pandas()` and `to_polars()`.

    Args:
        offsets: the ids of row i are `ids[offsets[i]:offsets[i + 1]]`; one entry more than there are rows.
        ids: int64, or objects that are str or int.
    """

    __slots__ = ("_ids", "_offsets")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, offsets: npt.NDArray[np.int64], ids: npt.NDArray[Any]) -> None:
        if offsets.dtype != np.int64 or offsets.ndim != 1 or not len(offsets):
            raise ValueError(
                f"offsets must be int64, at least one, not {offsets.dtype} of shape {offsets.shape}"
            )
        if ids.dtype not in (np.int64, np.object_) or ids.ndim != 1:
            raise EncodingError(f"ids must be int64 or objects, not {ids.dtype} of shape {ids.shape}")
        if offsets[0] < 0 or np.any(offsets[1:] < offsets[:-1]) or offsets[-1] > len(ids):
            raise ValueError(f"offsets must ascend between 0 and the number of ids, {len(ids)}")
        self._offsets: npt.NDArray[np.int64] = _read_only(np.ascontiguousarray(offsets))
        self._ids: npt.NDArray[Any] = _read_only(np.ascontiguousarray(ids))

    @property
    def offsets(self) -> npt.NDArray[np.int64]:
        """Where the ids of each row begin in `ids`, and the end of the last."""
        if self._offsets[0] == 0:
            return self._offsets
        return _read_only(self._offsets - self._offsets[0])

    @property
    def ids(self) -> npt.NDArray[Any]:
        """The ids of all rows one after another: int64, or objects if there are strings."""
        return self._ids[self._offsets[0] : self._offsets[-1]]

    @property
    def total(self) -> int:
        """How many matches there are in all."""
        return int(self._offsets[-1] - self._offsets[0])

    def counts(self) -> npt.NDArray[np.int64]:
        """How many matches each row has."""
        return np.diff(self._offsets)

    def rows(self) -> npt.NDArray[np.int64]:
        """The row of each match, beside `ids`."""
        return np.repeat(np.arange(len(self), dtype=np.int64), self.counts())

    def __len__(self) -> int:
        return len(self._offsets) - 1

    @overload
    def __getitem__(self, row: int) -> list[int | str]: ...
    @overload
    def __getitem__(self, row: slice) -> Matches: ...
    def __getitem__(self, row: int | slice) -> list[int | str] | Matches:
        if isinstance(row, slice):
            return self._slice(*row.indices(len(self)))
        at = operator.index(row)
        if at < 0:
            at += len(self)
        if not 0 <= at < len(self):
            raise IndexError(f"row {row} of {len(self)}")
        ids: list[int | str] = self._ids[self._offsets[at] : self._offsets[at + 1]].tolist()
        return ids

    def _slice(self, start: int, stop: int, step: int) -> Matches:
        if step == 1:
            part = object.__new__(Matches)
            part._offsets, part._ids = self._offsets[start : max(start, stop) + 1], self._ids
            return part
        chosen = np.arange(start, stop, step)
        first, counts = self._offsets[chosen], self.counts()[chosen]
        offsets = np.concatenate(([0], np.cumsum(counts)))
        places = np.arange(offsets[-1]) + np.repeat(first - offsets[:-1], counts)
        return Matches(offsets, self._ids[places])

    def __iter__(self) -> Iterator[list[int | str]]:
        for start in range(0, len(self), _ROWS_AT_ONCE):
            bounds = self._offsets[start : start + _ROWS_AT_ONCE + 1]
            ids = self._ids[bounds[0] : bounds[-1]].tolist()
            ends = (bounds - bounds[0]).tolist()
            for first, last in itertools.pairwise(ends):
                yield ids[first:last]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Matches):
            return NotImplemented
        return np.array_equal(self.offsets, other.offsets) and np.array_equal(self.ids, other.ids)

    def __repr__(self) -> str:
        shown = []
        for ids in self[:_SHOWN]:
            more = ", ..." if len(ids) > _SHOWN else ""
            shown.append(f"[{', '.join(map(repr, ids[:_SHOWN]))}{more}]")
        if len(self) > _SHOWN:
            shown.append("...")
        rows, matches = "row" if len(self) == 1 else "rows", "match" if self.total == 1 else "matches"
        return f"<Matches: {len(self)} {rows}, {self.total} {matches}: [{', '.join(shown)}]>"

    def __reduce__(self) -> tuple[type[Matches], tuple[npt.NDArray[np.int64], npt.NDArray[Any]]]:
        return Matches, (self.offsets, self.ids)

    def to_lists(self) -> list[list[int | str]]:
        """A list of ids for each row."""
        return list(self)

    def to_arrow(self) -> Any:
        """A pyarrow list array, a list of ids a row."""
        return _needed("pyarrow", "to_arrow").array(self)

    def to_pandas(self) -> Any:
        """A pandas data frame with the columns `row` and `id`, a match a line."""
        # pandas copies the ids here, so that its frame can be written to.
        return _needed("pandas", "to_pandas").DataFrame({"row": self.rows(), "id": self.ids})

    def to_polars(self) -> Any:
        """A polars data frame with the columns `row` and `id`, a match a line."""
        return _needed("polars", "to_polars").DataFrame(_Table(self))

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]:
        """An Arrow list array; a requested schema is ignored, as the interface allows."""
        return arrow.export_lists(self.offsets, self._arrow_ids())

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """An Arrow table of the columns `row` and `id`; a requested schema is ignored here, too."""
        return arrow.export_pairs(self.rows(), self._arrow_ids())

    def _arrow_ids(self) -> npt.NDArray[np.int64] | list[str]:
        """The ids as one of the types that a typed column can have."""
        if self._ids.dtype == np.int64:
            return self.ids
        ids: list[Any] = self.ids.tolist()
        types = set(map(type, ids))
        if types <= {str}:
            return ids
        if types <= {int}:
            return np.array(ids, dtype=np.int64)
        raise EncodingError(
            "ids are ints and strings, which no column of one type holds; use to_lists() or to_pandas()"
        )


class _Table:
    """Matches as a stream alone, for consumers that would rather take the array."""

    def __init__(self, matches: Matches) -> None:
        self.__arrow_c_stream__ = matches.__arrow_c_stream__


def _read_only(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    view: npt.NDArray[Any] = array.view()
    view.flags.writeable = False
    return view


def _needed(package: str, method: str) -> Any:
    try:
        return importlib.import_module(package)
    except ImportError as error:
        raise ImportError(f"Matches.{method}() needs the package {package}: pip install {package}") from error
