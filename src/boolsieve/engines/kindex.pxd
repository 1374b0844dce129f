from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libcpp cimport bool as cbool

from boolsieve.encoding.clauses cimport Clauses, Scratch
from boolsieve.encoding.ranking cimport Ranking
from boolsieve.encoding.store cimport Dictionary, Store
from boolsieve.engines.base cimport Engine


cdef extern from "boolsieve/kindex.hpp" namespace "boolsieve" nogil:
    cdef cppclass KIndexPostings:
        uint64_t max_values
        void configure(uint64_t values, cbool has_domain, int64_t low, int64_t high) noexcept
        uint64_t values_needed(const uint8_t* view, uint32_t attribute, uint64_t low, uint64_t high) noexcept
        uint32_t first_too_wide(const Clauses& clauses, const uint8_t* view, uint32_t clause) noexcept
        void insert(const Store& store, const Dictionary& dictionary, uint32_t first, uint32_t count) except +
        void match(const Store& store, const Dictionary& dictionary, Scratch& scratch) except +
        void top_k(const Store& store, const Dictionary& dictionary, Scratch& scratch, Ranking& ranking) except +
        const char* check(const Store& store, const Dictionary& dictionary) except +


cdef class KIndex(Engine):
    cdef KIndexPostings postings
    cdef object domain
    cdef bint strict
