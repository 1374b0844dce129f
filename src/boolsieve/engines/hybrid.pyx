"""Hybrid: a cluster tree down to clusters of `min_cluster`, and an Interval Index on each of them.

Tatbul (2001), section 4.1.3, figure 4. Clusters that cannot be split stay larger; each has an elementary tree over its
intervals, cut to its region, so that the answer is exact (csrc/boolsieve/cluster_tree.hpp). With `min_cluster` as large
as the index it is `interval`. The paper builds no Interval Index on a cluster of one, and checks it.
Partitions, buffers, invariants, updates, threads: engines/tatbul.pyx, with `trees.*` as in cluster_tree.hpp.

Cost: a comparison a level of both trees; up to four times the memory of `interval`, because clusters share intervals.
"""

from boolsieve.engines.tatbul cimport ProfileIndexOf
from boolsieve.structures.intervals cimport HybridTrees, TreeOptions


cdef class Hybrid(ProfileIndex):
    """Tatbul's Hybrid Index; clusters of up to `min_cluster` clauses are not split."""

    test_variants = ({"min_cluster": 1},)

    def __cinit__(self, *, min_cluster=64):
        cdef TreeOptions options
        if isinstance(min_cluster, bool) or not isinstance(min_cluster, int):
            raise TypeError(f"min_cluster: {min_cluster!r} is no integer")
        if not 1 <= min_cluster < 2**32:
            raise ValueError(f"min_cluster: {min_cluster} is not in 1 ... 2**32 - 1")
        self.min_cluster = min_cluster
        options.min_cluster = min_cluster
        self.index.reset(new ProfileIndexOf[HybridTrees](options))

    def options(self) -> dict:
        """The keyword arguments that make an engine like this one."""
        return {"min_cluster": self.min_cluster}
