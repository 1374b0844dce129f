"""Events from Python mappings into their encoded form."""

from libc.stdint cimport uint32_t
from libcpp.vector cimport vector

from boolsieve.encoding.clauses cimport Scratch
from boolsieve.encoding.store cimport ClauseStore


cdef int encode_event(ClauseStore store, object event, Scratch& scratch, list kept) except -1
cdef int encode_row(ClauseStore store, object event, uint32_t row, Scratch& scratch, list kept) except -1
cdef int find_in_python(ClauseStore store, uint32_t name, object value, vector[uint32_t]& hits) except -1
