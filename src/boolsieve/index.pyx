"""The public Index: ids and expressions in, events in, ids out.

Matching takes the lock as a reader, changing the index takes it as a writer and only for the step that changes it: parsing,
normal forms and every check that can fail come before. A thread never waits for the lock while it holds the GIL.
"""

from libc.string cimport memcpy
from libcpp.string_view cimport string_view

from boolsieve.encoding.clauses cimport DEAD, clause_holds, simd_name
from boolsieve.encoding.events cimport encode_event, encode_row
from boolsieve.encoding.clauses cimport BLOCK_ROWS
from boolsieve.language.convert cimport expr_of, tree_of
from boolsieve.language.parser cimport parse_text, parse_tree
from boolsieve.language.tree cimport OP_MATCHES
from boolsieve.memory.buffers cimport count_bytes, export_buffers, import_buffers
from boolsieve.normal.normalise cimport append_dnf
from boolsieve.structures.pool cimport CStringPool

import threading
from collections.abc import ItemsView, KeysView, Mapping, ValuesView
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import NamedTuple

import numpy as np

from boolsieve import engines
from boolsieve.columns import values_of
from boolsieve.encoding.regex import RegexSets
from boolsieve.errors import BudgetError, DuplicateIdError, EncodingError, ParseError, UnknownIdError
from boolsieve.explanation import explain as make_explanation
from boolsieve.language.expr import Attribute, Expr
from boolsieve.matches import Matches
from boolsieve.progress import progress_bar

# From this many clauses on, one match lets other Python threads run: handing the GIL back and forth costs about as much as
# this many early exits.
cdef uint32_t RELEASE_FROM = 1_000
# Holes are tolerated up to this many clauses, and beyond it up to as many as are live: compacting is amortised.
cdef uint32_t COMPACT_FROM = 1_000
# Rows that a thread matches before it asks for more.
cdef uint32_t TASK_ROWS = 32 * BLOCK_ROWS


class Skipped(NamedTuple):
    """An expression that `add_many(errors="skip")` left out."""

    position: int
    id: object
    error: Exception


cdef bytes id_bytes(object id):
    """'i' and eight bytes, or 's' and UTF-8."""
    if isinstance(id, str):
        try:
            return b"s" + id.encode()
        except UnicodeEncodeError:
            raise EncodingError(f"id {id!r} has a lone surrogate, which has no UTF-8") from None
    if isinstance(id, np.integer):
        id = int(id)
    if isinstance(id, int) and not isinstance(id, bool):
        if not -(1 << 63) <= id < 1 << 63:
            raise EncodingError(f"id {id} is beyond int64")
        return b"i" + (<object>id).to_bytes(8, "little", signed=True)
    raise EncodingError(f"an id is an int or a str, not {type(id).__name__}: {id!r}")


cdef object id_object(string_view raw):
    cdef int64_t number
    if raw.data()[0] == c"i":
        memcpy(&number, raw.data() + 1, 8)
        return number
    return raw.data()[1:raw.size()].decode()


cdef class ScratchBox:
    def __cinit__(self):
        self.kept = []


cdef class Stage:
    cdef int add(self, object id, object expression, uint64_t max_clauses) except -1:
        """Parses and checks one expression and adds it. On an error, which names the id, the stage is as it was."""
        cdef bytes raw = id_bytes(id)
        cdef size_t i
        try:
            if isinstance(expression, str):
                parse_text(expression, self.tree)
                text = (<str>expression).encode()
            elif isinstance(expression, (Expr, Attribute)):
                tree_of(expression, self.tree)
                text = str(expression).encode()
            else:
                raise EncodingError(f"an expression is a str or an Expr, not {type(expression).__name__}")
            for i in range(self.tree.nodes.size()):
                if self.tree.nodes[i].op == OP_MATCHES:
                    self._check_regex(i)
            append_dnf(self.tree, self.normal, max_clauses)
        except ParseError as e:
            raise ParseError(f"expression {id!r}: {e.problem}", e.text, e.line, e.column, e.expected) from None
        except BudgetError as e:
            raise BudgetError(f"expression {id!r}: {e}", e.needed, e.budget) from None
        except EncodingError as e:
            raise EncodingError(f"expression {id!r}: {e}") from None
        self.ids.append(<const char*>raw, len(raw))
        self.id_end.push_back(self.ids.size())
        self.texts.append(<const char*>(<bytes>text), len(text))
        self.text_end.push_back(self.texts.size())
        return 0

    def _check_regex(self, size_t node):
        cdef size_t first = self.tree.nodes[node].first
        pattern = self.tree.arena.substr(self.tree.literals[first].offset, self.tree.literals[first].length).decode()
        try:
            RegexSets.check(pattern)
        except ValueError as e:
            raise ParseError(str(e)) from None


