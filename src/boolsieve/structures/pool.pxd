"""Interned strings and a map of integers; the C++ headers hold the meaning of each function and buffer."""

from libc.stdint cimport uint32_t, uint64_t
from libcpp cimport bool as cbool
from libcpp.string_view cimport string_view


cdef extern from "boolsieve/hash.hpp" namespace "boolsieve" nogil:
    uint64_t mix(uint64_t key) noexcept
    uint64_t hash_bytes(const char* bytes, size_t length) noexcept


cdef extern from "boolsieve/pool.hpp" namespace "boolsieve" nogil:
    cdef cppclass CStringPool "boolsieve::StringPool":
        uint32_t add(const char* string, size_t length) except +
        uint32_t find(const char* string, size_t length) noexcept
        string_view text(uint32_t id) except +
        uint32_t size() noexcept
        void reserve(size_t n) except +
        const char* check() except +


cdef extern from "boolsieve/int_map.hpp" namespace "boolsieve" nogil:
    cdef cppclass CIntMap "boolsieve::IntMap":
        uint32_t find(uint64_t key) noexcept
        void set(uint64_t key, uint32_t value) except +
        cbool erase(uint64_t key) except +
        size_t size() noexcept
        void reserve(size_t n) except +
        const char* check() except +


cdef extern from "boolsieve/buffers.hpp" namespace "boolsieve" nogil:
    size_t total_bytes[Holder](Holder& holder) except +
    void copy_buffers[Holder](Holder& source, Holder& target) except +


cdef enum:
    NONE = 0xFFFFFFFF  # what the look-ups give for what is not there


cdef class StringPool:
    cdef CStringPool pool


cdef class IntMap:
    cdef CIntMap map
