"""Named flat buffers in one file that is mapped into memory.

    offset  bytes  header (all numbers little-endian)
    0       8      magic: 89 'B' 'S' 'V' 0D 0A 1A 0A
    8       4      order mark: 0x0A0B0C0D
    12      4      version of this layout
    16      8      length of the file
    24      8      length of the directory
    32      8      checksum of the directory
    40      16     zero
    56      8      checksum of the bytes before
    64      -      directory: JSON with `about` and `buffers`, a list of [name, type, offset, length, checksum]
    ...            the buffers in the order of the directory

The directory and every buffer begin at multiples of 64, with zeros before them; so each byte of the file belongs to
something, and an offset can only be what the lengths before it make it. Checksums are those of
csrc/boolsieve/checksum.hpp, started with the offset.
"""

from cpython.buffer cimport PyBUF_READ
from cpython.memoryview cimport PyMemoryView_FromMemory
from posix.mman cimport MAP_FAILED, MAP_SHARED, PROT_READ, mmap, munmap

import json
import os
import stat
import struct
import sys

from boolsieve.errors import StorageError

cdef extern from *:
    """
    #ifdef __SANITIZE_ADDRESS__
    static const bool COPIES_BUFFERS = true;
    #else
    static const bool COPIES_BUFFERS = false;
    #endif
    """
    const bint COPIES_BUFFERS

# Under the address sanitizer buffers are copied: it sees a step beyond the end of a block, not of a part of a file.
COPIES = bool(COPIES_BUFFERS)
MAGIC = b"\x89BSV\r\n\x1a\n"
ORDER_MARK = 0x0A0B0C0D
VERSION = 1
ALIGN = 64
HEADER = struct.Struct("<8sIIQQQQQ")  # and its checksum


def checksum(const uint8_t[::1] data, uint64_t seed=0):
    """The checksum of some bytes."""
    cdef size_t n = data.shape[0]
    return c_checksum(&data[0] if n else NULL, n, seed)


def require_little_endian():
    if sys.byteorder != "little":
        raise StorageError("files of boolsieve are little-endian, and this machine is not")


cdef uint64_t aligned(uint64_t offset) noexcept nogil:
    return (offset + 63) // 64 * 64


cdef str type_of(const NamedBuffer& buffer):
    return chr(buffer.buffer.type_code()) + str(buffer.buffer.item_size())


cdef list file_parts(dict about, const vector[NamedBuffer]& buffers):
    """The file, as bytes and views of the buffers to be written one after another. They must not change meanwhile."""
    cdef size_t i, n
    cdef uint64_t offset, sum
    cdef uint64_t start = 0
    cdef list rows, parts
    cdef bytes directory = b""
    cdef const void* data
    require_little_endian()
    sizes = [buffers[i].buffer.size() * buffers[i].buffer.item_size() for i in range(buffers.size())]
    # The directory holds offsets that depend on its own length, so it gets as much room as it can need at most.
    while True:
        rows, parts = [], []
        offset = start
        for i in range(buffers.size()):
            n = sizes[i]
            data = buffers[i].buffer.raw()
            if start:
                with nogil:
                    sum = c_checksum(data, n, offset)
            else:
                sum = ~<uint64_t>0
            rows.append([buffers[i].name.decode(), type_of(buffers[i]), offset if start else sum,
                         buffers[i].buffer.size(), sum])
            if n:
                parts.append(PyMemoryView_FromMemory(<char*>data, n, PyBUF_READ))
                parts.append(bytes(aligned(offset + n) - (offset + n)))
            offset = aligned(offset + n)
        directory = json.dumps({"about": about, "buffers": rows}, separators=(",", ":")).encode()
        if start:
            directory += b" " * (start - ALIGN - len(directory))
            break
        start = aligned(ALIGN + len(directory))
    header = HEADER.pack(MAGIC, ORDER_MARK, VERSION, offset, len(directory), checksum(directory, ALIGN), 0, 0)
    return [header + struct.pack("<Q", checksum(header)) + directory, *parts]


