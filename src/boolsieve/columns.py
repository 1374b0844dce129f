"""Columns of Python values out of whatever holds them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from boolsieve.errors import EncodingError


def values_of(column: Any) -> Iterable[Any]:
    """The values as Python objects: of NumPy arrays, pandas and polars series, Arrow arrays, any iterable.

    >>> import numpy as np
    >>> values_of(np.array([1, 2]))
    [1, 2]
    """
    if isinstance(column, (list, tuple, range)):
        return column
    for method in ("tolist", "to_list", "to_pylist"):
        if hasattr(column, method):
            values: Iterable[Any] = getattr(column, method)()
            return values
    if isinstance(column, (str, bytes)) or not isinstance(column, Iterable):
        raise EncodingError(f"expected a column or an iterable, got {type(column).__name__}: {column!r:.60}")
    return column
