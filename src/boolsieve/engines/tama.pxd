from libc.stdint cimport uint32_t
from libcpp cimport bool as cbool
from libcpp.string cimport string

from boolsieve.encoding.clauses cimport Clauses, Scratch
from boolsieve.engines.base cimport Engine


cdef extern from "boolsieve/tama.hpp" namespace "boolsieve" nogil:
    cdef cppclass TamaIndex:
        uint32_t levels
        cbool approximate
        void insert(const Clauses& clauses, uint32_t first, uint32_t count) except +
        void remove(uint32_t first, uint32_t count) except +
        void match(const Clauses& clauses, Scratch& scratch) except +
        string check(const Clauses& clauses) except +


cdef class Tama(Engine):
    cdef TamaIndex index
