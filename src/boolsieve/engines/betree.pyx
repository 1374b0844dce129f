"""BE-Tree."""

from libcpp.vector cimport vector

from boolsieve.memory.buffers cimport NamedBuffer, list_buffers

DEFAULT_MIN_SIZE = 3  # the paper's, section 7


cdef class BETree(Engine):
    """A tree that cuts the space by attributes and by ranges of their values, in turns.

    Args:
        capacity: how many clauses a leaf holds before it is cut; None to follow the share of clauses that match.
        min_size: how many clauses a partition has at least, while its directory is small.
    """

    test_variants = ({"capacity": 1, "min_size": 1}, {"capacity": 3})

    def __cinit__(self, *, capacity=None, min_size=DEFAULT_MIN_SIZE):
        for name, value in (("capacity", capacity), ("min_size", min_size)):
            if value is None and name == "capacity":
                continue
            if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value < 1 << 30:
                raise ValueError(f"{name} is a positive int, not {value!r}")
        self.capacity = capacity
        self.min_size = min_size
        self.learns = True
        self.core = new BETreeCore(capacity or 0, min_size)

    def __dealloc__(self):
        del self.core

    def options(self) -> dict:
        """The keyword arguments that make an engine like this one."""
        given = {}
        if self.capacity is not None:
            given["capacity"] = self.capacity
        if self.min_size != DEFAULT_MIN_SIZE:
            given["min_size"] = self.min_size
        return given

    cdef int insert(self, uint32_t first, uint32_t count) except -1:
        self.core.insert(self.store.clauses(), first, count)
        return 0

    cdef int remove(self, uint32_t first, uint32_t count) except -1:
        self.core.remove(self.store.clauses(), first, count)
        return 0

    cdef int match(self, Scratch& scratch) except -1 nogil:
        self.core.match(self.store.clauses(), scratch)
        return 0

    cdef int learn(self, const Sample& sample) except -1:
        self.core.learn(self.store.clauses(), sample)
        return 0

    cdef vector[NamedBuffer] buffers(self) except *:
        cdef vector[NamedBuffer] named
        list_buffers(self.core[0], b"betree.", named)
        return named

    def check_invariants(self) -> None:
        """Asserts the numbered invariants; about as much work as building the tree."""
        cdef string problem = self.core.check(self.store.clauses())
        assert problem.empty(), problem.decode()
