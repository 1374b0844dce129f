from boolsieve.engines.tatbul cimport ProfileIndex


cdef class IntervalTree(ProfileIndex):
    pass
