"""BE-Tree: cuts the space by attributes and by ranges of their values, in turns, until few clauses are left to check.

M. Sadoghi, H.-A. Jacobsen, "BE-Tree: An Index Structure to Efficiently Match Boolean Expressions over High-dimensional
Discrete Space" (SIGMOD 2011), sections 4 to 6, algorithms 1 to 6. A c-node holds clauses in an l-node, and a
p-directory. That leads, by attribute, to p-nodes, whose clauses all need the attribute; a p-node has a c-directory of
buckets, ranges of the attribute's values that are cut in halves, and each bucket is a c-node again. An l-node that
overflows is cut: a bucket in halves first (forced split), and once its clauses meet both halves, or it is a single
value, by another attribute. An event follows the p-nodes of its attributes and the buckets around its values.

Where it differs, and why:
- Keys are any of 2^64, so a p-node has a domain: the keys of the operands that were seen, as offsets in a power of two
  that is cut at midpoints. What is below and above falls on its ends. If a clause has a key outside, the p-node is made
  anew, twice as large; so this happens at most 64 times.
- Of the grid's cells only those exist that tell clauses apart: a bucket is shrunk to the smallest cell around its
  clauses before it is split, and a cell in between is added when a clause needs it. So a bucket is where the paper's
  rules say, without the chain of empty ones above it, and keys far apart cost nothing.
- The rank of an attribute for splitting (section 5: gain less loss) counts for each clause the part of the events that
  would get to its home bucket: how many have the attribute (counted in expressions, then in events), times the cell's
  part of the domain. Each clause votes for the attribute where that is least; the paper's optimistic estimate takes the
  most popular one, which finds the same only where all predicates are alike.
- Exploration against exploitation, of which the paper gives the name: a clause whose best attribute has no p-node yet,
  and whose next best is four times worse, waits in the l-node. When that overflows, attributes with enough votes get
  p-nodes, and the others go where there is one.
- A directory of 64 p-nodes or more takes p-nodes of fewer clauses than min_size: events look their attributes up in it.
- L-nodes hold what is left to check beside the clause (betree_leaf.hpp): four times faster than reading the store, on
  BEGen. Predicates that the way decides are left out; the paper counts them (subsumed) but evaluates them.
- An extended l-node grows by a quarter, not by max_cap, since each overflow looks at all of it. A way has at most 16
  p-nodes.
- Events with ranges or several values for an attribute follow each bucket that overlaps one of them. The way does not
  decide what they leave open: clauses about that are decided by the store, the others in the l-nodes.
- Ranks are not kept up while matching, which is const: from time to time some of the events that passed are matched
  again, l-nodes whose gain is not above their loss over these are recycled, and of their clauses those are inserted
  again that would get to a place that half as many events reach. Capacity follows table 4 by the share of matches then.

  buffer            type    length         meaning
  clusters          uint32  16 * clusters  c-nodes with their buckets, and p-nodes: BETreeCluster in betree.hpp
  leaves.*          uint32  -              Lists: of each cluster the l-node, in units of 16 bytes
  directories.*     uint32  -              Lists: p-directories, as attribute and top bucket
  partitions.*      -       -              IntMap: cluster << 32 | attribute to the top bucket
  clause_cluster    uint32  clauses        where a clause is, or NONE
  clause_place      uint32  clauses        its unit in the l-node
  attribute_low     uint64  attributes     the least key of an operand that was seen
  attribute_high    uint64  attributes     the greatest
  expression_count  uint32  attributes     predicates of live clauses on it
  event_count       uint32  attributes     events that had it, of those learned from, halved now and then
  totals            uint64  3              live clauses; events learned from, halved likewise; max_cap

1. Nodes form a tree from the root, cluster 0: each is in one place, and knows what is above it; none is out of reach.
2. Directories and `partitions` lead to the same p-nodes.
3. A bucket is a cell of its domain's grid, inside of a half of the bucket above; a top bucket is the whole domain.
4. An attribute is on a way at most once, a way has at most 16; clauses below a p-node need its attribute, and it knows
   their number.
5. Each live clause has exactly one entry, is where it is said to be, and l-nodes know how many they hold.
6. The paper's invariance: each clause is in the smallest bucket that encloses it (in a bucket that was split, those
   that meet both halves), and no leaf bucket that could be split is partitioned. Domains hold all their clauses' ends.
7. An entry has a unit for each predicate, or side of a range, that the way does not decide, and no others.
8. No node but the root is empty, and no l-node has more clauses than its capacity.

Cost: an event costs a look-up or a step for each p-node and bucket on its ways, and the check of their l-nodes. Ways
have at most 16 * 65 nodes, whatever is inserted: O(k log N) for k predicates and N keys. Insert: a way down, and its
part of the cuts, each of which looks at the l-node's clauses; remove: its part of sweeping an l-node, and of merging.
Bytes a clause: 150 to 250 (up to 400 if added one by one), most of it the entries. Threads: match is const, what it
visits is in the scratch.
"""

from libcpp.vector cimport vector

from boolsieve.memory.buffers cimport NamedBuffer, list_buffers

DEFAULT_MIN_SIZE = 3  # the paper's, section 7

# An event with several values is matched as so many plain events at most, else by one descent with ranges. With 100,000
# expressions of BEGen, two attributes open, that takes as long as 8 plain events; with one, as 5.
cdef size_t PLAIN_EVENTS = 4


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

    cdef int match_ranges(self, Scratch& scratch) except -1 nogil:
        if scratch.ranges.plain_events(PLAIN_EVENTS) <= PLAIN_EVENTS:
            return Engine.match_ranges(self, scratch)
        self.core.match_ranges(self.store.clauses(), scratch)
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
