"""Interval: finds the elementary interval that a value is in, which has its set of clauses.

Tatbul (2001), section 4.1.2, figure 3. The tree and how its sets are stored: csrc/boolsieve/elementary_tree.hpp.
Partitions, buffers, invariants, updates, threads: engines/tatbul.pyx, with `trees.*` as in elementary_tree.hpp.

Cost: log n comparisons at most, whatever the overlap; sets are mostly words of bits where intervals are wide.
"""

from boolsieve.engines.tatbul cimport ProfileIndexOf
from boolsieve.structures.intervals cimport ElementaryTrees


cdef class Interval(ProfileIndex):
    """Tatbul's Interval Index."""

    def __cinit__(self):
        self.index.reset(new ProfileIndexOf[ElementaryTrees]())
