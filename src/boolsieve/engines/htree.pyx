"""H-Tree."""

from libcpp.vector cimport vector

from boolsieve.memory.buffers cimport NamedBuffer, list_buffers

DEFAULT_LEVELS = 3
DEFAULT_LEAF = 16


cdef class HTree(Engine):
    """Files clauses by the centres and widths of their intervals on a few attributes.

    Args:
        levels: on so many attributes at most, 1 to 8.
        leaf: so many clauses in the same cells are read one by one.
    """

    test_variants = ({"leaf": 1}, {"leaf": 2, "levels": 1}, {"leaf": 1, "levels": 8})

    def __cinit__(self, *, levels=DEFAULT_LEVELS, leaf=DEFAULT_LEAF):
        if not isinstance(levels, int) or isinstance(levels, bool) or not 1 <= levels <= 8:
            raise ValueError(f"levels is an int from 1 to 8, not {levels!r}")
        if not isinstance(leaf, int) or isinstance(leaf, bool) or not 1 <= leaf <= 1 << 20:
            raise ValueError(f"leaf is an int from 1 to 2**20, not {leaf!r}")
        self.given.levels = levels
        self.given.leaf = leaf
        self.trees = new HTreeLevels(self.given)

    def __init__(self, *, levels=DEFAULT_LEVELS, leaf=DEFAULT_LEAF):
        pass

    def __dealloc__(self):
        del self.trees

    def options(self) -> dict:
        """The keyword arguments that make an engine like this one."""
        given = {}
        if self.given.levels != DEFAULT_LEVELS:
            given["levels"] = self.given.levels
        if self.given.leaf != DEFAULT_LEAF:
            given["leaf"] = self.given.leaf
        return given

    cdef int insert(self, uint32_t first, uint32_t count) except -1:
        self.trees.insert(self.store.clauses(), first, count)
        return 0

    cdef int remove(self, uint32_t first, uint32_t count) except -1:
        return 0

    cdef int match(self, Scratch& scratch) except -1 nogil:
        self.trees.match(self.store.clauses(), scratch)
        return 0

    cdef vector[NamedBuffer] buffers(self) except *:
        cdef vector[NamedBuffer] found
        list_buffers(self.trees[0], string(b"htree."), found)
        return found

    def check_invariants(self) -> None:
        """Asserts the numbered invariants; about as much work as building the trees."""
        cdef string problem = self.trees.check(self.store.clauses())
        assert problem.empty(), problem.decode()
