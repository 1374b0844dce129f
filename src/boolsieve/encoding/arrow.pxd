"""Columns of Arrow record batches; the C++ header holds the meaning of each field."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libcpp.string cimport string
from libcpp.vector cimport vector


cdef int raise_problem() except *  # the C++ exception in flight as an EncodingError or MemoryError


cdef extern from "boolsieve/arrow.hpp" namespace "boolsieve" nogil:
    cdef struct ArrowSchema:
        const char* format
        const char* name
        const char* metadata
        int64_t flags
        int64_t n_children
        ArrowSchema** children
        ArrowSchema* dictionary
        void (*release)(ArrowSchema*) noexcept nogil
        void* private_data

    cdef struct ArrowArray:
        int64_t length
        int64_t null_count
        int64_t offset
        int64_t n_buffers
        int64_t n_children
        const void** buffers
        ArrowArray** children
        ArrowArray* dictionary
        void (*release)(ArrowArray*) noexcept nogil
        void* private_data

    cdef struct ArrowArrayStream:
        int (*get_schema)(ArrowArrayStream*, ArrowSchema*) noexcept nogil
        int (*get_next)(ArrowArrayStream*, ArrowArray*) noexcept nogil
        const char* (*get_last_error)(ArrowArrayStream*) noexcept nogil
        void (*release)(ArrowArrayStream*) noexcept nogil
        void* private_data

    cdef enum ColumnKind:
        COLUMN_NULL
        COLUMN_BOOL
        COLUMN_INT
        COLUMN_UINT64
        COLUMN_REAL
        COLUMN_STRING
        COLUMN_TIME
        COLUMN_LIST
        COLUMN_MAP
        COLUMN_UNSUITABLE

    cdef cppclass Column:
        ColumnKind kind
        string name
        string type
        int64_t length
        int32_t dictionary
        int32_t child
        int32_t items

    cdef cppclass Decoded:
        const uint8_t* valid
        const uint8_t* bools
        const int64_t* integers
        const uint64_t* naturals
        const double* reals
        const uint8_t* whole
        const uint8_t* inside
        const char* const* text
        const uint32_t* text_length
        const int32_t* codes
        const int64_t* part_offsets
        int64_t part_count

    cdef cppclass Batch:
        vector[Column] columns
        size_t fields
        int64_t length
        void read(const ArrowSchema* schema, const ArrowArray* array) except +raise_problem
        void decode(int32_t column, int64_t start, int64_t n, Decoded& out) except +raise_problem
        void decode_codes(int32_t column, int64_t start, int64_t n, Decoded& out) except +raise_problem
        void decode_parts(int32_t part, const Decoded& rows, Decoded& out) except +raise_problem


cdef class ArrowSource:
    """The record batches of an Arrow producer, one at a time.

    Not for two threads at once; a batch that has been read may be decoded by many, until the next `next()`.
    """
    cdef Batch batch              # what `next()` read; before that, the columns of the schema without rows
    cdef ArrowSchema schema
    cdef ArrowArray array         # of the batch, kept alive for it
    cdef ArrowArrayStream stream  # its release is NULL once it ended, and for a single array
    cdef bint waiting             # a single array has not been given yet

    cdef bint next(self) except -1
    cdef int take_stream(self, object capsule) except -1
    cdef int take_array(self, object schema, object array) except -1


cdef bint is_arrow(object data) except -1
cdef object unsuitable_error(const Column& column)
