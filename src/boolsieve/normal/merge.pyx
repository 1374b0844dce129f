# distutils: language = c++
"""Terms on one attribute, joined by AND or by OR -> the fewest terms that say the same.

Three steps down: attribute, family, values. An attribute has a value of one family or none, which decides between terms
of different families. Within a family, ranges and points are sets of values: OR unites the sets, AND unites what they
exclude, both with the same sweep over cuts (csrc/boolsieve/cuts.hpp), and what comes out is written as terms again.

Whole numbers get no special treatment: `a > 1 AND a < 2` stays, since an event may hold 1.5.
"""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memcmp

from boolsieve.language.tree cimport *
from boolsieve.normal.workspace cimport *


cdef enum:
    MAX_DECISIONS = 4096  # points times derived predicates: more stay as they are, so that no product is computed


cdef extern from "<string.h>" nogil:
    void* memmem(const void* haystack, size_t haystack_length, const void* needle, size_t needle_length)


cdef int merge_gathered(Workspace& work, Op op) except -1 nogil:
    cdef uint64_t before = work.merged.size()
    cdef uint64_t n, i, j
    cdef Order order = work.order()  # for names only: the literals may move
    work.sort_gathered()
    n = work.gathered.size()
    i = 0
    while i < n:
        j = i + 1
        while j < n and order.name(work.gathered[i], work.gathered[j]) == 0:
            j += 1
        if j == i + 1:
            work.merged.push_back(work.gathered[i])
        elif merge_name(work, i, j, op):
            work.merged.resize(before)
            return 1
        i = j
    return 0


cdef int merge_name(Workspace& work, uint64_t begin, uint64_t end, Op op) except -1 nogil:
    """Merge sorted terms on one attribute; 1 if they decide the whole."""
    cdef uint32_t any_family = 1 << FAMILY_ANY
    cdef uint32_t needed = 0  # a bit for each family that a term needs, and that a term forbids
    cdef uint32_t absent = 0
    cdef uint32_t families
    cdef uint64_t i, j
    cdef Family family
    for i in range(begin, end):
        if work.gathered[i].kind == TERM_ABSENT:
            absent |= 1 << work.gathered[i].family
        else:
            needed |= 1 << work.gathered[i].family

    if op == OP_AND:
        families = needed & ~any_family
        if needed & absent or families & (families - 1) or (needed and absent & any_family):
            return 1
        if absent & any_family:
            work.merged.push_back(work.gathered[begin])
            return 0
        if not families:
            for i in range(begin, end):
                if i == begin or work.gathered[i].family != work.gathered[i - 1].family:
                    work.merged.push_back(work.gathered[i])
            return 0
    else:
        families = absent & ~any_family
        # A value cannot be of two families at once, so one of them is always absent.
        if families & (families - 1) or (needed & any_family and absent):
            return 1
        if needed & any_family:
            work.merged.push_back(work.gathered[begin])
            return 0

    # Of the families now left in `families`, at most one, the terms matter and those of others say nothing more; if it
    # is empty each family is merged for itself.
    i = begin
    while i < end:
        family = work.gathered[i].family
        j = i + 1
        while j < end and work.gathered[j].family == family:
            j += 1
        if families and not families >> family & 1:
            pass
        elif family == FAMILY_ANY:
            work.merged.push_back(work.gathered[i])
        elif merge_family(work, i, j, op, absent >> family & 1):
            return 1
        i = j
    return 0


cdef int merge_family(Workspace& work, uint64_t begin, uint64_t end, Op op, bint absent) except -1 nogil:
    """Merge sorted terms of one family, with or without a TERM_ABSENT among them; 1 if they decide the whole."""
    cdef Term pattern = work.gathered[begin]
    cdef uint64_t i
    cdef uint64_t holds = end
    cdef uint64_t fails = end
    cdef bint whole, decided
    cdef bint plain = False
    cdef Order order
    work.intervals.clear()
    for i in range(begin, end):
        if work.gathered[i].kind == TERM_HOLDS:
            holds = min(holds, i)
        elif work.gathered[i].kind == TERM_FAILS:
            fails = min(fails, i)
        elif work.gathered[i].kind != TERM_ABSENT:
            plain = True
            add_intervals(work, work.gathered[i], op == OP_AND)
    holds = min(holds, fails)
    decided = contradict(work, holds, fails, end)
    order = work.order()
    unite(order, work.intervals)
    complement(work.intervals, work.gaps)

    if op == OP_AND:
        if decided or work.gaps.empty():
            return 1
        if plain and not work.intervals.empty():
            if all_points(order, work.gaps):
                return write_filtered_points(work, pattern, holds, fails, end)
            write_outside(work, pattern)
        elif holds == end:
            write_term(work, pattern, TERM_PRESENT, 0, 0)
    else:
        whole = decided or work.gaps.empty() or (pattern.family == FAMILY_BOOL and work.intervals.size() == 2)
        if whole:
            if not absent:
                write_term(work, pattern, TERM_PRESENT, 0, 0)
            return absent
        write_inside(work, pattern)
        if absent:
            write_term(work, pattern, TERM_ABSENT, 0, 0)
    write_derived(work, holds, end, False)
    return 0


