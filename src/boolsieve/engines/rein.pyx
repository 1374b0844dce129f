"""REIN: marks what an event excludes; what stays unmarked matches.

S. Qian, J. Cao, Y. Zhu, M. Li, "REIN: A Fast Event Matching Approach for Content-based Publish/Subscribe Systems"
(INFOCOM 2014). For each attribute there are two lists of buckets over its values: one of the low ends of the
intervals, one of the high ends. A clause is excluded if its low end is above the event's value or its high end is
below it. So the event's bucket is compared entry by entry, and all that is in the buckets above (of the low ends) or
below (of the high ends) is marked as it is. The wider the intervals, the less there is to mark.

Where it differs, and why:
- Events may lack attributes. One set of bits an attribute holds the clauses that need it, and is marked in words when
  it is missing. Attributes that few clauses constrain have no lists; clauses that need one are filed under it
  (csrc/boolsieve/dense_clauses.hpp).
- Buckets hold about as many entries each, wherever the operands lie; one that gets two to four times its share is
  split.
- Of IN, the smallest and the largest member are the ends. IN and what is no interval is decided by the shared check
  of what stays unmarked.
- Keys and clauses of a bucket lie apart, since of most buckets only the clauses are read.
- A removed clause loses its bit in the set that matching begins with. Its entries stay; marking it does no harm.

  buffer      type    length            meaning
  dense.*     -       -                 places, columns, clauses that are filed aside (dense_clauses.hpp)
  buckets.*   -       2 * columns       lists of (first key, bucket): for each column of low ends, of high ends
  entries     uint32  2 * columns       how many entries these buckets have in all
  keys.*      -       buckets           the operands in a bucket
  places.*    -       buckets           the places of the clauses that have them

1. to 4. are those of dense_clauses.hpp.
5. The lists keep their invariants (lists.hpp), and are as many as the columns call for.
6. Each bucket is in one list of buckets, in which first keys rise from 0.
7. Keys are in the bucket that they belong to, and `entries` counts them.
8. A living clause has exactly the entries that its predicates call for, and is marked undecided if it has predicates
   beside ranges.

Cost: an event takes, for each attribute, a search among the buckets, a bucket's worth of comparisons for each of the
two lists, and one bit cleared for each end that is on the wrong side: at widths of one half, half of the clauses an
attribute. Insert: a search and two writes for an end, amortised. Remove: a bit. Bytes: 12 an end, up to 24 after
inserts; two bits and one an attribute for the sets. Threads: match is const, the marks are in the scratch.
"""

from libc.stdint cimport uint32_t
from libcpp.string cimport string
from libcpp.vector cimport vector

from boolsieve.memory.buffers cimport NamedBuffer, list_buffers


cdef class Rein(Engine):
    """Marks the clauses whose intervals an event misses.

    Args:
        buckets: how many buckets each of an attribute's two lists is built with; None: one for 512 entries.
    """

    test_variants = ({"buckets": 2},)

    def __init__(self, *, buckets=None):
        if buckets is not None and (not isinstance(buckets, int) or isinstance(buckets, bool)
                                    or not 1 <= buckets <= 1 << 20):
            raise ValueError(f"buckets is an int from 1 to 2**20 or None, not {buckets!r}")
        self.index.buckets = buckets or 0

    def options(self) -> dict:
        """The keyword arguments that make an engine like this one."""
        return {"buckets": self.index.buckets} if self.index.buckets else {}

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
        list_buffers[ReinIndex](self.index, b"rein.", found)
        return found

    def check_invariants(self) -> None:
        """Asserts the numbered invariants; about as much work as building the index."""
        cdef string problem = self.index.check(self.store.clauses())
        if problem.size():
            raise AssertionError(problem.decode())
