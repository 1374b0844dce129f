"""Propagation: each distinct predicate is evaluated once into a bit; then clusters of clauses are scanned.

F. Fabret, H.-A. Jacobsen, F. Llirbat, J. Pereira, K. A. Ross, D. Shasha, "Filtering Algorithms and Implementation for
Very Fast Publish/Subscribe Systems" (SIGMOD 2001). Phase 1 finds the distinct predicates that the event satisfies
(csrc/boolsieve/predicate_index.hpp) and sets their bits. In phase 2 each access predicate that holds leads to its
clusters: clauses with as many other predicates, of which the numbers stand column by column, so that a scan reads
forward and ends a row at its first bit that is not set. A large cluster is divided by one more equality: its access
predicate becomes a conjunction, found by hashing.

Where it differs, and why:
- Any predicate can be the access predicate, not only equalities; it is found in phase 1 anyway. Clauses without an
  equality would otherwise be scanned for each event. What extends it to a conjunction is an equality.
- The access predicate is the one that the fewest events satisfy: as counted in sampled events (`learn`), before that
  as estimated from the clauses (csrc/boolsieve/rarity.hpp). The paper computes an optimal set of hash tables from
  such statistics, offline, or keeps it up to date; here each clause chooses for itself.
- Redistribution. A cluster's margin is the number of its rows that are scanned an event. `learn` looks at the clusters
  with the largest, and moves clauses that have a predicate which is satisfied less than half as often; 512 rows and
  more are divided by one more equality. Conjunctions fold when less than 64 clauses are left of them.
- `!=`, NOT IN, IS NULL and long texts have no bit; clusters are kept apart by whether the store decides something.

Buffers:

    predicates.*    -       -             the distinct predicates, see predicate_index.hpp
    trie.*          -       -             access predicates: a root a predicate, below it conjunctions
    rarity.*        -       -             see rarity.hpp
    heat            uint8   predicates    how many of the last events satisfied it, in 256ths, fading
    learned         uint64  0 or 1        events that were sampled
    first_cluster   uint32  nodes         the first cluster of an access predicate, or NONE
    clusters        uint32  4 a cluster   node; columns * 2, + 1 if the store decides more; rows; next of the node
    free            uint32  0 or 1        the first free cluster, chained by next
    columns.*       -       clusters      numbers of predicates, rarest first, column by column; then the clauses
    clause_cluster  uint32  clauses       where a clause is, or NONE if dead
    clause_row      uint32  clauses

Invariants:

1. The predicates keep their own; their references are those of the live clauses.
2. The trie keeps its own; what extends a conjunction is an equality.
3. A node's clusters are in its chain, one a size and kind, none empty; each live clause is in one row, where
   `clause_cluster` and `clause_row` say. Free clusters are in the chain of free ones, without room.
4. A row's columns and the path of its node are the clause's predicates; its cluster says whether they decide it.
5. A node knows how many clauses are there and below, and there are some. 6. Those of rarity.

Cost: an event takes a look-up and a stab a pair, a bit a satisfied predicate, and a row a clause under an access
predicate that holds. Insert and remove: a look-up a predicate, a row. Learn: phase 1 for 64 events, and moves in
proportion to the rows that these scan. Bytes: about 55 a distinct predicate, 55 an access predicate and cluster, 12 a
clause and 4 to 8 a predicate. Threads: match is const; the bits live in the scratch.
"""

from libc.stdint cimport uint32_t
from libcpp.string cimport string
from libcpp.vector cimport vector

from boolsieve.memory.buffers cimport NamedBuffer, list_buffers


cdef class Propagation(Engine):
    """Evaluates each distinct predicate once, then scans the clusters of the access predicates that hold."""

    def __cinit__(self):
        self.learns = True

    cdef int insert(self, uint32_t first, uint32_t count) except -1:
        self.index.insert(self.store.clauses(), first, count)
        return 0

    cdef int remove(self, uint32_t first, uint32_t count) except -1:
        self.index.remove(self.store.clauses(), first, count)
        return 0

    cdef int match(self, Scratch& scratch) except -1 nogil:
        self.index.match(self.store.clauses(), scratch)
        return 0

    cdef int learn(self, const Sample& sample) except -1:
        self.index.learn(self.store.clauses(), sample)
        return 0

    cdef vector[NamedBuffer] buffers(self) except *:
        cdef vector[NamedBuffer] named
        list_buffers(self.index, b"propagation.", named)
        return named

    def check_invariants(self) -> None:
        cdef string problem = self.index.check(self.store.clauses())
        assert problem.empty(), problem.decode()
