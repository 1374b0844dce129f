"""Trees over intervals of keys; the C++ headers hold the meaning of each function and buffer."""

from libc.stdint cimport uint32_t, uint64_t
from libcpp cimport bool as cbool
from libcpp.memory cimport unique_ptr
from libcpp.string cimport string
from libcpp.vector cimport vector


cdef extern from "boolsieve/interval_index.hpp" namespace "boolsieve" nogil:
    cdef cppclass TreeOptions:
        uint32_t min_cluster

    cdef cppclass CIntervalIndex "boolsieve::IntervalIndex":
        size_t size() noexcept
        void add(const uint64_t* lows, const uint64_t* highs, const uint32_t* ids, size_t n) except +
        void settle() except +
        cbool remove(uint64_t low, uint64_t high, uint32_t id) except +
        void stab(uint64_t key, vector[uint32_t]& ids) except +
        size_t stab_count(const uint64_t* keys, size_t n) except +
        void trace(uint64_t key, vector[uint64_t]& compared) except +
        unique_ptr[CIntervalIndex] copy() except +
        size_t bytes() except +
        string check() except +

    cdef cppclass SegmentTrees:
        pass

    cdef cppclass IntervalTrees:
        pass

    cdef cppclass ElementaryTrees:
        pass

    cdef cppclass PlainClusterTrees "boolsieve::ClusterTrees<false>":
        pass

    cdef cppclass HybridTrees "boolsieve::ClusterTrees<true>":
        pass

    cdef cppclass IntervalIndexOf[Bank](CIntervalIndex):
        IntervalIndexOf() except +
        IntervalIndexOf(const TreeOptions& options) except +


cdef class Intervals:
    cdef unique_ptr[CIntervalIndex] index
