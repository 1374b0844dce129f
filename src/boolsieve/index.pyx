"""The public Index: ids and expressions in, events in, ids out.

Matching takes the lock as a reader. Changing the index takes it as a writer, and only for the step that changes it:
parsing, normal forms and every check that can fail come before. No thread waits for the lock while it holds the GIL.
"""

from libc.string cimport memcpy
from libcpp.string_view cimport string_view

from boolsieve.encoding.arrow cimport ArrowSource, is_arrow
from boolsieve.encoding.attributes cimport NamePair, attributes_of, encode_attributes, set_attributes
from boolsieve.encoding.batches cimport BatchEncoder, Plan
from boolsieve.encoding.clauses cimport BLOCK_ROWS, DEAD, Clauses, clause_holds, simd_name
from boolsieve.encoding.events cimport encode_event, encode_row
from boolsieve.encoding.store cimport SlotContent, SlotWeights, Store, StoreMark, terms_are_single
from boolsieve.language.convert cimport expr_of, tree_of
from boolsieve.language.parser cimport parse_text, parse_tree
from boolsieve.language.tree cimport OP_MATCHES, TERM_IN, TERM_NOT_IN, Literal, Normal
from boolsieve.memory.buffers cimport NamedBuffer, count_bytes, export_buffers, import_buffers
from boolsieve.memory.file cimport file_parts
from boolsieve.normal.normalise cimport append_cnf, append_dnf
from boolsieve.structures.pool cimport NONE

import os
from collections.abc import ItemsView, KeysView, Mapping, ValuesView
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from itertools import zip_longest
from math import inf
from typing import NamedTuple

import numpy as np

from boolsieve import engines
from boolsieve.attributes import from_journal, journal_form, plain_attributes
from boolsieve.columns import values_of
from boolsieve.encoding.regex import check as check_regex
from boolsieve.errors import BudgetError, DuplicateIdError, EncodingError, ParseError, StorageError, UnknownIdError
from boolsieve.explanation import Explanation
from boolsieve.language.expr import Attribute, Expr
from boolsieve.language.printer import literal_text
from boolsieve.matches import Matches
from boolsieve.progress import STEP, progress_bar
from boolsieve.storage.durable import Durable, journal_path, replay
from boolsieve.storage.files import replace as replace_file

# From this many clauses on, one match lets other Python threads run: handing the GIL back and forth costs about as much
# as this many early exits.
cdef uint32_t RELEASE_FROM = 1_000
# Holes are tolerated up to this many clauses, and beyond it up to as many as are live: compacting is amortised.
cdef uint32_t COMPACT_FROM = 1_000
# Of the buffers: another number whenever what they mean changes, since an old file or pickle would match wrongly.
FORMAT = 1
# How often a reader begins anew because a checkpoint came between its reading of the snapshot and of the journal.
READ_TRIES = 100
# From this many clauses on it is looked whether conjunctive normal form is shorter, where the engine takes it: a clause
# of that form is found through several attributes and then checked, so that few plain clauses are cheaper.
cdef uint64_t CNF_FROM = 5
# How many events an engine learns from at a time. At first every event is taken, then every second, fourth and so on.
cdef uint32_t SAMPLE_EVENTS = 256
cdef uint32_t SAMPLE_EVERY_MOST = 64
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


cdef object at_position(object error, Py_ssize_t position):
    """The same error, which says where in the columns of add_many it is."""
    where = f"position {position}, "
    if isinstance(error, ParseError):
        return ParseError(where + error.problem, error.text, error.line, error.column, error.expected)
    if isinstance(error, BudgetError):
        return BudgetError(where + str(error), error.needed, error.budget)
    return type(error)(where + str(error))


cdef object end_of_column = object()


def rows(**columns):
    """All columns side by side, None for a column that is not given; an error where one ends before another."""
    given = {name: values_of(column) for name, column in columns.items() if column is not None}
    cdef list places = [list(given).index(name) if name in given else None for name in columns]
    cdef Py_ssize_t position = 0
    cdef tuple row
    for row in zip_longest(*given.values(), fillvalue=end_of_column):
        for value in row:
            if value is end_of_column:
                ends = [value is end_of_column for value in row]
                shorter, longer = list(given)[ends.index(True)], list(given)[ends.index(False)]
                raise ValueError(f"the columns differ in length: {shorter} end after {position}, {longer} go on")
        yield row if len(row) == len(places) else tuple([None if i is None else row[i] for i in places])
        position += 1


cdef object weight_of(object weight, str what):
    """A weight as a float; `what` is for the error."""
    if isinstance(weight, (int, float, np.integer, np.floating)) and not isinstance(weight, bool):
        try:
            value = float(weight)
        except OverflowError:
            value = inf
        if 0 <= value < inf:
            return value
        raise ValueError(f"{what} is a finite number that is not negative, not {weight!r}")
    raise EncodingError(f"{what} is a number, not {type(weight).__name__}: {weight!r}")


cdef dict weights_of(object weights, str what):
    """Attribute weights as a dict of floats."""
    if weights is None:
        return {}
    if not isinstance(weights, Mapping):
        raise EncodingError(f"{what} are a mapping of attributes to numbers, not {type(weights).__name__}")
    cdef dict checked = {}
    for name, weight in weights.items():
        if not isinstance(name, str):
            raise EncodingError(f"{what}: an attribute is a str, not {type(name).__name__}: {name!r}")
        checked[name] = weight_of(weight, f"the weight of attribute {name!r}")
    return checked


cdef class ScratchBox:
    def __cinit__(self):
        self.kept = []


