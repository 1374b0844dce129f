"""H-Tree: clauses filed by the centres and widths of their intervals on a few attributes, level by level.

S. Qian, J. Cao, Y. Zhu, M. Li, J. Wang, "H-Tree: An Efficient Index Structure for Event Matching in Content-Based
Publish/Subscribe Systems" (IEEE Transactions on Parallel and Distributed Systems, 2014).

A level is an attribute, cut into cells. A clause is in the cell that holds the centre of its interval; the cell's next
level divides its clauses by another attribute. An interval of width w around the event's value has its centre at most
w / 2 away from it, so an event visits the cells within that reach, in each the next level, and checks the clauses in
the buckets at the end.

Where it differs, and why:
- Cells of several widths instead of one overlap. Intervals are kept apart by width, in powers of two; those of width w
  have cells of w / 8, and an event visits the nine within reach. So a wide interval is filed like any other: neither
  split into narrow ones, which the paper does and which makes its size exponential, nor put aside.
- Centres and widths are measured in codes, which number the operands of an attribute, and not in the values of a fixed
  domain. So cells follow the operands, whatever their scale. A grid is the coarser the fewer clauses it divides.
- The attributes are chosen for each node, not once for all: the one that rules out the most for its clauses, counted by
  how many constrain it and how narrowly. What does not constrain it stands aside in the node ("free"), which divides it
  by another attribute, and which is all that an event without the attribute visits.
- Events are sparse and attributes many. So on the first level a clause is filed under the attribute of its own that is
  constrained by the fewest clauses, and in it most narrowly; an event visits the trees of the attributes that it has.
- Sets are filed by their hull, negative predicates as intervals over all codes; the check decides them.
- Updates, and dead clauses, as in gryphon: trees of rising size (csrc/boolsieve/levels.hpp).

  buffer                      type    length     meaning
  fresh                       uint32  -          clauses in no tree yet; < 4 * leaf
  <level>.ranks.* .. records  -       -          attributes, codes of operands, records: csrc/boolsieve/clause_codes.hpp
  <level>.directory           uint32  2 a rank   the place of the clauses that are filed under an attribute
  <level>.nodes               uint32  7 each     rank of the attribute, grid (cells have 2^grid codes at least), a bit
                                                 for each width, first cell, how many; the place of "free"
  <level>.cells               uint32  3 each     width << 26 | cell, and its place

A place is a node and NONE, or begin and end of a bucket of records, or NONE twice where nothing is.

1. Each live clause is in `fresh` or in one tree, once.
2. Ranks are a numbering, steps rise, records follow each other.
3. Each node is reached from one place.
4. Cells rise within a node, which has the bits of their widths. A clause is filed under an attribute that it
   constrains, and on its way in the cell of its interval's width and centre, or in "free" if it has none.
5. Each record is reached once, and says what there is to check.

Cost: an event costs a look-up in up to 65,520 operands for each of its values, for each node a binary search a width,
and the records in the cells within reach, 8 bytes a predicate, read forward. Building takes 2 to 5 microseconds a
clause, some two times a level; removing nothing. Bytes: 8 a clause and 8 a predicate, 4 to 12 a clause for cells, and
the operands.
Threads: match is const.
"""

from libcpp.vector cimport vector

from boolsieve.memory.buffers cimport NamedBuffer, list_buffers

# Dexin, 100,000 clauses: records read an event with 1, 2, 3, 5 levels: 14219, 11052, 10552, 10552.
DEFAULT_LEVELS = 3
# The same with 8, 16, 32 clauses a leaf: 9021, 9631, 10552; bytes a clause: 101, 99, 97.
DEFAULT_LEAF = 16


cdef class HTree(Engine):
    """Files clauses by the centres and widths of their intervals on a few attributes.

    Args:
        levels: on so many attributes at most, 1 to 8.
        leaf: so many clauses in the same cells are read one by one.
    """

    test_variants = ({"leaf": 1}, {"leaf": 2, "levels": 1}, {"leaf": 1, "levels": 8})

    def __cinit__(self, *, levels=DEFAULT_LEVELS, leaf=DEFAULT_LEAF):
        if not isinstance(levels, int) or isinstance(levels, bool) or not 1 <= levels <= 8:
            raise ValueError(f"levels is an int from 1 to 8, not {levels!r}")
        if not isinstance(leaf, int) or isinstance(leaf, bool) or not 1 <= leaf <= 1 << 20:
            raise ValueError(f"leaf is an int from 1 to 2**20, not {leaf!r}")
        self.given.levels = levels
        self.given.leaf = leaf
        self.trees = new HTreeLevels(self.given)

    def __init__(self, *, levels=DEFAULT_LEVELS, leaf=DEFAULT_LEAF):
        pass

    def __dealloc__(self):
        del self.trees

    def options(self) -> dict:
        """The keyword arguments that make an engine like this one."""
        given = {}
        if self.given.levels != DEFAULT_LEVELS:
            given["levels"] = self.given.levels
        if self.given.leaf != DEFAULT_LEAF:
            given["leaf"] = self.given.leaf
        return given

    cdef int insert(self, uint32_t first, uint32_t count) except -1:
        self.trees.insert(self.store.clauses(), first, count)
        return 0

    cdef int remove(self, uint32_t first, uint32_t count) except -1:
        return 0

    cdef int match(self, Scratch& scratch) except -1 nogil:
        self.trees.match(self.store.clauses(), scratch)
        return 0

    cdef vector[NamedBuffer] buffers(self) except *:
        cdef vector[NamedBuffer] found
        list_buffers(self.trees[0], string(b"htree."), found)
        return found

    def check_invariants(self) -> None:
        """Asserts the numbered invariants; about as much work as building the trees."""
        cdef string problem = self.trees.check(self.store.clauses())
        assert problem.empty(), problem.decode()
