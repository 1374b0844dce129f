"""The flat syntax tree and the flat normal form; the C++ header holds the meaning of each field."""

from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libcpp cimport bool as cbool
from libcpp.string cimport string
from libcpp.vector cimport vector


cdef extern from "boolsieve/tree.hpp" namespace "boolsieve" nogil:
    cdef enum Op:
        OP_AND
        OP_OR
        OP_NOT
        OP_TRUE
        OP_FALSE
        OP_ATTRIBUTE
        OP_EQ
        OP_NE
        OP_LT
        OP_LE
        OP_GT
        OP_GE
        OP_IN
        OP_BETWEEN
        OP_IS_NULL
        OP_IS_DISTINCT
        OP_LIKE
        OP_ILIKE
        OP_STARTS
        OP_ENDS
        OP_CONTAINS
        OP_MATCHES
        OP_HAS
        OP_HAS_ANY
        OP_HAS_ALL
        OP_HAS_NONE

    cdef enum Family:
        FAMILY_ANY
        FAMILY_NUMBER
        FAMILY_STRING
        FAMILY_BOOL
        FAMILY_TIME
        FAMILY_SET

    cdef enum LiteralType:
        LITERAL_BOOL
        LITERAL_INT
        LITERAL_FLOAT
        LITERAL_STRING
        LITERAL_TIME
        LITERAL_DATE

    cdef struct Literal:
        LiteralType type
        uint32_t length
        int64_t integer
        double real
        uint64_t offset

    cdef struct Node:
        Op op
        cbool negated
        uint32_t escape
        uint64_t name
        uint32_t name_length
        uint32_t first
        uint32_t count

    cdef cppclass Tree:
        vector[Node] nodes
        vector[Literal] literals
        string arena
        void clear()

    cdef enum TermKind:
        TERM_RANGE
        TERM_IN
        TERM_NOT_RANGE
        TERM_NOT_IN
        TERM_PRESENT
        TERM_ABSENT
        TERM_HOLDS
        TERM_FAILS

    cdef enum Bounds:
        LOW_OPEN
        HIGH_OPEN
        LOW_NONE
        HIGH_NONE

    cdef enum Derived:
        DERIVED_HAS
        DERIVED_STARTS
        DERIVED_ENDS
        DERIVED_CONTAINS
        DERIVED_LIKE
        DERIVED_MATCHES
        DERIVED_FOLDED_EQUALS
        DERIVED_FOLDED_STARTS
        DERIVED_FOLDED_ENDS
        DERIVED_FOLDED_CONTAINS
        DERIVED_FOLDED_LIKE

    cdef struct Term:
        TermKind kind
        Family family
        uint8_t bounds
        Derived derived
        uint32_t name_length
        uint64_t name
        uint64_t first
        uint32_t count

    cdef cppclass Normal:
        vector[uint64_t] expression_begin
        vector[uint64_t] clause_begin
        vector[Term] terms
        vector[Literal] literals
        string arena
        uint64_t clauses_of_last() noexcept
        uint64_t terms_of_last() noexcept
        void drop_last() noexcept
