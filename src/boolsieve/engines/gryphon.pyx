"""Gryphon."""

from libcpp.vector cimport vector

from boolsieve.memory.buffers cimport NamedBuffer, list_buffers

DEFAULT_LEAF = 32


cdef class Gryphon(Engine):
    """A matching tree.

    Args:
        leaf: so many clauses that have the same way through the tree are read one by one.
    """

    test_variants = ({"leaf": 1}, {"leaf": 3})

    def __cinit__(self, *, leaf=DEFAULT_LEAF):
        if not isinstance(leaf, int) or isinstance(leaf, bool) or not 1 <= leaf <= 1 << 20:
            raise ValueError(f"leaf is an int from 1 to 2**20, not {leaf!r}")
        self.given.leaf = leaf
        self.levels = new GryphonLevels(self.given)

    def __init__(self, *, leaf=DEFAULT_LEAF):
        pass

    def __dealloc__(self):
        del self.levels

    def options(self) -> dict:
        """The keyword arguments that make an engine like this one."""
        return {} if self.given.leaf == DEFAULT_LEAF else {"leaf": self.given.leaf}

    cdef int insert(self, uint32_t first, uint32_t count) except -1:
        self.levels.insert(self.store.clauses(), first, count)
        return 0

    cdef int remove(self, uint32_t first, uint32_t count) except -1:
        return 0

    cdef int match(self, Scratch& scratch) except -1 nogil:
        self.levels.match(self.store.clauses(), scratch)
        return 0

    cdef vector[NamedBuffer] buffers(self) except *:
        cdef vector[NamedBuffer] found
        list_buffers(self.levels[0], string(b"gryphon."), found)
        return found

    def check_invariants(self) -> None:
        """Asserts the numbered invariants; about as much work as building the trees."""
        cdef string problem = self.levels.check(self.store.clauses())
        assert problem.empty(), problem.decode()
