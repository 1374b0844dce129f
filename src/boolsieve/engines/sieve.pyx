"""Sieve."""

from boolsieve.memory.buffers cimport list_buffers


cdef class Sieve(Engine):
    """Clauses in rows under their most selective predicate, or in a grid of bit sets."""

    cdef int insert(self, uint32_t first, uint32_t count) except -1:
        self.core.insert(self.store.clauses(), first, count)
        return 0

    cdef int remove(self, uint32_t first, uint32_t count) except -1:
        self.core.remove(self.store.clauses(), first, count)
        return 0

    cdef int match(self, Scratch& scratch) except -1 nogil:
        self.core.match(self.store.clauses(), scratch)
        return 0

    cdef vector[NamedBuffer] buffers(self) except *:
        cdef vector[NamedBuffer] found
        list_buffers(self.core, string(b"sieve."), found)
        return found

    def check_invariants(self) -> None:
        """Asserts the invariants that csrc/boolsieve/sieve.hpp numbers."""
        cdef string problem = self.core.check(self.store.clauses())
        assert problem.empty(), problem.decode()
