"""Sieve; the C++ header holds the meaning of each buffer and the invariants."""

from libc.stdint cimport uint32_t
from libcpp cimport bool as cbool
from libcpp.string cimport string
from libcpp.vector cimport vector

from boolsieve.encoding.clauses cimport Clauses, Scratch
from boolsieve.engines.base cimport Engine
from boolsieve.memory.buffers cimport NamedBuffer


cdef extern from "boolsieve/sieve.hpp" namespace "boolsieve" nogil:
    cdef cppclass SieveCore:
        void insert(const Clauses& clauses, uint32_t first, uint32_t count) except +
        void remove(const Clauses& clauses, uint32_t first, uint32_t count) except +
        void match(const Clauses& clauses, Scratch& scratch) except +
        cbool all_new() noexcept
        string check(const Clauses& clauses) except +


cdef class Sieve(Engine):
    cdef SieveCore core
