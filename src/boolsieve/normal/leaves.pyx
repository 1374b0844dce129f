# distutils: language = c++
"""Predicates -> terms: which values make a predicate, or its negation, TRUE.

A point is a TERM_IN with one literal. Bools have two values only, so each comparison of bools is a TERM_IN with one of
them, a TERM_PRESENT, or never true: engines see equalities only. LIKE patterns are resolved here: those that are an
equality, a prefix, a suffix or a substring in disguise become that.
"""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libcpp.string cimport string

from boolsieve.language.tree cimport *
from boolsieve.normal.workspace cimport Workspace, canonical, family_of

cdef enum:
    ANY_RUN = 0xFF  # the bytes for % and _ in a resolved pattern; UTF-8 has neither
    ANY_ONE = 0xFE


cdef int append_leaf(const Tree& tree, const Node& node, bint negated, Workspace& work) except -1:
    cdef Op op = node.op
    cdef const Literal* literals = tree.literals.data() + node.first
    cdef bint fails = negated != node.negated
    cdef uint32_t i
    if op == OP_TRUE or op == OP_FALSE:
        return OP_AND if (op == OP_TRUE) != fails else OP_OR
    if op == OP_ATTRIBUTE:
        add_bools(work, node, fails, not fails)
    elif op == OP_EQ or op == OP_NE:
        add_points(work, node, literals, 1, (op == OP_NE) != fails)
    elif op == OP_LT or op == OP_LE or op == OP_GT or op == OP_GE:
        add_comparison(work, node, negation(op) if fails else op, literals[0])
    elif op == OP_IN:
        add_points(work, node, literals, node.count, fails)
    elif op == OP_BETWEEN:
        add_between(work, node, literals[0], literals[1], fails)
    elif op == OP_IS_NULL:
        add_term(work, node, TERM_PRESENT if fails else TERM_ABSENT, FAMILY_ANY)
    elif op == OP_IS_DISTINCT:
        if not fails:
            add_term(work, node, TERM_ABSENT, family_of(literals[0].type))
        add_points(work, node, literals, 1, not fails)
    elif op == OP_LIKE or op == OP_ILIKE:
        add_like(tree, work, node, literals[0], op == OP_ILIKE, fails)
    elif op == OP_STARTS:
        add_text(work, node, DERIVED_STARTS, literals[0], fails)
    elif op == OP_ENDS:
        add_text(work, node, DERIVED_ENDS, literals[0], fails)
    elif op == OP_CONTAINS:
        add_text(work, node, DERIVED_CONTAINS, literals[0], fails)
    elif op == OP_MATCHES:
        add_derived(work, node, FAMILY_STRING, DERIVED_MATCHES, literals[0], fails)
    else:
        if op == OP_HAS_NONE:
            fails = not fails
        for i in range(node.count):
            add_derived(work, node, FAMILY_SET, DERIVED_HAS, literals[i], fails)
        return OP_AND if (op == OP_HAS_ALL) != fails else OP_OR
    return OP_OR


cdef inline Op negation(Op op) noexcept nogil:
    return OP_GE if op == OP_LT else OP_GT if op == OP_LE else OP_LE if op == OP_GT else OP_LT


cdef inline int add_term(
    Workspace& work, const Node& node, TermKind kind, Family family, uint64_t first=0, uint32_t count=0,
    uint8_t bounds=0, Derived derived=DERIVED_HAS,
) except -1 nogil:
    cdef Term term
    term.kind = kind
    term.family = family
    term.bounds = bounds
    term.derived = derived
    term.name = node.name
    term.name_length = node.name_length
    term.first = first
    term.count = count
    work.terms.push_back(term)
    return 0


cdef int add_bools(Workspace& work, const Node& node, bint takes_false, bint takes_true) except -1 nogil:
    cdef Literal literal
    if takes_false and takes_true:
        return add_term(work, node, TERM_PRESENT, FAMILY_BOOL)
    if takes_false or takes_true:
        literal.type = LITERAL_BOOL
        literal.length = 0
        literal.integer = takes_true
        return add_term(work, node, TERM_IN, FAMILY_BOOL, work.hold(literal), 1)
    return 0


