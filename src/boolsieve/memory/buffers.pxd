"""Named flat buffers: how state leaves and enters an index as plain arrays."""

from libc.stdint cimport uint8_t
from libcpp.string cimport string
from libcpp.vector cimport vector


cdef extern from "boolsieve/buffers.hpp" namespace "boolsieve" nogil:
    cdef cppclass BufferBase:
        size_t size() noexcept
        size_t item_size() noexcept
        size_t bytes() noexcept
        char type_code() noexcept
        const void* raw() noexcept
        bint is_mapped() noexcept
        void look_at(const void* data, size_t size) noexcept
        void assign_raw(const void* data, size_t size) except +

    cdef cppclass Buffer[T](BufferBase):
        const T* data() noexcept
        T operator[](size_t i) except +
        T back() except +
        T* writable() except +
        void set(size_t i, T value) except +
        void push_back(T value) except +
        void append(const T* values, size_t n) except +
        void resize(size_t n) except +
        void assign(size_t n, T fill) except +
        void reserve_more(size_t n) except +
        void clear() noexcept

    cdef struct NamedBuffer:
        string name
        BufferBase* buffer

    void list_buffers[Holder](Holder& holder, const string& prefix, vector[NamedBuffer]& out) except +


cdef dict export_buffers(const vector[NamedBuffer]& buffers)
cdef int import_buffers(const vector[NamedBuffer]& buffers, dict arrays) except -1
cdef size_t count_bytes(const vector[NamedBuffer]& buffers, bint mapped_only=*) noexcept
