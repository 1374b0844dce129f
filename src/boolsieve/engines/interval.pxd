from boolsieve.engines.tatbul cimport ProfileIndex


cdef class Interval(ProfileIndex):
    pass
