"""Encodes one event: each value goes to the views of its name that expressions use, and to no others.

A value costs one look-up of its name; names that no expression uses cost nothing more. `kept` collects objects whose
bytes an order key points to, so that they live as long as the scratch is in use.
"""

from cpython.bool cimport PyBool_Check
from cpython.datetime cimport (
    PyDate_Check, PyDateTime_Check, PyDateTime_CheckExact, date_day, date_month, date_year,
    datetime_hour, datetime_microsecond, datetime_minute, datetime_second, datetime_tzinfo, import_datetime,
)
from cpython.dict cimport PyDict_CheckExact, PyDict_Check, PyDict_Next
from cpython.float cimport PyFloat_AS_DOUBLE, PyFloat_Check
from cpython.list cimport PyList_Check
from cpython.long cimport PyLong_AsLongLongAndOverflow, PyLong_Check
from cpython.object cimport PyObject
from cpython.set cimport PyAnySet_Check
from cpython.tuple cimport PyTuple_Check
from cpython.unicode cimport PyUnicode_Check
from libc.stdint cimport int64_t, uint64_t
from libcpp cimport bool as cbool
from libcpp.vector cimport vector

from boolsieve.encoding.clauses cimport Number
from boolsieve.encoding.store cimport (
    KEY_HELD, KEY_HIGHEST, KEY_LOWEST, USES_ELEMENTS, USES_FOLDED, USES_PLAIN, USES_REGEX, VIEW_ORDER, VIEW_USES,
    ValueBytes, open_name, put_bool, put_element, put_held, put_integer, put_real, put_set, put_text, put_text_element,
    put_time, time_key,
)
from boolsieve.structures.pool cimport NONE

from collections.abc import Mapping
from datetime import timezone
from math import inf
from typing import NamedTuple

from boolsieve.encoding.ranges import AnyOf, Between
from boolsieve.encoding.values import plain_value
from boolsieve.errors import EncodingError

import_datetime()

cdef extern from "Python.h":
    const char* PyUnicode_AsUTF8AndSize(object text, Py_ssize_t* size) except? NULL


cdef const char* utf8(object text, Py_ssize_t* size, list kept) except? NULL:
    """The bytes of a string; lone surrogates, which have no UTF-8, keep their place in the order of code points."""
    try:
        return PyUnicode_AsUTF8AndSize(text, size)
    except UnicodeEncodeError:
        raw = text.encode("utf-8", "surrogatepass")
        kept.append(raw)
        size[0] = len(raw)
        return <const char*>(<bytes>raw)


cdef inline int64_t days_from_civil(int64_t year, int64_t month, int64_t day) noexcept nogil:
    """Days since 1970-01-01 in the proleptic Gregorian calendar, which repeats every 400 years."""
    cdef int64_t y = year - (month <= 2)
    cdef int64_t era = (y if y >= 0 else y - 399) // 400
    cdef int64_t of_era = y - era * 400
    cdef int64_t of_year = (153 * (month + (-3 if month > 2 else 9)) + 2) // 5 + day - 1
    return era * 146097 + of_era * 365 + of_era // 4 - of_era // 100 + of_year - 719468


cdef int64_t microseconds(object value) except? -1:
    """Of a date or datetime since 1970 in UTC; a naive one is taken as UTC."""
    cdef int64_t us = days_from_civil(date_year(value), date_month(value), date_day(value)) * 86_400_000_000
    if not PyDateTime_Check(value):
        return us
    us += ((datetime_hour(value) * 60 + datetime_minute(value)) * 60 + <int64_t>datetime_second(value)) * 1_000_000
    us += datetime_microsecond(value)
    cdef object zone = datetime_tzinfo(value)
    if zone is not None and zone is not timezone.utc:
        offset = value.utcoffset()
        if offset is not None:
            us -= (offset.days * 86_400 + offset.seconds) * <int64_t>1_000_000 + offset.microseconds
    return us


