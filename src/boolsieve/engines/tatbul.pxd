"""What Tatbul's five indexes have in common."""

from libc.stdint cimport uint32_t
from libcpp.memory cimport unique_ptr
from libcpp.string cimport string
from libcpp.vector cimport vector

from boolsieve.encoding.clauses cimport Clauses, Scratch
from boolsieve.engines.base cimport Engine
from boolsieve.memory.buffers cimport NamedBuffer
from boolsieve.structures.intervals cimport TreeOptions


cdef extern from "boolsieve/profile_index.hpp" namespace "boolsieve" nogil:
    cdef cppclass CProfileIndex "boolsieve::ProfileIndex":
        void insert(const Clauses& clauses, uint32_t first, uint32_t count) except +
        void match(const Clauses& clauses, Scratch& scratch) except +
        void list(vector[NamedBuffer]& out) except +
        string check(const Clauses& clauses) except +

    cdef cppclass ProfileIndexOf[Bank](CProfileIndex):
        ProfileIndexOf() except +
        ProfileIndexOf(const TreeOptions& options) except +


cdef class ProfileIndex(Engine):
    cdef unique_ptr[CProfileIndex] index