cdef bint contradict(Workspace& work, uint64_t holds, uint64_t fails, uint64_t end) noexcept nogil:
    """Whether some derived predicate is among those that hold and among those that fail; both are sorted."""
    cdef Order order = work.order()
    cdef uint64_t i = holds
    cdef uint64_t j = fails
    cdef int c
    while i < fails and j < end:
        c = order.operand(work.gathered[i], work.gathered[j])
        if c == 0:
            return True
        if c < 0:
            i += 1
        else:
            j += 1
    return False


cdef inline Cut make_cut(Literal value, Side side) noexcept nogil:
    cdef Cut cut
    cut.value = value
    cut.side = side
    return cut


cdef inline int add_interval(Workspace& work, Cut low, Cut high) except -1 nogil:
    cdef Interval interval
    interval.low = low
    interval.high = high
    work.intervals.push_back(interval)
    return 0


cdef int add_intervals(Workspace& work, const Term& term, bint excluded) except -1 nogil:
    """Append the values that the term takes, or those that it excludes."""
    cdef const Literal* literals = work.literals.data() + term.first
    cdef Literal filler
    cdef Cut below, above, low, high
    cdef uint32_t i
    filler.type = LITERAL_BOOL
    filler.length = 0
    filler.integer = 0
    below = make_cut(filler, SIDE_BELOW_ALL)
    above = make_cut(filler, SIDE_ABOVE_ALL)
    if term.kind == TERM_PRESENT:
        if not excluded:
            add_interval(work, below, above)
        return 0
    if term.kind == TERM_NOT_RANGE or term.kind == TERM_NOT_IN:
        excluded = not excluded
    if term.kind == TERM_RANGE or term.kind == TERM_NOT_RANGE:
        low = make_cut(literals[0], SIDE_AFTER if term.bounds & LOW_OPEN else SIDE_BEFORE)
        high = make_cut(literals[1], SIDE_BEFORE if term.bounds & HIGH_OPEN else SIDE_AFTER)
        if term.bounds & LOW_NONE:
            low = below
        if term.bounds & HIGH_NONE:
            high = above
        if not excluded:
            add_interval(work, low, high)
            return 0
        if low.side != SIDE_BELOW_ALL:
            add_interval(work, below, low)
        if high.side != SIDE_ABOVE_ALL:
            add_interval(work, high, above)
        return 0
    low = below
    for i in range(term.count):
        high = make_cut(literals[i], SIDE_BEFORE)
        if excluded:
            add_interval(work, low, high)
        low = make_cut(literals[i], SIDE_AFTER)
        if not excluded:
            add_interval(work, high, low)
    if excluded:
        add_interval(work, low, above)
    return 0


cdef bint all_points(const Order& order, const vector[Interval]& intervals) noexcept nogil:
    cdef size_t i
    for i in range(intervals.size()):
        if not intervals[i].is_point(order):
            return False
    return True


cdef inline int write_term(
    Workspace& work, Term pattern, TermKind kind, uint64_t first, uint32_t count, uint8_t bounds=0
) except -1 nogil:
    pattern.kind = kind
    pattern.bounds = bounds
    pattern.derived = DERIVED_HAS
    pattern.first = first
    pattern.count = count
    work.merged.push_back(pattern)
    return 0


cdef int write_range(Workspace& work, const Term& pattern, Cut low, Cut high) except -1 nogil:
    cdef uint8_t bounds = 0
    cdef uint64_t first
    # The filler of a missing bound is the other bound, so that equal ranges are equal bytes.
    if low.side == SIDE_BELOW_ALL:
        low.value = high.value
        bounds |= LOW_NONE
    elif low.side == SIDE_AFTER:
        bounds |= LOW_OPEN
    if high.side == SIDE_ABOVE_ALL:
        high.value = low.value
        bounds |= HIGH_NONE
    elif high.side == SIDE_BEFORE:
        bounds |= HIGH_OPEN
    first = work.hold(low.value)
    work.hold(high.value)
    return write_term(work, pattern, TERM_RANGE, first, 2, bounds)


cdef int write_points(Workspace& work, const Term& pattern, TermKind kind, uint64_t first) except -1 nogil:
    """A term of the literals from first on, if there is any."""
    if first < work.literals.size():
        write_term(work, pattern, kind, first, <uint32_t>(work.literals.size() - first))
    return 0


