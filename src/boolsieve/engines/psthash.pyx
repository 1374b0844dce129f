"""PSTHash: clauses by the predicate spaces of several access predicates at once.

S. Ji, H.-A. Jacobsen, "PS-Tree-based Efficient Boolean Expression Matching for High Dimensional and Dense Workloads"
(VLDB 2018), sections 3.3, 4 and 6 (Alg. 1 to 3, 6 and 7).

As PSTBloom, but a clause is listed under the combinations of the spaces of its `access` most selective predicates; a
clause with fewer usable predicates is listed as in PSTBloom, at single spaces. An event asks for all combinations of
its spaces.

Differences, besides those of PSTBloom (see csrc/boolsieve/pst_index.hpp): instead of one hash table for all
combinations, each space has a small one of the spaces that it is combined with, and so has each combination that goes
on; an event's look-ups for one space then lie in a few lines of memory, and more than two are pruned on the way. Spaces
without combinations are not asked for; a predicate that would give a clause more than 16 combinations (128 with ranges)
is not taken for access; records have signatures, of the next predicate.

Buffers and invariants: csrc/boolsieve/pst_index.hpp, pstree.hpp, lists.hpp, small_maps.hpp.

Cost: as PSTBloom, plus a look-up for each pair of the event's spaces (4,000 for 30 values on attributes with three
trees each); fewer records are read and checked. Memory: 16 bytes a record, one for each combination, and 11 to 22 for
each distinct combination.
Threads: match is const.
"""

from boolsieve.engines.pst cimport PSTIndex


cdef class PSTHash(PST):
    """Several access predicates a clause.

    Args:
        access: how many predicates of a clause give access, 1 to 8.
    """

    test_variants = ({"access": 1}, {"access": 3})

    def __cinit__(self, *, access=2):
        if not isinstance(access, int) or isinstance(access, bool) or not 1 <= access <= 8:
            raise ValueError(f"access is an int from 1 to 8, not {access!r}")
        self.access = access
        self.index = new PSTIndex(self.access)
        self.learns = True

    def __init__(self, *, access=2):
        pass

    def options(self) -> dict:
        return {"access": self.access}
