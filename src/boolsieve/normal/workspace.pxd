"""The C++ that the normal forms work with; the headers hold the meaning of each field."""

from libc.stdint cimport int8_t, int64_t, uint32_t, uint64_t
from libcpp cimport bool as cbool
from libcpp.string cimport string
from libcpp.vector cimport vector

from boolsieve.language.tree cimport Family, Literal, LiteralType, Normal, Op, Term, Tree


cdef extern from "boolsieve/order.hpp" namespace "boolsieve" nogil:
    Family family_of(LiteralType type) noexcept
    Literal canonical(Literal literal) noexcept

    cdef cppclass Order:
        int literal(const Literal& a, const Literal& b) noexcept
        int name(const Term& a, const Term& b) noexcept
        int operand(const Term& a, const Term& b) noexcept


cdef extern from "boolsieve/cuts.hpp" namespace "boolsieve" nogil:
    cdef enum Side:
        SIDE_BELOW_ALL
        SIDE_BEFORE
        SIDE_AFTER
        SIDE_ABOVE_ALL

    cdef struct Cut:
        Literal value
        Side side

    cdef cppclass Interval:
        Cut low
        Cut high
        cbool is_point(const Order& order) noexcept

    void unite(const Order& order, vector[Interval]& intervals) noexcept
    void complement(const vector[Interval]& intervals, vector[Interval]& gaps) except +


cdef extern from "boolsieve/workspace.hpp" namespace "boolsieve" nogil:
    const uint32_t NONE

    cdef struct Group:
        Op op
        cbool absorbed
        uint32_t parent
        uint32_t term
        uint32_t child
        uint32_t next
        uint32_t width
        uint64_t begin
        uint64_t end
        uint64_t clauses
        uint64_t size

    cdef struct Context:
        uint32_t group
        cbool negated

    cdef struct Pending:
        uint32_t group
        uint32_t next

    cdef struct Frame:
        uint32_t group
        uint32_t pending
        uint32_t child
        uint64_t term
        uint64_t begin

    cdef struct Clause:
        uint64_t begin
        uint64_t end

    cdef cppclass Workspace:
        string arena
        vector[Literal] literals
        vector[Term] terms
        vector[uint32_t] term_next
        vector[Context] contexts
        vector[Group] groups
        vector[Term] gathered
        vector[Term] merged
        vector[Interval] intervals
        vector[Interval] gaps
        vector[uint32_t] forced
        vector[Pending] pending
        vector[Frame] frames
        vector[Term] path
        vector[Term] done
        vector[Clause] clauses

        void start(const Tree& tree) except +
        Order order() noexcept
        void sort_gathered() noexcept
        uint64_t hold(const Literal& literal) except +
        uint32_t distinct_from(uint64_t first) except +
        void finish_clause(const Term* begin, const Term* end) except +
        void reduce_clauses(uint64_t few) except +
        void append_to(Normal& out) except +
