"""Encodes Arrow batches, block by block and column by column, without the GIL.

Only columns that expressions use are read. Regular expressions and case folding are Python's, so a string that is new
in the batch takes the GIL for them; strings that were seen before do not.
"""

from libc.stdint cimport uint8_t

from boolsieve.encoding.arrow cimport (
    COLUMN_BOOL, COLUMN_INT, COLUMN_LIST, COLUMN_MAP, COLUMN_NULL, COLUMN_REAL, COLUMN_STRING, COLUMN_TIME,
    COLUMN_UINT64, COLUMN_UNSUITABLE, ColumnKind, unsuitable_error,
)
from boolsieve.encoding.clauses cimport BLOCK_ROWS
from boolsieve.encoding.events cimport find_in_python
from boolsieve.encoding.store cimport (
    KEY_ABSENT, KEY_HELD, USES_ELEMENTS, USES_FOLDED, USES_PLAIN, USES_REGEX, VIEW_ANY, VIEW_BOOL, VIEW_FAR, VIEW_ORDER,
    VIEW_REAL, VIEW_TEXT, VIEW_TIME, VIEW_USES, VIEW_VALUE, VIEW_WHOLE, RowSink, ValueBytes, order_key, put_bool,
    put_element, put_held, put_integer, put_real, put_set, put_text, put_text_element, put_time, time_key,
)
from boolsieve.structures.pool cimport NONE

from boolsieve.errors import EncodingError


cdef extern from "boolsieve/columns.hpp" namespace "boolsieve" nogil:
    void whole_keys(const int64_t* values, const uint8_t* valid, uint32_t n, uint64_t* out) noexcept
    void real_keys(const int64_t* values, const uint8_t* valid, uint32_t n, uint64_t* out) noexcept
    void whole_keys_of_reals "boolsieve::whole_keys"(const double* v, const uint8_t* ok, uint32_t n,
                                                     uint64_t* out) noexcept
    void real_keys_of_reals "boolsieve::real_keys"(const double* v, const uint8_t* ok, uint32_t n,
                                                   uint64_t* out) noexcept
    void bool_keys(const uint8_t* values, const uint8_t* valid, uint32_t n, uint64_t* out) noexcept
    void held_keys(const uint8_t* valid, uint32_t n, uint64_t* out) noexcept


cdef enum:
    NEW_CODE = -1   # a row of a dictionary that was not met yet
    NULL_CODE = -2  # and one that is null


cdef class Plan:
    def __init__(self, ArrowSource source, ClauseStore store):
        cdef size_t i
        cdef uint32_t name
        self.covered.resize(store.dictionary.names.size())
        for i in range(source.batch.fields):
            name = store.dictionary.names.find(source.batch.columns[i].name.data(), source.batch.columns[i].name.size())
            if source.batch.columns[i].kind == COLUMN_MAP:
                self.fields.push_back(Field(i, NONE))
            elif name != NONE:
                if self.covered[name]:
                    raise EncodingError(f"column {source.batch.columns[i].name.decode()!r} is there twice")
                if source.batch.columns[i].kind == COLUMN_UNSUITABLE:
                    raise unsuitable_error(source.batch.columns[i])
                self.covered[name] = 1
                if source.batch.columns[i].kind != COLUMN_NULL:
                    self.fields.push_back(Field(i, name))


