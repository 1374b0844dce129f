"""What PSTBloom and PSTHash share: an index by PS-Trees (csrc/boolsieve/pst_index.hpp) as an engine."""

from boolsieve.memory.buffers cimport list_buffers


cdef class PST(Engine):
    """Finds clauses through the predicate spaces of their access predicates. Subclasses make the index."""

    def __dealloc__(self):
        del self.index

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
        cdef vector[NamedBuffer] found
        list_buffers(self.index[0], string(b"pst."), found)
        return found

    def check_invariants(self) -> None:
        """Asserts the invariants that csrc/boolsieve/pst_index.hpp numbers."""
        cdef string problem = self.index.check(self.store.clauses())
        assert problem.empty(), problem.decode()
