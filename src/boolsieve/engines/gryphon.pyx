"""Gryphon."""

from libcpp.vector cimport vector

from boolsieve.memory.buffers cimport NamedBuffer, list_buffers

DEFAULT_LEAF = 16


cdef class Gryphon(Engine):
    """A tree in which each node tests attributes, and each edge is an outcome.

    Args:
        leaf: so many clauses with the same way through the tree are read one by one.
        order: which attributes are tested first, "rare" or "common" ones.
    """

    test_variants = ({"leaf": 1}, {"leaf": 2, "order": "common"})

    def __cinit__(self, *, leaf=DEFAULT_LEAF, order="rare"):
        if not isinstance(leaf, int) or isinstance(leaf, bool) or not 1 <= leaf <= 1 << 20:
            raise ValueError(f"leaf is an int from 1 to 2**20, not {leaf!r}")
        if order not in ("rare", "common"):
            raise ValueError(f"order is 'rare' or 'common', not {order!r}")
        self.given.leaf = leaf
        self.given.common_first = order == "common"
        self.levels = new GryphonLevels(self.given)

    def __init__(self, *, leaf=DEFAULT_LEAF, order="rare"):
        pass

    def __dealloc__(self):
        del self.levels

    def options(self) -> dict:
        """The keyword arguments that make an engine like this one."""
        given = {}
        if self.given.leaf != DEFAULT_LEAF:
            given["leaf"] = self.given.leaf
        if self.given.common_first:
            given["order"] = "common"
        return given

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
