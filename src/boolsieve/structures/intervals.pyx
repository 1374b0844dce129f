"""Trees over closed intervals of unsigned 64-bit keys, with an id each, for Python.

All have the same interface and take inserts and removals in any order; they differ in how they find what holds a key.
"""

from libc.stdint cimport uint32_t, uint64_t
from libcpp.string cimport string
from libcpp.utility cimport move
from libcpp.vector cimport vector

import numpy as np


cdef class Intervals:
    """What the trees have in common. An interval may be there several times, with the same id or with others."""

    def __len__(self):
        return self.index.get().size()

    def add(self, uint64_t low, uint64_t high, uint32_t id):
        if low > high:
            raise ValueError(f"the interval [{low}, {high}] is empty")
        self.index.get().add(&low, &high, &id, 1)

    def add_many(self, lows, highs, ids):
        """Adds the intervals of three arrays of one length: all, or none if one is empty."""
        cdef const uint64_t[::1] low_keys = np.ascontiguousarray(lows, np.uint64)
        cdef const uint64_t[::1] high_keys = np.ascontiguousarray(highs, np.uint64)
        cdef const uint32_t[::1] numbers = np.ascontiguousarray(ids, np.uint32)
        cdef Py_ssize_t i, n = low_keys.shape[0]
        if high_keys.shape[0] != n or numbers.shape[0] != n:
            raise ValueError(f"{n} low ends, {high_keys.shape[0]} high ends and {numbers.shape[0]} ids")
        for i in range(n):
            if low_keys[i] > high_keys[i]:
                raise ValueError(f"interval {i}, [{low_keys[i]}, {high_keys[i]}], is empty")
        if n:
            with nogil:
                self.index.get().add(&low_keys[0], &high_keys[0], &numbers[0], n)

    def settle(self):
        """Builds one tree of all intervals, which makes stabbing faster after many single inserts."""
        self.index.get().settle()

    def remove(self, uint64_t low, uint64_t high, uint32_t id):
        """Removes one such interval; whether it was there."""
        return self.index.get().remove(low, high, id)

    def stab(self, uint64_t key):
        """The ids of the intervals that hold the key, in no order; of a ClusterTree those that may."""
        cdef vector[uint32_t] ids
        self.index.get().stab(key, ids)
        return list(ids)

    def stab_count(self, keys):
        """How many ids `stab` gives for all keys together."""
        cdef const uint64_t[::1] view = np.ascontiguousarray(keys, np.uint64)
        cdef size_t total = 0
        if view.shape[0]:
            with nogil:
                total = self.index.get().stab_count(&view[0], view.shape[0])
        return total

    def trace(self, uint64_t key):
        """What `stab` compares the key with, in order: a node's key twice, or a range of keys."""
        cdef vector[uint64_t] compared
        cdef size_t i
        self.index.get().trace(key, compared)
        return [(compared[i], compared[i + 1]) for i in range(0, compared.size(), 2)]

    def copy(self):
        cdef Intervals other = type(self)()
        other.index = move(self.index.get().copy())
        return other

    @property
    def nbytes(self):
        return self.index.get().bytes()

    def check(self):
        """Raises if an invariant is broken."""
        cdef string problem = self.index.get().check()
        if problem.size():
            raise AssertionError(problem.decode())


cdef class SegmentTree(Intervals):
    """Elementary intervals paired bottom up; an interval is in the highest nodes that tile it."""

    def __cinit__(self):
        self.index.reset(new IntervalIndexOf[SegmentTrees]())


cdef class IntervalTree(Intervals):
    """Each interval is in the highest node whose key it holds, in two sorted lists."""

    def __cinit__(self):
        self.index.reset(new IntervalIndexOf[IntervalTrees]())


cdef class ElementaryTree(Intervals):
    """A binary search among elementary intervals, each with its set: Tatbul's Interval Index."""

    def __cinit__(self):
        self.index.reset(new IntervalIndexOf[ElementaryTrees]())


cdef class ClusterTree(Intervals):
    """Splits into clusters, as balanced and with as few copies as it can; gives a cluster whole."""

    def __cinit__(self):
        self.index.reset(new IntervalIndexOf[PlainClusterTrees]())


cdef class HybridTree(Intervals):
    """A cluster tree with an elementary tree on each cluster; clusters of up to min_cluster are not split."""

    def __cinit__(self, uint32_t min_cluster=1):
        cdef TreeOptions options
        if not min_cluster:
            raise ValueError("min_cluster: a cluster has at least one interval")
        options.min_cluster = min_cluster
        self.index.reset(new IntervalIndexOf[HybridTrees](options))
