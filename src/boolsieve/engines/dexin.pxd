from libc.stdint cimport uint32_t
from libcpp.string cimport string
from libcpp.vector cimport vector

from boolsieve.encoding.clauses cimport Clauses, Scratch
from boolsieve.engines.base cimport Engine


cdef extern from "boolsieve/dexin.hpp" namespace "boolsieve" nogil:
    cdef struct DexinStep:
        double rate
        double cost

    size_t first_fit(const vector[DexinStep]& steps, size_t at, double share) noexcept

    cdef cppclass DexinIndex:
        uint32_t slots
        uint32_t method
        void insert(const Clauses& clauses, uint32_t first, uint32_t count) except +
        void remove(const Clauses& clauses, uint32_t first, uint32_t count) except +
        void match(const Clauses& clauses, Scratch& scratch) except +
        string check(const Clauses& clauses) except +


cdef class Dexin(Engine):
    cdef DexinIndex index
