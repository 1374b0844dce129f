"""IntervalTree: an interval is stored once, in the highest node whose key it holds, in two sorted lists.

Tatbul (2001), section 4.1.4, figure 6. The tree: csrc/boolsieve/interval_tree.hpp.
Partitions, buffers, invariants, updates, threads: engines/tatbul.pyx, with `trees.*` as in interval_tree.hpp.

Cost: each interval once; a comparison for each clause that a set has, so that much overlap costs much.
"""

from boolsieve.engines.tatbul cimport ProfileIndexOf
from boolsieve.structures.intervals cimport IntervalTrees


cdef class IntervalTree(ProfileIndex):
    """Interval trees as an index of profiles."""

    def __cinit__(self):
        self.index.reset(new ProfileIndexOf[IntervalTrees]())
