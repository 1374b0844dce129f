"""What Tatbul's five indexes have in common: a tree an attribute, and the AND of what the trees give.

N. Tatbul, "Index Structures and Algorithms for Efficient Profile Matching" (2001), section 4.1. For each attribute of
an event, a tree gives the set of profiles (here: clauses) whose predicate on it holds; a profile that does not
constrain the attribute keeps its bit; the AND over the attributes is the answer. The engines `cluster`, `interval`,
`hybrid`, `segmenttree` and `intervaltree` differ in the tree alone (csrc/boolsieve/cluster_tree.hpp,
elementary_tree.hpp, segment_tree.hpp, interval_tree.hpp).

Where it differs from the paper

- Bit vectors of n bits a node are quadratic. Sets are compressed (profile_set.hpp), and where neighbouring ones differ
  by little, only the difference is stored (elementary_tree.hpp).
- Events may lack attributes, and there may be 20,000 of them; an AND over all is out of the question, and so is a set
  of n bits an event. So clauses are in partitions, each filed under one attribute that it needs (its home), and an
  event looks at the partitions of its own attributes only. In a partition the home's tree gives the first set, and
  the trees of other attributes cut it down, those that most clauses need first. A clause that needs an attribute which
  the event lacks is cut off there.
- The AND ends early, when it would cost more than checking what is left. An attribute that few clauses of a partition
  need has no tree there. What the sets did not decide is checked in the clause store; so are negative predicates, whose
  sets would be nearly everything, and all clauses of `cluster`, whose sets are too large by design.
- Updates: new clauses stay in a short tail that is scanned, and go into levels of static trees, each level four times
  as large as the one before (Bentley and Saxe 1980). A removed clause is dead in the store and is passed over;
  rebuilding drops it, and the index compacts before the dead outnumber the living.

Buffers (level0 ... level13, each level by itself)

    buffer           type    length           meaning
    tail             uint32  fewer than 16    clauses in no level yet
    clause           uint32  clauses          by partition; in it, those that its trees decide come first
    part_of.*        -       -                attribute -> partition (int_map.hpp)
    part_begin       uint32  partitions + 1   where its clauses begin; a number in its sets counts from there
    part_decided     uint32  partitions       how many of its clauses the trees decide
    part_test        uint32  partitions + 1   where its tests begin; none in small partitions, which are scanned
    test_attribute   uint32  tests            the attribute; first the home, then by falling test_count
    test_count       uint32  tests            how many of the partition's clauses need the attribute
    cares.*          -       tests            which ones (none stored for the home: all)
    trees.*          -       tests            the tree over their intervals

Invariants

1. Each clause of the store that lives is in the tail or in one level, once. Level k has at most 16 * 4^(k + 1) clauses.
2. The buffers of partitions rise from 0 to their ends; part_of knows each partition once; a clause needs its home.
3. The first test is the home's. A care set holds exactly the clauses with a positive predicate on the attribute.
4. A tree gives, for a key, exactly the clauses whose predicate holds (`cluster`: at least those); it keeps the
   invariants of its own file.
5. A decided clause has positive predicates only, one an attribute, each with a test in its partition.

Cost: build n log n. Match: a look-up an attribute of the event; in each partition found, log n comparisons a test and
what the sets take, at best an eighth of a byte a clause. Insert: a clause is built into a tree some 2 times a level,
amortised. Remove: nothing.

Threads: const throughout matching; `ProfileScratch` holds two sets that are empty between events.
"""

from libc.stdint cimport uint32_t
from libcpp.string cimport string
from libcpp.vector cimport vector


cdef class ProfileIndex(Engine):
    """Base of Tatbul's indexes; the subclass chooses the tree."""

    cdef int insert(self, uint32_t first, uint32_t count) except -1:
        self.index.get().insert(self.store.clauses(), first, count)
        return 0

    cdef int remove(self, uint32_t first, uint32_t count) except -1:
        return 0

    cdef int match(self, Scratch& scratch) except -1 nogil:
        self.index.get().match(self.store.clauses(), scratch)
        return 0

    cdef vector[NamedBuffer] buffers(self) except *:
        cdef vector[NamedBuffer] named
        self.index.get().list(named)
        return named

    def check_invariants(self) -> None:
        """Asserts the invariants of this file, by number."""
        cdef string problem = self.index.get().check(self.store.clauses())
        if problem.size():
            raise AssertionError(problem.decode())
