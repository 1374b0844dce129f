"""DEXIN"""

from libc.stdint cimport uint32_t
from libcpp.string cimport string
from libcpp.vector cimport vector

from boolsieve.memory.buffers cimport NamedBuffer, list_buffers

# The paper's number of slots in an array (section 4, tau).
DEFAULT_SLOTS = 1500
METHODS = ("auto", "exclusive", "inclusive")


cdef class Dexin(Engine):
    """Excludes what an event rules out, or checks what is left, whichever costs less.

    Args:
        slots: at most so many slots in each of an attribute's arrays.
        method: "auto" decides for each event; "exclusive" and "inclusive" use one method alone.
    """

    test_variants = ({"slots": 3}, {"method": "exclusive"}, {"method": "inclusive"})

    def __init__(self, *, slots=DEFAULT_SLOTS, method="auto"):
        if not isinstance(slots, int) or isinstance(slots, bool) or not 1 <= slots <= 1 << 20:
            raise ValueError(f"slots is an int from 1 to 2**20, not {slots!r}")
        if method not in METHODS:
            raise ValueError(f"method is one of {', '.join(METHODS)}, not {method!r}")
        self.index.slots = slots
        self.index.method = METHODS.index(method)

    def options(self) -> dict:
        """The keyword arguments that make an engine like this one."""
        given = {}
        if self.index.slots != DEFAULT_SLOTS:
            given["slots"] = self.index.slots
        if self.index.method:
            given["method"] = METHODS[self.index.method]
        return given

    cdef int insert(self, uint32_t first, uint32_t count) except -1:
        self.index.insert(self.store.clauses(), first, count)
        return 0

    cdef int remove(self, uint32_t first, uint32_t count) except -1:
        self.index.remove(self.store.clauses(), first, count)
        return 0

    cdef int match(self, Scratch& scratch) except -1 nogil:
        self.index.match(self.store.clauses(), scratch)
        return 0

    cdef vector[NamedBuffer] buffers(self) except *:
        cdef vector[NamedBuffer] found
        list_buffers[DexinIndex](self.index, b"dexin.", found)
        return found

    def check_invariants(self) -> None:
        """Asserts the numbered invariants; about as much work as building the index."""
        cdef string problem = self.index.check(self.store.clauses())
        if problem.size():
            raise AssertionError(problem.decode())