cdef class MappedFile:
    def __init__(self, path):
        self.path = os.fspath(path)
        require_little_endian()
        try:
            descriptor = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC)
        except OSError as error:
            raise self._error(error.strerror) from error
        try:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise self._error("it is not a file")
            if status.st_size < ALIGN:
                raise self._error(f"header: the file has {status.st_size} bytes, and a header has {ALIGN}")
            self._map(descriptor, status.st_size)
        finally:
            os.close(descriptor)
        self._read_directory(self._read_header())

    def __dealloc__(self):
        if self._data != NULL:
            munmap(<void*>self._data, self._size)

    def _map(self, int descriptor, size_t size):
        cdef void* data = mmap(NULL, size, PROT_READ, MAP_SHARED, descriptor, 0)
        if data == MAP_FAILED:
            raise self._error("it cannot be mapped into memory")
        self._data = <const uint8_t*>data
        self._size = size

    def _error(self, problem):
        return StorageError(f"cannot read {self.path!r} as an index: {problem}")

    def _read_header(self):
        """The length of the directory."""
        cdef bytes header = self._data[:ALIGN]
        magic, order, version, size, length, sum, zero1, zero2 = HEADER.unpack_from(header)
        if magic != MAGIC:
            raise self._error("header: it does not begin as a file of boolsieve does")
        if order != ORDER_MARK:
            raise self._error(f"header: the order mark is {order:#010x}, not {ORDER_MARK:#010x} (little-endian)")
        if version != VERSION:
            raise self._error(f"header: it has layout version {version}; this boolsieve reads version {VERSION}")
        if struct.unpack_from("<Q", header, HEADER.size)[0] != checksum(header[:HEADER.size]) or zero1 or zero2:
            raise self._error("header: its checksum is wrong")
        if size != self._size:
            raise self._error(f"header: the file has {self._size} bytes instead of {size}")
        if length % ALIGN or length > size - ALIGN:
            raise self._error("header: the directory does not fit into the file")
        if c_checksum(self._data + <size_t>ALIGN, length, ALIGN) != sum:
            raise self._error("directory: its checksum is wrong")
        self.identity = sum
        return length

    def _read_directory(self, size_t length):
        cdef uint64_t end
        try:
            directory = json.loads(self._data[ALIGN:ALIGN + length])
        except (ValueError, RecursionError):
            raise self._error("directory: it is not JSON") from None
        about, rows = (directory.get(part) if isinstance(directory, dict) else None for part in ("about", "buffers"))
        if not isinstance(about, dict) or not isinstance(rows, list):
            raise self._error("directory: about or buffers are missing")
        self.about, self.entries = about, {}
        end = ALIGN + length
        for row in rows:
            if not isinstance(row, list) or [type(part) for part in row] != [str, str, int, int, int]:
                raise self._error(f"directory: entry {len(self.entries)} is not as it should be")
            name, kind, offset, count, sum = row
            if name in self.entries:
                raise self._error(f"directory: buffer {name!r} is there twice")
            if kind not in ("u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", "f4", "f8"):
                raise self._error(f"directory: buffer {name!r} has the unknown type {kind!r}")
            size = count * int(kind[1])
            if offset != end or count < 0 or size > self._size - end or aligned(end + size) > self._size:
                raise self._error(f"directory: buffer {name!r} does not lie where it should")
            end = aligned(end + size)
            self.entries[name] = (kind, offset, count, sum)
        if end != self._size:
            raise self._error(f"directory: the buffers end at {end}, and the file at {self._size}")

    cdef int attach(self, const vector[NamedBuffer]& buffers) except -1:
        """Makes the buffers look at those of the same names. Who has the buffers must keep this object."""
        cdef size_t i
        for i in range(buffers.size()):
            name = buffers[i].name.decode()
            kind, offset, count, _ = self.entries.get(name, ("", 0, 0, 0))
            if kind != type_of(buffers[i]):
                raise self._error(f"buffer {name!r} is missing or not of type {type_of(buffers[i])}")
            if COPIES:
                buffers[i].buffer.assign_raw(self._data + <size_t>offset, count)
            else:
                buffers[i].buffer.look_at(self._data + <size_t>offset, count)
        return 0

    cdef int verify(self, const vector[NamedBuffer]& buffers) except -1:
        """Checks the checksums of the buffers, and the zeros behind them, after `attach`."""
        cdef uint64_t offset, sum
        cdef size_t size, i, at
        cdef bint zeros
        for i in range(buffers.size()):
            name = buffers[i].name.decode()
            offset = self.entries[name][1]
            size = buffers[i].buffer.size() * buffers[i].buffer.item_size()
            zeros = True
            with nogil:
                sum = c_checksum(self._data + offset, size, offset)
                for at in range(offset + size, aligned(offset + size)):
                    zeros = zeros and self._data[at] == 0
            if sum != self.entries[name][3] or not zeros:
                raise self._error(f"buffer {name!r}: its checksum is wrong")
        return 0
