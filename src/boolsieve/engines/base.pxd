"""The contract of all engines."""

from libc.stdint cimport uint32_t
from libcpp.vector cimport vector

from boolsieve.encoding.clauses cimport Sample, Scratch
from boolsieve.encoding.ranking cimport Ranking
from boolsieve.encoding.store cimport ClauseStore
from boolsieve.memory.buffers cimport NamedBuffer


cdef class Engine:
    cdef ClauseStore store
    cdef bint learns
    cdef readonly bint takes_cnf

    cdef int require(self, uint32_t first, uint32_t count) except -1
    cdef int insert(self, uint32_t first, uint32_t count) except -1
    cdef int remove(self, uint32_t first, uint32_t count) except -1
    cdef int match(self, Scratch& scratch) except -1 nogil
    cdef int match_ranges(self, Scratch& scratch) except -1 nogil
    cdef int scan_ranges(self, Scratch& scratch) except -1 nogil
    cdef int match_block(self, Scratch& scratch) except -1 nogil
    cdef int top_k(self, Scratch& scratch, Ranking& ranking) except -1 nogil
    cdef int learn(self, const Sample& sample) except -1
    cdef vector[NamedBuffer] buffers(self) except *
