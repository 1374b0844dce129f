from libc.stdint cimport uint32_t
from libcpp.string cimport string

from boolsieve.encoding.clauses cimport Clauses, Scratch
from boolsieve.engines.base cimport Engine


cdef extern from "boolsieve/htree.hpp" namespace "boolsieve" nogil:
    cdef cppclass HTreeOptions "boolsieve::HTree::Options":
        uint32_t leaf
        uint32_t levels


cdef extern from "boolsieve/levels.hpp" namespace "boolsieve" nogil:
    cdef cppclass HTreeLevels "boolsieve::Levels<boolsieve::HTree>":
        HTreeLevels(HTreeOptions options) except +
        void insert(const Clauses& clauses, uint32_t first, uint32_t count) except +
        void match(const Clauses& clauses, Scratch& scratch) except +
        string check(const Clauses& clauses) except +


cdef class HTree(Engine):
    cdef HTreeOptions given
    cdef HTreeLevels* trees