cdef class Stage:
    def __cinit__(self, uint64_t max_clauses, bint takes_cnf):
        self.weights = []
        self.attributes = []
        self.max_clauses = max_clauses
        self.takes_cnf = takes_cnf

    cdef int add(self, object id, object expression, object weight, object weights, object attributes) except -1:
        """Parses and checks one expression and adds it. On an error, which names the id, the stage is as it was."""
        cdef bytes raw = id_bytes(id)
        cdef bytes text
        if self.ids.find(raw, len(raw)) != NONE:
            raise DuplicateIdError(f"id {id!r} is given twice")
        try:
            if weight is not None:
                weight = weight_of(weight, "weight")
            if weights is not None:
                weights = weights_of(weights, "weights")
            if attributes is not None:
                attributes = plain_attributes(attributes)
            text = self.read(expression)
            if weights:
                self._check_names(weights)
            self.normalise(bool(weights))
        except ParseError as e:
            raise ParseError(f"expression {id!r}: {e.problem}", e.text, e.line, e.column, e.expected) from None
        except BudgetError as e:
            raise BudgetError(f"expression {id!r}: {e}", e.needed, e.budget) from None
        except EncodingError as e:
            raise EncodingError(f"expression {id!r}: {e}") from None
        except ValueError as e:
            raise ValueError(f"expression {id!r}: {e}") from None
        if weight or weights:
            self.weights.extend([None] * (self.ids.size() - len(self.weights)))
            self.weights.append((weight or 0.0, weights or {}))
        if attributes:
            self.attributes.extend([None] * (self.ids.size() - len(self.attributes)))
            self.attributes.append(attributes)
        self.ids.add(raw, len(raw))
        self.text_ids += raw[0] == c"s"
        self.texts.append(<const char*>text, len(text))
        self.text_end.push_back(self.texts.size())
        return 0

    cdef bytes read(self, object expression):
        """Parses an expression into the tree and gives its text."""
        cdef bytes text
        cdef size_t i
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
                self._check_regex(i, text.decode())
        return text

    cdef int normalise(self, bint plain) except -1:
        """Appends the normal form of the tree; conjunctive, where an engine takes it and it is much the shorter one.

        `plain` asks for the disjunctive one: weights of attributes are counted by its clauses.
        """
        cdef bint takes_cnf = self.takes_cnf and not plain
        cdef Normal other
        cdef uint64_t terms = 0
        cdef uint64_t clauses = 0
        cdef size_t fewest = 0
        cdef size_t i
        error = None
        try:
            append_dnf(self.tree, self.normal, self.max_clauses)
            terms = self.normal.terms_of_last()
            clauses = self.normal.clauses_of_last()
        except BudgetError as e:
            if not takes_cnf:
                raise
            error = e
        if takes_cnf and (error is not None or clauses >= CNF_FROM):
            try:
                append_cnf(self.tree, other, self.max_clauses)
            except BudgetError:
                if error is not None:
                    raise error from None
                self.conjunctive.push_back(False)
                return 0
            for i in range(1, other.clause_begin.size()):
                if i == 1 or other.clause_begin[i] - other.clause_begin[i - 1] < fewest:
                    fewest = other.clause_begin[i] - other.clause_begin[i - 1]
            if terms_are_single(other, 0) and (error is not None or fewest * other.terms.size() < terms):
                if error is None:
                    self.normal.drop_last()
                append_cnf(self.tree, self.normal, self.max_clauses)
                self.conjunctive.push_back(True)
                return 0
            if error is not None:
                raise error
        self.conjunctive.push_back(False)
        return 0

    cdef int _check_names(self, object weights) except -1:
        cdef size_t i
        cdef set there = set()
        for i in range(self.tree.nodes.size()):
            if self.tree.nodes[i].name_length:
                there.add((<bytes>(self.tree.arena.data() + self.tree.nodes[i].name)[:self.tree.nodes[i].name_length])
                          .decode())
        unknown = [name for name in weights if name not in there]
        if unknown:
            raise ValueError(f"weights of attributes that are not in the expression: {', '.join(map(repr, unknown))}")
        return 0

    cdef size_t set_members(self) noexcept:
        """How many keys the sets of the clauses will have."""
        cdef size_t i, total = 0
        for i in range(self.normal.terms.size()):
            if ((self.normal.terms[i].kind == TERM_IN or self.normal.terms[i].kind == TERM_NOT_IN)
                    and self.normal.terms[i].count > 1):
                total += self.normal.terms[i].count
        return total

    cdef dict change(self, str operation):
        """What the journal has to know of these expressions."""
        cdef uint32_t i
        cdef string_view id
        cdef size_t begin = 0
        cdef list ids = []
        cdef list expressions = []
        for i in range(self.ids.size()):
            id = self.ids.text(i)
            ids.append(id_object(id))
            expressions.append((self.texts.data() + begin)[:self.text_end[i] - begin].decode())
            begin = self.text_end[i]
        change = {"do": operation, "ids": ids, "expressions": expressions}
        if self.weights:
            given = [pair or (0.0, {}) for pair in self.weights]
            given += [(0.0, {})] * (len(ids) - len(given))
            change["weight"] = [weight for weight, _ in given]
            change["weights"] = [weights for _, weights in given]
        if self.attributes:
            change["attributes"] = [None if own is None else journal_form(own) for own in self.attributes]
            change["attributes"] += [None] * (len(ids) - len(self.attributes))
        return change

    cdef int _check_regex(self, size_t node, str text) except -1:
        cdef Literal* operand = &self.tree.literals[self.tree.nodes[node].first]
        pattern = (<bytes>(self.tree.arena.data() + operand.offset)[:operand.length]).decode()
        try:
            check_regex(pattern)
        except ValueError as e:
            before = text[:max(0, text.find(literal_text(pattern)))]
            line = before.count("\n") + 1
            raise ParseError(str(e), text, line, len(before) - before.rfind("\n"), "a regular expression") from None
        return 0


cdef Engine engine_like(Engine engine):
    """An engine of the same kind on an empty store."""
    cdef Engine fresh = engines.create(engine)
    fresh.store = ClauseStore()
    return fresh


cdef int put(Engine engine, Stage stage, uint32_t i, uint32_t slot) except -1:
    """Gives a slot what a stage's expression has: clauses, if the engine takes them, weights and attributes."""
    cdef ClauseStore store = engine.store
    cdef uint32_t first = store.store.clause_count()
    cdef vector[uint32_t] names
    cdef vector[double] values
    cdef bytes name
    cdef string_view id
    weight, weights = (stage.weights[i] if i < len(stage.weights) else None) or (0.0, {})
    for text, value in weights.items():
        name = text.encode()
        names.push_back(store.dictionary.add_name(name, len(name)))
        values.push_back(value)
    store.store.set_weight(slot, weight)
    store.store.set_weights(slot, names.data(), values.data(), names.size())
    set_attributes(store, slot, (stage.attributes[i] if i < len(stage.attributes) else None) or {})
    store.encode(stage.normal, i, slot, stage.conjunctive[i])
    try:
        engine.require(first, store.store.clause_count() - first)
    except BudgetError as e:
        id = stage.ids.text(i)
        raise BudgetError(f"expression {id_object(id)!r}: {e}", e.needed, e.budget) from None
    return 0


cdef bint fill(Engine engine, Stage stage, bint skip, dict left_out) except *:
    """Puts a stage into a store, but for what is left out. True if the engine refused some, which are then in it."""
    cdef Store* store = &engine.store.store
    cdef uint32_t i, slot
    cdef string_view id
    cdef size_t begin = 0
    cdef bint refused = False
    store.reserve(stage.ids.size(), stage.text_ids, stage.normal.clause_begin.size() - 1,
                  stage.normal.terms.size(), stage.set_members(), stage.texts.size())
    for i in range(stage.ids.size()):
        id = stage.ids.text(i)
        if skip and i not in left_out and store.ids.find(id.data(), id.size()) != DEAD:
            left_out[i] = DuplicateIdError(f"id {id_object(id)!r} is in the index already")
        if not skip or i not in left_out:
            slot = store.add_slot(id.data(), id.size())
            store.set_text(slot, stage.texts.data() + begin, stage.text_end[i] - begin)
            try:
                put(engine, stage, i, slot)
            except BudgetError as error:
                if not skip:
                    raise (at_position(error, i) if stage.ids.size() > 1 else error) from None
                left_out[i] = error
                refused = True
        begin = stage.text_end[i]
    return refused


