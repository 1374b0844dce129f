from libc.stdint cimport uint32_t

from boolsieve.engines.tatbul cimport ProfileIndex


cdef class Hybrid(ProfileIndex):
    cdef readonly uint32_t min_cluster
