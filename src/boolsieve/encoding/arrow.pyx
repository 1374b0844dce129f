"""Arrow without pyarrow: reads any producer and exports through the Arrow C data interface.

Producers are objects with `__arrow_c_stream__` (tables, data frames, DuckDB relations) or `__arrow_c_array__` (record
batches, struct arrays). The structs inside their capsules are moved out, as the PyCapsule interface asks for, and
released once: each struct's `release` is cleared by its call, so that a second one cannot happen.
"""

from cpython.mem cimport PyMem_RawCalloc, PyMem_RawFree
from cpython.pycapsule cimport PyCapsule_GetPointer, PyCapsule_IsValid, PyCapsule_New
from cpython.ref cimport Py_DECREF, Py_INCREF
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.errno cimport EINVAL, ENOMEM, ENOSYS
from libc.stdint cimport INT32_MAX, uintptr_t
from libc.string cimport memcpy, memset

import numpy as np

from boolsieve.errors import EncodingError


cdef extern from "boolsieve/arrow.hpp" namespace "boolsieve::arrow":
    string current_problem()


cdef extern from "Python.h":
    const char* PyUnicode_AsUTF8AndSize(object text, Py_ssize_t* size) except NULL


cdef int raise_problem() except *:
    cdef string problem = current_problem()
    if problem.empty():
        raise MemoryError
    raise EncodingError(problem.decode("utf-8", "replace"))


cdef bint is_arrow(object data) except -1:
    """Whether `ArrowSource` takes it."""
    return hasattr(data, "__arrow_c_stream__") or hasattr(data, "__arrow_c_array__")


cdef object unsuitable_error(const Column& column):
    """The error for an expression that uses a column which is no value."""
    name, kind = column.name.decode("utf-8", "replace"), column.type.decode("utf-8", "replace")
    return EncodingError(f"column '{name}' has type {kind}, which cannot be matched")


cdef class ArrowSource:
    def __cinit__(self, object data):
        if hasattr(data, "__arrow_c_stream__"):
            self.take_stream(data.__arrow_c_stream__())
        elif hasattr(data, "__arrow_c_array__"):
            schema, array = data.__arrow_c_array__()
            self.take_array(schema, array)
        else:
            raise EncodingError(f"{type(data).__name__} is no Arrow producer: it has no __arrow_c_stream__")
        self.batch.read(&self.schema, NULL)

    def __dealloc__(self):
        if self.array.release != NULL:
            self.array.release(&self.array)
        if self.schema.release != NULL:
            self.schema.release(&self.schema)
        if self.stream.release != NULL:
            self.stream.release(&self.stream)

    cdef int take_stream(self, object capsule) except -1:
        cdef ArrowArrayStream* stream = <ArrowArrayStream*>pointer_of(capsule, "arrow_array_stream")
        if stream.release == NULL:
            raise EncodingError("the Arrow stream was consumed before")
        self.stream = stream[0]
        stream.release = NULL
        cdef int code
        with nogil:
            code = self.stream.get_schema(&self.stream, &self.schema)
        if code:
            raise_stream_error(&self.stream, code)
        if self.schema.release == NULL:
            raise EncodingError("the Arrow stream gave no schema")

    cdef int take_array(self, object schema_capsule, object array_capsule) except -1:
        cdef ArrowSchema* schema = <ArrowSchema*>pointer_of(schema_capsule, "arrow_schema")
        cdef ArrowArray* array = <ArrowArray*>pointer_of(array_capsule, "arrow_array")
        if schema.release == NULL or array.release == NULL:
            raise EncodingError("the Arrow array was consumed before")
        self.schema = schema[0]
        schema.release = NULL
        self.array = array[0]
        array.release = NULL
        self.waiting = True

    cdef bint next(self) except -1:
        """Read the next batch; False at the end. What was decoded of the one before points nowhere then."""
        cdef int code
        if self.waiting:
            self.waiting = False
            self.batch.read(&self.schema, &self.array)
            return True
        if self.stream.release != NULL:
            # Producers with Python code take the GIL themselves, maybe in other threads which this one waits for.
            with nogil:
                if self.array.release != NULL:
                    self.array.release(&self.array)
                self.array.release = NULL
                code = self.stream.get_next(&self.stream, &self.array)
            if code:
                self.array.release = NULL
                raise_stream_error(&self.stream, code)
            if self.array.release != NULL:
                self.batch.read(&self.schema, &self.array)
                return True
            self.stream.release(&self.stream)
            self.stream.release = NULL
        self.batch.read(&self.schema, NULL)
        return False


