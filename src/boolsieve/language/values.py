"""What a program hands over as an operand, turned into the plain value that a literal stands for."""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterable
from decimal import Decimal
from typing import Any, TypeAlias

import numpy as np

from boolsieve.errors import EncodingError

Value: TypeAlias = bool | int | float | str | datetime.date  # datetime is a date

UTC = datetime.timezone.utc
LOWEST, HIGHEST = -(2**63), 2**63 - 1


def plain_value(value: Any, name: str) -> Value:
    """A bool, int, float, str, date or aware datetime in UTC. Errors name the attribute that it is for."""
    kind = type(value)
    if kind is str:
        return plain_text(value, name)
    if kind is bool:
        return bool(value)
    if kind is int:
        return _integer(value, name)
    if kind is float:
        return _real(value, name)
    if value is None:
        raise EncodingError(f"attribute {name!r}: nothing compares with None; use is_null() or is_not_null()")
    if isinstance(value, np.bool_):
        return bool(value)
    if isinstance(value, str):
        return plain_text(value, name)
    if isinstance(value, (int, np.integer)) and not isinstance(value, np.timedelta64):
        return _integer(value.__index__(), name)
    if isinstance(value, (float, np.floating)):
        return _real(float(value), name)
    if isinstance(value, Decimal):
        return _decimal(value, name)
    if isinstance(value, np.datetime64):
        return _datetime64(value, name)
    if isinstance(value, datetime.datetime):
        return _datetime(value, name)
    if isinstance(value, datetime.date):
        return datetime.date(value.year, value.month, value.day)
    raise EncodingError(
        f"attribute {name!r}: expected a bool, a number, text, a date or a datetime, got {kind.__name__}"
    )


def plain_values(values: Any, name: str) -> tuple[Value, ...]:
    """The same for a collection."""
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise EncodingError(
            f"attribute {name!r}: expected a collection of values, got {type(values).__name__}; "
            "write [value] for a single one"
        )
    plain = tuple(plain_value(value, name) for value in values)
    if not plain:
        raise ValueError(f"attribute {name!r}: the collection of values is empty")
    return plain


def plain_text(text: Any, name: str) -> str:
    """A str of the exact type that can be written in UTF-8."""
    if not isinstance(text, str):
        raise EncodingError(f"attribute {name!r}: expected text, got {type(text).__name__}")
    plain = str.__str__(text)
    try:
        plain.encode()
    except UnicodeEncodeError:
        raise ValueError(f"attribute {name!r}: {_shown(plain)} holds a lone surrogate") from None
    return plain


def plain_pattern(pattern: Any, escape: Any, name: str) -> tuple[str, str | None]:
    """The pattern of LIKE and its escape character."""
    pattern = plain_text(pattern, name)
    if escape is None:
        return pattern, None
    escape = plain_text(escape, name)
    if len(escape) != 1 or escape == "\0":
        raise ValueError(
            f"attribute {name!r}: the escape {escape!r} is not one character (other than U+0000)"
        )
    # What is left after the escaped pairs ends in the escape only if nothing follows it.
    trailing = len(pattern) - len(pattern.rstrip(escape))
    if trailing % 2 == 1:
        raise ValueError(f"attribute {name!r}: the pattern {_shown(pattern)} ends in its escape character")
    return pattern, escape


def plain_name(name: Any) -> str:
    """The name of an attribute."""
    if not isinstance(name, str):
        raise EncodingError(f"the name of an attribute is text, not {type(name).__name__}")
    plain = plain_text(name, str.__str__(name))
    if not plain:
        raise ValueError("the name of an attribute is empty")
    return plain


def _shown(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "...")


def _integer(value: int, name: str) -> int:
    if not LOWEST <= value <= HIGHEST:
        shown = str(value) if value.bit_length() < 200 else f"of {value.bit_length()} bits"
        raise ValueError(f"attribute {name!r}: the integer {shown} is beyond 64 bits ({LOWEST} to {HIGHEST})")
    return value


def _real(value: float, name: str) -> float:
    if math.isnan(value):
        raise ValueError(f"attribute {name!r}: nothing compares with NaN; use is_null() or is_not_null()")
    return value + 0.0  # negative zero becomes zero


def _decimal(value: Decimal, name: str) -> int | float:
    if not value.is_finite():
        return _real(math.nan if value.is_nan() else float(value), name)
    if value.adjusted() > 19:  # decided by the exponent, because int() would write all digits out
        raise ValueError(f"attribute {name!r}: {value} is beyond 64 bits ({LOWEST} to {HIGHEST})")
    if value == value.to_integral_value():
        return _integer(int(value), name)
    return _real(float(value), name)


def _datetime(value: datetime.datetime, name: str) -> datetime.datetime:
    if value != value:  # pandas' NaT
        raise ValueError(f"attribute {name!r}: nothing compares with NaT; use is_null() or is_not_null()")
    if getattr(value, "nanosecond", 0):
        raise ValueError(f"attribute {name!r}: {value} is finer than a microsecond")
    offset = value.utcoffset()
    plain = datetime.datetime(
        value.year, value.month, value.day, value.hour, value.minute, value.second, value.microsecond, UTC
    )
    try:
        return plain - offset if offset else plain
    except OverflowError:
        raise ValueError(f"attribute {name!r}: {value} is outside the years 0001 to 9999 in UTC") from None


def _datetime64(value: np.datetime64, name: str) -> datetime.date:
    if np.isnat(value):
        raise ValueError(f"attribute {name!r}: nothing compares with NaT; use is_null() or is_not_null()")
    if not 1 <= int(value.astype("datetime64[Y]").astype(np.int64)) + 1970 <= 9999:
        raise ValueError(f"attribute {name!r}: {value} is outside the years 0001 to 9999")
    unit, _ = np.datetime_data(value.dtype)
    if unit in ("Y", "M", "W", "D"):
        day: datetime.date = value.astype("datetime64[D]").item()
        return day
    micros = value.astype("datetime64[us]")
    if micros != value:
        raise ValueError(f"attribute {name!r}: {value} is finer than a microsecond")
    moment: datetime.datetime = micros.item().replace(tzinfo=UTC)
    return moment
