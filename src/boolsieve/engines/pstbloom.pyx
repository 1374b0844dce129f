"""PSTBloom: clauses by the predicate space of one access predicate, pruned by signatures.

S. Ji, H.-A. Jacobsen, "PS-Tree-based Efficient Boolean Expression Matching for High Dimensional and Dense Workloads"
(VLDB 2018), sections 3.3, 4 and 5 (Alg. 1 to 5).

Each attribute's keys are divided into predicate spaces by PS-Trees. A clause is listed at the spaces that its most
selective predicate covers. An event finds the space of each of its values and reads the lists there; a signature
in the record rejects most clauses, and what is left is checked.

Differences, with their reasons in csrc/boolsieve/pst_index.hpp: trees are cut by access predicates alone; ranges are
kept in trees by width and cut at only so many ends that each has eight records on average, since cutting at every end
is quadratic; a signature lies in the record and covers one further predicate, instead of a Bloom filter of ids in each
space that any other predicate covers, so that it costs no further access to memory and goes with the record;
negative predicates never give spaces.

Buffers and invariants: csrc/boolsieve/pst_index.hpp, csrc/boolsieve/pstree.hpp, csrc/boolsieve/lists.hpp.

Cost: match takes a walk of one to four nodes for each pair of the event, 16 bytes read in sequence for each record of
its spaces, and a check for each record that its signature does not reject. Insert and remove are amortised
logarithmic; the trees are built anew whenever the clauses have grown by half. Memory: 16 bytes a record (1 for `=`, one
a member for IN, 8 on average for a range), the tail (8 bytes and 8 a further predicate), 6 a clause, and the trees:
some 30 bytes a point, each distinct one once.
Threads: match is const.
"""

from boolsieve.engines.pst cimport PSTIndex


cdef class PSTBloom(PST):
    """One access predicate a clause, chosen by selectivity, and signatures."""

    def __init__(self):
        pass

    def __cinit__(self):
        self.index = new PSTIndex(1)
        self.learns = True
