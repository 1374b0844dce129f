from libc.stdint cimport uint32_t

from boolsieve.engines.pst cimport PST


cdef class PSTHash(PST):
    cdef uint32_t access