cdef int write_outside(Workspace& work, const Term& pattern) except -1 nogil:
    """AND: the values outside work.intervals, which are rays, and between them closed ranges and points."""
    cdef vector[Interval]* intervals = &work.intervals
    cdef size_t begin = 0
    cdef size_t end = intervals.size()
    cdef size_t i
    cdef uint64_t first
    cdef bint bounded_low = intervals[0][0].low.side == SIDE_BELOW_ALL
    cdef bint bounded_high = intervals[0][end - 1].high.side == SIDE_ABOVE_ALL
    cdef Cut low = work.gaps[0].low
    cdef Cut high = work.gaps[work.gaps.size() - 1].high
    if bounded_low or bounded_high:
        write_range(work, pattern, low, high)
    begin += bounded_low
    end -= bounded_high
    for i in range(begin, end):
        if not intervals[0][i].is_point(work.order()):
            first = work.hold(intervals[0][i].low.value)
            work.hold(intervals[0][i].high.value)
            write_term(work, pattern, TERM_NOT_RANGE, first, 2)
    first = work.literals.size()
    for i in range(begin, end):
        if intervals[0][i].is_point(work.order()):
            work.hold(intervals[0][i].low.value)
    return write_points(work, pattern, TERM_NOT_IN, first)


cdef int write_inside(Workspace& work, const Term& pattern) except -1 nogil:
    """OR: the values of work.intervals, which are not all values, in as few terms as possible.

    Two rays that point outwards are one TERM_NOT_RANGE if they are open; a closed one is open but for a point, which
    costs nothing if there are points anyway.
    """
    cdef size_t n = work.intervals.size()
    cdef size_t i
    cdef uint64_t first
    cdef bint rays, points, outside
    cdef Cut low, high
    if n == 0:
        return 0
    low = work.intervals[0].high
    high = work.intervals[n - 1].low
    rays = n > 1 and work.intervals[0].low.side == SIDE_BELOW_ALL and work.intervals[n - 1].high.side == SIDE_ABOVE_ALL
    if rays and all_points(work.order(), work.gaps):
        first = work.literals.size()
        for i in range(work.gaps.size()):
            work.hold(work.gaps[i].low.value)
        return write_points(work, pattern, TERM_NOT_IN, first)
    points = False
    for i in range(n):
        points |= work.intervals[i].is_point(work.order())
    outside = rays and (points or (low.side == SIDE_BEFORE and high.side == SIDE_AFTER))
    for i in range(outside, n - outside):
        if not work.intervals[i].is_point(work.order()):
            write_range(work, pattern, work.intervals[i].low, work.intervals[i].high)
    first = work.literals.size()
    if outside and low.side == SIDE_AFTER:
        work.hold(low.value)
    for i in range(n):
        if work.intervals[i].is_point(work.order()):
            work.hold(work.intervals[i].low.value)
    if outside and high.side == SIDE_BEFORE:
        work.hold(high.value)
    write_points(work, pattern, TERM_IN, first)
    if outside:
        first = work.hold(low.value)
        work.hold(high.value)
        write_term(work, pattern, TERM_NOT_RANGE, first, 2)
    return 0


cdef int write_filtered_points(
    Workspace& work, const Term& pattern, uint64_t holds, uint64_t fails, uint64_t end
) except -1 nogil:
    """AND: the points of work.gaps for which each derived predicate comes out right; 1 if there is none."""
    cdef uint64_t first = work.literals.size()
    cdef uint64_t i, j
    cdef bint right
    cdef bint decide = work.gaps.size() * (end - holds) <= MAX_DECISIONS
    for i in range(work.gaps.size()):
        right = True
        for j in range(holds, end if decide else holds):
            if decidable(work.gathered[j].derived):
                if holds_for(work, work.gathered[j], work.gaps[i].low.value) != (j < fails):
                    right = False
                    break
        if right:
            work.hold(work.gaps[i].low.value)
    if first == work.literals.size():
        return 1
    write_points(work, pattern, TERM_IN, first)
    write_derived(work, holds, end, decide)
    return 0


cdef inline bint decidable(Derived derived) noexcept nogil:
    return derived == DERIVED_STARTS or derived == DERIVED_ENDS or derived == DERIVED_CONTAINS


cdef bint holds_for(Workspace& work, const Term& term, Literal value) noexcept nogil:
    cdef Literal operand = work.literals[term.first]
    cdef const char* text = work.arena.data() + value.offset
    cdef const char* part = work.arena.data() + operand.offset
    if operand.length > value.length:
        return False
    if term.derived == DERIVED_STARTS:
        return memcmp(text, part, operand.length) == 0
    if term.derived == DERIVED_ENDS:
        return memcmp(text + value.length - operand.length, part, operand.length) == 0
    return memmem(text, value.length, part, operand.length) != NULL


cdef int write_derived(Workspace& work, uint64_t begin, uint64_t end, bint decided) except -1 nogil:
    """The derived predicates, each once, without those that the points have decided."""
    cdef Order order = work.order()
    cdef uint64_t i
    for i in range(begin, end):
        if decided and decidable(work.gathered[i].derived):
            continue
        if i > begin and work.gathered[i].kind == work.gathered[i - 1].kind:
            if order.operand(work.gathered[i], work.gathered[i - 1]) == 0:
                continue
        work.merged.push_back(work.gathered[i])
    return 0