cdef class Index:
    """Finds, for each event, all stored expressions that it satisfies.

    Args:
        engine: the name of an engine ("auto", or one of `bs.engines.names()`), or an engine object with options.
        max_clauses: how many clauses the normal form of one expression may have.

    >>> import boolsieve as bs
    >>> index = bs.Index()
    >>> index.add("alice", "model = 'iphone5s' AND color = 'silver' AND price <= 580")
    >>> index.add(42, (bs.attr("genre") == "classics") & bs.attr("price").between(20, 40))
    >>> index.match({"model": "iphone5s", "color": "silver", "price": 550})
    ['alice']
    """

    def __init__(self, engine="auto", *, max_clauses=1024):
        if not isinstance(max_clauses, int) or max_clauses < 1:
            raise ValueError(f"max_clauses is a positive int, not {max_clauses!r}")
        self.max_clauses = max_clauses
        self._store = ClauseStore()
        self._engine = engines.create(engine)
        self._engine.store = self._store
        self._boxes = []

    # The lock and the scratch space.

    cdef void _begin_read(self) noexcept:
        if not self._lock.try_read():
            with nogil:
                self._lock.read()

    cdef void _begin_write(self) noexcept:
        if not self._lock.try_write():
            with nogil:
                self._lock.write()

    cdef ScratchBox _take(self):
        if self._boxes:
            return self._boxes.pop()
        return ScratchBox()

    cdef int _give(self, ScratchBox box) except -1:
        box.scratch.event.close()
        box.scratch.slots.clear()
        box.scratch.counts.clear()
        if box.kept:
            box.kept.clear()
        self._counters.add_and_clear(box.scratch.counters)
        self._boxes.append(box)
        return 0

    # Changing.

    def add(self, id, expression):
        """Adds an expression, as text or built, under an id that the index does not hold yet."""
        cdef Stage stage = Stage()
        stage.add(id, expression, self.max_clauses)
        self._begin_write()
        try:
            self._require_new(stage)
            self._commit(stage)
        finally:
            self._lock.end_write()

    def add_many(self, ids, expressions, *, errors="raise", progress=False):
        """Adds many expressions at once: all of them, or none if one is bad.

        Args:
            ids, expressions: iterables or columns (NumPy, pandas, polars, Arrow) of equal length.
            errors: "raise", or "skip" to leave bad ones out.
            progress: show a progress bar.

        Returns:
            what was skipped, as a list of (position, id, error); empty with errors="raise".
        """
        if errors not in ("raise", "skip"):
            raise ValueError(f'errors is "raise" or "skip", not {errors!r}')
        cdef bint skip = errors == "skip"
        cdef Stage stage = Stage()
        cdef CStringPool seen
        cdef list skipped = []
        cdef Py_ssize_t position = -1
        cdef uint32_t number
        cdef list positions = []
        ids, expressions = values_of(ids), values_of(expressions)
        with progress_bar(progress, ids, expressions) as step:
            for position, (id, expression) in enumerate(zip_equal(ids, expressions)):
                try:
                    stage.add(id, expression, self.max_clauses)
                    number = seen.size()
                    if seen.add(stage.ids.data() + (stage.id_end[number - 1] if number else 0),
                                stage.ids.size() - (stage.id_end[number - 1] if number else 0)) != number:
                        raise DuplicateIdError(f"id {id!r} is given twice")
                except (ParseError, BudgetError, EncodingError, DuplicateIdError) as error:
                    if not skip:
                        raise at_position(error, position) from None
                    if stage.id_end.size() > seen.size():
                        stage.drop_last()
                    skipped.append(Skipped(position, id, error))
                else:
                    if skip:
                        positions.append(position)
                if step is not None and position & 0x3FFF == 0:
                    step(position)
        self._begin_write()
        try:
            if skip:
                stage = self._without_known(stage, positions, skipped)
            else:
                self._require_new(stage)
            self._commit(stage)
        finally:
            self._lock.end_write()
        skipped.sort(key=lambda record: record.position)
        return skipped
