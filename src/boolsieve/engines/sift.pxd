from libc.stdint cimport uint32_t
from libcpp.memory cimport unique_ptr
from libcpp.string cimport string
from libcpp.vector cimport vector

from boolsieve.encoding.clauses cimport Clauses, Scratch
from boolsieve.engines.base cimport Engine
from boolsieve.memory.buffers cimport NamedBuffer


cdef extern from "boolsieve/sift.hpp" namespace "boolsieve" nogil:
    cdef cppclass SiftIndex:
        void insert(const Clauses& clauses, uint32_t first, uint32_t count) except +
        void remove(const Clauses& clauses, uint32_t first, uint32_t count) except +
        void match(const Clauses& clauses, Scratch& scratch) except +
        void list(vector[NamedBuffer]& out) except +
        string check(const Clauses& clauses) except +

    cdef cppclass SiftCounting(SiftIndex):
        SiftCounting() except +

    cdef cppclass SiftTrie(SiftIndex):
        SiftTrie(uint32_t depth) except +


cdef class Sift(Engine):
    cdef unique_ptr[SiftIndex] index
    cdef object variant
