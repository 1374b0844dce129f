"""Encodes normal forms into the clause store: values become keys, terms become predicates on views of attributes."""

from libcpp.algorithm cimport sort, stable_sort
from libcpp.utility cimport pair

from boolsieve.encoding.clauses cimport (
    DEAD, KIND_BITS, KIND_MASK, OR_NEXT, PREDICATE_ABSENT, PREDICATE_IN, PREDICATE_NEVER, PREDICATE_NOT_IN,
    PREDICATE_NOT_RANGE, PREDICATE_OUTSIDE, PREDICATE_RANGE, PREDICATE_TEXT, TEXT_GREATER, TEXT_GREATER_EQUAL,
    TEXT_LESS, TEXT_LESS_EQUAL, TEXT_OUTSIDE,
)
from boolsieve.language.tree cimport (
    DERIVED_HAS, DERIVED_MATCHES, FAMILY_BOOL, FAMILY_NUMBER, FAMILY_SET, FAMILY_STRING, FAMILY_TIME,
    HIGH_NONE, HIGH_OPEN, LITERAL_BOOL, LITERAL_DATE, LITERAL_FLOAT, LITERAL_INT, LITERAL_STRING, LITERAL_TIME,
    LOW_NONE, LOW_OPEN, TERM_ABSENT, TERM_FAILS, TERM_HOLDS, TERM_IN, TERM_NOT_IN, TERM_NOT_RANGE, TERM_PRESENT,
    TERM_RANGE,
    Family,
)
from boolsieve.memory.buffers cimport list_buffers

from boolsieve.encoding.regex import RegexSets


cdef inline View presence_view(Family family) noexcept nogil:
    """The view that every value of a family has."""
    if family == FAMILY_NUMBER:
        return VIEW_WHOLE
    if family == FAMILY_STRING:
        return VIEW_TEXT
    if family == FAMILY_BOOL:
        return VIEW_BOOL
    if family == FAMILY_TIME:
        return VIEW_TIME
    if family == FAMILY_SET:
        return VIEW_SET
    return VIEW_ANY


cdef inline cbool exact_in(View view, const Literal& value) noexcept nogil:
    """Whether a number is an operand that the view tells apart from every other value."""
    if value.type == LITERAL_INT:
        if view == VIEW_WHOLE:
            return whole_exact(value.integer)
        if view == VIEW_FAR:
            return not whole_exact(value.integer)
        return -REAL_LIMIT <= value.integer <= REAL_LIMIT
    if is_int64(value.real):
        if view == VIEW_WHOLE:
            return whole_exact(<int64_t>value.real)
        if view == VIEW_FAR:
            return not whole_exact(<int64_t>value.real)
    return view == VIEW_REAL and real_exact(value.real)


cdef inline View view_for(const Literal& value) noexcept nogil:
    """The view that an operand goes to when it stands alone."""
    if value.type == LITERAL_BOOL:
        return VIEW_BOOL
    if value.type == LITERAL_TIME or value.type == LITERAL_DATE:
        return VIEW_TIME
    if value.type == LITERAL_STRING:
        return VIEW_ORDER
    if exact_in(VIEW_WHOLE, value):
        return VIEW_WHOLE
    if exact_in(VIEW_FAR, value):
        return VIEW_FAR
    return VIEW_REAL


cdef inline uint64_t number_key(View view, const Literal& value) noexcept nogil:
    if value.type == LITERAL_INT:
        if view == VIEW_WHOLE:
            return whole_key(value.integer)
        if view == VIEW_FAR:
            return far_key(value.integer)
        return real_key(value.integer)
    if view == VIEW_WHOLE:
        return whole_key_of_real(value.real)
    if view == VIEW_FAR:
        return far_key_of_real(value.real)
    return real_key_of_real(value.real)


cdef inline ValueBytes value_bytes(const Literal& value) noexcept nogil:
    if value.type == LITERAL_INT:
        return ValueBytes.integer(value.integer)
    if value.type == LITERAL_FLOAT:
        return ValueBytes.real(value.real)
    if value.type == LITERAL_BOOL:
        return ValueBytes.boolean(value.integer != 0)
    return ValueBytes.time(value.integer)


cdef inline int rank(const Predicate& predicate) noexcept nogil:
    """Cheap and selective predicates come first in a clause: points, sets, ranges, then what nearly always holds."""
    if predicate.kind == PREDICATE_RANGE:
        return 0 if predicate.low == predicate.high else 2
    if predicate.kind == PREDICATE_IN:
        return 1
    return 3 + predicate.kind


