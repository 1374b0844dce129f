"""TAMA: counts, over a hierarchy of cells an attribute, how many of a clause's intervals an event falls into.

Y. Zhao, J. Wu, "Towards Approximate Event Processing in a Large-scale Content-based Network" (ICDCS 2011). The values
of an attribute are halved again and again, down to cells of a bottom level. An interval is stored in the few largest
cells that tile it, at most two a level. A value lies in one cell of each level, and each clause stored there is
counted; a clause whose intervals have all been counted is found. The two cells at the ends of an interval reach
beyond it, so what is found is a little too much.

Where it differs, and why:
- What is found is checked, so answers are exact; `approximate=True` reports it as it is, as the paper does.
- Halving goes by the operands seen, not by a fixed domain, and no deeper than they are many.
- Events may lack attributes: nothing is counted then, and a clause that needs one is not found.
- A member of IN is an interval of its own in a cell of the bottom. What is no interval is checked, also in
  approximate mode; a clause with nothing else is stored in the cell of all values, of an attribute that it needs.
- Counters are never cleared: those of an event begin above the highest of the event before.

  buffer       type    length        meaning
  tree_of.*    -       -             attribute -> tree (int_map.hpp)
  tree_levels  uint32  trees         how often its values are halved
  tree_first   uint32  trees         the list of its cell 1, the whole; cell i is halved into 2i and 2i + 1
  bound_begin  uint32  trees + 1     where its bounds begin
  bound        uint64  -             the first keys of cells at the bottom
  lists.*      -       cells         the clauses in a cell, rising (lists.hpp)
  needed       uint8   clauses       how many intervals must be counted; + 128: something is left to check; 0: dead
  counts       uint32  0 or 3        how many clauses there were when the trees were built; how many came until now; the
                                     most predicates that one has

1. Each attribute that a clause needs has one tree.
2. A tree with n levels has 2^(n + 1) - 1 cells and at most 2^n bounds, which rise from 0.
3. `needed` is what a living clause's predicates call for, and 0 for a dead one.
4. A living clause stands in exactly the cells that its predicates call for.
5. No clause has more predicates than counts[2]. (So the counters of an event end below where those of the next
   begin.)

Cost: an event takes, for each attribute, a search among the bounds and a step for each clause in one cell a level:
half of all clauses where intervals are half as wide as the domain. Insert: up to two entries a level for an interval,
amortised. Remove: a byte. Bytes: 4 an entry, about one a level for wide intervals. Threads: match is const, counters
are in the scratch.
"""

from libc.stdint cimport uint32_t
from libcpp.string cimport string
from libcpp.vector cimport vector

from boolsieve.memory.buffers cimport NamedBuffer, list_buffers

DEFAULT_LEVELS = 8


cdef class Tama(Engine):
    """Counts the intervals that an event falls into, cell by cell.

    Args:
        levels: how often an attribute's values are halved at most.
        approximate: report what the cells say, without the check: too much, never too little.
    """

    test_variants = ({"levels": 2},)

    def __init__(self, *, levels=DEFAULT_LEVELS, approximate=False):
        if not isinstance(levels, int) or isinstance(levels, bool) or not 0 <= levels <= 16:
            raise ValueError(f"levels is an int from 0 to 16, not {levels!r}")
        if not isinstance(approximate, bool):
            raise ValueError(f"approximate is a bool, not {approximate!r}")
        self.index.levels = levels
        self.index.approximate = approximate

    def options(self) -> dict:
        """The keyword arguments that make an engine like this one."""
        given = {}
        if self.index.levels != DEFAULT_LEVELS:
            given["levels"] = self.index.levels
        if self.index.approximate:
            given["approximate"] = True
        return given

    cdef int insert(self, uint32_t first, uint32_t count) except -1:
        self.index.insert(self.store.clauses(), first, count)
        return 0

    cdef int remove(self, uint32_t first, uint32_t count) except -1:
        self.index.remove(first, count)
        return 0

    cdef int match(self, Scratch& scratch) except -1 nogil:
        self.index.match(self.store.clauses(), scratch)
        return 0

    cdef vector[NamedBuffer] buffers(self) except *:
        cdef vector[NamedBuffer] found
        list_buffers[TamaIndex](self.index, b"tama.", found)
        return found

    def check_invariants(self) -> None:
        """Asserts the numbered invariants; about as much work as building the index."""
        cdef string problem = self.index.check(self.store.clauses())
        if problem.size():
            raise AssertionError(problem.decode())
