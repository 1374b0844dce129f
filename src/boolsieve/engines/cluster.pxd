from boolsieve.engines.tatbul cimport ProfileIndex


cdef class Cluster(ProfileIndex):
    pass
