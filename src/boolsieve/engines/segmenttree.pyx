"""SegmentTree: an interval is stored in the few highest nodes that tile it; a value's path gives the set.

Tatbul (2001), section 4.1.4, figure 5. The tree: csrc/boolsieve/segment_tree.hpp.
Partitions, buffers, invariants, updates, threads: engines/tatbul.pyx, with `trees.*` as in segment_tree.hpp.

Cost: log n comparisons, always, as the search ends at a leaf; an interval is stored up to 2 log n times.
"""

from boolsieve.engines.tatbul cimport ProfileIndexOf
from boolsieve.structures.intervals cimport SegmentTrees


cdef class SegmentTree(ProfileIndex):
    """Segment trees as an index of profiles."""

    def __cinit__(self):
        self.index.reset(new ProfileIndexOf[SegmentTrees]())
