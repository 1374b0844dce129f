"""Sift."""

from libc.stdint cimport uint32_t
from libcpp.string cimport string
from libcpp.vector cimport vector

from boolsieve.memory.buffers cimport NamedBuffer

VARIANTS = ("counting", "key", "tree")
# Deep enough for what clauses share; a path is walked once for each predicate of a clause that is filed.
DEEPEST = 16


cdef class Sift(Engine):
    """Counts satisfied predicates, or files clauses under their rarest ones.

    Args:
        variant: "counting", a counter a clause; "key", clauses filed under their rarest predicate; "tree", under a path
            of predicates, rarest first.
    """

    test_variants = ({"variant": "key"}, {"variant": "tree"})

    def __cinit__(self, *, variant="counting"):
        if variant not in VARIANTS:
            raise ValueError(f"variant is 'counting', 'key' or 'tree', not {variant!r}")
        self.variant = variant
        if variant == "counting":
            self.index.reset(new SiftCounting())
        else:
            self.index.reset(new SiftTrie(1 if variant == "key" else DEEPEST))

    def options(self) -> dict:
        return {"variant": self.variant}

    cdef int insert(self, uint32_t first, uint32_t count) except -1:
        self.index.get().insert(self.store.clauses(), first, count)
        return 0

    cdef int remove(self, uint32_t first, uint32_t count) except -1:
        self.index.get().remove(self.store.clauses(), first, count)
        return 0

    cdef int match(self, Scratch& scratch) except -1 nogil:
        self.index.get().match(self.store.clauses(), scratch)
        return 0

    cdef vector[NamedBuffer] buffers(self) except *:
        cdef vector[NamedBuffer] named
        self.index.get().list(named)
        return named

    def check_invariants(self) -> None:
        cdef string problem = self.index.get().check(self.store.clauses())
        assert problem.empty(), problem.decode()