cdef int commit(Engine engine, Stage stage, list positions, list skipped) except -1:
    """Puts a stage into an engine and its store, or leaves them as they were if that fails.

    Ids that are there already, and what the engine refuses, are skipped if that is asked for.
    """
    cdef Store* store = &engine.store.store
    cdef uint32_t first = store.clause_count()
    cdef string_view id
    cdef StoreMark mark = store.mark()
    cdef dict left_out = {}
    try:
        if fill(engine, stage, positions is not None, left_out):
            store.roll_back(mark)
            engine.store.restore()
            fill(engine, stage, True, left_out)
        if stage.ids.size() > 1:
            engine.store.dictionary.patterns.settle()
        engine.insert(first, store.clause_count() - first)
    except BaseException:
        store.roll_back(mark)
        engine.store.restore()
        raise
    for i, error in left_out.items():
        id = stage.ids.text(i)
        skipped.append(Skipped(positions[i], id_object(id), error))
    return 0


cdef class Where:
    def __init__(self, where, max_clauses):
        cdef Stage stage = Stage(max_clauses, False)
        cdef bytes id = id_bytes(0)
        try:
            stage.read(where)
            stage.normalise(True)
        except ParseError as e:
            raise ParseError(f"where: {e.problem}", e.text, e.line, e.column, e.expected) from None
        except BudgetError as e:
            raise BudgetError(f"where: {e}", e.needed, e.budget) from None
        self.store = ClauseStore()
        self.store.encode(stage.normal, 0, self.store.store.add_slot(id, len(id)), False)

    cdef vector[NamePair] names_in(self, ClauseStore store) except *:
        """The names that it is about and that attributes in the store have."""
        cdef vector[NamePair] found
        cdef NamePair pair
        cdef uint32_t name
        cdef string_view text
        for name in range(self.store.dictionary.names.size()):
            text = self.store.dictionary.names.text(name)
            pair.asked = name
            pair.given = store.store.attributes.names.find(text.data(), text.size())
            if pair.given != NONE:
                found.push_back(pair)
        return found


# A filter often comes with event after event.
cached_where = lru_cache(maxsize=128)(Where)