cdef int put_string(ClauseStore store, uint32_t name, const uint32_t* views, object value, Scratch& s,
                    list kept) except -1:
    cdef Py_ssize_t size = 0
    cdef const char* text = utf8(value, &size, kept)
    cdef uint32_t i, entry
    put_text(store.dictionary, views, text, size, s.event)
    if views[VIEW_ORDER]:
        kept.append(value)
    if not views[VIEW_USES] & (USES_PLAIN | USES_FOLDED | USES_REGEX):
        return 0
    if not s.remember:
        s.hits.clear()
        find_predicates(store, name, value, text, size, s.hits)
        for i in range(s.hits.size()):
            put_held(s.event, s.hits[i])
        return 0
    s.key.assign(<const char*>&name, sizeof(name))
    s.key.append(text, size)
    entry = s.seen.distinct.add(s.key.data(), s.key.size())
    if entry == s.seen.keys.size():
        find_predicates(store, name, value, text, size, s.seen.hits)
        s.seen.close_entry(KEY_HELD)
    for i in range(s.seen.hits_begin[entry], s.seen.hits_begin[entry + 1]):
        put_held(s.event, s.seen.hits[i])
    return 0


cdef int find_predicates(ClauseStore store, uint32_t name, object value, const char* text, size_t size,
                         vector[uint32_t]& hits) except -1:
    """Adds the attributes of the string predicates that hold."""
    cdef uint32_t uses = store.dictionary.views_of(name)[VIEW_USES]
    if uses & USES_PLAIN:
        store.dictionary.patterns.find(name, False, text, size, hits)
    if uses & (USES_FOLDED | USES_REGEX):
        find_in_python(store, name, value, hits)
    return 0


cdef int find_in_python(ClauseStore store, uint32_t name, object value, vector[uint32_t]& hits) except -1:
    """Adds the attributes of the predicates that need Python's case folding or the regular expressions."""
    cdef uint32_t uses = store.dictionary.views_of(name)[VIEW_USES]
    cdef Py_ssize_t size = 0
    cdef const char* text
    cdef list kept = []
    if uses & USES_FOLDED:
        lowered = str.lower(value)
        text = utf8(lowered, &size, kept)
        store.dictionary.patterns.find(name, True, text, size, hits)
    if uses & USES_REGEX:
        for attribute in store.regex.find(name, value):
            hits.push_back(attribute)
    return 0


cdef int put_elements(ClauseStore store, uint32_t name, object values, Scratch& s, list kept) except -1:
    cdef Py_ssize_t size = 0
    cdef int overflow = 0
    cdef int64_t x
    cdef const char* text
    cdef ValueBytes plain
    for value in values:
        if value is None:
            continue
        if PyUnicode_Check(value):
            text = utf8(value, &size, kept)
            put_text_element(store.dictionary, name, text, size, s.key, s.event)
            continue
        if PyBool_Check(value):
            plain = ValueBytes.boolean(value is True)
        elif PyLong_Check(value):
            x = PyLong_AsLongLongAndOverflow(value, &overflow)
            plain = ValueBytes.integer(x) if not overflow else ValueBytes.real(nearest(value))
        elif PyFloat_Check(value):
            if value != value:
                continue
            plain = ValueBytes.real(PyFloat_AS_DOUBLE(value))
        elif is_plain_time(value):
            plain = ValueBytes.time(microseconds(value))
        else:
            converted = plain_element(store, name, value)
            if converted is not None:
                put_elements(store, name, (converted,), s, kept)
            continue
        put_element(store.dictionary, name, plain, s.key, s.event)
    return 0


cdef object plain_element(ClauseStore store, uint32_t name, object value):
    """A value of the basic types, or None if it is absent or equals no operand (between two microseconds)."""
    try:
        converted, between = plain_value(value)
        if isinstance(converted, (list, dict)):
            raise TypeError
    except TypeError:
        raise EncodingError(
            f"attribute {name_of(store, name)!r}: a list that holds {type(value).__name__} values cannot be matched"
        ) from None
    return None if between else converted


