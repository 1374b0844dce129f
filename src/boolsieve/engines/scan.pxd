from boolsieve.engines.base cimport Engine


cdef class Scan(Engine):
    pass
