from libc.stdint cimport uint32_t
from libcpp.memory cimport unique_ptr
from libcpp.string cimport string
from libcpp.vector cimport vector

from boolsieve.encoding.clauses cimport Clauses, Scratch
from boolsieve.engines.base cimport Engine
from boolsieve.memory.buffers cimport NamedBuffer


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
        void list(vector[NamedBuffer]& out) except +
        string check(const Clauses& clauses) except +

    cdef cppclass DexinTrees "boolsieve::DexinSlots<true>"(DexinIndex):
        DexinTrees() except +

    cdef cppclass DexinLists "boolsieve::DexinSlots<false>"(DexinIndex):
        DexinLists() except +


cdef class Dexin(Engine):
    cdef unique_ptr[DexinIndex] index
    cdef bint trees