cdef double nearest(object value) except? -1.0:
    """Integers beyond int64 are taken as the nearest float, those beyond floats as infinite."""
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


cdef object name_of(ClauseStore store, uint32_t name):
    return (<bytes>store.dictionary.names.text(name)).decode("utf-8", "surrogatepass")


cdef inline cbool is_plain_time(object value) noexcept:
    """A date, or a datetime that is no subclass (those of pandas have nanoseconds)."""
    return PyDateTime_CheckExact(value) or (PyDate_Check(value) and not PyDateTime_Check(value))


cdef int put_value(ClauseStore store, uint32_t name, object value, Scratch& s, list kept) except -1:
    cdef const uint32_t* views = store.dictionary.views_of(name)
    cdef int overflow = 0
    cdef int64_t x
    cdef double real
    if value is None:
        return 0
    if PyUnicode_Check(value):
        put_string(store, name, views, value, s, kept)
    elif PyBool_Check(value):
        put_bool(views, value is True, s.event)
    elif PyLong_Check(value):
        x = PyLong_AsLongLongAndOverflow(value, &overflow)
        if overflow:
            put_real(store.dictionary, views, nearest(value), s.event)
        else:
            put_integer(store.dictionary, views, x, s.event)
    elif PyFloat_Check(value):
        real = PyFloat_AS_DOUBLE(value)
        if real == real:
            put_real(store.dictionary, views, real, s.event)
    elif is_plain_time(value):
        put_time(views, microseconds(value), False, s.event)
    elif PyList_Check(value) or PyTuple_Check(value) or PyAnySet_Check(value):
        put_set(views, s.event)
        if views[VIEW_USES] & USES_ELEMENTS:
            put_elements(store, name, value, s, kept)
    elif isinstance(value, (AnyOf, Between)):
        put_choices(store, name, value, s, kept)
    else:
        # NumPy scalars, pandas' timestamps, decimals and what else stands for a basic value.
        try:
            plain, between = plain_value(value)
        except TypeError:
            raise EncodingError(
                f"attribute {name_of(store, name)!r}: a value of type {type(value).__name__} cannot be matched"
            ) from None
        if between:
            put_time(views, microseconds(plain), True, s.event)
        else:
            put_value(store, name, plain, s, kept)
    return 0


cdef int put_choices(ClauseStore store, uint32_t name, object value, Scratch& s, list kept) except -1:
    """An attribute with several values or a range; what comes down to one value is that value."""
    cdef list choices = []
    cdef size_t attributes, texts
    for one in value.values if isinstance(value, AnyOf) else (value,):
        if isinstance(one, Between):
            choices += Limits.of(one, name_of(store, name))
        elif isinstance(one, Mapping):
            raise EncodingError(f"attribute {name_of(store, name)!r}: any_of() takes values, not {type(one).__name__}")
        else:
            choices.append(one)
    if not choices:
        raise ValueError(f"attribute {name_of(store, name)!r}: any_of() without a value")
    if len(choices) == 1 and not isinstance(choices[0], Limits):
        return put_choice(store, name, choices[0], s, kept)
    open_name(s.ranges, store.dictionary, name)
    for choice in choices:
        if isinstance(choice, Limits):
            (<Limits>choice).put(s)
            continue
        attributes = s.event.attributes.size()
        texts = s.event.texts.size()
        put_choice(store, name, choice, s, kept)
        s.ranges.add_plain(s.event, attributes, texts)
    return 0


cdef int put_choice(ClauseStore store, uint32_t name, object value, Scratch& s, list kept) except -1:
    """A plain value of put_choices; a time is a pair of microseconds and whether it lies after them."""
    if type(value) is TimePoint:
        put_time(store.dictionary.views_of(name), value.microseconds, value.between, s.event)
        return 0
    return put_value(store, name, value, s, kept)


