"""Gryphon: a tree in which nodes test attributes, edges are outcomes, and an event walks all that it satisfies.

M. K. Aguilera, R. E. Strom, D. C. Sturman, M. Astley, T. D. Chandra, "Matching Events in a Content-Based Subscription
System" (PODC 1999), the matching tree, with its optimisations for attributes that a subscription does not care about.

A clause's predicates, in a fixed order of the attributes, are its way from the root. Clauses with the same way so far
share a node. An event that comes to a node goes on over each edge that it satisfies. Don't-care edges are collapsed:
a node names each attribute that some clause tests next, so an event goes from a node straight to the tests of the
attributes that it has, however many levels of don't-cares the paper's tree would have in between.

Where it differs, and why:
- The general form is the only one. Equalities are edges by value, found by a binary search. Ranges, sets and all other
  predicates are edges by cells: the line of a test is cut into up to 64 cells, an edge stands for the cells in which
  its predicates may hold, and each cell lists the edges that it is in. So an event finds the edges of its cell without
  looking at others, and similar ranges share an edge and the tree below it; edges for each distinct range would mostly
  have one clause. What cells leave open is checked with the clause.
- Attributes that few clauses test come first. The paper puts the common ones first, because each don't-care edge costs
  it a step; collapsed, they cost nothing, and a rare attribute leaves more clauses aside. `order="common"` is the
  paper's (2.8 and 3.8 times slower on the workloads of OpIndex and BEGen under Zipf, 100,000 clauses).
- Up to `leaf` clauses are not divided further. They stand in a bucket, as records with what is left to check.
- The paper's tree is built once. Here clauses stand in several trees of rising size, which are built anew, with the
  order that then fits, as clauses come (csrc/boolsieve/levels.hpp). A dead clause stays, fails, and is left out at the
  next building, or when the index closes its holes.

  buffer                      type    length   meaning
  fresh                       uint32  -        clauses in no tree yet; < 4 * leaf
  <level>.ranks.* .. records  -       -        attributes, codes of operands, records: csrc/boolsieve/clause_codes.hpp
  <level>.nodes               uint32  4 each   first test, how many; bucket, begin and end. Node 0 is the root
  <level>.tests               uint32  4 each   rank of the attribute; then 0 and a bucket of clauses that have this test
                                               next, begin and end; or number of cells, edges, whether there are cells
  <level>.edges               uint32  -        of a test: number of points; their codes; their nodes; where the nodes of
                                               each cell begin, and where the last one's end; these nodes
  <level>.root                uint32  ranks    the root's test of an attribute, or NONE

1. Each live clause is in `fresh` or in one tree, once.
2. Ranks are a numbering, steps rise, records follow each other.
3. Each node is reached over one test (and there from one point or some cells); `root` lists the tests of node 0.
4. Ranks rise along a way and within a node, codes within a test. A clause is behind exactly the tests of its first
   predicates: at its point, or at an edge with all cells in which it may hold; a test's bucket has clauses that have
   this test next.
5. Each record is reached once, and says what the way to it has not decided.

Cost: an event costs a look-up in up to 65,520 operands for each of its values, then the nodes that it satisfies, and
the records there, 8 bytes a predicate, read forward. Building takes 2 to 4 microseconds a clause, some two times a
level; removing nothing. Bytes: 8 a clause and 8 a predicate left to check, 16 to 30 a clause for nodes and edges, and
the operands.
Threads: match is const.
"""

from libcpp.vector cimport vector

from boolsieve.memory.buffers cimport NamedBuffer, list_buffers

# BEGen, 100,000 clauses: an event reads with 8, 16, 32, 64: 1203, 1310, 1436, 1559 records; bytes: 84, 79, 76, 75.
DEFAULT_LEAF = 16


cdef class Gryphon(Engine):
    """A tree in which each node tests attributes, and each edge is an outcome.

    Args:
        leaf: so many clauses with the same way through the tree are read one by one.
        order: which attributes are tested first, "rare" or "common" ones.
    """

    test_variants = ({"leaf": 1}, {"leaf": 2, "order": "common"})

    def __cinit__(self, *, leaf=DEFAULT_LEAF, order="rare"):
        if not isinstance(leaf, int) or isinstance(leaf, bool) or not 1 <= leaf <= 1 << 20:
            raise ValueError(f"leaf is an int from 1 to 2**20, not {leaf!r}")
        if order not in ("rare", "common"):
            raise ValueError(f"order is 'rare' or 'common', not {order!r}")
        self.given.leaf = leaf
        self.given.common_first = order == "common"
        self.levels = new GryphonLevels(self.given)

    def __init__(self, *, leaf=DEFAULT_LEAF, order="rare"):
        pass

    def __dealloc__(self):
        del self.levels

    def options(self) -> dict:
        """The keyword arguments that make an engine like this one."""
        given = {}
        if self.given.leaf != DEFAULT_LEAF:
            given["leaf"] = self.given.leaf
        if self.given.common_first:
            given["order"] = "common"
        return given

    cdef int insert(self, uint32_t first, uint32_t count) except -1:
        self.levels.insert(self.store.clauses(), first, count)
        return 0

    cdef int remove(self, uint32_t first, uint32_t count) except -1:
        return 0

    cdef int match(self, Scratch& scratch) except -1 nogil:
        self.levels.match(self.store.clauses(), scratch)
        return 0

    cdef vector[NamedBuffer] buffers(self) except *:
        cdef vector[NamedBuffer] found
        list_buffers(self.levels[0], string(b"gryphon."), found)
        return found

    def check_invariants(self) -> None:
        """Asserts the numbered invariants; about as much work as building the trees."""
        cdef string problem = self.levels.check(self.store.clauses())
        assert problem.empty(), problem.decode()
