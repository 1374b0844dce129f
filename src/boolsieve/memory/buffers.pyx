"""Named flat buffers to and from a dict of NumPy arrays."""

from libc.stdint cimport uint8_t
from libc.string cimport memcpy

import numpy as np

from boolsieve.errors import StorageError


cdef dict export_buffers(const vector[NamedBuffer]& buffers):
    """Copies of all buffers, by name."""
    cdef dict arrays = {}
    cdef uint8_t[::1] view
    cdef size_t i, n
    for i in range(buffers.size()):
        n = buffers[i].buffer.size() * buffers[i].buffer.item_size()
        array = np.empty(n, np.uint8)
        if n:
            view = array
            memcpy(&view[0], buffers[i].buffer.raw(), n)
        kind = chr(buffers[i].buffer.type_code()) + str(buffers[i].buffer.item_size())
        arrays[buffers[i].name.decode()] = array.view(kind)
    return arrays


cdef int import_buffers(const vector[NamedBuffer]& buffers, dict arrays) except -1:
    """Fills all buffers with copies of the arrays of the same name and type."""
    cdef const uint8_t[::1] view
    cdef size_t i
    for i in range(buffers.size()):
        name = buffers[i].name.decode()
        kind = chr(buffers[i].buffer.type_code()) + str(buffers[i].buffer.item_size())
        array = arrays.get(name)
        if array is None or array.dtype != np.dtype(kind):
            raise StorageError(f"buffer {name!r} is missing or not of type {kind}")
        view = np.ascontiguousarray(array).view(np.uint8)
        buffers[i].buffer.assign_raw(&view[0] if view.shape[0] else NULL, array.shape[0])
    return 0


cdef size_t count_bytes(const vector[NamedBuffer]& buffers, bint mapped_only=False) noexcept:
    """What the buffers take of memory, slack included; or those alone that look at a mapped file."""
    cdef size_t i, total = 0
    for i in range(buffers.size()):
        if buffers[i].buffer.is_mapped() or not mapped_only:
            total += buffers[i].buffer.bytes()
    return total
