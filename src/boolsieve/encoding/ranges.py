"""What an event may hold in place of one value: one of several, or any of a range."""

from __future__ import annotations

from typing import Any, Literal

CLOSED = ("both", "left", "right", "neither")


class Between:
    """Any value of a range; `between` makes it."""

    __slots__ = ("closed", "high", "low")

    def __init__(self, low: Any, high: Any, closed: str) -> None:
        self.low, self.high, self.closed = low, high, closed

    def __repr__(self) -> str:
        closed = "" if self.closed == "both" else f", closed={self.closed!r}"
        return f"between({self.low!r}, {self.high!r}{closed})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Between):
            return NotImplemented
        return (self.low, self.high, self.closed) == (other.low, other.high, other.closed)

    def __hash__(self) -> int:
        return hash((self.low, self.high, self.closed))


class AnyOf:
    """One of several values; `any_of` makes it."""

    __slots__ = ("values",)

    def __init__(self, values: tuple[Any, ...]) -> None:
        self.values = values

    def __repr__(self) -> str:
        return f"any_of({', '.join(map(repr, self.values))})"

    def __eq__(self, other: object) -> bool:
        return self.values == other.values if isinstance(other, AnyOf) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.values)


def between(low: Any, high: Any, closed: Literal["both", "left", "right", "neither"] = "both") -> Between:
    """For an event: any value from low to high, which are of one family; None for no end.

    Args:
        closed: which of the ends belong to it.

    >>> between(20, None)
    between(20, None)
    """
    if closed not in CLOSED:
        raise ValueError(f"closed is one of {', '.join(map(repr, CLOSED))}, not {closed!r}")
    return Between(low, high, closed)


def any_of(*values: Any) -> AnyOf:
    """For an event: one of these values, which may be ranges too, and None for absent.

    >>> any_of("hardcover", "ebook")
    any_of('hardcover', 'ebook')
    """
    return AnyOf(
        tuple(one for value in values for one in (value.values if isinstance(value, AnyOf) else (value,)))
    )