cdef int add_points(
    Workspace& work, const Node& node, const Literal* literals, uint32_t count, bint fails
) except -1 nogil:
    """One term a family; if none may be equal, literals of two families can never all be unequal."""
    cdef uint64_t first = work.literals.size()
    cdef uint64_t end, i
    cdef Family family
    for i in range(count):
        work.hold(canonical(literals[i]))
    end = first + work.distinct_from(first)
    if fails and family_of(work.literals[first].type) != family_of(work.literals[end - 1].type):
        return 0
    while first < end:
        family = family_of(work.literals[first].type)
        i = first + 1
        while i < end and family_of(work.literals[i].type) == family:
            i += 1
        if family == FAMILY_BOOL:
            # A single literal is the value itself, two are FALSE and TRUE.
            add_bools(
                work, node,
                fails != (work.literals[first].integer == 0),
                fails != (work.literals[i - 1].integer == 1),
            )
        else:
            add_term(work, node, TERM_NOT_IN if fails else TERM_IN, family, first, <uint32_t>(i - first))
        first = i
    return 0


cdef int add_comparison(Workspace& work, const Node& node, Op op, Literal literal) except -1 nogil:
    cdef uint64_t first
    cdef uint8_t bounds
    literal = canonical(literal)
    if literal.type == LITERAL_BOOL:
        if op == OP_LT or op == OP_LE:
            return add_bools(work, node, op == OP_LE or literal.integer == 1, op == OP_LE and literal.integer == 1)
        return add_bools(work, node, op == OP_GE and literal.integer == 0, op == OP_GE or literal.integer == 0)
    if op == OP_LT or op == OP_LE:
        bounds = LOW_NONE | (HIGH_OPEN if op == OP_LT else 0)
    else:
        bounds = HIGH_NONE | (LOW_OPEN if op == OP_GT else 0)
    first = work.hold(literal)
    work.hold(literal)
    return add_term(work, node, TERM_RANGE, family_of(literal.type), first, 2, bounds)


cdef int add_between(Workspace& work, const Node& node, Literal low, Literal high, bint fails) except -1 nogil:
    cdef Family family = family_of(low.type)
    cdef uint64_t first
    cdef int order
    low = canonical(low)
    high = canonical(high)
    if family != family_of(high.type):
        if fails:
            add_comparison(work, node, OP_LT, low)
            add_comparison(work, node, OP_GT, high)
        return 0
    order = work.order().literal(low, high)
    if order > 0:
        return add_term(work, node, TERM_PRESENT, family) if fails else 0
    if order == 0:
        return add_points(work, node, &low, 1, fails)
    if family == FAMILY_BOOL:
        return add_bools(work, node, not fails, not fails)
    first = work.hold(low)
    work.hold(high)
    return add_term(work, node, TERM_NOT_RANGE if fails else TERM_RANGE, family, first, 2)


cdef int add_derived(
    Workspace& work, const Node& node, Family family, Derived derived, Literal operand, bint fails
) except -1 nogil:
    return add_term(
        work, node, TERM_FAILS if fails else TERM_HOLDS, family, work.hold(canonical(operand)), 1, 0, derived
    )


cdef int add_text(Workspace& work, const Node& node, Derived derived, Literal operand, bint fails) except -1 nogil:
    """A prefix, suffix or substring; each string has the empty one."""
    if operand.length:
        return add_derived(work, node, FAMILY_STRING, derived, operand, fails)
    return 0 if fails else add_term(work, node, TERM_PRESENT, FAMILY_STRING)