class TimePoint(NamedTuple):
    """A time, in microseconds and whether it lies between them and the next."""

    microseconds: int
    between: bool


cdef class Limits:
    """The ends of a range that holds more than one value: numbers, texts or times."""

    cdef str family
    cdef Number low, high
    cdef bytes low_text, high_text
    cdef bint open, endless
    cdef uint64_t low_key, high_key

    cdef int put(self, Scratch& s) except -1:
        if self.family == "number":
            s.ranges.add_numbers(self.low, self.high)
        elif self.family == "text":
            s.ranges.add_texts(self.low_text, self.high_text, self.open, self.endless)
        else:
            s.ranges.add_times(self.low_key, self.high_key)
        return 0

    @staticmethod
    cdef list of(object range, str name):
        """What a Between consists of: plain values or one Limits. The name is for errors."""
        cdef Limits limits = Limits()
        cdef bint low_open = range.low is not None and range.closed in ("right", "neither")
        cdef bint high_open = range.high is not None and range.closed in ("left", "neither")
        low, high = end_value(range.low, name), end_value(range.high, name)
        families = {family_of_end(end) for end in (low, high) if end is not None}
        if len(families) != 1:
            problem = "has no end" if not families else "has ends that do not compare"
            raise EncodingError(f"attribute {name!r}: {range!r} {problem}")
        (limits.family,) = families
        if limits.family == "bool":
            found = [x for x in (False, True) if (low is None or (x > low if low_open else x >= low))
                     and (high is None or (x < high if high_open else x <= high))]
        elif limits.family == "number":
            found = limits.of_numbers(low, high, low_open, high_open)
        elif limits.family == "text":
            found = limits.of_texts(low, high, low_open, high_open)
        else:
            found = limits.of_times(low, high, low_open, high_open)
        if not found:
            raise ValueError(f"attribute {name!r}: {range!r} is empty")
        return found

    cdef list of_numbers(self, object low, object high, bint low_open, bint high_open):
        self.low = number_of(-inf if low is None else low)
        self.high = number_of(inf if high is None else high)
        # Infinity is its own next number, so these are told apart before the ends move.
        if Number.compare(self.low, self.high) >= (1 if not low_open and not high_open else 0):
            return []
        if low_open:
            self.low = self.low.next()
        if high_open:
            self.high = self.high.previous()
        if low is not None and not low_open and Number.compare(self.low, self.high) == 0:
            return [low]
        return [self] if Number.compare(self.low, self.high) <= 0 else []

    cdef list of_texts(self, object low, object high, bint low_open, bint high_open):
        self.low_text = b"" if low is None else low.encode("utf-8", "surrogatepass")
        if low_open:
            self.low_text += b"\0"
        self.endless = high is None
        self.open = high_open
        self.high_text = b"" if high is None else high.encode("utf-8", "surrogatepass")
        if not self.endless and self.low_text == self.high_text and not self.open:
            return [self.high_text.decode("utf-8", "surrogatepass")]
        return [self] if self.endless or self.low_text < self.high_text else []

    cdef list of_times(self, object low, object high, bint low_open, bint high_open):
        self.low_key = KEY_LOWEST if low is None else time_key(low.microseconds, low.between) + low_open
        self.high_key = KEY_HIGHEST if high is None else time_key(high.microseconds, high.between) - high_open
        if self.low_key == self.high_key and low is not None and not low_open:
            return [low]
        return [self] if self.low_key <= self.high_key else []


cdef Number number_of(object value) except *:
    cdef int overflow = 0
    cdef int64_t x
    if PyFloat_Check(value):
        return Number(<double>PyFloat_AS_DOUBLE(value))
    x = PyLong_AsLongLongAndOverflow(value, &overflow)
    if overflow:
        return Number(nearest(value))
    return Number(x)


