"""Events from Python mappings into their encoded form."""

from libc.stdint cimport int64_t, uint32_t
from libcpp.vector cimport vector

from boolsieve.encoding.clauses cimport Scratch
from boolsieve.encoding.store cimport ClauseStore


cdef int encode_event(ClauseStore store, object event, Scratch& scratch, list kept) except -1
cdef bint encode_row(ClauseStore store, object event, uint32_t row, Scratch& scratch, list kept) except -1
cdef int64_t microseconds(object value) except? -1
cdef int put_value(ClauseStore store, uint32_t name, object value, Scratch& scratch, list kept) except -1
cdef int find_in_python(ClauseStore store, uint32_t name, object value, vector[uint32_t]& hits) except -1
