"""The attributes of expressions: into the store, back as Python values, and as events for expressions about them."""

from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memcpy
from libcpp.string_view cimport string_view

from boolsieve.encoding.events cimport microseconds, put_value
from boolsieve.encoding.store cimport (
    ATTRIBUTE_BOOL, ATTRIBUTE_DATE, ATTRIBUTE_INTEGER, ATTRIBUTE_LIST, ATTRIBUTE_REAL, ATTRIBUTE_TEXT, ATTRIBUTE_TIME,
    AttributeTable, AttributeValues,
)

from datetime import datetime, timedelta, timezone

cdef object EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


cdef int set_attributes(ClauseStore store, uint32_t slot, dict attributes) except -1:
    """Gives a slot attributes: names with a bool, int, float, str, date, aware datetime, or a list of these."""
    cdef AttributeTable* table = &store.store.attributes
    cdef AttributeValues values
    cdef uint32_t name
    cdef bytes text
    values.begin = table.size()
    for key, value in attributes.items():
        text = key.encode()
        name = table.names.add(text, len(text))
        if isinstance(value, list):
            table.add(name, ATTRIBUTE_LIST, len(value))
            for element in value:
                add_value(table, name, element)
        else:
            add_value(table, name, value)
    values.count = table.size() - values.begin
    table.set(slot, values)
    return 0


cdef int add_value(AttributeTable* table, uint32_t name, object value) except -1:
    cdef bytes text
    cdef double real
    cdef uint64_t bits
    if isinstance(value, bool):
        table.add(name, ATTRIBUTE_BOOL, value)
    elif isinstance(value, int):
        table.add(name, ATTRIBUTE_INTEGER, <uint64_t><int64_t>value)
    elif isinstance(value, float):
        real = value
        memcpy(&bits, &real, sizeof(bits))
        table.add(name, ATTRIBUTE_REAL, bits)
    elif isinstance(value, str):
        text = value.encode()
        table.add(name, ATTRIBUTE_TEXT, table.strings.add(text, len(text)))
    else:
        table.add(name, ATTRIBUTE_TIME if isinstance(value, datetime) else ATTRIBUTE_DATE,
                  <uint64_t>microseconds(value))
    return 0


cdef object value_at(AttributeTable* table, uint64_t i):
    cdef int type = table.type[i]
    cdef uint64_t bits = table.value[i]
    cdef double real
    cdef string_view text
    if type == ATTRIBUTE_LIST:
        return [value_at(table, j) for j in range(i + 1, i + 1 + bits)]
    if type == ATTRIBUTE_TEXT:
        text = table.strings.text(<uint32_t>bits)
        return text.data()[:text.size()].decode()
    if type == ATTRIBUTE_INTEGER:
        return <int64_t>bits
    if type == ATTRIBUTE_REAL:
        memcpy(&real, &bits, sizeof(real))
        return real
    if type == ATTRIBUTE_BOOL:
        return bits != 0
    moment = EPOCH + timedelta(microseconds=<int64_t>bits)
    return moment.date() if type == ATTRIBUTE_DATE else moment


cdef uint64_t after(AttributeTable* table, uint64_t i) except? 0:
    """Where the value behind this one starts."""
    return i + 1 + (table.value[i] if table.type[i] == ATTRIBUTE_LIST else 0)


cdef dict attributes_of(ClauseStore store, uint32_t slot):
    """The attributes of a slot, by name."""
    cdef AttributeTable* table = &store.store.attributes
    cdef AttributeValues values = table.of(slot)
    cdef uint64_t i = values.begin
    cdef dict found = {}
    cdef string_view name
    while i < values.begin + values.count:
        name = table.names.text(table.name[i])
        found[name.data()[:name.size()].decode()] = value_at(table, i)
        i = after(table, i)
    return found


cdef int encode_attributes(ClauseStore store, uint32_t slot, ClauseStore asking, const NamePair* names, size_t n,
                           Scratch& s, list kept) except -1:
    """Fills scratch.event with the attributes of a slot that `asking` is about; the caller closes it."""
    cdef AttributeTable* table = &store.store.attributes
    cdef AttributeValues values = table.of(slot)
    cdef uint64_t i = values.begin
    cdef size_t j
    s.event.open(asking.dictionary.attribute_count())
    while i < values.begin + values.count:
        for j in range(n):
            if names[j].given == table.name[i]:
                put_value(asking, names[j].asked, value_at(table, i), s, kept)
        i = after(table, i)
    return 0
