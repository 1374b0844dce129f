"""DEXIN: for each event, excludes what it rules out on some attributes and checks what is left on the others.

W. Fan, Y. Liu, B. Tang, "DEXIN: A fast content-based multi-attribute event matching algorithm using dynamic exclusive
and inclusive methods" (FGCS 2016), section 3, algorithms 1 to 4. For each attribute there are two arrays of slots
over its values: low ends and high ends of the intervals, each slot a red-black tree. The *exclusive* method takes
those clauses out of the partial result whose low end is above the event's value or whose high end is below it. The
*inclusive* method checks each clause of the partial result. How much a value excludes is known from the slots'
counts; the plan sorts the attributes by it and excludes while that costs less than checking
(Low-Matching-Rate-First-Fit).

Where it differs, and why:
- The partial result is a set of bits (the paper has a hash map and a linked list). Slots are grouped into up to 64
  cells an attribute, and each cell has a set of the clauses that no value in it satisfies. So excluding is words of
  bits taken out, 64 clauses at a time, and slots are walked through only within the event's cell. At 1,000,000
  expressions of the paper's workload an event takes 0.03 ns a clause and attribute, where `rein` takes 0.8.
- Excluding has two steps: the sets of cells first, the entries between them and the value (Alg. 1) if all attributes
  were excluded and walking through these entries costs less than checking what is left. So what the plan compares is
  not the number of entries excluded, as in formula (1), but the cost of a set of bits. It is made again with the
  number of clauses that are left in truth, until it ends: attributes are not independent of each other, as formula
  (5) takes them to be.
- The nodes of a tree lie in one piece. So only the event's own slot is walked through by links, the others are read
  from end to end. With `trees=False` slots are lists without order (section 4.2.1): the event's slot is compared
  entry by entry, and entries of removed clauses stay until all is built anew.
- The inclusive method checks all predicates of a clause at once, in the store.
- Slots follow the operands seen: each holds about as many. They are chosen anew when the clauses have doubled.
- Events may lack attributes. The clauses that need one are a set of bits too. Attributes that few clauses constrain
  have no slots; clauses that need one are filed under it (csrc/boolsieve/dense_clauses.hpp).
- Keys have closed ends only (open ones are those of the next key), and an end that is not there has no entry. `!=` is
  an entry of a third array, which excludes its key alone; as two ranges it would exclude every value. Sets (IN) have
  the ends of their hull. Sets and what is no interval are decided by the check.

  buffer      type    length            meaning
  dense.*     -       -                 places, columns, clauses filed aside; the sets of bits (dense_clauses.hpp)
  slot_begin  uint32  columns + 1       where a column's slots begin
  bound       uint64  slots             the first key of a slot
  cell_begin  uint32  columns + 1       where the sets of a column's cells begin, among those that are the engine's
  needs       uint32  columns           how many predicates of living clauses need the column's attribute
  low_sums    uint32  slots             how many low ends the slots have: for each column a Fenwick tree (fenwick.hpp)
  high_sums   uint32  slots             the same of high ends
  trees.*     -       3 * slots         entries of a slot: low ends, high ends, keys of `!=` (lists.hpp, red_black.hpp)
  root        uint32  3 * slots         the root of each tree; empty if slots are lists

1. to 4. are those of dense_clauses.hpp.
5. A column has at least one slot, bounds rise from 0, and there are as many cells as slots, but at most 64.
6. Each tree is a red-black tree over all nodes of its list, and its keys belong to its slot.
7. The sums count the trees' nodes; `needs` counts predicates.
8. Slots hold exactly the entries that the predicates of living clauses call for, and as lists also some of dead ones.
9. A living clause is in the set of a cell exactly if a predicate of it excludes the cell, and is marked undecided if
   it has predicates beside ranges and `!=`.

Cost: an event takes, for each attribute, a search and some sums; an eighth of a byte read a clause for each attribute
that is excluded; then entries (20 bytes) or checks (a few cache lines each), whichever is less. Insert, remove: a
tree operation for each end, and for an insert up to 64 bits an attribute, all amortised. Bytes: 20 an end, up to 40
after inserts, and 12 and 24 in lists; 8 an attribute for its cells. Threads: match is const, the partial result is in
the scratch.
"""

from libc.stdint cimport uint32_t
from libcpp.string cimport string
from libcpp.vector cimport vector

from boolsieve.memory.buffers cimport NamedBuffer

# The paper's number of slots in an array (section 4, tau).
DEFAULT_SLOTS = 1500
METHODS = ("auto", "exclusive", "inclusive")


def plan(rates):
    """The paper's plan (Alg. 4) for attributes with these matching rates, where excluding costs what is excluded.

    Returns the attributes in order, each with its method, "exclusive" or "inclusive".

    >>> plan([0.9, 0.3, 0.5])
    [(1, 'exclusive'), (2, 'inclusive'), (0, 'inclusive')]
    """
    cdef vector[DexinStep] steps
    cdef DexinStep step
    order = sorted(range(len(rates)), key=lambda i: rates[i])
    for i in order:
        step.rate = rates[i]
        step.cost = 1 - step.rate
        steps.push_back(step)
    cdef size_t excluded = first_fit(steps, 0, 1.0)
    return [(i, METHODS[1 if at < excluded else 2]) for at, i in enumerate(order)]


cdef class Dexin(Engine):
    """Excludes what an event rules out, or checks what is left, whichever costs less.

    Args:
        slots: at most so many slots in each of an attribute's arrays.
        method: "auto" decides for each event; "exclusive" and "inclusive" use one method alone.
        trees: whether slots are red-black trees, or lists without order (section 4.2.1).
    """

    test_variants = ({"slots": 3}, {"method": "exclusive"}, {"method": "exclusive", "trees": False},
                     {"method": "inclusive"})

    def __init__(self, *, slots=DEFAULT_SLOTS, method="auto", trees=True):
        if not isinstance(slots, int) or isinstance(slots, bool) or not 1 <= slots <= 1 << 20:
            raise ValueError(f"slots is an int from 1 to 2**20, not {slots!r}")
        if method not in METHODS:
            raise ValueError(f"method is one of {', '.join(METHODS)}, not {method!r}")
        if not isinstance(trees, bool):
            raise ValueError(f"trees is a bool, not {trees!r}")
        self.trees = trees
        if trees:
            self.index.reset(new DexinTrees())
        else:
            self.index.reset(new DexinLists())
        self.index.get().slots = slots
        self.index.get().method = METHODS.index(method)

    def options(self) -> dict:
        """The keyword arguments that make an engine like this one."""
        given = {}
        if self.index.get().slots != DEFAULT_SLOTS:
            given["slots"] = self.index.get().slots
        if self.index.get().method:
            given["method"] = METHODS[self.index.get().method]
        if not self.trees:
            given["trees"] = False
        return given

    cdef int insert(self, uint32_t first, uint32_t count) except -1:
        self.index.get().insert(self.store.clauses(), first, count)
        return 0

    cdef int remove(self, uint32_t first, uint32_t count) except -1:
        self.index.get().remove(self.store.clauses(), first, count)
        return 0

    cdef int match(self, Scratch& scratch) except -1 nogil:
        self.index.get().match(self.store.clauses(), scratch)
        return 0

    cdef vector[NamedBuffer] buffers(self) except *:
        cdef vector[NamedBuffer] found
        self.index.get().list(found)
        return found

    def check_invariants(self) -> None:
        """Asserts the numbered invariants; about as much work as building the index."""
        cdef string problem = self.index.get().check(self.store.clauses())
        if problem.size():
            raise AssertionError(problem.decode())
