# distutils: language = c++
"""Interned strings and a map of integers, for Python."""

from libc.stdint cimport uint32_t, uint64_t
from libcpp.string_view cimport string_view


def hash_of_bytes(bytes string not None):
    return hash_bytes(string, len(string))


def hash_of_int(uint64_t key):
    return mix(key)


cdef class StringPool:
    """Gives equal byte strings the same dense id, in order of their first add."""

    def __len__(self):
        return self.pool.size()

    def add(self, bytes string not None):
        return self.pool.add(string, len(string))

    def find(self, bytes string not None):
        cdef uint32_t id = self.pool.find(string, len(string))
        return None if id == NONE else id

    def text(self, uint32_t id):
        if id >= self.pool.size():
            raise IndexError(f"string {id} of {self.pool.size()}")
        cdef string_view string = self.pool.text(id)
        return string.data()[:string.size()]

    def reserve(self, size_t n):
        self.pool.reserve(n)

    def copy(self):
        cdef StringPool other = StringPool.__new__(StringPool)
        copy_buffers(self.pool, other.pool)
        return other

    @property
    def nbytes(self):
        return total_bytes(self.pool)

    def check(self):
        """Raises if an invariant is broken."""
        cdef const char* problem = self.pool.check()
        if problem != NULL:
            raise AssertionError(problem.decode())


cdef class IntMap:
    """Maps unsigned 64-bit keys to values below 2**32 - 1."""

    def __len__(self):
        return self.map.size()

    def find(self, uint64_t key):
        cdef uint32_t value = self.map.find(key)
        return None if value == NONE else value

    def set(self, uint64_t key, uint32_t value):
        if value == NONE:
            raise OverflowError(f"{value} stands for no value")
        self.map.set(key, value)

    def erase(self, uint64_t key):
        return self.map.erase(key)

    def reserve(self, size_t n):
        self.map.reserve(n)

    def copy(self):
        cdef IntMap other = IntMap.__new__(IntMap)
        copy_buffers(self.map, other.map)
        return other

    @property
    def nbytes(self):
        return total_bytes(self.map)

    def check(self):
        """Raises if an invariant is broken."""
        cdef const char* problem = self.map.check()
        if problem != NULL:
            raise AssertionError(problem.decode())
