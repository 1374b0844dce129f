"""Named flat buffers in one file that is mapped into memory."""

from libc.stdint cimport uint8_t, uint64_t
from libcpp.vector cimport vector

from boolsieve.memory.buffers cimport NamedBuffer


cdef extern from "boolsieve/checksum.hpp" namespace "boolsieve" nogil:
    uint64_t c_checksum "boolsieve::checksum"(const void* data, size_t length, uint64_t seed) noexcept


cdef list file_parts(dict about, const vector[NamedBuffer]& buffers)


cdef class MappedFile:
    """A file of buffers, mapped. It lives as long as a buffer looks at it."""

    cdef readonly str path
    cdef readonly dict about        # what was written beside the buffers
    cdef readonly dict entries      # name -> (type, offset, length, checksum)
    cdef readonly uint64_t identity  # the directory's checksum
    cdef const uint8_t* _data
    cdef size_t _size

    cdef int attach(self, const vector[NamedBuffer]& buffers) except -1
    cdef int verify(self, const vector[NamedBuffer]& buffers) except -1
