"""Propagation."""

from libc.stdint cimport uint32_t
from libcpp.string cimport string
from libcpp.vector cimport vector

from boolsieve.memory.buffers cimport NamedBuffer, list_buffers


cdef class Propagation(Engine):
    """Evaluates each distinct predicate once, then scans the clusters of the access predicates that hold."""

    def __cinit__(self):
        self.learns = True

    cdef int insert(self, uint32_t first, uint32_t count) except -1:
        self.index.insert(self.store.clauses(), first, count)
        return 0

    cdef int remove(self, uint32_t first, uint32_t count) except -1:
        self.index.remove(self.store.clauses(), first, count)
        return 0

    cdef int match(self, Scratch& scratch) except -1 nogil:
        self.index.match(self.store.clauses(), scratch)
        return 0

    cdef int learn(self, const Sample& sample) except -1:
        self.index.learn(self.store.clauses(), sample)
        return 0

    cdef vector[NamedBuffer] buffers(self) except *:
        cdef vector[NamedBuffer] named
        list_buffers(self.index, b"propagation.", named)
        return named

    def check_invariants(self) -> None:
        cdef string problem = self.index.check(self.store.clauses())
        assert problem.empty(), problem.decode()
