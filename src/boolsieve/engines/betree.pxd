from libc.stdint cimport uint32_t
from libcpp.string cimport string

from boolsieve.encoding.clauses cimport Clauses, Sample, Scratch
from boolsieve.engines.base cimport Engine


cdef extern from "boolsieve/betree.hpp" namespace "boolsieve" nogil:
    cdef cppclass BETreeCore:
        BETreeCore(uint32_t capacity, uint32_t min_size) except +
        void insert(const Clauses& clauses, uint32_t first, uint32_t count) except +
        void remove(const Clauses& clauses, uint32_t first, uint32_t count) except +
        void match(const Clauses& clauses, Scratch& scratch) except +
        void match_ranges(const Clauses& clauses, Scratch& scratch) except +
        void learn(const Clauses& clauses, const Sample& sample) except +
        string check(const Clauses& clauses) except +


cdef class BETree(Engine):
    cdef BETreeCore* core
    cdef object capacity
    cdef uint32_t min_size
