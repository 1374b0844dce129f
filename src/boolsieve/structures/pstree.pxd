"""Intervals in a PS-Tree; the C++ headers hold the meaning of each function and buffer."""

from libc.stdint cimport uint32_t, uint64_t
from libcpp.string cimport string
from libcpp.string_view cimport string_view
from libcpp.vector cimport vector


cdef extern from "boolsieve/keys.hpp" namespace "boolsieve" nogil:
    uint64_t float_bits_in_order(double value) noexcept


cdef extern from "boolsieve/ps_intervals.hpp" namespace "boolsieve" nogil:
    cdef cppclass KeyElements:
        pass

    cdef cppclass TextElements:
        string_view get(uint64_t kept) noexcept

    cdef cppclass CTrees "boolsieve::PSTreesOf"[Elements]:
        Elements elements
        uint32_t first_space(uint32_t tree) noexcept
        uint32_t event_count(uint32_t space) noexcept

    cdef cppclass KeyIntervals "boolsieve::PSIntervals<boolsieve::KeyElements>":
        CTrees[KeyElements] tree
        void add(const uint64_t* low, const uint64_t* high, uint32_t id) except +
        void remove(const uint64_t* low, const uint64_t* high, uint32_t id) except +
        uint32_t space(uint64_t point) noexcept
        uint32_t count(uint32_t space) noexcept
        const uint32_t* ids(uint32_t space) noexcept
        uint64_t count_all(const uint64_t* points, size_t n) noexcept
        void count_event(uint64_t point) except +
        void list_values(vector[uint64_t]& values, vector[uint32_t]& own, vector[uint32_t]& above) except +
        string check() except +

    cdef cppclass TextIntervals "boolsieve::PSIntervals<boolsieve::TextElements>":
        CTrees[TextElements] tree
        void add(const string_view* low, const string_view* high, uint32_t id) except +
        void remove(const string_view* low, const string_view* high, uint32_t id) except +
        uint32_t space(string_view point) noexcept
        uint32_t count(uint32_t space) noexcept
        const uint32_t* ids(uint32_t space) noexcept
        void count_event(string_view point) except +
        void list_values(vector[uint64_t]& values, vector[uint32_t]& own, vector[uint32_t]& above) except +
        string check() except +


cdef class PSTree:
    cdef KeyIntervals keys
    cdef TextIntervals texts
    cdef readonly str kind
    cdef bint textual
    cdef set _kept

    cdef uint64_t _key(self, object value) except? 0
    cdef object _value(self, uint64_t kept)
    cdef int _update(self, object low, object high, uint32_t id, bint adds) except -1
    cdef uint32_t _space(self, object point) except? 0xFFFFFFFF
    cdef list _ids(self, uint32_t space)
    cdef object _describe(self, str bounds, uint32_t space)
