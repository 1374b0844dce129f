from libc.stdint cimport uint32_t
from libcpp cimport bool as cbool
from libcpp.string cimport string

from boolsieve.encoding.clauses cimport Clauses, Sample, Scratch
from boolsieve.engines.base cimport Engine


cdef extern from "boolsieve/opindex.hpp" namespace "boolsieve" nogil:
    cdef cppclass OpIndexCore:
        OpIndexCore(cbool segments) except +
        void insert(const Clauses& clauses, uint32_t first, uint32_t count) except +
        void remove(const Clauses& clauses, uint32_t first, uint32_t count) except +
        void match(const Clauses& clauses, Scratch& scratch) except +
        void learn(const Clauses& clauses, const Sample& sample) except +
        string check(const Clauses& clauses) except +


cdef class OpIndex(Engine):
    cdef OpIndexCore* core
    cdef bint segments