cdef class BatchEncoder:
    def __init__(self, ClauseStore store, Plan plan):
        self.store = store
        self.plan = plan
        self.entries.resize(plan.fields.size())

    cdef void forget(self) noexcept:
        """There is another batch: what is known of the strings of the last does not hold any more."""
        self.batch = NULL

    cdef int start(self, Batch* batch) except -1 nogil:
        cdef size_t i
        cdef int32_t dictionary
        if self.batch != NULL:
            return 0
        self.batch = batch
        for i in range(self.plan.fields.size()):
            dictionary = batch.columns[self.plan.fields[i].column].dictionary
            self.entries[i].clear(batch.columns[dictionary].length if dictionary >= 0 else 0)
        return 0

    cdef int encode(self, int64_t start, uint32_t n, Scratch& scratch) except -1 nogil:
        """Fills scratch.block with n rows of the batch."""
        cdef size_t i
        cdef ColumnKind kind
        scratch.block.open(n)
        for i in range(self.plan.fields.size()):
            kind = self.batch.columns[self.plan.fields[i].column].kind
            if kind == COLUMN_STRING:
                self._texts(i, start, n, scratch)
            elif kind == COLUMN_LIST:
                self._lists(i, start, n, scratch)
            elif kind == COLUMN_MAP:
                self._maps(i, start, n, scratch)
            else:
                self._scalars(i, start, n, scratch)
        scratch.block.sort_cells()
        return 0

    cdef int _scalars(self, size_t field, int64_t start, uint32_t n, Scratch& s) except -1 nogil:
        cdef uint32_t name = self.plan.fields[field].name
        cdef const uint32_t* views = self.store.dictionary.views_of(name)
        cdef int32_t column = self.plan.fields[field].column
        cdef ColumnKind kind = self.batch.columns[column].kind
        cdef const uint8_t* valid
        cdef uint64_t* keys
        cdef uint32_t i
        self.batch.decode(column, start, n, self.rows)
        valid = self.rows.valid
        if (kind == COLUMN_UINT64 or self.rows.whole != NULL
                or ((kind == COLUMN_INT or kind == COLUMN_REAL) and (views[VIEW_FAR] or views[VIEW_VALUE]))):
            for i in range(n):
                if valid == NULL or valid[i]:
                    self._put(i, name, kind, self.rows, i, s)
            return 0
        if views[VIEW_ANY]:
            held_keys(valid, n, s.block.add_column(views[VIEW_ANY]))
        if kind == COLUMN_BOOL:
            if views[VIEW_BOOL]:
                bool_keys(self.rows.bools, valid, n, s.block.add_column(views[VIEW_BOOL]))
        elif kind == COLUMN_TIME:
            if views[VIEW_TIME]:
                keys = s.block.add_column(views[VIEW_TIME])
                whole_keys(self.rows.integers, valid, n, keys)
                if self.rows.inside != NULL:
                    for i in range(n):
                        if keys[i] != KEY_ABSENT:
                            keys[i] = time_key(self.rows.integers[i], self.rows.inside[i] != 0)
        elif kind == COLUMN_INT:
            if views[VIEW_WHOLE]:
                whole_keys(self.rows.integers, valid, n, s.block.add_column(views[VIEW_WHOLE]))
            if views[VIEW_REAL]:
                real_keys(self.rows.integers, valid, n, s.block.add_column(views[VIEW_REAL]))
        else:
            if views[VIEW_WHOLE]:
                whole_keys_of_reals(self.rows.reals, valid, n, s.block.add_column(views[VIEW_WHOLE]))
            if views[VIEW_REAL]:
                real_keys_of_reals(self.rows.reals, valid, n, s.block.add_column(views[VIEW_REAL]))
        return 0

    cdef int _put(self, uint32_t row, uint32_t name, ColumnKind kind, const Decoded& values, int64_t at,
                  Scratch& s) except -1 nogil:
        """One value that is present, as cells."""
        cdef const uint32_t* views = self.store.dictionary.views_of(name)
        cdef RowSink sink
        sink.block = &s.block
        sink.row = row
        if kind == COLUMN_BOOL:
            put_bool(views, values.bools[at] != 0, sink)
        elif kind == COLUMN_INT or (kind == COLUMN_REAL and values.whole != NULL and values.whole[at]):
            put_integer(self.store.dictionary, views, values.integers[at], sink)
        elif kind == COLUMN_UINT64:
            if values.naturals[at] >> 63:
                put_real(self.store.dictionary, views, <double>values.naturals[at], sink)
            else:
                put_integer(self.store.dictionary, views, <int64_t>values.naturals[at], sink)
        elif kind == COLUMN_REAL:
            put_real(self.store.dictionary, views, values.reals[at], sink)
        elif kind == COLUMN_TIME:
            put_time(views, values.integers[at], values.inside != NULL and values.inside[at], sink)
        return 0

    cdef int _texts(self, size_t field, int64_t start, uint32_t n, Scratch& s) except -1 nogil:
        """Strings: each distinct one is looked up once where there is a dictionary or a string predicate."""
        cdef uint32_t name = self.plan.fields[field].name
        cdef const uint32_t* views = self.store.dictionary.views_of(name)
        cdef int32_t column = self.plan.fields[field].column
        cdef uint64_t* keys = NULL
        cdef uint64_t* orders
        cdef uint32_t i
        if self.batch.columns[column].dictionary >= 0 and not views[VIEW_ORDER]:
            return self._coded_texts(field, start, n, s)
        self.batch.decode(column, start, n, self.rows)
        if views[VIEW_ANY]:
            held_keys(self.rows.valid, n, s.block.add_column(views[VIEW_ANY]))
        if views[VIEW_TEXT]:
            keys = s.block.add_column(views[VIEW_TEXT])
            for i in range(n):
                keys[i] = KEY_ABSENT
                if self.rows.valid == NULL or self.rows.valid[i]:
                    keys[i] = self.store.dictionary.text_key(views, self.rows.text[i], self.rows.text_length[i])
        if views[VIEW_ORDER]:
            orders = s.block.add_column(views[VIEW_ORDER])
            for i in range(n):
                orders[i] = KEY_ABSENT
                if self.rows.valid == NULL or self.rows.valid[i]:
                    orders[i] = order_key(self.rows.text[i], self.rows.text_length[i])
                    s.block.put_text(i, views[VIEW_ORDER], self.rows.text[i], self.rows.text_length[i])
        if views[VIEW_USES] & (USES_PLAIN | USES_FOLDED | USES_REGEX):
            for i in range(n):
                if self.rows.valid == NULL or self.rows.valid[i]:
                    self._put_hits(i, field, name, self.rows.text[i], self.rows.text_length[i], s)
        return 0

    cdef int _put_hits(self, uint32_t row, size_t field, uint32_t name, const char* text, size_t size,
                       Scratch& s) except -1 nogil:
        """The string predicates that hold for a string, from what is known of it if it was seen before."""
        cdef uint32_t entry = self.entries[field].distinct.add(text, size)
        if entry == self.entries[field].keys.size():
            self._evaluate(name, text, size, self.entries[field])
        self._put_entry(row, self.entries[field], entry, s)
        return 0

    cdef int _put_entry(self, uint32_t row, const TextEntries& known, uint32_t entry, Scratch& s) except -1 nogil:
        cdef uint32_t i
        cdef RowSink sink
        sink.block = &s.block
        sink.row = row
        for i in range(known.hits_begin[entry], known.hits_begin[entry + 1]):
            put_held(sink, known.hits[i])
        return 0

    cdef int _evaluate(self, uint32_t name, const char* text, size_t size, TextEntries& known) except -1 nogil:
        """Makes the entry of a string that is new."""
        cdef const uint32_t* views = self.store.dictionary.views_of(name)
        cdef uint64_t key = KEY_ABSENT
        if views[VIEW_TEXT]:
            key = self.store.dictionary.text_key(views, text, size)
        if views[VIEW_USES] & USES_PLAIN:
            self.store.dictionary.patterns.find(name, False, text, size, known.hits)
        if views[VIEW_USES] & (USES_FOLDED | USES_REGEX):
            with gil:
                find_in_python(self.store, name, text[:size].decode("utf-8", "replace"), known.hits)
        known.close_entry(key)
        return 0

    cdef int _coded_texts(self, size_t field, int64_t start, uint32_t n, Scratch& s) except -1 nogil:
        """Strings by their codes in a dictionary, of which only those that occur are looked up."""
        cdef uint32_t name = self.plan.fields[field].name
        cdef const uint32_t* views = self.store.dictionary.views_of(name)
        cdef int32_t column = self.plan.fields[field].column
        cdef int32_t dictionary = self.batch.columns[column].dictionary
        cdef uint64_t* keys = NULL
        cdef uint64_t* held = NULL
        cdef uint32_t i
        cdef int32_t code, entry
        self.batch.decode_codes(column, start, n, self.rows)
        if views[VIEW_ANY]:
            held = s.block.add_column(views[VIEW_ANY])
        if views[VIEW_TEXT]:
            keys = s.block.add_column(views[VIEW_TEXT])
            if held != NULL:  # adding a column may have moved the other
                held = keys - BLOCK_ROWS
        for i in range(n):
            code = self.rows.codes[i]
            entry = NULL_CODE
            if code >= 0:
                entry = self.entries[field].entry_of_code[code]
                if entry == NEW_CODE:
                    entry = self._code_entry(field, name, dictionary, code)
            if entry < 0:
                if held != NULL:
                    held[i] = KEY_ABSENT
                if keys != NULL:
                    keys[i] = KEY_ABSENT
                continue
            if held != NULL:
                held[i] = KEY_HELD
            if keys != NULL:
                keys[i] = self.entries[field].keys[entry]
            self._put_entry(i, self.entries[field], entry, s)
        return 0

    cdef int32_t _code_entry(self, size_t field, uint32_t name, int32_t dictionary, int32_t code) except -3 nogil:
        """Makes the entry of a row of the dictionary; it may be a null."""
        cdef TextEntries* known = &self.entries[field]
        cdef int32_t entry = <int32_t>known.keys.size()
        self.batch.decode(dictionary, code, 1, self.parts)
        if self.parts.valid != NULL and not self.parts.valid[0]:
            entry = NULL_CODE
        else:
            self._evaluate(name, self.parts.text[0], self.parts.text_length[0], known[0])
        known.entry_of_code[code] = entry
        return entry

    cdef int _lists(self, size_t field, int64_t start, uint32_t n, Scratch& s) except -1 nogil:
        cdef uint32_t name = self.plan.fields[field].name
        cdef const uint32_t* views = self.store.dictionary.views_of(name)
        cdef int32_t column = self.plan.fields[field].column
        cdef int32_t child = self.batch.columns[column].child
        cdef ColumnKind kind = self.batch.columns[child].kind
        cdef uint32_t row
        cdef RowSink sink
        sink.block = &s.block
        self.batch.decode(column, start, n, self.rows)
        if views[VIEW_USES] & USES_ELEMENTS and kind != COLUMN_NULL:
            self.batch.decode_parts(child, self.rows, self.parts)
        for row in range(n):
            if self.rows.valid == NULL or self.rows.valid[row]:
                sink.row = row
                self._put_list(name, kind, self.rows, row, self.parts, sink)
        return 0

    cdef int _put_list(self, uint32_t name, ColumnKind kind, const Decoded& lists, int64_t row, const Decoded& elements,
                       RowSink& sink) except -1 nogil:
        """The set of one row of decoded lists; elements of that kind were decoded if expressions test them."""
        cdef const uint32_t* views = self.store.dictionary.views_of(name)
        cdef int64_t at
        put_set(views, sink)
        if kind == COLUMN_NULL or not views[VIEW_USES] & USES_ELEMENTS:
            return 0
        for at in range(lists.part_offsets[row], lists.part_offsets[row + 1]):
            if elements.valid == NULL or elements.valid[at]:
                self._put_element(name, kind, elements, at, sink)
        return 0

    cdef int _put_element(self, uint32_t name, ColumnKind kind, const Decoded& values, int64_t at,
                          RowSink& sink) except -1 nogil:
        cdef ValueBytes value
        if kind == COLUMN_STRING:
            put_text_element(self.store.dictionary, name, values.text[at], values.text_length[at], self.key, sink)
            return 0
        if kind == COLUMN_BOOL:
            value = ValueBytes.boolean(values.bools[at] != 0)
        elif kind == COLUMN_TIME:
            if values.inside != NULL and values.inside[at]:
                return 0  # between two microseconds: equal to no operand
            value = ValueBytes.time(values.integers[at])
        elif kind == COLUMN_INT or (kind == COLUMN_REAL and values.whole != NULL and values.whole[at]):
            value = ValueBytes.integer(values.integers[at])
        elif kind == COLUMN_UINT64:
            if values.naturals[at] >> 63:
                value = ValueBytes.real(<double>values.naturals[at])
            else:
                value = ValueBytes.integer(<int64_t>values.naturals[at])
        else:
            value = ValueBytes.real(values.reals[at])
        put_element(self.store.dictionary, name, value, self.key, sink)
        return 0

    cdef int _maps(self, size_t field, int64_t start, uint32_t n, Scratch& s) except -1 nogil:
        """A map's keys are names of attributes; a column of the same name has precedence."""
        cdef int32_t column = self.plan.fields[field].column
        cdef int32_t items = self.batch.columns[column].items
        cdef ColumnKind kind = self.batch.columns[items].kind
        cdef ColumnKind element = COLUMN_NULL
        cdef uint32_t row, name
        cdef int64_t at
        cdef RowSink sink
        if kind == COLUMN_NULL:
            return 0
        sink.block = &s.block
        self.batch.decode(column, start, n, self.rows)
        self.batch.decode_parts(self.batch.columns[column].child, self.rows, self.parts)
        self.batch.decode_parts(items, self.rows, self.items)
        if kind == COLUMN_LIST:
            element = self.batch.columns[self.batch.columns[items].child].kind
            if element != COLUMN_NULL:
                self.batch.decode_parts(self.batch.columns[items].child, self.items, self.elements)
        for row in range(n):
            if self.rows.valid != NULL and not self.rows.valid[row]:
                continue
            sink.row = row
            for at in range(self.rows.part_offsets[row], self.rows.part_offsets[row + 1]):
                if self.items.valid != NULL and not self.items.valid[at]:
                    continue
                name = self.store.dictionary.names.find(self.parts.text[at], self.parts.text_length[at])
                if name == NONE or self.plan.covered[name]:
                    continue
                if kind == COLUMN_LIST:
                    self._put_list(name, element, self.items, at, self.elements, sink)
                    continue
                if kind != COLUMN_STRING:
                    self._put(row, name, kind, self.items, at, s)
                    continue
                put_text(self.store.dictionary, self.store.dictionary.views_of(name), self.items.text[at],
                         self.items.text_length[at], sink)
                if self.store.dictionary.views_of(name)[VIEW_USES] & (USES_PLAIN | USES_FOLDED | USES_REGEX):
                    self._put_map_hits(field, row, name, at, s)
        return 0

    cdef int _put_map_hits(self, size_t field, uint32_t row, uint32_t name, int64_t at, Scratch& s) except -1 nogil:
        """As _put_hits; what holds for a string depends on the name, so both make the entry."""
        cdef string both
        both.assign(<const char*>&name, sizeof(name))
        both.append(self.items.text[at], self.items.text_length[at])
        cdef uint32_t entry = self.entries[field].distinct.add(both.data(), both.size())
        if entry == self.entries[field].keys.size():
            self._evaluate(name, self.items.text[at], self.items.text_length[at], self.entries[field])
        self._put_entry(row, self.entries[field], entry, s)
        return 0
