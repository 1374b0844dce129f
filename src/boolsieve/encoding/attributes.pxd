"""The attributes of expressions, in the store; csrc/boolsieve/attributes.hpp tells what its buffers hold."""

from libc.stdint cimport uint32_t

from boolsieve.encoding.clauses cimport Scratch
from boolsieve.encoding.store cimport ClauseStore


cdef int set_attributes(ClauseStore store, uint32_t slot, dict attributes) except -1
cdef dict attributes_of(ClauseStore store, uint32_t slot)
# A name of an expression about attributes, and the same name among those of attributes.
cdef struct NamePair:
    uint32_t asked
    uint32_t given
cdef int encode_attributes(ClauseStore store, uint32_t slot, ClauseStore asking, const NamePair* names, size_t n,
                           Scratch& scratch, list kept) except -1
