"""Intervals in a PS-Tree, for Python."""

from libc.stdint cimport uint32_t, uint64_t
from libcpp.string cimport string
from libcpp.string_view cimport string_view
from libcpp.vector cimport vector

from boolsieve.structures.pool cimport copy_buffers, total_bytes

import struct
from datetime import datetime, timedelta, timezone
from typing import NamedTuple

import numpy as np

cdef enum:
    AS_LEFT = 0xFFFFFFFE
    AS_RIGHT = 0xFFFFFFFD

KINDS = ("int64", "float64", "str", "datetime")
EPOCH = datetime(1970, 1, 1)


class Space(NamedTuple):
    """A predicate space: where it lies, the ids of the intervals that cover it, how many events fell into it."""

    bounds: str
    ids: list
    events: int


cdef class PSTree:
    """Intervals of one kind of values under ids, found by a point inside them.

    Args:
        kind: "int64", "float64", "str" or "datetime" (with a time zone or without, to the microsecond).

    >>> tree = PSTree("int64")
    >>> tree.add(0, 4, 1)
    >>> tree.add(2, 4, 2)
    >>> tree.stab(3)
    [1, 2]
    >>> [space.bounds for space in tree.spaces()]
    ['(.., 0)', '[0, 2)', '[2, 4]', '(4, ..)']
    """

    def __init__(self, kind="int64"):
        if kind not in KINDS:
            raise ValueError(f"{kind!r} is none of {', '.join(KINDS)}")
        self.kind = kind
        self.textual = kind == "str"
        self._kept = set()

    def __len__(self):
        return len(self._kept)

    cdef uint64_t _key(self, object value) except? 0:
        if self.kind == "float64":
            if value != value:
                raise ValueError("NaN lies in no interval")
            return float_bits_in_order(<double>value)
        if self.kind == "datetime":
            if not isinstance(value, datetime):
                raise TypeError(f"{value!r} is not a datetime")
            if value.tzinfo is not None:
                value = value.astimezone(timezone.utc).replace(tzinfo=None)
            value = (value - EPOCH) // timedelta(microseconds=1)
        elif isinstance(value, (bool, float)) or not -(1 << 63) <= value < 1 << 63:
            raise ValueError(f"{value!r} is no int64")
        return <uint64_t>(<object>int(value) + (1 << 63))

    cdef object _value(self, uint64_t kept):
        cdef string_view text
        if self.textual:
            text = self.texts.tree.elements.get(kept)
            return text.data()[:text.size()].decode()
        if self.kind == "float64":
            bits = kept ^ (1 << 63) if kept >> 63 else kept ^ 0xFFFFFFFFFFFFFFFF
            return struct.unpack("<d", struct.pack("<Q", bits))[0]
        number = <object>kept - (1 << 63)
        return EPOCH + timedelta(microseconds=number) if self.kind == "datetime" else number

    def add(self, low, high, uint32_t id):
        """Adds the interval from low to high, both inside; None is no end."""
        entry = (low, high, id)
        if entry in self._kept:
            raise ValueError(f"the interval {low!r} to {high!r} is there already under {id}")
        self._update(low, high, id, True)
        self._kept.add(entry)

    def add_many(self, lows, highs, ids):
        for low, high, id in zip(lows, highs, ids, strict=True):
            self.add(low, high, id)

    def remove(self, low, high, uint32_t id):
        """Takes an interval out again. Whether it was there."""
        entry = (low, high, id)
        if entry not in self._kept:
            return False
        self._update(low, high, id, False)
        self._kept.discard(entry)
        return True

    cdef int _update(self, object low, object high, uint32_t id, bint adds) except -1:
        cdef uint64_t low_key = 0, high_key = 0
        cdef string_view low_text, high_text
        cdef bytes low_bytes = b"", high_bytes = b""
        cdef bint has_low = low is not None, has_high = high is not None
        if has_low and has_high and not low <= high:
            raise ValueError(f"the interval ends at {high!r} before it begins at {low!r}")
        if self.textual:
            low_bytes = low.encode() if has_low else b""
            high_bytes = high.encode() if has_high else b""
            low_text = string_view(low_bytes, len(low_bytes))
            high_text = string_view(high_bytes, len(high_bytes))
            if adds:
                self.texts.add(&low_text if has_low else NULL, &high_text if has_high else NULL, id)
            else:
                self.texts.remove(&low_text if has_low else NULL, &high_text if has_high else NULL, id)
            return 0
        if has_low:
            low_key = self._key(low)
        if has_high:
            high_key = self._key(high)
        if adds:
            self.keys.add(&low_key if has_low else NULL, &high_key if has_high else NULL, id)
        else:
            self.keys.remove(&low_key if has_low else NULL, &high_key if has_high else NULL, id)
        return 0

    cdef uint32_t _space(self, object point) except? 0xFFFFFFFF:
        cdef bytes text
        if self.textual:
            text = point.encode()
            return self.texts.space(string_view(text, len(text)))
        return self.keys.space(self._key(point))

    cdef list _ids(self, uint32_t space):
        cdef uint32_t i, n = self.texts.count(space) if self.textual else self.keys.count(space)
        cdef const uint32_t* ids
        if not n:
            return []
        ids = self.texts.ids(space) if self.textual else self.keys.ids(space)
        return [ids[i] for i in range(n)]

    def stab(self, point):
        """The ids of the intervals that hold the point, in order of addition."""
        return self._ids(self._space(point))

    def stab_count(self, points):
        """How many ids the points have in all; an array of int64 or float64 is looked up at full speed."""
        cdef const uint64_t[::1] keys
        cdef uint64_t total = 0
        cdef size_t n
        if self.textual or self.kind == "datetime":
            return sum(len(self.stab(point)) for point in points)
        keys = self._key_array(points)
        n = <size_t>keys.shape[0]
        if n:
            with nogil:
                total = self.keys.count_all(&keys[0], n)
        return total

    def _key_array(self, points):
        if self.kind == "float64":
            values = np.asarray(points, np.float64) + 0.0
            if np.isnan(values).any():
                raise ValueError("NaN lies in no interval")
            bits = values.view(np.uint64)
            return np.where(bits >> np.uint64(63), ~bits, bits | np.uint64(1 << 63))
        return np.ascontiguousarray(points, np.int64).view(np.uint64) ^ np.uint64(1 << 63)

    def count_event(self, point):
        """Counts an event in the space where the point lies."""
        cdef bytes text
        if self.textual:
            text = point.encode()
            self.texts.count_event(string_view(text, len(text)))
        else:
            self.keys.count_event(self._key(point))

    def spaces(self):
        """All predicate spaces, in order."""
        cdef vector[uint64_t] values
        cdef vector[uint32_t] own, above
        cdef size_t i
        cdef list found = []
        cdef str start = "(.."
        cdef uint32_t space = self.texts.tree.first_space(0) if self.textual else self.keys.tree.first_space(0)
        if self.textual:
            self.texts.list_values(values, own, above)
        else:
            self.keys.list_values(values, own, above)
        for i in range(values.size()):
            value = self._value(values[i])
            found.append(self._describe(f"{start}, {value}{']' if own[i] == AS_LEFT else ')'}", space))
            if own[i] < AS_RIGHT:
                found.append(self._describe(f"[{value}, {value}]", own[i]))
            start = f"{'[' if own[i] == AS_RIGHT else '('}{value}"
            space = above[i]
        found.append(self._describe(f"{start}, ..)", space))
        return found

    cdef object _describe(self, str bounds, uint32_t space):
        events = self.texts.tree.event_count(space) if self.textual else self.keys.tree.event_count(space)
        return Space(bounds, self._ids(space), events)

    def copy(self):
        cdef PSTree other = PSTree(self.kind)
        if self.textual:
            copy_buffers(self.texts, other.texts)
        else:
            copy_buffers(self.keys, other.keys)
        other._kept = set(self._kept)
        return other

    @property
    def nbytes(self):
        return total_bytes(self.texts) if self.textual else total_bytes(self.keys)

    def check(self):
        """Raises if an invariant is broken."""
        cdef string problem = self.texts.check() if self.textual else self.keys.check()
        if not problem.empty():
            raise AssertionError((<bytes>problem).decode())
