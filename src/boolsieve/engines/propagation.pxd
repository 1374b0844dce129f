from libc.stdint cimport uint32_t
from libcpp.string cimport string

from boolsieve.encoding.clauses cimport Clauses, Sample, Scratch
from boolsieve.engines.base cimport Engine


cdef extern from "boolsieve/propagation.hpp" namespace "boolsieve" nogil:
    cdef cppclass PropagationIndex:
        void insert(const Clauses& clauses, uint32_t first, uint32_t count) except +
        void remove(const Clauses& clauses, uint32_t first, uint32_t count) except +
        void match(const Clauses& clauses, Scratch& scratch) except +
        void learn(const Clauses& clauses, const Sample& sample) except +
        string check(const Clauses& clauses) except +


cdef class Propagation(Engine):
    cdef PropagationIndex index
