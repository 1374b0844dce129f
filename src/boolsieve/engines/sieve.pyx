"""Sieve: clauses in rows under their most selective predicate, checked eight predicates at a time, or in a bit grid.

Not from a paper. It takes the access predicate from the papers' engines (SIFT's key variant, Propagation, PS-Tree),
and puts the rest of the work where today's machines are fast: reading forward, and vectors.

- **Codes.** Each attribute's line is cut at its operands. The number of cuts at or below a value is its code; so an
  event has one small integer an attribute, whatever the type, and a predicate is a range of two.
- **Cells and rows.** A clause is filed under the predicate that the fewest events are expected to satisfy: under the
  code of a point, each member of a small set, or one or two blocks of 2^k codes that a range lies in. Its row holds
  all that is left to check. The rows of a cell lie side by side, and an event reads those of its own cells.
- **Lanes.** A row is checked by gathering the event's codes of eight attributes and comparing all with their ranges
  at once (AVX2; a loop without branches elsewhere). Sets of up to eight members are eight codes more.
- **Grid.** Wide ranges on all attributes leave no predicate to file a clause under. Such clauses, if they share
  attributes, are numbered, and have for each of 32 parts of an attribute's line a bit that says whether they may hold
  there. An event ANDs one set of bits an attribute, and checks in the store what is left.
- **Blocks** of events go row by row, but for an index of new clauses alone, which is scanned as `scan` does it.
- **Levels.** Rows are built in one go, from what all clauses of the level look like. New clauses are checked in the
  store while they are few, then go into levels of rising size, each four times the one before. A bulk load is one
  level.

Buffers (csrc/boolsieve/sieve.hpp draws them):

| buffer | type | length | meaning |
| --- | --- | --- | --- |
| tail | uint32 | up to 256 | clauses in no level, rising |
| dead | uint32 | 0 or levels | how many clauses of a level were removed |
| N.members | uint32 | clauses | the clauses of level N, rising |
| N.attributes | uint32 | 7 an attribute | in use; place; first step; codes; shift in lanes; cells; first cell |
| N.place_count | uint32 | 1 | places in lanes |
| N.steps | uint64 | | the cuts of each attribute's line, rising |
| N.cell_begin | uint32 | cells + 1 | where a cell's rows begin |
| N.rows | uint64 | | rows |
| N.grid_clause | uint32 | | the clauses in the grid |
| N.grid_attribute | uint32 | up to 16 | the attributes of the grid |
| N.grid_cuts | uint64 | 32 an attribute | where the parts of its line begin; the last is not used |
| N.grid_bits | uint64 | | for each attribute, each part, and its absence: a bit a clause |

Invariants:

1. The clauses rise from the last level to the first and on to the tail; each live clause is in one of them.
2. An attribute's steps rise. Its place is its own; beyond 65,534 attributes the rarer ones have none.
3. Cells divide the rows, and rows fill their cells.
4. Each clause of a level has a row or is in the grid. A lane allows all that some predicate on its attribute does.
5. A clause's bits say in which parts it may hold.

Costs: an event takes a binary search an attribute and level, then reads the rows of its cells (32 to 56 bytes each,
more with sets) and a bit a clause and attribute of the grid. Building takes about a microsecond a clause; an insert
builds each clause once a level, amortised, and the largest level in one go. Removal marks; a level that is half dead
is built anew. Threads: match is const.
"""

from boolsieve.encoding.clauses cimport collect_pairs, make_columns, scan_block
from boolsieve.memory.buffers cimport list_buffers


cdef class Sieve(Engine):
    """Clauses in rows under their most selective predicate, or in a grid of bits."""

    cdef int insert(self, uint32_t first, uint32_t count) except -1:
        self.core.insert(self.store.clauses(), first, count)
        return 0

    cdef int remove(self, uint32_t first, uint32_t count) except -1:
        self.core.remove(self.store.clauses(), first, count)
        return 0

    cdef int match(self, Scratch& scratch) except -1 nogil:
        self.core.match(self.store.clauses(), scratch)
        return 0

    cdef int match_block(self, Scratch& scratch) except -1 nogil:
        cdef Clauses clauses = self.store.clauses()
        if not self.core.all_new() or not make_columns(scratch, clauses.attributes):
            return Engine.match_block(self, scratch)
        scan_block(clauses, scratch)
        collect_pairs(scratch, scratch.block.rows, self.store.store.in_order)
        return 0

    cdef vector[NamedBuffer] buffers(self) except *:
        cdef vector[NamedBuffer] found
        list_buffers(self.core, string(b"sieve."), found)
        return found

    def check_invariants(self) -> None:
        cdef string problem = self.core.check(self.store.clauses())
        assert problem.empty(), problem.decode()
