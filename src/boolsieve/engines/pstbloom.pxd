from boolsieve.engines.pst cimport PST


cdef class PSTBloom(PST):
    pass
