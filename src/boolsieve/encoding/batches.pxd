"""Arrow batches into blocks of encoded events."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libcpp.string cimport string
from libcpp.vector cimport vector

from boolsieve.encoding.arrow cimport ArrowSource, Batch, ColumnKind, Decoded
from boolsieve.encoding.clauses cimport Scratch, TextEntries
from boolsieve.encoding.store cimport ClauseStore, RowSink


cdef struct Field:
    int32_t column   # in the batch
    uint32_t name    # in the dictionary; NONE for a map, whose keys are names


cdef class Plan:
    """Which columns of a stream the expressions use."""

    cdef vector[Field] fields
    cdef vector[uint8_t] covered  # by name: whether it has a column


cdef class BatchEncoder:
    """Encodes rows of a batch into a block; each thread has its own."""

    cdef ClauseStore store
    cdef Plan plan
    cdef Batch* batch
    cdef Decoded rows
    cdef Decoded parts
    cdef Decoded items
    cdef Decoded elements
    cdef vector[TextEntries] entries  # by field
    cdef string key

    cdef void forget(self) noexcept
    cdef int start(self, Batch* batch) except -1 nogil
    cdef int encode(self, int64_t start, uint32_t n, Scratch& scratch) except -1 nogil
    cdef int _scalars(self, size_t field, int64_t start, uint32_t n, Scratch& s) except -1 nogil
    cdef int _put(self, uint32_t row, uint32_t name, ColumnKind kind, const Decoded& values, int64_t at,
                  Scratch& s) except -1 nogil
    cdef int _texts(self, size_t field, int64_t start, uint32_t n, Scratch& s) except -1 nogil
    cdef int _put_hits(self, uint32_t row, size_t field, uint32_t name, const char* text, size_t size,
                       Scratch& s) except -1 nogil
    cdef int _put_entry(self, uint32_t row, const TextEntries& known, uint32_t entry, Scratch& s) except -1 nogil
    cdef int _evaluate(self, uint32_t name, const char* text, size_t size, TextEntries& known) except -1 nogil
    cdef int _coded_texts(self, size_t field, int64_t start, uint32_t n, Scratch& s) except -1 nogil
    cdef int32_t _code_entry(self, size_t field, uint32_t name, int32_t dictionary, int32_t code) except -3 nogil
    cdef int _lists(self, size_t field, int64_t start, uint32_t n, Scratch& s) except -1 nogil
    cdef int _put_list(self, uint32_t name, ColumnKind kind, const Decoded& lists, int64_t row, const Decoded& elements,
                       RowSink& sink) except -1 nogil
    cdef int _put_element(self, uint32_t name, ColumnKind kind, const Decoded& values, int64_t at,
                          RowSink& sink) except -1 nogil
    cdef int _maps(self, size_t field, int64_t start, uint32_t n, Scratch& s) except -1 nogil
    cdef int _put_map_hits(self, size_t field, uint32_t row, uint32_t name, int64_t at, Scratch& s) except -1 nogil