cdef void* pointer_of(object capsule, str name) except NULL:
    if not PyCapsule_IsValid(capsule, name.encode()):
        raise EncodingError(f"the Arrow producer gave no capsule of the name {name}")
    return PyCapsule_GetPointer(capsule, name.encode())


cdef int raise_stream_error(ArrowArrayStream* stream, int code) except -1:
    cdef const char* reason = stream.get_last_error(stream)
    text = (<bytes>reason).decode("utf-8", "replace") if reason != NULL else f"error {code}"
    if code in (EINVAL, ENOSYS):
        raise EncodingError(f"the Arrow producer failed: {text}")
    raise OSError(code, f"the Arrow producer failed: {text}")


# ---- looking into what is read --------------------------------------------------------------------------------------

def to_columns(object data, Py_ssize_t rows=1024, bint by_codes=False):
    """Decode all columns of an Arrow producer as matching sees them: a look into its data for tests and debugging.

    Args:
        data: any Arrow producer.
        rows: how many rows to decode at once.
        by_codes: decode dictionaries as a whole and look their rows up by code.

    Returns:
        A dict from the column's name to its values. Absent values are None; times are microseconds since 1970 UTC, or a
        pair of neighbouring ones if the time lies between these; sets are lists, maps are dicts. A column that cannot
        be matched has the name of its type in place of values.
    """
    cdef ArrowSource source = ArrowSource(data)
    cdef size_t column
    cdef int64_t start
    names = [source.batch.columns[column].name.decode() for column in range(source.batch.fields)]
    values = [
        source.batch.columns[column].type.decode() if source.batch.columns[column].kind == COLUMN_UNSUITABLE else []
        for column in range(source.batch.fields)
    ]
    while source.next():
        for column in range(source.batch.fields):
            if source.batch.columns[column].kind == COLUMN_UNSUITABLE:
                continue
            for start in range(0, source.batch.length, rows):
                n = min(rows, source.batch.length - start)
                values[column] += column_values(&source.batch, column, start, n, by_codes)
    return dict(zip(names, values, strict=True))


cdef list column_values(Batch* batch, int32_t which, int64_t start, int64_t n, bint by_codes):
    cdef Decoded rows
    cdef int64_t i
    cdef int32_t dictionary = batch.columns[which].dictionary
    if by_codes and dictionary >= 0:
        known = column_values(batch, dictionary, 0, batch.columns[dictionary].length, by_codes)
        batch.decode_codes(which, start, n, rows)
        return [known[rows.codes[i]] if rows.codes[i] >= 0 else None for i in range(n)]
    batch.decode(which, start, n, rows)
    return decoded_values(batch, which, n, &rows)


cdef list decoded_values(Batch* batch, int32_t which, int64_t n, Decoded* rows):
    cdef Decoded parts
    cdef int64_t i
    cdef list values = []
    cdef ColumnKind kind = batch.columns[which].kind
    keys = items = None
    if kind == COLUMN_LIST or kind == COLUMN_MAP:
        batch.decode_parts(batch.columns[which].child, rows[0], parts)
        keys = decoded_values(batch, batch.columns[which].child, rows.part_count, &parts)
    if kind == COLUMN_MAP:
        batch.decode_parts(batch.columns[which].items, rows[0], parts)
        items = decoded_values(batch, batch.columns[which].items, rows.part_count, &parts)
    for i in range(n):
        if kind == COLUMN_NULL or (rows.valid != NULL and not rows.valid[i]):
            values.append(None)
        elif kind == COLUMN_BOOL:
            values.append(rows.bools[i] == 1)
        elif kind == COLUMN_INT or (kind == COLUMN_REAL and rows.whole != NULL and rows.whole[i]):
            values.append(rows.integers[i])
        elif kind == COLUMN_UINT64:
            values.append(rows.naturals[i])
        elif kind == COLUMN_REAL:
            values.append(rows.reals[i])
        elif kind == COLUMN_STRING:
            values.append(PyUnicode_DecodeUTF8(rows.text[i], rows.text_length[i], NULL))
        elif kind == COLUMN_TIME:
            time = rows.integers[i]
            values.append((time, time + 1) if rows.inside != NULL and rows.inside[i] else time)
        elif kind == COLUMN_LIST:
            values.append(keys[rows.part_offsets[i]:rows.part_offsets[i + 1]])
        else:
            first, last = rows.part_offsets[i], rows.part_offsets[i + 1]
            values.append(dict(zip(keys[first:last], items[first:last], strict=True)))
    return values