cdef object end_value(object value, str name):
    """The end of a range as a bool, int, float, str, TimePoint or None."""
    if value is None or PyUnicode_Check(value) or PyLong_Check(value):
        return value
    between = False
    try:
        if not PyFloat_Check(value) and not is_plain_time(value):
            value, between = plain_value(value)
            if isinstance(value, list):
                raise TypeError
    except TypeError:
        raise EncodingError(
            f"attribute {name!r}: a value of type {type(value).__name__} cannot be an end of a range") from None
    if value is None or value != value:
        raise ValueError(f"attribute {name!r}: NaN cannot be an end of a range; None is for no end")
    if PyDate_Check(value):
        return TimePoint(microseconds(value), between)
    return value


cdef str family_of_end(object end):
    if PyUnicode_Check(end):
        return "text"
    if PyBool_Check(end):
        return "bool"
    return "time" if type(end) is TimePoint else "number"


cdef dict flatten(dict event, uint32_t deepest):
    """Nested mappings as dotted names. A key nearer to the top wins, as does the first of several.

    Names have at most `deepest` dots, so deeper mappings are left alone; an event may even contain itself.
    """
    cdef dict flat = {}
    cdef list level = [("", event)]
    cdef uint32_t depth = 0
    while level and depth <= deepest:
        deeper = []
        for prefix, mapping in level:
            for key, value in mapping.items():
                if not isinstance(key, str):
                    continue
                if isinstance(value, Mapping):
                    deeper.append((prefix + key + ".", value))
                elif value is not None and not (PyFloat_Check(value) and value != value):
                    flat.setdefault(prefix + key, value)
        level = deeper
        depth += 1
    return flat


cdef int encode_event(ClauseStore store, object event, Scratch& s, list kept) except -1:
    """Fills scratch.event and scratch.ranges, which the caller closes. On an error they are closed already."""
    cdef Py_ssize_t position = 0
    cdef Py_ssize_t size = 0
    cdef PyObject* next_key
    cdef PyObject* next_value
    cdef object key, value
    cdef const char* text
    cdef uint32_t name
    if not PyDict_Check(event):
        if not isinstance(event, Mapping):
            raise EncodingError(f"an event is a mapping of attributes to values, not {type(event).__name__}")
        event = dict(event)
    s.event.open(store.dictionary.attribute_count())
    try:
        while PyDict_Next(event, &position, &next_key, &next_value):
            # Owned: what a value's own methods or other threads do to the event must not free them.
            key, value = <object>next_key, <object>next_value
            if PyDict_CheckExact(value) or (not is_basic(value) and isinstance(value, Mapping)):
                s.event.close()
                s.ranges.close()
                event = flatten(event, store.dictionary.deepest)
                s.event.open(store.dictionary.attribute_count())
                position = 0
                continue
            if not PyUnicode_Check(key):
                continue
            text = utf8(key, &size, kept)
            name = store.dictionary.names.find(text, size)
            if name != NONE:
                put_value(store, name, value, s, kept)
        if not s.ranges.empty():
            s.ranges.close_names()
    except BaseException:
        s.event.close()
        s.ranges.close()
        raise
    return 0


cdef inline cbool is_basic(object value) noexcept:
    return (PyUnicode_Check(value) or PyLong_Check(value) or PyFloat_Check(value) or value is None
            or PyList_Check(value) or PyDate_Check(value))


cdef bint encode_row(ClauseStore store, object event, uint32_t row, Scratch& s, list kept) except -1:
    """Adds one event to the block as cells. False if it is not plain, which a block cannot hold."""
    cdef size_t i
    encode_event(store, event, s, kept)
    if not s.ranges.empty():
        s.event.close()
        s.ranges.close()
        return False
    for i in range(1, s.event.attributes.size()):  # the first is the attribute that every event has
        s.block.put(row, s.event.attributes[i], s.event.table[s.event.attributes[i]])
    for i in range(s.event.texts.size()):
        s.block.put_text(row, s.event.texts[i].attribute, s.event.texts[i].data, s.event.texts[i].length)
    s.event.close()
    return True
