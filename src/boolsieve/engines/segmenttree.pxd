from boolsieve.engines.tatbul cimport ProfileIndex


cdef class SegmentTree(ProfileIndex):
    pass
