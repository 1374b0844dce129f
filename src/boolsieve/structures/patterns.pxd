"""String predicates by their literals; the C++ header holds the meaning of each function and buffer."""

from libc.stdint cimport uint32_t
from libcpp cimport bool as cbool
from libcpp.string cimport string
from libcpp.vector cimport vector


cdef extern from "boolsieve/tree.hpp" namespace "boolsieve" nogil:
    cdef enum Derived:
        DERIVED_STARTS
        DERIVED_ENDS
        DERIVED_CONTAINS
        DERIVED_LIKE
        DERIVED_FOLDED_EQUALS
        DERIVED_FOLDED_STARTS
        DERIVED_FOLDED_ENDS
        DERIVED_FOLDED_CONTAINS
        DERIVED_FOLDED_LIKE


cdef extern from "boolsieve/patterns.hpp" namespace "boolsieve" nogil:
    cdef cppclass CPatterns "boolsieve::Patterns":
        void add(uint32_t name, Derived kind, const char* operand, size_t length, uint32_t attribute) except +
        cbool uses_plain(uint32_t name) noexcept
        cbool uses_folded(uint32_t name) noexcept
        void find(
            uint32_t name, cbool folded, const char* value, size_t length, vector[uint32_t]& found
        ) except +
        void settle() except +
        size_t size() noexcept
        string check() except +


cdef class Patterns:
    cdef CPatterns patterns
