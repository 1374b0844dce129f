# distutils: language = c++
"""String predicates by their literals, for Python."""

from libc.stdint cimport uint32_t
from libcpp.string cimport string
from libcpp.vector cimport vector

from boolsieve.structures.pool cimport copy_buffers, total_bytes

KINDS = {
    "starts": DERIVED_STARTS,
    "ends": DERIVED_ENDS,
    "contains": DERIVED_CONTAINS,
    "like": DERIVED_LIKE,
    "folded_equals": DERIVED_FOLDED_EQUALS,
    "folded_starts": DERIVED_FOLDED_STARTS,
    "folded_ends": DERIVED_FOLDED_ENDS,
    "folded_contains": DERIVED_FOLDED_CONTAINS,
    "folded_like": DERIVED_FOLDED_LIKE,
}


cdef class Patterns:
    """Finds, for a string, all stored string predicates on its attribute that hold.

    Operands and values are UTF-8; in a LIKE, the byte 0xFF stands for `%` and 0xFE for `_`.
    """

    def __len__(self):
        return self.patterns.size()

    def add(self, uint32_t name, str kind not None, bytes operand not None, uint32_t attribute):
        if kind not in KINDS:
            raise ValueError(f"{kind!r} is none of {', '.join(KINDS)}")
        self.patterns.add(name, <Derived><int>KINDS[kind], operand, len(operand), attribute)

    def uses_plain(self, uint32_t name):
        return self.patterns.uses_plain(name)

    def uses_folded(self, uint32_t name):
        return self.patterns.uses_folded(name)

    def find(self, uint32_t name, bint folded, bytes value not None):
        cdef vector[uint32_t] found
        cdef const char* start = value
        cdef size_t length = len(value)
        with nogil:
            self.patterns.find(name, folded, start, length, found)
        return found

    def settle(self):
        self.patterns.settle()

    def copy(self):
        cdef Patterns other = Patterns.__new__(Patterns)
        copy_buffers(self.patterns, other.patterns)
        return other

    @property
    def nbytes(self):
        return total_bytes(self.patterns)

    def check(self):
        """Raises if an invariant is broken."""
        cdef string problem = self.patterns.check()
        if not problem.empty():
            raise AssertionError((<bytes> problem).decode())
