from libc.stdint cimport uint32_t
from libcpp cimport bool as cbool
from libcpp.string cimport string

from boolsieve.encoding.clauses cimport Clauses, Scratch
from boolsieve.engines.base cimport Engine


cdef extern from "boolsieve/gryphon.hpp" namespace "boolsieve" nogil:
    cdef cppclass GryphonOptions "boolsieve::GryphonTree::Options":
        uint32_t leaf
        cbool common_first


cdef extern from "boolsieve/levels.hpp" namespace "boolsieve" nogil:
    cdef cppclass GryphonLevels "boolsieve::Levels<boolsieve::GryphonTree>":
        GryphonLevels(GryphonOptions options) except +
        void insert(const Clauses& clauses, uint32_t first, uint32_t count) except +
        void match(const Clauses& clauses, Scratch& scratch) except +
        string check(const Clauses& clauses) except +


cdef class Gryphon(Engine):
    cdef GryphonOptions given
    cdef GryphonLevels* levels