cdef cbool goes_before(const Predicate& one, const Predicate& two) noexcept nogil:
    return rank(one) < rank(two)


cdef cbool one_view(const Literal* values, cbool has_low, cbool has_high, View& low, View& high) noexcept nogil:
    """The views that hold the ends of a range; whether it is one and the same."""
    (&low)[0] = view_for(values[0])
    (&high)[0] = view_for(values[1])
    if not has_low:
        (&low)[0] = high
    elif not has_high:
        (&high)[0] = low
    elif low != high and exact_in(VIEW_REAL, values[0]) and exact_in(VIEW_REAL, values[1]):
        (&low)[0] = VIEW_REAL
        (&high)[0] = VIEW_REAL
    return low == high


cdef cbool terms_are_single(const Normal& normal, uint64_t expression) noexcept nogil:
    cdef uint64_t t
    cdef const Term* term
    cdef const Literal* values
    cdef cbool has_low, has_high
    cdef View low = VIEW_ANY
    cdef View high = VIEW_ANY
    for t in range(normal.clause_begin[normal.expression_begin[expression]],
                   normal.clause_begin[normal.expression_begin[expression + 1]]):
        term = &normal.terms[t]
        if term.kind == TERM_FAILS:
            return False
        if term.kind != TERM_RANGE and term.kind != TERM_NOT_RANGE:
            continue
        values = normal.literals.data() + term.first
        has_low = not term.bounds & LOW_NONE
        has_high = not term.bounds & HIGH_NONE
        if term.family == FAMILY_STRING:
            if has_low and values[0].length > ORDER_BYTES or has_high and values[1].length > ORDER_BYTES:
                return False
        elif term.kind == TERM_RANGE and not one_view(values, has_low, has_high, low, high):
            return False
    return True


