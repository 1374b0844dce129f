"""The public Index: what it holds."""

from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libcpp.string cimport string
from libcpp.vector cimport vector

from boolsieve.encoding.arrow cimport ArrowSource
from boolsieve.encoding.attributes cimport NamePair
from boolsieve.encoding.clauses cimport Counters, Sample, Scratch
from boolsieve.encoding.ranking cimport Ranking
from boolsieve.encoding.store cimport ClauseStore
from boolsieve.engines.base cimport Engine
from boolsieve.language.tree cimport Normal, Tree
from boolsieve.memory.file cimport MappedFile
from boolsieve.structures.pool cimport CStringPool


cdef extern from "boolsieve/shared_lock.hpp" namespace "boolsieve" nogil:
    cdef cppclass SharedLock:
        bint try_read() except +
        bint read() except +
        void end_read() noexcept
        bint try_write() noexcept
        bint write() noexcept
        void end_write() noexcept


cdef class ScratchBox:
    """Scratch space of one thread, and the objects that it points into."""

    cdef Scratch scratch
    cdef Ranking ranking
    cdef list kept


cdef class Stage:
    """Expressions that are parsed, checked and in normal form, but not yet in the index."""

    cdef Tree tree
    cdef Normal normal
    cdef CStringPool ids     # tagged, as in id_table.hpp
    cdef size_t text_ids     # how many of them are texts
    cdef string texts
    cdef vector[uint64_t] text_end
    cdef list weights        # of (weight, attribute weights) or None, up to the last expression that has some
    cdef list attributes     # of dicts or None, up to the last expression that has some
    cdef vector[uint8_t] conjunctive  # which are in conjunctive normal form
    cdef uint64_t max_clauses
    cdef bint takes_cnf

    cdef int add(self, object id, object expression, object weight, object weights, object attributes) except -1
    cdef bytes read(self, object expression)
    cdef int normalise(self, bint plain) except -1
    cdef int _check_names(self, object weights) except -1
    cdef size_t set_members(self) noexcept
    cdef dict change(self, str operation)
    cdef int _check_regex(self, size_t node, str text) except -1


cdef class Where:
    """An expression about the attributes of expressions."""

    cdef ClauseStore store

    cdef vector[NamePair] names_in(self, ClauseStore store) except *


cdef class Index:
    cdef ClauseStore _store
    cdef Engine _engine
    cdef SharedLock _lock
    cdef list _boxes         # free scratch space
    cdef Counters _counters
    cdef Sample _sample      # events that the engine has not learned from yet
    cdef uint32_t _sample_every
    cdef readonly uint64_t max_clauses
    cdef object _durable     # the files of an index that `open` gave, or None
    cdef str _refusal        # why it cannot be changed, if so
    cdef MappedFile _unverified  # the file whose checksums are to be checked before the first change, or None

    cdef int _begin_read(self) except -1
    cdef int _begin_write(self) except -1
    cdef ScratchBox _take(self)
    cdef int _give(self, ScratchBox box) except -1
    cdef int _learn(self) except -1
    cdef int _find(self, ScratchBox box, object event) except -1
    cdef int _match(self, ScratchBox box) except -1
    cdef int _keep(self, Where where, vector[uint32_t]& slots) except -1
    cdef int _match_alone(self, ScratchBox box, object event) except -1
    cdef list _kept_of(self, list parts, object where)
    cdef int _open_ranking(self, ScratchBox box, size_t k, dict weights) except -1
    cdef int _require_new(self, Stage stage, bint many) except -1
    cdef int _set(self, object id, object expression, bint or_add, object weight, object weights,
                  object attributes) except -1
    cdef int _put(self, Stage stage, uint32_t slot) except -1
    cdef int _remove(self, uint32_t slot) except -1
    cdef int _use(self, Engine engine) except -1
    cdef int _compact(self) except -1
    cdef int _rebuild(self) except -1
    cdef int _build_engine(self) except -1
    cdef int _require_whole(self) except -1
    cdef object _append(self, object change)
    cdef int _take_back(self, object record) except -1
    cdef int _sync(self, object record) except -1
    cdef int _write(self, str path, object journal) except -1
    cdef list _match_arrow(self, ArrowSource source, object threads)
    cdef object _id(self, uint32_t slot)
    cdef tuple _answer(self, ScratchBox box)
    cdef object _joined(self, list parts, object threads)
    cdef int _fill_offsets(self, const uint32_t[::1] counts, int64_t start, int64_t[::1] offsets) except -1
    cdef int _fill_integers(self, const uint32_t[::1] slots, int64_t[::1] ids) except -1
    cdef int _fill_objects(self, const uint32_t[::1] slots, object ids) except -1
    cdef uint32_t _slot(self, object id) except? 0xFFFFFFFF
