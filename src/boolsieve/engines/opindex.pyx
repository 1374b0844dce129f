"""OpIndex: clauses by their rarest attribute, in each such partition a count of satisfied predicates.

D. Zhang, C.-Y. Chan, K.-L. Tan, "An Efficient Publish/Subscribe Index for E-Commerce Databases" (VLDB 2014), sections 4
to 6. A clause stands in the partition of its pivot, the attribute that events have least often; its predicates stand
there in lists by operator (=, <=, >=), split into 32 segments by attribute, each with a signature of 64 bits. An event
visits the partitions of its attributes, passes over the lists whose signature excludes its pair, and counts for each
clause how many of its predicates hold (algorithm 2). `segments=False` is the paper's OpIndex-BS: one segment, no
signatures.

Where it differs:

- Lists take inserts without being sorted again: new entries go to an unsorted tail of the partition, which is merged
  once it is longer than 32 entries and than a sixteenth of what is sorted. A partition of up to 32 entries is all tail.
- Everything that a visit reads lies in one block of memory, and counters are numbered within the partition.
- A removed clause's counter can no longer be reached; its entries go when they are a third of the partition's.
- Pivots follow the events: `learn` counts attributes, lets old counts fade, and moves clauses out of partitions that
  are visited far more often than another of their attributes would be.
- An interval is two predicates; a set is one, with an entry a member. Other kinds (`!=`, NOT IN, long texts) count as
  soon as the attribute is there, and are decided by the store when all else holds, as is `IS NULL`.
- A clause in conjunctive normal form (6.1) stands in the partitions of all attributes of its pivot, the disjunction
  that events have least often: for equal frequencies the smallest. The paper copies all predicates to each of them and
  marks satisfied disjunctions in a bitmap. Here a partition has the pivot's predicates on its attribute, in the same
  lists, and the attributes of one other disjunction, the guards; what has both is checked in the store. That was
  measured against bitmaps of a byte a disjunction: with 6,400 clauses met, 65 microseconds an event instead of 170, and
  130 bytes an expression instead of 370. A visit searches one list and not one for each pair of the event.

Buffers (csrc/boolsieve/opindex.hpp draws the blocks):

    partitions        uint32  8 an attribute  block, capacities for counters and entries, counters, entries, sorted
                                              entries, live clauses, dead entries
    blocks            uint64  8 a line        signatures, begins of the lists, needs, entries, owners
    clause_pivot      uint32  clauses         the pivot, 2**32 - 2 for several, 2**32 - 1 if dead
    clause_local      uint32  clauses         its counter in the partition, or its list of places
    places.*          -       -               lists of pivots, with the counter in each (csrc/boolsieve/lists.hpp)
    event_count       uint32  attributes      sampled events that had it
    expression_count  uint32  attributes      predicates of live clauses that need it
    totals            uint64  4               live clauses; sampled events; rounds of learning; lines in no block

Invariants:

1. Blocks lie in `blocks`, do not overlap, and hold no more than their capacities; lines of no block are counted.
2. Each live clause is in the partitions of its pivot and in no other, where `clause_pivot` and `clause_local` say; its
   pivot is a predicate or a disjunction that cannot hold without one of these attributes.
3. Sorted entries stand by segment, operator, attribute, key and counter, where the directory says.
4. Each sorted entry has its bit in its list's signature.
5. A tail is at most 32 entries long, or a sixteenth of the sorted entries.
6. A live clause has the entries, the counter and the guards that its predicates ask for; a dead one has counter 0,
   until it goes; live clauses and dead entries are counted.
7. The frequencies are those of the live clauses.
8. Clauses of several pivots, and no others, have a list of places, by rising attribute.

Cost: match reads 768 bytes of signatures a visited partition, then what holds; insert appends, and merges each entry
about 16 times while a partition doubles; remove is constant, amortised. 8 bytes a clause, 5 a counter, 16 an entry,
1.2 KB a partition with more than 32 entries, and an eighth of slack. Threads: match is const; counters live in the
scratch.
"""

from libc.stdint cimport uint32_t
from libcpp.vector cimport vector

from boolsieve.memory.buffers cimport NamedBuffer, list_buffers


cdef class OpIndex(Engine):
    """Clauses by their rarest attribute, with counters."""

    test_variants = ({"segments": False},)

    def __cinit__(self, *, segments=True):
        if not isinstance(segments, bool):
            raise TypeError(f"segments is a bool, not {segments!r}")
        self.segments = segments
        self.learns = True
        self.takes_cnf = True
        self.core = new OpIndexCore(segments)

    def __dealloc__(self):
        del self.core

    def options(self) -> dict:
        return {"segments": bool(self.segments)}

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
        list_buffers(self.core[0], b"opindex.", named)
        return named

    def check_invariants(self) -> None:
        cdef string problem = self.core.check(self.store.clauses())
        assert problem.empty(), problem.decode()
