"""Values that stand for a basic one: NumPy scalars, pandas' missing values and timestamps, decimals."""

from __future__ import annotations

from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import numpy as np

_EPOCH = datetime(1970, 1, 1)


def plain_value(value: Any) -> tuple[Any, bool]:
    """The basic value, and whether a time lies after it and before the next microsecond.

    None for what means absent (NaN, NaT, NA). TypeError for what no expression can be about.

    >>> plain_value(np.float32(0.5))
    (0.5, False)
    >>> plain_value(np.datetime64("2026-01-02T03:04:05.000000500"))
    (datetime.datetime(2026, 1, 2, 3, 4, 5), True)
    """
    if isinstance(value, np.datetime64):
        if np.isnat(value):
            return None, False
        floor = value.astype("datetime64[us]")
        if not 1 <= int(floor.astype("datetime64[Y]").astype(np.int64)) + 1970 <= 9999:
            raise TypeError
        return _EPOCH + timedelta(microseconds=int(floor.astype(np.int64))), bool(floor != value)
    if isinstance(value, np.ndarray):
        if value.ndim == 0:
            return plain_value(value[()])
        if value.ndim == 1:
            return list(value), False
        raise TypeError
    if isinstance(value, np.bool_):
        return bool(value), False
    if isinstance(value, np.integer) and not isinstance(value, np.timedelta64):
        return int(value), False
    if isinstance(value, np.floating):
        return float(value), False
    if isinstance(value, Decimal):
        if value.is_nan():
            return None, False
        # Beyond int64 the nearest float is what counts, and an exponent can make an int as large as the memory.
        whole = value.is_finite() and value.adjusted() < 20 and value == value.to_integral_value()
        return (int(value) if whole else float(value)), False
    if isinstance(value, datetime):  # a subclass, such as pandas.Timestamp or pandas.NaT
        if value != value:
            return None, False
        if not 1 <= value.year <= 9999:  # those of pandas may be beyond
            raise TypeError
        plain = datetime(
            value.year,
            value.month,
            value.day,
            value.hour,
            value.minute,
            value.second,
            value.microsecond,
            value.tzinfo,
            fold=value.fold,
        )
        return plain, bool(getattr(value, "nanosecond", 0))
    if type(value).__name__ == "NAType":  # pandas.NA, without importing pandas
        return None, False
    raise TypeError
