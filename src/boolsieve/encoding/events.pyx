"""Encodes one event: each value goes to the views of its name that expressions use, and to no others.

A value costs one look-up of its name; names that no expression uses cost nothing more. `kept` collects objects whose
bytes an order key points to, so that they live as long as the scratch is in use.
"""

from cpython.bool cimport PyBool_Check
from cpython.datetime cimport (
    PyDate_Check, PyDateTime_Check, PyDateTime_CheckExact, PyDelta_Check, date_day, date_month, date_year,
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

from boolsieve.encoding.store cimport (
    KEY_FALSE, KEY_HELD, KEY_TRUE, USES_ELEMENTS, USES_FOLDED, USES_PLAIN, USES_REGEX, VIEW_ANY, VIEW_BOOL, VIEW_FAR,
    VIEW_ORDER, VIEW_REAL, VIEW_SET, VIEW_TEXT, VIEW_TIME, VIEW_USES, VIEW_VALUE, VIEW_WHOLE, ValueBytes, far_key,
    far_key_of_real, is_int64, order_key, real_key, real_key_of_real, whole_key, whole_key_of_real,
)
from boolsieve.encoding.clauses cimport Text
from boolsieve.structures.pool cimport NONE

from collections.abc import Mapping
from datetime import datetime, timezone

from boolsieve.encoding.values import plain_value
from boolsieve.errors import EncodingError

import_datetime()

cdef extern from "Python.h":
    const char* PyUnicode_AsUTF8AndSize(object text, Py_ssize_t* size) except? NULL

cdef object EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


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


cdef int put_integer(ClauseStore store, const uint32_t* views, int64_t x, Scratch& s) except -1:
    if views[VIEW_WHOLE]:
        s.event.put(views[VIEW_WHOLE], whole_key(x))
    if views[VIEW_REAL]:
        s.event.put(views[VIEW_REAL], real_key(x))
    if views[VIEW_FAR]:
        s.event.put(views[VIEW_FAR], far_key(x))
    if views[VIEW_VALUE]:
        s.event.put(views[VIEW_VALUE], store.dictionary.value_key(ValueBytes.integer(x)))
    return 0


cdef int put_real(ClauseStore store, const uint32_t* views, double d, Scratch& s) except -1:
    if views[VIEW_WHOLE]:
        s.event.put(views[VIEW_WHOLE], whole_key_of_real(d))
    if views[VIEW_REAL]:
        s.event.put(views[VIEW_REAL], real_key_of_real(d))
    if views[VIEW_FAR]:
        s.event.put(views[VIEW_FAR], far_key_of_real(d))
    if views[VIEW_VALUE]:
        s.event.put(views[VIEW_VALUE], store.dictionary.value_key(ValueBytes.real(d)))
    return 0


cdef int put_text(ClauseStore store, uint32_t name, const uint32_t* views, object value, Scratch& s, list kept) except -1:
    cdef Py_ssize_t size = 0
    cdef const char* text = utf8(value, &size, kept)
    cdef size_t i
    cdef uint32_t uses = views[VIEW_USES]
    if views[VIEW_TEXT]:
        s.event.put(views[VIEW_TEXT], store.dictionary.text_key(text, size))
    if views[VIEW_ORDER]:
        s.event.put(views[VIEW_ORDER], order_key(text, size))
        s.event.texts.push_back(Text(0, views[VIEW_ORDER], text, <size_t>size))
    if uses & (USES_PLAIN | USES_FOLDED | USES_REGEX):
        s.hits.clear()
        if uses & USES_PLAIN:
            store.dictionary.patterns.find(name, False, text, size, s.hits)
        if uses & USES_FOLDED:
            lowered = value.lower()
            text = utf8(lowered, &size, kept)
            store.dictionary.patterns.find(name, True, text, size, s.hits)
        for i in range(s.hits.size()):
            s.event.put(s.hits[i], KEY_HELD)
        if uses & USES_REGEX:
            for attribute in store.regex.find(name, value):
                s.event.put(attribute, KEY_HELD)
    return 0


cdef int put_element(ClauseStore store, uint32_t name, const char* tagged, size_t size, Scratch& s) except -1:
    cdef uint32_t attribute = store.dictionary.find_element(name, tagged, size, s.key)
    if attribute != NONE:
        s.event.put(attribute, KEY_HELD)
    return 0


cdef int put_elements(ClauseStore store, uint32_t name, object values, Scratch& s) except -1:
    cdef int64_t x
    cdef int overflow = 0
    cdef ValueBytes plain = ValueBytes.boolean(False)
    for value in values:
        if PyUnicode_Check(value):
            tagged = b"s" + value.encode("utf-8", "surrogatepass")
            put_element(store, name, tagged, len(tagged), s)
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
        elif PyDateTime_CheckExact(value) or (PyDate_Check(value) and not PyDateTime_Check(value)):
            plain = ValueBytes.time(microseconds(value))
        else:
            converted = plain_element(store, name, value)
            if converted is not None:
                put_elements(store, name, (converted,), s)
            continue
        put_element(store, name, plain.bytes, 9, s)
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


cdef int put_value(ClauseStore store, uint32_t name, object value, Scratch& s, list kept) except -1:
    cdef const uint32_t* views = store.dictionary.views_of(name)
    cdef int overflow = 0
    cdef int64_t x
    if value is None:
        return 0
    if PyUnicode_Check(value):
        put_text(store, name, views, value, s, kept)
    elif PyBool_Check(value):
        if views[VIEW_BOOL]:
            s.event.put(views[VIEW_BOOL], KEY_TRUE if value is True else KEY_FALSE)
    elif PyLong_Check(value):
        x = PyLong_AsLongLongAndOverflow(value, &overflow)
        if overflow:
            put_real(store, views, nearest(value), s)
        else:
            put_integer(store, views, x, s)
    elif PyFloat_Check(value):
        if PyFloat_AS_DOUBLE(value) != PyFloat_AS_DOUBLE(value):
            return 0
        put_real(store, views, PyFloat_AS_DOUBLE(value), s)
    elif PyDateTime_CheckExact(value) or (PyDate_Check(value) and not PyDateTime_Check(value)):
        if views[VIEW_TIME]:
            s.event.put(views[VIEW_TIME], whole_key(microseconds(value)))
    elif PyList_Check(value) or PyTuple_Check(value) or PyAnySet_Check(value):
        if views[VIEW_SET]:
            s.event.put(views[VIEW_SET], KEY_HELD)
        if views[VIEW_USES] & USES_ELEMENTS:
            put_elements(store, name, value, s)
    else:
        return put_other(store, name, value, s, kept)
    if views[VIEW_ANY]:
        s.event.put(views[VIEW_ANY], KEY_HELD)
    return 0


cdef int put_other(ClauseStore store, uint32_t name, object value, Scratch& s, list kept) except -1:
    """NumPy scalars, pandas' timestamps, decimals and what else stands for a basic value."""
    cdef uint32_t time_view = store.dictionary.views_of(name)[VIEW_TIME]
    try:
        plain, between = plain_value(value)
    except TypeError:
        raise EncodingError(
            f"attribute {name_of(store, name)!r}: a value of type {type(value).__name__} cannot be matched"
        ) from None
    kept.append(plain)
    put_value(store, name, plain, s, kept)
    if between and time_view:  # a time between two microseconds
        s.event.put(time_view, s.event.table[time_view] + 1)
    return 0


cdef dict flatten(dict event):
    """Nested mappings as dotted names. A key nearer to the top wins, as does the first of several."""
    cdef dict flat = {}
    cdef list level = [("", event)]
    while level:
        deeper = []
        for prefix, mapping in level:
            for key, value in mapping.items():
                if not isinstance(key, str):
                    continue
                if isinstance(value, Mapping):
                    deeper.append((prefix + key + ".", value))
                elif value is not None:
                    flat.setdefault(prefix + key, value)
        level = deeper
    return flat


cdef int encode_event(ClauseStore store, object event, Scratch& s, list kept) except -1:
    """Fills scratch.event, which the caller closes. On an error it is closed already."""
    cdef Py_ssize_t position = 0
    cdef Py_ssize_t size = 0
    cdef PyObject* key
    cdef PyObject* value
    cdef const char* text
    cdef uint32_t name
    if not PyDict_Check(event):
        if not isinstance(event, Mapping):
            raise EncodingError(f"an event is a mapping of attributes to values, not {type(event).__name__}")
        event = dict(event)
    s.event.open(store.dictionary.attribute_count())
    try:
        while PyDict_Next(event, &position, &key, &value):
            if PyDict_CheckExact(<object>value) or (not is_basic(<object>value) and isinstance(<object>value, Mapping)):
                s.event.close()
                kept.clear()
                event = flatten(event)
                kept.append(event)
                s.event.open(store.dictionary.attribute_count())
                position = 0
                continue
            if not PyUnicode_Check(<object>key):
                continue
            text = utf8(<object>key, &size, kept)
            name = store.dictionary.names.find(text, size)
            if name != NONE:
                put_value(store, name, <object>value, s, kept)
    except BaseException:
        s.event.close()
        raise
    return 0


cdef inline cbool is_basic(object value) noexcept:
    return (PyUnicode_Check(value) or PyLong_Check(value) or PyFloat_Check(value) or value is None
            or PyList_Check(value) or PyDate_Check(value))


cdef int encode_row(ClauseStore store, object event, uint32_t row, Scratch& s, list kept) except -1:
    """Adds one event to the block as cells."""
    cdef size_t i
    encode_event(store, event, s, kept)
    for i in range(1, s.event.attributes.size()):  # the first is the attribute that every event has
        s.block.put(row, s.event.attributes[i], s.event.table[s.event.attributes[i]])
    for i in range(s.event.texts.size()):
        s.block.put_text(row, s.event.texts[i].attribute, s.event.texts[i].data, s.event.texts[i].length)
    s.event.close()
    return 0