cdef int add_like(
    const Tree& tree, Workspace& work, const Node& node, Literal pattern, bint folded, bint fails
) except -1:
    cdef uint64_t start = work.arena.size()
    cdef uint64_t end, i
    cdef bint head, tail
    cdef bint inner = False
    resolve_pattern(tree.arena, pattern, node.escape, work.arena)
    if folded:
        fold_from(work, start)
    end = work.arena.size()
    head = end > start and <uint8_t>work.arena[start] == ANY_RUN
    tail = end > start and <uint8_t>work.arena[end - 1] == ANY_RUN
    if end - start == 1 and head:  # only %
        return 0 if fails else add_term(work, node, TERM_PRESENT, FAMILY_STRING)
    for i in range(start + head, end - tail):
        inner |= <uint8_t>work.arena[i] >= ANY_ONE
    if not inner:
        start += head
        end -= tail
    pattern.offset = start
    pattern.length = <uint32_t>(end - start)
    if inner:
        return add_derived(work, node, FAMILY_STRING, DERIVED_FOLDED_LIKE if folded else DERIVED_LIKE, pattern, fails)
    if head and tail:
        return add_text(work, node, DERIVED_FOLDED_CONTAINS if folded else DERIVED_CONTAINS, pattern, fails)
    if head:
        return add_text(work, node, DERIVED_FOLDED_ENDS if folded else DERIVED_ENDS, pattern, fails)
    if tail:
        return add_text(work, node, DERIVED_FOLDED_STARTS if folded else DERIVED_STARTS, pattern, fails)
    if folded:
        return add_derived(work, node, FAMILY_STRING, DERIVED_FOLDED_EQUALS, pattern, fails)
    return add_points(work, node, &pattern, 1, fails)


cdef int resolve_pattern(const string& source, Literal pattern, uint32_t escape, string& target) except -1 nogil:
    """Append the pattern without escapes, wildcards as bytes of their own.

    In a run of wildcards only the number of _ and whether there is a % matter: the _ go first, then one %. An escape
    character makes the one after it plain; at the very end it stands for itself.
    """
    cdef uint64_t i = pattern.offset
    cdef uint64_t end = pattern.offset + pattern.length
    cdef uint32_t point, length, ones = 0
    cdef bint run = False
    while i < end:
        length = character(source, i, &point)
        if escape and point == escape and i + length < end:
            i += length
            length = character(source, i, &point)
        elif point == c'_':
            ones += 1
            i += 1
            continue
        elif point == c'%':
            run = True
            i += 1
            continue
        end_run(target, ones, run)
        ones = 0
        run = False
        target.append(source, i, length)
        i += length
    end_run(target, ones, run)
    return 0


cdef int end_run(string& target, uint32_t ones, bint run) except -1 nogil:
    target.append(ones, <char>ANY_ONE)
    if run:
        target.push_back(<char>ANY_RUN)
    return 0


cdef inline uint32_t character(const string& text, uint64_t at, uint32_t* point) noexcept nogil:
    """The code point there in valid UTF-8, and its length in bytes."""
    cdef uint32_t first = <uint8_t>text[at]
    cdef uint32_t length = 1 if first < 0x80 else 2 if first < 0xE0 else 3 if first < 0xF0 else 4
    cdef uint32_t i
    point[0] = first if length == 1 else first & (0x7F >> length)
    for i in range(1, length):
        point[0] = point[0] << 6 | (<uint8_t>text[at + i] & 0x3F)
    return length


cdef int fold_from(Workspace& work, uint64_t start) except -1:
    """Put the text between the wildcards of a resolved pattern into lower case, as Python does."""
    cdef bytes pattern = work.arena.data()[start:work.arena.size()]
    cdef bytes piece
    cdef uint64_t begin = 0
    cdef uint64_t i
    cdef uint64_t end = len(pattern)
    work.arena.resize(start)
    for i in range(end + 1):
        if i == end or <uint8_t>pattern[i] >= ANY_ONE:
            if i > begin:
                piece = pattern[begin:i].decode().lower().encode()
                work.arena.append(<const char*>piece, <size_t>len(piece))
            if i < end:
                work.arena.push_back(<char>pattern[i])
            begin = i + 1
    return 0