# ---- export ---------------------------------------------------------------------------------------------------------
# An exported ArrowArray holds a reference to a Node, which holds the NumPy arrays whose memory it shows and the
# ArrowArray structs of its children. A consumer may keep a child beyond its parent: it has a Node of its own.

cdef enum:
    # No id is null, but this is what consumers' own types say, and what theirs are compared with.
    ARROW_FLAG_NULLABLE = 2


cdef class Node:
    """One array of an export: its type, its buffers and its children. It is given away once."""
    cdef const char* format
    cdef const char* name
    cdef int64_t length
    cdef object owners             # of the buffers
    cdef int n_buffers
    cdef const void* buffers[3]    # the first is the validity, which is NULL: there are no nulls
    cdef list children
    cdef ArrowArray child_arrays[2]
    cdef ArrowArray* child_pointers[2]


cdef Node new_node(const char* format, const char* name, int64_t length, list buffers, list children):
    cdef Node node = Node()
    cdef int i
    node.format, node.name, node.length = format, name, length
    node.owners = buffers
    node.n_buffers = 1 + len(buffers)
    for i in range(len(buffers)):
        node.buffers[i + 1] = <const void*><uintptr_t>buffers[i].__array_interface__["data"][0]
    node.children = children
    return node


cdef void release_array(ArrowArray* array) noexcept with gil:
    cdef int64_t i
    for i in range(array.n_children):
        if array.children[i].release != NULL:
            array.children[i].release(array.children[i])
    array.release = NULL
    Py_DECREF(<object>array.private_data)


cdef void fill_array(ArrowArray* out, Node node) noexcept:
    cdef int i
    memset(out, 0, sizeof(ArrowArray))
    out.length = node.length
    out.n_buffers = node.n_buffers
    out.buffers = node.buffers
    out.n_children = len(node.children)
    for i in range(<int>out.n_children):
        node.child_pointers[i] = &node.child_arrays[i]
        fill_array(node.child_pointers[i], <Node>node.children[i])
    out.children = node.child_pointers
    Py_INCREF(node)
    out.private_data = <void*>node
    out.release = release_array


cdef void release_schema(ArrowSchema* schema) noexcept nogil:
    cdef int64_t i
    for i in range(schema.n_children):
        if schema.children[i].release != NULL:
            schema.children[i].release(schema.children[i])
        PyMem_RawFree(schema.children[i])
    PyMem_RawFree(schema.children)
    schema.release = NULL


cdef int fill_schema(ArrowSchema* out, Node node) except -1:
    cdef int64_t i
    memset(out, 0, sizeof(ArrowSchema))
    out.format, out.name = node.format, node.name
    out.flags = ARROW_FLAG_NULLABLE
    out.release = release_schema
    try:
        if node.children:
            out.children = <ArrowSchema**>allocate(len(node.children) * sizeof(ArrowSchema*))
        for child in node.children:
            out.children[out.n_children] = <ArrowSchema*>allocate(sizeof(ArrowSchema))
            out.n_children += 1
            fill_schema(out.children[out.n_children - 1], <Node>child)
    except MemoryError:
        release_schema(out)
        raise
    return 0


cdef void* allocate(size_t size) except NULL:
    cdef void* memory = PyMem_RawCalloc(1, size)
    if memory == NULL:
        raise MemoryError
    return memory


cdef void close_schema(object capsule) noexcept:
    cdef ArrowSchema* schema = <ArrowSchema*>PyCapsule_GetPointer(capsule, "arrow_schema")
    if schema.release != NULL:
        schema.release(schema)
    PyMem_RawFree(schema)


cdef void close_array(object capsule) noexcept:
    cdef ArrowArray* array = <ArrowArray*>PyCapsule_GetPointer(capsule, "arrow_array")
    if array.release != NULL:
        array.release(array)
    PyMem_RawFree(array)


