"""Cluster: splits the intervals on an attribute into clusters, and checks the clauses of a value's cluster.

Tatbul (2001), section 4.1.1, figure 2. The tree, its score and where it differs: csrc/boolsieve/cluster_tree.hpp.
Partitions, buffers, invariants, updates, threads: engines/tatbul.pyx, with `trees.*` as in cluster_tree.hpp.

Cost: the smallest of the five in memory (an interval is in four clusters at most) and one comparison a level; but all
that is left must be checked, which is much where intervals overlap much.
"""

from boolsieve.engines.tatbul cimport ProfileIndexOf
from boolsieve.structures.intervals cimport PlainClusterTrees


cdef class Cluster(ProfileIndex):
    """Tatbul's Cluster Index."""

    def __cinit__(self):
        self.index.reset(new ProfileIndexOf[PlainClusterTrees]())
