from libc.stdint cimport uint32_t
from libcpp.string cimport string

from boolsieve.encoding.clauses cimport Clauses, Scratch
from boolsieve.engines.base cimport Engine


cdef extern from "boolsieve/rein.hpp" namespace "boolsieve" nogil:
    cdef cppclass ReinIndex:
        uint32_t buckets
        void insert(const Clauses& clauses, uint32_t first, uint32_t count) except +
        void remove(uint32_t first, uint32_t count) except +
        void match(const Clauses& clauses, Scratch& scratch) except +
        string check(const Clauses& clauses) except +


cdef class Rein(Engine):
    cdef ReinIndex index