cdef Where where_of(object where, uint64_t max_clauses):
    if isinstance(where, Attribute):
        where = where.is_true()  # an attribute has no equality of its own
    elif not isinstance(where, (str, Expr)):
        raise EncodingError(f"where is a str or an Expr, not {type(where).__name__}")
    return cached_where(where, max_clauses)


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
        self._sample_every = 1
        self._durable = None
        self._refusal = ""

    # The lock and the scratch space.

    cdef int _begin_read(self) except -1:
        cdef bint begun
        if not self._lock.try_read():
            with nogil:
                begun = self._lock.read()
            if not begun:
                raise RuntimeError("the index cannot be used by what runs in the middle of changing it")
        return 0

    cdef int _begin_write(self) except -1:
        cdef bint begun
        if not self._lock.try_write():
            with nogil:
                begun = self._lock.write()
            if not begun:
                raise RuntimeError("the index cannot be changed by what runs in the middle of using it")
        return 0

    cdef ScratchBox _take(self):
        cdef ScratchBox box = self._boxes.pop() if self._boxes else ScratchBox()
        box.scratch.sample_every = self._sample_every if self._engine.learns else 0
        box.scratch.sample.clear()
        return box

    cdef int _give(self, ScratchBox box) except -1:
        box.scratch.event.close()
        if not box.scratch.ranges.empty():
            box.scratch.ranges.close()
        box.scratch.slots.clear()
        box.scratch.counts.clear()
        if box.kept:
            box.kept.clear()
        if box.scratch.remember:
            box.scratch.remember = False
            box.scratch.seen.clear(0)
        self._counters.add_and_clear(box.scratch.counters)
        self._boxes.append(box)
        return 0

    cdef int _learn(self) except -1:
        """Lets the engine learn from the sample, unless someone uses the index now: then the next match will."""
        if self._sample.events < SAMPLE_EVENTS or not self._lock.try_write():
            return 0
        try:
            self._require_whole()
            self._engine.learn(self._sample)
        finally:
            self._sample.clear()
            self._sample_every = min(2 * self._sample_every, SAMPLE_EVERY_MOST)
            self._lock.end_write()
        return 0

    # Changing.

    def add(self, id, expression, weight=0.0, weights=None, attributes=None):
        """Adds an expression, as text or built, under an id that the index does not hold yet.

        Args:
            weight: what a match is worth to `top_k`; not negative.
            weights: what it is worth beside that an attribute is there, by name, for clauses that need it.
            attributes: what the expression has itself, by name, for `where` to filter by.
        """
        cdef Stage stage = Stage(self.max_clauses, self._engine.takes_cnf)
        stage.add(id, expression, weight, weights, attributes)
        record = None
        self._begin_write()
        try:
            self._require_new(stage, False)
            record = self._append(None if self._durable is None else stage.change("add"))
            try:
                commit(self._engine, stage, None, None)
            except BaseException:
                self._take_back(record)
                raise
        finally:
            self._lock.end_write()
        self._sync(record)

    def add_many(self, ids, expressions, *, weight=None, weights=None, attributes=None, errors="raise",
                 progress=False):
        """Adds many expressions at once: all of them, or none if one is bad.

        Args:
            ids, expressions: iterables or columns (NumPy, pandas, polars, Arrow) of equal length.
            weight, weights, attributes: columns of what `add` takes; None in them, and for them, stands for none.
            errors: "raise", or "skip" to leave bad ones out.
            progress: show a progress bar.

        Returns:
            What was skipped, as a list of (position, id, error); empty with errors="raise".
        """
        if errors not in ("raise", "skip"):
            raise ValueError(f'errors is "raise" or "skip", not {errors!r}')
        cdef Stage stage = Stage(self.max_clauses, self._engine.takes_cnf)
        cdef list skipped = []
        cdef list positions = [] if errors == "skip" else None
        cdef Py_ssize_t position = 0
        ids = values_of(ids)
        total = len(ids) if hasattr(ids, "__len__") else None
        with progress_bar(progress, total) as show:
            for id, expression, one, some, own in rows(ids=ids, expressions=expressions, weight=weight, weights=weights,
                                                       attributes=attributes):
                try:
                    stage.add(id, expression, one, some, own)
                    if positions is not None:
                        positions.append(position)
                except (ValueError, EncodingError) as error:
                    if positions is None:
                        raise at_position(error, position) from None
                    skipped.append(Skipped(position, id, error))
                position += 1
                if show is not None and position % STEP == 0:
                    show(position)
            if show is not None:
                show(position)
        record = None
        self._begin_write()
        try:
            if positions is None:
                self._require_new(stage, True)
            record = self._append(None if self._durable is None else
                                  stage.change("add" if positions is None else "add or skip"))
            try:
                commit(self._engine, stage, positions, skipped)
            except BaseException:
                self._take_back(record)
                raise
        finally:
            self._lock.end_write()
        self._sync(record)
        skipped.sort(key=lambda record: record.position)
        return skipped

    cdef int _require_new(self, Stage stage, bint many) except -1:
        cdef uint32_t i
        cdef string_view id
        for i in range(stage.ids.size()):
            id = stage.ids.text(i)
            if self._store.store.ids.find(id.data(), id.size()) != DEAD:
                error = DuplicateIdError(f"id {id_object(id)!r} is in the index already")
                raise at_position(error, i) if many else error
        return 0

    def replace(self, id, expression, weight=0.0, weights=None, attributes=None):
        """Gives an id that the index holds another expression, weights and attributes; it keeps its place in the order.
        """
        self._set(id, expression, False, weight, weights, attributes)

    def __setitem__(self, id, expression):
        self._set(id, expression, True, None, None, None)

    cdef int _set(self, object id, object expression, bint or_add, object weight, object weights,
                  object attributes) except -1:
        cdef Stage stage = Stage(self.max_clauses, self._engine.takes_cnf)
        cdef Store* store
        cdef uint32_t slot
        cdef string_view raw
        stage.add(id, expression, weight, weights, attributes)
        raw = stage.ids.text(0)
        record = None
        self._begin_write()
        try:
            store = &self._store.store
            slot = store.ids.find(raw.data(), raw.size())
            if slot == DEAD and not or_add:
                raise UnknownIdError(f"id {id!r} is not in the index")
            record = self._append(None if self._durable is None else stage.change("set"))
            try:
                self._put(stage, slot)
            except BaseException:
                self._take_back(record)
                raise
            self._compact()
        finally:
            self._lock.end_write()
        self._sync(record)
        return 0

    cdef int _put(self, Stage stage, uint32_t slot) except -1:
        """Gives a slot another expression, or adds it if there is none."""
        cdef Store* store = &self._store.store
        cdef uint32_t first
        cdef SlotContent old
        cdef StoreMark mark
        if slot == DEAD:
            return commit(self._engine, stage, None, None)
        old = store.content(slot)
        mark = store.mark()
        first = store.clause_count()
        try:
            store.set_text(slot, stage.texts.data(), stage.texts.size())
            put(self._engine, stage, 0, slot)
            self._engine.insert(first, store.clause_count() - first)
        except BaseException:
            store.roll_back(mark)
            store.restore(slot, old)
            self._store.restore()
            raise
        self._engine.remove(old.clause, old.clauses)
        store.kill(old)
        return 0

    def remove(self, id):
        """Removes an expression."""
        cdef uint32_t slot
        record = None
        self._begin_write()
        try:
            slot = self._slot(id)
            record = self._append(None if self._durable is None else {"do": "remove", "id": self._id(slot)})
            self._remove(slot)
        finally:
            self._lock.end_write()
        self._sync(record)

    def __delitem__(self, id):
        self.remove(id)

    def pop(self, id):
        """Removes an expression and returns it."""
        cdef uint32_t slot
        cdef string_view text
        cdef Tree tree
        record = None
        self._begin_write()
        try:
            slot = self._slot(id)
            text = self._store.store.text_of(slot)
            parse_tree(text.data(), text.size(), tree)
            record = self._append(None if self._durable is None else {"do": "remove", "id": self._id(slot)})
            self._remove(slot)
        finally:
            self._lock.end_write()
        self._sync(record)
        return expr_of(tree)

    cdef int _remove(self, uint32_t slot) except -1:
        self._engine.remove(self._store.store.slot_clause[slot], self._store.store.slot_clauses[slot])
        self._store.store.kill_slot(slot)
        self._compact()
        return 0

    def clear(self):
        """Removes all expressions."""
        record = None
        self._begin_write()
        try:
            fresh = engine_like(self._engine)
            record = self._append({"do": "clear"})
            self._use(fresh)
        finally:
            self._lock.end_write()
        self._sync(record)

    cdef int _use(self, Engine engine) except -1:
        self._store = engine.store
        self._engine = engine
        self._sample.clear()  # its attributes are those of the other store
        self._sample_every = 1
        return 0

    cdef int _compact(self) except -1:
        """Rebuilds the store once holes are the larger part of it, so that removing is amortised."""
        cdef Store* store = &self._store.store
        cdef uint32_t live = store.clause_count() - store.dead_clauses
        if (store.dead_clauses <= COMPACT_FROM + live and store.slot_count() <= COMPACT_FROM + 2 * store.live_slots
                and store.dead_text <= 64 * COMPACT_FROM + store.text.size() // 2):
            return 0
        return self._rebuild()

    cdef int _rebuild(self) except -1:
        """Makes the store and the engine anew out of the texts."""
        cdef ClauseStore old = self._store
        cdef Store* store = &old.store
        cdef uint32_t slot
        cdef bytes id
        cdef string_view text
        cdef Stage stage = Stage(self.max_clauses, self._engine.takes_cnf)
        for slot in range(store.slot_count()):
            if not store.ids.live(slot):
                continue
            id = id_bytes(self._id(slot))
            text = store.text_of(slot)
            parse_tree(text.data(), text.size(), stage.tree)
            weighted = store.weights(slot).count > 0
            stage.normalise(weighted)
            if weighted or store.weight(slot):
                stage.weights.extend([None] * (stage.ids.size() - len(stage.weights)))
                stage.weights.append((store.weight(slot), given_weights(old, slot)))
            if store.attributes.of(slot).count:
                stage.attributes.extend([None] * (stage.ids.size() - len(stage.attributes)))
                stage.attributes.append(attributes_of(old, slot))
            stage.ids.add(id, len(id))
            stage.text_ids += id[0] == c"s"
            stage.texts.append(text.data(), text.size())
            stage.text_end.push_back(stage.texts.size())
        cdef Engine engine = engine_like(self._engine)
        commit(engine, stage, None, None)
        self._use(engine)
        return 0

    # Looking.

    cdef uint32_t _slot(self, object id) except? 0xFFFFFFFF:
        cdef bytes raw
        cdef uint32_t slot = DEAD
        try:
            raw = id_bytes(id)
            slot = self._store.store.ids.find(raw, len(raw))
        except EncodingError:
            pass
        if slot == DEAD:
            raise UnknownIdError(f"id {id!r} is not in the index")
        return slot

    cdef object _id(self, uint32_t slot):
        if not self._store.store.ids.is_text(slot):
            return self._store.store.ids.integer(slot)
        cdef string_view text = self._store.store.ids.text(slot)
        return text.data()[:text.size()].decode()

    def __len__(self):
        return self._store.store.live_slots

    def __contains__(self, id):
        cdef bytes raw
        try:
            raw = id_bytes(id)
        except EncodingError:
            return False
        self._begin_read()
        try:
            return self._store.store.ids.find(raw, len(raw)) != DEAD
        finally:
            self._lock.end_read()

    def __getitem__(self, id):
        cdef string_view text
        cdef Tree tree
        self._begin_read()
        try:
            text = self._store.store.text_of(self._slot(id))
            parse_tree(text.data(), text.size(), tree)
        finally:
            self._lock.end_read()
        return expr_of(tree)

    def get(self, id, default=None):
        """The expression of an id, or the default."""
        try:
            return self[id]
        except UnknownIdError:
            return default

    def weight(self, id):
        """The weight of an expression."""
        self._begin_read()
        try:
            return self._store.store.weight(self._slot(id))
        finally:
            self._lock.end_read()

    def weights(self, id):
        """The attribute weights of an expression, by name."""
        self._begin_read()
        try:
            return given_weights(self._store, self._slot(id))
        finally:
            self._lock.end_read()

    def attributes(self, id):
        """The attributes of an expression, by name."""
        self._begin_read()
        try:
            return attributes_of(self._store, self._slot(id))
        finally:
            self._lock.end_read()

    def __iter__(self):
        cdef uint32_t slot
        cdef list ids = []
        self._begin_read()
        try:
            for slot in range(self._store.store.slot_count()):
                if self._store.store.ids.live(slot):
                    ids.append(self._id(slot))
        finally:
            self._lock.end_read()
        return iter(ids)

    def keys(self):
        """The ids, in order of addition."""
        return KeysView(self)

    def values(self):
        """The expressions, in order of addition."""
        return ValuesView(self)

    def items(self):
        """Pairs of id and expression, in order of addition."""
        return ItemsView(self)

    def __repr__(self):
        return f"<boolsieve.Index: {len(self):,} expressions, engine {engines.name_of(self._engine)!r}>"

    # Matching.

    cdef int _find(self, ScratchBox box, object event) except -1:
        """Leaves the slots that match in box.scratch.slots, in order. The caller holds the lock as a reader."""
        encode_event(self._store, event, box.scratch, box.kept)
        return self._match(box)

    cdef int _match(self, ScratchBox box) except -1:
        """As _find, of the event that is in the scratch already."""
        cdef Scratch* s = &box.scratch
        s.found.open(self._store.store.slot_count())
        if not s.ranges.empty():
            with nogil:
                self._engine.match_ranges(s[0])
        elif self._store.store.clause_count() < RELEASE_FROM:
            self._engine.match(s[0])
            s.observe()
        else:
            with nogil:
                self._engine.match(s[0])
            s.observe()
        self._sample.take(s.sample)
        s.found.drain_to(s.slots)
        s.counters.matches += s.slots.size()
        return 0

    cdef int _keep(self, Where where, vector[uint32_t]& slots) except -1:
        """Leaves of the slots those whose attributes satisfy `where`. The caller holds the lock as a reader."""
        cdef ScratchBox box = self._take()
        cdef vector[NamePair] names = where.names_in(self._store)
        cdef Clauses clauses = where.store.clauses()
        cdef uint32_t clause
        cdef size_t i, kept = 0
        box.scratch.remember = True
        try:
            for i in range(slots.size()):
                encode_attributes(self._store, slots[i], where.store, names.data(), names.size(), box.scratch, box.kept)
                for clause in range(clauses.count):
                    if clause_holds(clauses, clause, box.scratch.event):
                        slots[kept] = slots[i]
                        kept += 1
                        break
                box.scratch.event.close()
                if box.kept:
                    box.kept.clear()
            slots.resize(kept)
        finally:
            self._give(box)
        return 0

    def match(self, event, *, where=None):
        """The ids of all expressions that the event satisfies, in order of addition.

        Args:
            where: an expression, as text or built; only those are given whose own attributes satisfy it.
        """
        cdef Where asked = None if where is None else where_of(where, self.max_clauses)
        cdef ScratchBox box = self._take()
        cdef list ids = []
        cdef size_t i
        if not isinstance(event, dict):
            event = mapping(event)
        self._begin_read()
        try:
            self._find(box, event)
            if asked is not None:
                self._keep(asked, box.scratch.slots)
            for i in range(box.scratch.slots.size()):
                ids.append(self._id(box.scratch.slots[i]))
        finally:
            self._lock.end_read()
            self._give(box)
        self._learn()
        return ids

    def match_count(self, event, *, where=None):
        """How many expressions the event satisfies, of those whose attributes satisfy `where`."""
        cdef Where asked = None if where is None else where_of(where, self.max_clauses)
        cdef ScratchBox box = self._take()
        if not isinstance(event, dict):
            event = mapping(event)
        cdef size_t found
        self._begin_read()
        try:
            self._find(box, event)
            if asked is not None:
                self._keep(asked, box.scratch.slots)
            found = box.scratch.slots.size()
        finally:
            self._lock.end_read()
            self._give(box)
        self._learn()
        return found

    def matches(self, event, id):
        """Whether the event satisfies the expression of this id."""
        cdef ScratchBox box = self._take()
        cdef Clauses clauses
        cdef uint32_t slot, clause
        if not isinstance(event, dict):
            event = mapping(event)
        self._begin_read()
        try:
            slot = self._slot(id)
            encode_event(self._store, event, box.scratch, box.kept)
            clauses = self._store.clauses()
            for clause in range(self._store.store.slot_clause[slot],
                                self._store.store.slot_clause[slot] + self._store.store.slot_clauses[slot]):
                if not box.scratch.ranges.empty():
                    if box.scratch.ranges.clause_holds(clauses, clause, box.scratch.event):
                        return True
                elif clause_holds(clauses, clause, box.scratch.event):
                    return True
            return False
        finally:
            self._lock.end_read()
            self._give(box)

    cdef int _open_ranking(self, ScratchBox box, size_t k, dict weights) except -1:
        """The caller holds the lock as a reader, and closes the ranking."""
        cdef bytes name
        cdef uint32_t known
        box.ranking.open(self._store.store, self._store.dictionary, k)
        for text, weight in weights.items():
            name = text.encode()
            known = self._store.dictionary.names.find(name, len(name))
            if known != NONE:  # what no expression is about, has no weight either
                box.ranking.weigh(known, weight)
        return 0

    def top_k(self, event, k, weights=None, *, where=None):
        """The k best of the expressions that the event satisfies.

        Args:
            weights: the event's weights of attributes, by name, 1 where not given; they multiply the expressions'.
            where: only those count whose own attributes satisfy it.

        Returns:
            A list of (id, score), from the best on, ties in order of addition; shorter if fewer match. The score is
            the expression's weight, and the largest sum of attribute weights of a clause that holds.
        """
        if not isinstance(k, (int, np.integer)) or isinstance(k, bool) or k < 1:
            raise ValueError(f"k is a positive int, not {k!r}")
        cdef dict checked = weights_of(weights, "weights of an event")
        cdef Where asked = None if where is None else where_of(where, self.max_clauses)
        cdef ScratchBox box = self._take()
        cdef Scratch* s = &box.scratch
        cdef size_t most, i
        cdef list best = []
        if not isinstance(event, dict):
            event = mapping(event)
        self._begin_read()
        try:
            most = min(k, max(1, self._store.store.live_slots))
            self._open_ranking(box, most, checked)
            encode_event(self._store, event, s[0], box.kept)
            if asked is None and s.ranges.empty():
                s.found.open(self._store.store.slot_count())
                with nogil:
                    self._engine.top_k(s[0], box.ranking)
                s.observe()
                self._sample.take(s.sample)
                s.counters.matches += box.ranking.best.size()
            else:  # what it matches is decided before the scores
                self._match(box)
                if asked is not None:
                    self._keep(asked, s.slots)
                for i in range(s.slots.size()):
                    box.ranking.offer(box.ranking.score(s.slots[i], s.event, s.ranges), s.slots[i])
            box.ranking.sort()
            for i in range(box.ranking.best.size()):
                best.append((self._id(box.ranking.best[i].slot), box.ranking.best[i].score))
        finally:
            box.ranking.close()
            self._lock.end_read()
            self._give(box)
        self._learn()
        return best

    def explain(self, event, id):
        """Why the event satisfies the expression of this id, or not: its tree with the outcome of each part."""
        event = mapping(event)
        expression = self[id]

        def holds():
            alone = Index(self._engine, max_clauses=self.max_clauses)
            alone.add(0, expression)
            return alone.matches(event, 0)

        return Explanation.of(expression, event, holds)

    def match_batch(self, events, *, where=None, threads=1):
        """The matches of many events.

        Args:
            events: mappings, or a table that offers the Arrow C interface (pyarrow, polars, pandas, DuckDB).
            where: only those are given whose own attributes satisfy it. One expression for all events, or a column of
                one an event, in which None stands for no filter.
            threads: how many threads work on it; they do not hold the GIL.

        Returns:
            `Matches`: for each event, in order, the ids of the expressions that it satisfies.
        """
        if not isinstance(threads, int) or isinstance(threads, bool) or threads < 1:
            raise ValueError(f"threads is a positive int, not {threads!r}")
        if isinstance(events, Mapping):
            raise EncodingError("match_batch takes many events; match takes one")
        cdef list parts
        source = None
        if isinstance(where, (str, Expr, Attribute)):
            where = where_of(where, self.max_clauses)
        elif where is not None:
            where = [None if one is None else where_of(one, self.max_clauses) for one in values_of(where)]
        if is_arrow(events):
            try:
                source = ArrowSource(events)
            except ImportError:  # pandas offers the interface through pyarrow, which may be missing
                if not hasattr(events, "to_dict"):
                    raise
                events = events.to_dict("records")
        else:
            events = list(values_of(events))  # a list of its own, which nobody else can shorten
        self._begin_read()
        try:
            if source is not None:
                parts = self._match_arrow(source, threads)
            else:
                parts = run(lambda start: self._match_rows(events, start), range(0, len(events), TASK_ROWS), threads)
            if where is not None:
                parts = self._kept_of(parts, where)
            matches = self._joined(parts, threads)
        finally:
            self._lock.end_read()
        self._learn()
        return matches

    cdef list _kept_of(self, list parts, object where):
        """The answers of tasks without what is left out by one Where, or by the one of the row."""
        cdef vector[uint32_t] slots
        cdef uint32_t slot
        cdef list wheres
        total = sum(len(counts) for counts, _, _ in parts)
        if isinstance(where, Where):
            wheres = [where]
            place = np.zeros(total, np.intp)
        elif len(where) != total:
            raise ValueError(f"where has {len(where)} expressions for {total} events")
        else:
            places = {None: 0}
            place = np.array([places.setdefault(one, len(places)) for one in where], np.intp)
            wheres = list(places)
        kept_parts = []
        first = 0
        for counts, found, _ in parts:
            of_row = np.repeat(np.arange(len(counts)), counts)
            of_match = place[first + of_row]
            first += len(counts)
            mask = np.ones(len(found), bool)
            by_where = np.argsort(of_match, kind="stable")
            for group in np.split(by_where, np.flatnonzero(np.diff(of_match[by_where])) + 1):
                one = wheres[of_match[group[0]]] if len(group) else None
                if one is None:
                    continue
                slots.clear()
                for slot in np.unique(found[group]):
                    slots.push_back(slot)
                self._keep(one, slots)
                mask[group] = np.isin(found[group], to_array(slots))
            counts = np.bincount(of_row[mask], minlength=len(counts)).astype(np.uint32)
            found = found[mask]
            kept_parts.append((counts, found, any(self._store.store.ids.is_text(slot) for slot in np.unique(found))))
        return kept_parts

    cdef list _match_arrow(self, ArrowSource source, object threads):
        cdef Plan plan = Plan(source, self._store)
        cdef list parts = []
        cdef list encoders = []
        while source.next():
            starts = range(0, source.batch.length, TASK_ROWS)
            for encoder in encoders:
                (<BatchEncoder>encoder).forget()
            parts += run(lambda start: self._match_columns(source, plan, encoders, start), starts, threads)
        return parts

    def _match_columns(self, ArrowSource source, Plan plan, list encoders, int64_t start):
        cdef ScratchBox box = self._take()
        cdef BatchEncoder encoder = encoders.pop() if encoders else BatchEncoder(self._store, plan)
        cdef int64_t end = min(start + TASK_ROWS, source.batch.length)
        cdef int64_t row
        cdef uint32_t n
        try:
            with nogil:
                encoder.start(&source.batch)
                row = start
                while row < end:
                    n = <uint32_t>min(end - row, <int64_t>BLOCK_ROWS)
                    encoder.encode(row, n, box.scratch)
                    self._engine.match_block(box.scratch)
                    row += n
            encoders.append(encoder)  # not after an error, which may have left a string without its entry
            return self._answer(box)
        finally:
            self._give(box)

    def _match_rows(self, list events, Py_ssize_t start):
        cdef ScratchBox box = self._take()
        cdef Py_ssize_t end = min(start + <Py_ssize_t>TASK_ROWS, len(events))
        cdef Py_ssize_t row = start
        cdef uint32_t n
        cdef bint plain
        box.scratch.remember = True
        try:
            while row < end:
                box.scratch.block.open(<uint32_t>min(end - row, <Py_ssize_t>BLOCK_ROWS))
                n = 0
                plain = True
                while plain and n < box.scratch.block.rows:
                    try:
                        plain = encode_row(self._store, events[row + n], n, box.scratch, box.kept)
                    except EncodingError as e:
                        raise EncodingError(f"row {row + n}: {e}") from None
                    except ValueError as e:
                        raise ValueError(f"row {row + n}: {e}") from None
                    n += plain
                row += n
                box.scratch.block.rows = n
                if n:
                    with nogil:
                        box.scratch.block.sort_cells()
                        self._engine.match_block(box.scratch)
                if not plain:  # it ends the block, and is matched by itself
                    self._match_alone(box, events[row])
                    row += 1
                box.kept.clear()
            return self._answer(box)
        finally:
            self._give(box)

    cdef int _match_alone(self, ScratchBox box, object event) except -1:
        """Appends the matches of an event to the answer of a batch."""
        cdef Scratch* s = &box.scratch
        cdef size_t before = s.slots.size()
        self._find(box, event)
        s.counts.push_back(<uint32_t>(s.slots.size() - before))
        s.counters.matches -= before
        s.event.close()
        s.ranges.close()
        return 0

    cdef tuple _answer(self, ScratchBox box):
        """How many matches each row of a task has, their slots, and whether a text is among their ids."""
        self._sample.take(box.scratch.sample)
        cdef size_t i = 0
        with nogil:
            while i < box.scratch.slots.size() and not self._store.store.ids.is_text(box.scratch.slots[i]):
                i += 1
        return to_array(box.scratch.counts), to_array(box.scratch.slots), i < box.scratch.slots.size()

    cdef object _joined(self, list parts, object threads):
        """The answers of tasks, one after another. Fresh memory is slow to touch, so the threads share that too."""
        rows = np.cumsum([0] + [len(counts) for counts, _, _ in parts])
        starts = np.cumsum([0] + [len(slots) for _, slots, _ in parts])
        offsets = np.empty(rows[-1] + 1, np.int64)
        ids = np.empty(starts[-1], object if any(has_text for _, _, has_text in parts) else np.int64)
        offsets[0] = 0

        def place(part):
            counts, slots, _ = parts[part]
            self._fill_offsets(counts, starts[part], offsets[rows[part] + 1:rows[part + 1] + 1])
            if ids.dtype == object:
                self._fill_objects(slots, ids[starts[part]:starts[part + 1]])
            else:
                self._fill_integers(slots, ids[starts[part]:starts[part + 1]])

        run(place, range(len(parts)), threads)
        return Matches(offsets, ids)

    cdef int _fill_offsets(self, const uint32_t[::1] counts, int64_t start, int64_t[::1] offsets) except -1:
        cdef Py_ssize_t i
        with nogil:
            for i in range(counts.shape[0]):
                start += counts[i]
                offsets[i] = start
        return 0

    cdef int _fill_integers(self, const uint32_t[::1] slots, int64_t[::1] ids) except -1:
        cdef Py_ssize_t i
        with nogil:
            for i in range(slots.shape[0]):
                ids[i] = self._store.store.ids.integer(slots[i])
        return 0

    cdef int _fill_objects(self, const uint32_t[::1] slots, object ids) except -1:
        cdef Py_ssize_t i
        cdef dict known = {}  # one object an expression, however often it matches
        for i in range(slots.shape[0]):
            found = known.get(slots[i])
            if found is None:
                found = known[slots[i]] = self._id(slots[i])
            ids[i] = found
        return 0

    # What is inside.

    def stats(self):
        """Numbers about the index: sizes, memory in bytes, and what matching evaluated so far."""
        self._begin_read()
        try:
            clauses = self._store.store.clause_count() - self._store.store.dead_clauses
            total = count_bytes(self._store.buffers()) + count_bytes(self._engine.buffers())
            return {
                "engine": engines.name_of(self._engine),
                "expressions": self._store.store.live_slots,
                "clauses": clauses,
                "predicates": live_predicates(self._store.clauses()),
                "attributes": self._store.dictionary.names.size(),
                "bytes": total,
                "mapped_bytes": count_bytes(self._store.buffers(), True) + count_bytes(self._engine.buffers(), True),
                "events_matched": self._counters.events,
                "predicates_evaluated": self._counters.predicates,
                "candidates": self._counters.candidates,
                "matches": self._counters.matches,
                "simd": simd_name().decode(),
            }
        finally:
            self._lock.end_read()

    def buffers(self):
        """Copies of all that the index holds, as NumPy arrays by name: docs/encoding.md tells what they mean."""
        self._begin_read()
        try:
            return {**export_buffers(self._store.buffers()), **export_buffers(self._engine.buffers())}
        finally:
            self._lock.end_read()

    def check_invariants(self):
        """Asserts what the store and the engine promise about their structures; for tests."""
        self._begin_read()
        try:
            self._store.check_invariants()
            self._engine.check_invariants()
        finally:
            self._lock.end_read()

    # Files.

    def save(self, path):
        """Writes the index to a file that `load` maps; what the file was before stays until the new one is on disk."""
        path = os.fspath(path)
        durable = self._durable
        if durable is not None and os.path.realpath(path) == os.path.realpath(durable.path):
            self.checkpoint()
            return
        self._begin_read()
        try:
            self._write(path, None)
        finally:
            self._lock.end_read()

    cdef int _write(self, str path, object journal) except -1:
        """Writes a snapshot. The caller holds the lock as a reader; `journal` tells what of a journal is in it."""
        cdef vector[NamedBuffer] buffers = self._store.buffers()
        cdef vector[NamedBuffer] more = self._engine.buffers()
        buffers.insert(buffers.end(), more.begin(), more.end())
        about = {
            "format": FORMAT,
            "expressions": self._store.store.live_slots,
            "engine": engines.name_of(self._engine),
            "options": self._engine.options(),
            "max_clauses": self.max_clauses,
        }
        if journal is not None:
            about["journal"] = journal
        replace_file(path, file_parts(about, buffers))
        return 0

    @classmethod
    def load(cls, path, *, verify=None, trusted=True):
        """The index of a file that `save` wrote: mapped, not read, so that processes share its memory.

        Args:
            verify: True checks every checksum. By default those of the engine are checked, the store is checked to
                refer to nothing outside of it, and its checksums follow at the first change. False checks the header
                alone, for a file that is known to be whole.
            trusted: False for a file of a stranger: every checksum is checked, and the engine is built anew out of the
                store, of which all is checked.
        """
        return open_file(cls, os.fspath(path), verify, trusted)[0]

    @classmethod
    def open(cls, path, engine=None, *, max_clauses=None, mode="a", verify=None, trusted=True):
        """A durable index: changes are on disk before the call that makes them returns.

        Args:
            path: of the snapshot; a journal and a lock are beside it. They are created if they are missing.
            engine, max_clauses: as for a new `Index`; one that is there has its own, and others are an error.
            mode: "a" to change it, which one process may at a time; "r" to read what it is now.
            verify, trusted: as in `load`.
        """
        if mode not in ("a", "r"):
            raise ValueError(f'mode is "a" or "r", not {mode!r}')
        path = os.fspath(path)
        if mode == "r":
            return open_to_read(cls, path, verify, trusted)
        cdef Index index
        durable = Durable(path)
        try:
            if durable.is_new():
                index = cls("auto" if engine is None else engine,
                            max_clauses=1024 if max_clauses is None else max_clauses)
                index._write(path, {"identity": int.from_bytes(os.urandom(8), "little"), "number": 0})
            index, identity, number = open_file(cls, path, verify, trusted)
            index._require_same(path, engine, max_clauses)
            durable.start(identity, number, index._apply)
            index._durable = durable
        except BaseException:
            durable.close()
            raise
        return index

    cdef int _build_engine(self) except -1:
        """Makes the engine anew out of the store."""
        if self._store.store.dead_clauses:
            return self._rebuild()
        cdef Engine engine = engines.create(self._engine)
        engine.store = self._store
        engine.insert(0, self._store.store.clause_count())
        self._engine = engine
        return 0

    def _require_same(self, path, engine, max_clauses):
        wanted = self._engine if engine is None else engines.create(engine)
        if type(wanted) is not type(self._engine) or wanted.options() != self._engine.options():
            raise StorageError(f"{path!r} has the engine {self._engine!r}, not {wanted!r}")
        if max_clauses is not None and max_clauses != self.max_clauses:
            raise StorageError(f"{path!r} has max_clauses={self.max_clauses}, not {max_clauses}")

    def _apply(self, change):
        """Makes a change that a journal tells of."""
        what = change["do"]
        if what == "add" or what == "add or skip":
            attributes = [own and from_journal(own) for own in change.get("attributes", [])] or None
            self.add_many(change["ids"], change["expressions"], weight=change.get("weight"),
                          weights=change.get("weights"), attributes=attributes,
                          errors="raise" if what == "add" else "skip")
        elif what == "set":
            own = change.get("attributes", [None])[0]
            self._set(change["ids"][0], change["expressions"][0], True, change.get("weight", [None])[0],
                      change.get("weights", [None])[0], own and from_journal(own))
        elif what == "remove":
            self.remove(change["id"])
        elif what == "clear":
            self.clear()
        else:
            raise StorageError(f"a change of the unknown kind {what!r}")

    cdef int _require_whole(self) except -1:
        """Before the first change of a mapped index: a change relies on all that is there, not on bounds alone."""
        if self._unverified is not None:
            self._unverified.verify(self._store.buffers())
            self._unverified = None
        return 0

    cdef object _append(self, object change):
        """Writes a change to the journal, if there is one. The caller holds the lock as a writer."""
        if self._refusal:
            raise StorageError(self._refusal)
        self._require_whole()
        return None if self._durable is None else self._durable.append(change)

    cdef int _take_back(self, object record) except -1:
        if record is not None:
            journal, number, content = record
            journal.take_back(number, content)
        return 0

    cdef int _sync(self, object record) except -1:
        """Returns when the change is on disk."""
        if record is not None:
            journal, number, _ = record
            journal.sync(number)
        return 0

    def checkpoint(self):
        """Folds the journal of a durable index into its snapshot. Matching goes on meanwhile, changes wait."""
        self._begin_read()
        try:
            if self._durable is None:
                raise StorageError(self._refusal or "only an index that Index.open gave has checkpoints")
            journal = self._durable.journal
            self._write(self._durable.path, {"identity": journal.identity, "number": journal.last})
            journal.restart()
        finally:
            self._lock.end_read()

    def close(self):
        """Ends changing a durable index, so that others may; matching goes on. Does nothing to any other index."""
        self._begin_write()
        try:
            if self._durable is not None:
                durable, self._durable = self._durable, None
                self._refusal = f"{durable.path!r} is closed"
                durable.close()
        finally:
            self._lock.end_write()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    # Copies.

    def copy(self):
        """An index with the same content, which lives apart from this one."""
        return _restore(*self.__reduce__()[1])

    __copy__ = copy

    def __deepcopy__(self, memo):
        return self.copy()

    def __reduce__(self):
        self._begin_read()
        try:
            kind, options = type(self._engine), self._engine.options()
            return _restore, (FORMAT, kind, options, self.max_clauses, export_buffers(self._store.buffers()),
                              export_buffers(self._engine.buffers()))
        finally:
            self._lock.end_read()


def _restore(format, kind, options, max_clauses, store, engine):
    """An index out of what `Index.__reduce__` gives."""
    if format != FORMAT:
        raise StorageError(f"the index was pickled by a boolsieve with format {format}; this one has format {FORMAT}")
    cdef Index index = Index(kind(**options), max_clauses=max_clauses)
    import_buffers(index._store.buffers(), store)
    index._store.restore()
    import_buffers(index._engine.buffers(), engine)
    return index


def open_file(cls, path, verify, trusted):
    """An index that looks at a file; the identity of the file, and the number of the last journal record in it."""
    for name, given in (("verify", verify), ("trusted", trusted)):
        if not isinstance(given, bool) and not (name == "verify" and given is None):
            raise ValueError(f"{name} is a bool, not {given!r}")
    if not trusted and verify is False:
        raise ValueError("a file that is not trusted is verified")
    cdef MappedFile file = MappedFile(path)
    cdef Index index
    cdef Engine engine
    cdef vector[NamedBuffer] of_store, of_engine
    about = file.about

    def bad(problem):
        return StorageError(f"cannot read {path!r} as an index: {problem}")

    if about.get("format") != FORMAT:
        raise bad(f"its content has format {about.get('format')!r}; this boolsieve reads format {FORMAT}")
    try:
        engine = engines.get(about["engine"])(**about["options"])
        index = cls(engine, max_clauses=about["max_clauses"])
        journal = about.get("journal", {"identity": file.identity, "number": 0})
        identity, number = journal["identity"], journal["number"]
        if not (0 <= identity < 1 << 64 and 0 <= number < 1 << 63):
            raise ValueError("no such journal")
    except Exception as error:
        raise bad(f"directory: {type(error).__name__}: {error}") from None
    engine = index._engine
    of_store, of_engine = index._store.buffers(), engine.buffers()
    index._store.mapped = file
    file.attach(of_store)
    file.attach(of_engine)
    if len(file.entries) != of_store.size() + of_engine.size():
        raise bad("directory: it has buffers that this boolsieve does not know")
    if verify or not trusted:
        file.verify(of_store)
    if verify is not False:
        file.verify(of_engine)
        problem = index._store.flaw(engine.takes_cnf, verify or not trusted)
        if problem:
            raise bad(f"buffer {problem!r} refers to what is not there")
        if trusted and not verify:
            index._unverified = file
    try:
        index._store.restore()
        if not trusted:
            index._build_engine()
    except Exception as error:
        raise bad(f"{type(error).__name__}: {error}") from error
    return index, identity, number


def open_to_read(cls, path, verify, trusted):
    """An index as its journal tells it now, which cannot be changed."""
    cdef Index index
    for _ in range(READ_TRIES):
        index, identity, number = open_file(cls, path, verify, trusted)
        if not os.path.exists(journal_path(path)) or replay(path, identity, number, index._apply) is not None:
            index._refusal = f"{path!r} is open for reading"
            return index
    raise StorageError(f"{path!r} and its journal do not belong together, or change all the time")


cdef dict given_weights(ClauseStore store, uint32_t slot):
    """The attribute weights of a slot, by name."""
    cdef SlotWeights weights = store.store.weights(slot)
    cdef uint32_t i
    return {(<bytes>store.dictionary.names.text(weights.names[i])).decode(): weights.values[i]
            for i in range(weights.count)}


cdef object mapping(object event):
    """An event as a dict."""
    if isinstance(event, dict):
        return event
    if isinstance(event, Mapping):
        return dict(event)
    raise EncodingError(f"an event is a mapping of attributes to values, not {type(event).__name__}")


cdef uint64_t live_predicates(Clauses clauses) noexcept:
    cdef uint64_t total = 0
    cdef uint32_t clause
    for clause in range(clauses.count):
        if clauses.owner[clause] != DEAD:
            total += clauses.begin[clause + 1] - clauses.begin[clause]
    return total


cdef list run(object task, object starts, object threads):
    """The results of task(start) for each start, in order."""
    if threads == 1 or len(starts) < 2:
        return [task(start) for start in starts]
    with ThreadPoolExecutor(min(threads, len(starts))) as pool:
        return list(pool.map(task, starts))


cdef object to_array(const vector[uint32_t]& values):
    cdef uint32_t[::1] view
    array = np.empty(values.size(), np.uint32)
    if values.size():
        view = array
        memcpy(&view[0], values.data(), values.size() * sizeof(uint32_t))
    return array