cdef class ClauseStore:
    def __cinit__(self):
        self.regex = RegexSets()

    cdef Clauses clauses(self) noexcept nogil:
        return self.store.clauses(self.dictionary.attribute_count(), &self.dictionary.strings)

    cdef int encode(self, const Normal& normal, uint64_t expression, uint32_t slot, cbool conjunctive) except -1:
        """Appends the clauses of one normal form, disjunctive or conjunctive, to a slot that was just opened."""
        cdef uint64_t clause
        self.store.open_clauses(slot)
        if conjunctive:
            return self._encode_disjunctions(normal, expression, slot)
        for clause in range(normal.expression_begin[expression], normal.expression_begin[expression + 1]):
            self._encode_conjunction(normal, clause, slot)
        return 0

    cdef int _encode_conjunction(self, const Normal& normal, uint64_t clause, uint32_t slot) except -1:
        cdef uint64_t t
        self._predicates.clear()
        for t in range(normal.clause_begin[clause], normal.clause_begin[clause + 1]):
            if not self._encode_term(normal, normal.terms[t]):
                return 0
        stable_sort(self._predicates.begin(), self._predicates.end(), &goes_before)
        if self._predicates.empty() or self._predicates[0].kind == PREDICATE_ABSENT:
            # Nothing that an event must have: the clause goes under the attribute that every event has.
            self._predicates.insert(self._predicates.begin(),
                                    Predicate(0, PREDICATE_RANGE, KEY_LOWEST, KEY_HIGHEST))
        self.store.add_clause(slot, self._predicates.data(), self._predicates.size())
        return 0

    cdef int _encode_disjunctions(self, const Normal& normal, uint64_t expression, uint32_t slot) except -1:
        """One clause of alternatives; the disjunctions with the fewest come first."""
        cdef uint64_t clause, t, i
        cdef vector[Predicate] joined
        cdef vector[pair[uint64_t, uint64_t]] order  # size and clause
        cdef cbool needs_nothing = True
        cdef cbool absent
        for clause in range(normal.expression_begin[expression], normal.expression_begin[expression + 1]):
            order.push_back(pair[uint64_t, uint64_t](
                normal.clause_begin[clause + 1] - normal.clause_begin[clause], clause))
        sort(order.begin(), order.end())
        for i in range(order.size()):
            clause = order[i].second
            self._predicates.clear()
            for t in range(normal.clause_begin[clause], normal.clause_begin[clause + 1]):
                self._encode_term(normal, normal.terms[t])  # what can never hold adds nothing
            if self._predicates.empty():
                return 0
            absent = False
            for t in range(self._predicates.size()):
                absent = absent or self._predicates[t].kind == PREDICATE_ABSENT
                if t + 1 < self._predicates.size():
                    self._predicates[t].kind |= OR_NEXT
            needs_nothing = needs_nothing and absent
            joined.insert(joined.end(), self._predicates.begin(), self._predicates.end())
        if needs_nothing:
            joined.insert(joined.begin(), Predicate(0, PREDICATE_RANGE, KEY_LOWEST, KEY_HIGHEST))
        self.store.add_clause(slot, joined.data(), joined.size())
        return 0

    cdef cbool _encode_term(self, const Normal& normal, const Term& term) except *:
        """Adds a term's predicates to the clause. False if no event can satisfy it."""
        cdef uint32_t name = self.dictionary.add_name(normal.arena.data() + term.name, term.name_length)
        cdef uint32_t attribute
        cdef const Literal* values = normal.literals.data() + term.first
        if term.kind == TERM_PRESENT or term.kind == TERM_ABSENT:
            attribute = self.dictionary.add_view(name, presence_view(term.family))
            if term.kind == TERM_PRESENT:
                self._predicates.push_back(Predicate(attribute, PREDICATE_RANGE, KEY_LOWEST, KEY_HIGHEST))
            else:
                self._predicates.push_back(Predicate(attribute, PREDICATE_ABSENT, KEY_LOWEST, KEY_HIGHEST))
            return True
        if term.kind == TERM_HOLDS or term.kind == TERM_FAILS:
            attribute = self._derived(normal, name, term.derived, values[0])
            if term.kind == TERM_HOLDS:
                self._predicates.push_back(Predicate(attribute, PREDICATE_RANGE, KEY_LOWEST, KEY_HIGHEST))
            else:
                self._predicates.push_back(Predicate(attribute, PREDICATE_ABSENT, KEY_LOWEST, KEY_HIGHEST))
                attribute = self.dictionary.add_view(name, presence_view(term.family))
                self._predicates.push_back(Predicate(attribute, PREDICATE_RANGE, KEY_LOWEST, KEY_HIGHEST))
            return True
        if term.kind == TERM_IN or term.kind == TERM_NOT_IN:
            return self._set(normal, name, term, values)
        if term.family == FAMILY_STRING:
            return self._text_range(normal, name, term, values)
        return self._range(name, term, values)

    cdef uint32_t _derived(self, const Normal& normal, uint32_t name, Derived kind, const Literal& operand) except *:
        cdef string tagged
        cdef cbool fresh = False
        cdef ValueBytes plain = value_bytes(operand)
        cdef uint32_t attribute
        if operand.type == LITERAL_STRING:
            if kind == DERIVED_HAS:
                tagged.push_back(c"s")
            tagged.append(normal.arena.data() + operand.offset, operand.length)
        else:
            tagged.append(plain.bytes, 9)
        attribute = self.dictionary.add_derived(name, kind, tagged.data(), tagged.size(), fresh)
        if fresh and kind == DERIVED_MATCHES:
            self.regex.add(name, tagged.decode(), attribute)
        return attribute

    cdef cbool _set(self, const Normal& normal, uint32_t name, const Term& term, const Literal* values) except *:
        cdef View view = VIEW_VALUE
        cdef View candidate
        cdef uint32_t i
        cdef uint64_t key, offset
        cdef vector[uint64_t] keys
        cdef cbool inside = term.kind == TERM_IN
        cdef ValueBytes interned
        if term.family == FAMILY_STRING:
            view = VIEW_TEXT
        elif term.family == FAMILY_BOOL:
            view = VIEW_BOOL
        elif term.family == FAMILY_TIME:
            view = VIEW_TIME
        else:
            for candidate in (VIEW_WHOLE, VIEW_REAL, VIEW_FAR):
                i = 0
                while i < term.count and exact_in(candidate, values[i]):
                    i += 1
                if i == term.count:
                    view = candidate
                    break
        for i in range(term.count):
            if view == VIEW_TEXT:
                key = self.dictionary.add_text(name, normal.arena.data() + values[i].offset, values[i].length)
            elif view == VIEW_BOOL:
                key = KEY_TRUE if values[i].integer else KEY_FALSE
            elif view == VIEW_TIME:
                key = whole_key(values[i].integer)
            elif view == VIEW_VALUE:
                interned = value_bytes(values[i])
                key = KEY_FIRST_TEXT + self.dictionary.strings.add(interned.bytes, 9)
            else:
                key = number_key(view, values[i])
            keys.push_back(key)
        cdef uint32_t attribute = self.dictionary.add_view(name, view)
        if keys.size() == 1:
            self._predicates.push_back(
                Predicate(attribute, PREDICATE_RANGE if inside else PREDICATE_NOT_RANGE, keys[0], keys[0]))
            return True
        sort(keys.begin(), keys.end())
        offset = self.store.sets.size()
        self.store.sets.append(keys.data(), keys.size())
        self._predicates.push_back(
            Predicate(attribute, PREDICATE_IN if inside else PREDICATE_NOT_IN, offset, keys.size()))
        return True

    cdef cbool _range(self, uint32_t name, const Term& term, const Literal* values) except *:
        """A range of numbers, bools or times; two predicates where no one view is exact for both ends."""
        cdef cbool has_low = not term.bounds & LOW_NONE
        cdef cbool has_high = not term.bounds & HIGH_NONE
        cdef View low_view = VIEW_ANY
        cdef View high_view = VIEW_ANY
        cdef uint32_t kind = PREDICATE_RANGE
        cdef uint64_t[2] end
        if term.kind == TERM_NOT_RANGE:
            kind = PREDICATE_NOT_RANGE
        if one_view(values, has_low, has_high, low_view, high_view):
            return self._key_range(name, low_view, kind, term.bounds, values)
        if kind == PREDICATE_NOT_RANGE:
            end[0] = self.dictionary.add_view(name, high_view)
            end[1] = self._bound_key(high_view, values[1])
            self._predicates.push_back(Predicate(self.dictionary.add_view(name, low_view), PREDICATE_OUTSIDE,
                                                 self._bound_key(low_view, values[0]), self.store.sets.size()))
            self.store.sets.append(end, 2)
            return True
        return (self._key_range(name, low_view, kind, term.bounds | HIGH_NONE, values)
                and self._key_range(name, high_view, kind, term.bounds | LOW_NONE, values))

    cdef cbool _key_range(self, uint32_t name, View view, uint32_t kind, uint8_t bounds,
                          const Literal* values) except *:
        cdef uint64_t low = KEY_LOWEST
        cdef uint64_t high = KEY_HIGHEST
        if not bounds & LOW_NONE:
            low = self._bound_key(view, values[0])
            if bounds & LOW_OPEN:
                low += 1
        if not bounds & HIGH_NONE:
            high = self._bound_key(view, values[1])
            if bounds & HIGH_OPEN:
                high -= 1
        if low > high:
            return False
        self._predicates.push_back(Predicate(self.dictionary.add_view(name, view), kind, low, high))
        return True

    cdef uint64_t _bound_key(self, View view, const Literal& value) noexcept nogil:
        if view == VIEW_BOOL:
            return KEY_TRUE if value.integer else KEY_FALSE
        if view == VIEW_TIME:
            return whole_key(value.integer)
        return number_key(view, value)

    cdef cbool _text_range(self, const Normal& normal, uint32_t name, const Term& term, const Literal* values) except *:
        """A range of strings by order keys; where an end is too long for its key, the text decides."""
        cdef uint64_t low = KEY_LOWEST
        cdef uint64_t high = KEY_HIGHEST
        cdef uint32_t attribute = self.dictionary.add_view(name, VIEW_ORDER)
        cdef const char* text
        cdef uint64_t first, last
        if term.kind == TERM_NOT_RANGE:
            if values[0].length <= ORDER_BYTES and values[1].length <= ORDER_BYTES:
                low = order_key(normal.arena.data() + values[0].offset, values[0].length)
                high = order_key(normal.arena.data() + values[1].offset, values[1].length)
                self._predicates.push_back(Predicate(attribute, PREDICATE_NOT_RANGE, low, high))
                return True
            first = self.dictionary.strings.add(normal.arena.data() + values[0].offset, values[0].length)
            last = self.dictionary.strings.add(normal.arena.data() + values[1].offset, values[1].length)
            self._predicates.push_back(Predicate(attribute, PREDICATE_TEXT, last << 32 | first, TEXT_OUTSIDE))
            self._predicates.push_back(Predicate(attribute, PREDICATE_RANGE, KEY_LOWEST, KEY_HIGHEST))
            return True
        if not term.bounds & LOW_NONE:
            text = normal.arena.data() + values[0].offset
            low = order_key(text, values[0].length)
            if values[0].length > ORDER_BYTES:
                self._predicates.push_back(
                    Predicate(attribute, PREDICATE_TEXT, self.dictionary.strings.add(text, values[0].length),
                              TEXT_GREATER if term.bounds & LOW_OPEN else TEXT_GREATER_EQUAL))
            elif term.bounds & LOW_OPEN:
                low += 1
        if not term.bounds & HIGH_NONE:
            text = normal.arena.data() + values[1].offset
            high = order_key(text, values[1].length)
            if values[1].length > ORDER_BYTES:
                self._predicates.push_back(
                    Predicate(attribute, PREDICATE_TEXT, self.dictionary.strings.add(text, values[1].length),
                              TEXT_LESS if term.bounds & HIGH_OPEN else TEXT_LESS_EQUAL))
            elif term.bounds & HIGH_OPEN:
                high -= 1
        if low > high:
            return False
        self._predicates.push_back(Predicate(attribute, PREDICATE_RANGE, low, high))
        return True

    cdef vector[NamedBuffer] buffers(self) except *:
        cdef vector[NamedBuffer] found
        list_buffers[Dictionary](self.dictionary, b"dictionary.", found)
        list_buffers[Store](self.store, b"store.", found)
        return found

    def restore(self) -> None:
        """Remakes what is not in the buffers, after they were filled."""
        cdef uint32_t i
        cdef string_view derived
        cdef bytes key
        self.store.recount()
        self.dictionary.recount()
        self.regex = RegexSets()
        for i in range(self.dictionary.derived.size()):
            derived = self.dictionary.derived.text(i)  # name, kind, operand: see Dictionary.make_key
            if derived.data()[4] == DERIVED_MATCHES:
                key = <bytes>derived
                self.regex.add(int.from_bytes(key[:4], "little"), key[5:].decode(),
                               self.dictionary.derived_attribute[i])

    cdef str flaw(self, cbool takes_cnf, cbool deep):
        """The buffer through which reading the store (deep: or changing it) could leave its memory, or nothing."""
        cdef const char* problem
        problem = self.dictionary.flaw()
        if problem != NULL:
            return "dictionary." + problem.decode()
        with nogil:
            problem = self.store.flaw(self.dictionary.attribute_count(), self.dictionary.strings.size(),
                                      self.dictionary.names.size(), takes_cnf, deep)
        return "store." + problem.decode() if problem != NULL else ""

    def check_invariants(self) -> None:
        """Asserts the numbered invariants of csrc/boolsieve/clauses.hpp; linear in the size of the store."""
        cdef Clauses c = self.clauses()
        cdef uint32_t clause, p, kind, i
        assert self.store.begin.size() == c.count + 1, "1"
        for clause in range(c.count):
            assert c.begin[clause] < c.begin[clause + 1], f"1: clause {clause} has no predicate"
            if c.owner[clause] == DEAD:
                assert c.head[c.begin[clause]] == PREDICATE_NEVER, f"6: clause {clause}"
                continue
            for p in range(c.begin[clause], c.begin[clause + 1]):
                kind = c.head[p] & KIND_MASK
                assert not c.head[p] & OR_NEXT or p + 1 < c.begin[clause + 1], f"5: predicate {p}"
                assert c.head[p] >> KIND_BITS < c.attributes, f"3: predicate {p}"
                if kind == PREDICATE_RANGE or kind == PREDICATE_NOT_RANGE:
                    assert 1 <= c.low[p] <= c.high[p], f"2: predicate {p}"
                elif kind == PREDICATE_IN or kind == PREDICATE_NOT_IN:
                    assert c.high[p] >= 2 and c.low[p] + c.high[p] <= self.store.sets.size(), f"2: predicate {p}"
                    for i in range(1, c.high[p]):
                        assert c.sets[c.low[p] + i - 1] < c.sets[c.low[p] + i], f"2: predicate {p}"
        cdef uint32_t slot, owned = 0
        cdef const char* problem = self.store.ids.check()
        assert problem == NULL, f"ids: {problem.decode()}"
        for slot in range(self.store.slot_count()):
            if not self.store.ids.live(slot):
                continue
            owned += self.store.slot_clauses[slot]
            for clause in range(self.store.slot_clause[slot],
                                self.store.slot_clause[slot] + self.store.slot_clauses[slot]):
                assert c.owner[clause] == slot, f"4: clause {clause}"
        assert owned + self.store.dead_clauses == c.count, "4: clauses without an expression"