cdef void close_stream(object capsule) noexcept:
    cdef ArrowArrayStream* stream = <ArrowArrayStream*>PyCapsule_GetPointer(capsule, "arrow_array_stream")
    if stream.release != NULL:
        stream.release(stream)
    PyMem_RawFree(stream)


cdef tuple array_capsules(Node node):
    cdef ArrowSchema* schema = <ArrowSchema*>allocate(sizeof(ArrowSchema))
    schema_capsule = PyCapsule_New(schema, "arrow_schema", close_schema)
    fill_schema(schema, node)
    cdef ArrowArray* array = <ArrowArray*>allocate(sizeof(ArrowArray))
    array_capsule = PyCapsule_New(array, "arrow_array", close_array)
    fill_array(array, node)
    return schema_capsule, array_capsule


cdef class Stream:
    """A stream of one batch."""
    cdef Node node
    cdef bint given


cdef int stream_schema(ArrowArrayStream* stream, ArrowSchema* out) noexcept with gil:
    try:
        fill_schema(out, (<Stream>stream.private_data).node)
    except MemoryError:
        return ENOMEM
    return 0


cdef int stream_next(ArrowArrayStream* stream, ArrowArray* out) noexcept with gil:
    cdef Stream state = <Stream>stream.private_data
    if state.given:
        memset(out, 0, sizeof(ArrowArray))
    else:
        fill_array(out, state.node)
        state.given = True
    return 0


cdef const char* stream_error(ArrowArrayStream* stream) noexcept nogil:
    return "out of memory"


cdef void release_stream(ArrowArrayStream* stream) noexcept with gil:
    stream.release = NULL
    Py_DECREF(<object>stream.private_data)


cdef object stream_capsule(Node node):
    cdef Stream state = Stream()
    state.node = node
    cdef ArrowArrayStream* stream = <ArrowArrayStream*>allocate(sizeof(ArrowArrayStream))
    capsule = PyCapsule_New(stream, "arrow_array_stream", close_stream)
    stream.get_schema = stream_schema
    stream.get_next = stream_next
    stream.get_last_error = stream_error
    Py_INCREF(state)
    stream.private_data = <void*>state
    stream.release = release_stream
    return capsule


cdef Node integers_node(const char* name, object integers):
    return new_node("l", name, len(integers), [integers], [])


cdef Node strings_node(const char* name, list strings):
    cdef Py_ssize_t size
    cdef Py_ssize_t n = len(strings), i
    cdef int64_t[::1] offsets
    cdef uint8_t[::1] data
    ends = np.zeros(n + 1, np.int64)
    offsets = ends
    for i in range(n):
        try:
            PyUnicode_AsUTF8AndSize(strings[i], &size)
        except UnicodeEncodeError:
            raise EncodingError(f"the id {strings[i]!a} is no valid unicode, which Arrow demands") from None
        offsets[i + 1] = offsets[i] + size
    bytes_of_all = np.empty(offsets[n], np.uint8)
    data = bytes_of_all
    for i in range(n):
        if offsets[i] != offsets[i + 1]:
            memcpy(&data[offsets[i]], PyUnicode_AsUTF8AndSize(strings[i], &size), offsets[i + 1] - offsets[i])
    if offsets[n] > INT32_MAX:
        return new_node("U", name, n, [ends, bytes_of_all], [])
    return new_node("u", name, n, [ends.astype(np.int32), bytes_of_all], [])


cdef Node ids_node(const char* name, object ids):
    return strings_node(name, ids) if isinstance(ids, list) else integers_node(name, ids)


def export_lists(object offsets, object ids):
    """Export lists of ids as the capsules of an Arrow list array, a large list where 32-bit offsets do not suffice.

    Args:
        offsets: contiguous int64 array from 0 to the number of ids.
        ids: contiguous int64 array, which is exported without a copy, or a list of strings.
    """
    cdef Node values = ids_node("item", ids)
    if values.length > INT32_MAX:
        return array_capsules(new_node("+L", "", len(offsets) - 1, [offsets], [values]))
    return array_capsules(new_node("+l", "", len(offsets) - 1, [offsets.astype(np.int32)], [values]))


def export_pairs(object rows, object ids):
    """Export row numbers (contiguous int64 array) and ids (see `export_lists`) as the capsule of an Arrow stream."""
    children = [integers_node("row", rows), ids_node("id", ids)]
    return stream_capsule(new_node("+s", "", len(rows), [], children))
