"""Scan: every clause, predicate by predicate, until one fails.

The reference that all other engines are measured against (SCAN in the papers). It reads the clause store itself and has
no state of its own, so inserting and removing are free.

Buffers: none. Invariants: none beyond the store's.

Cost: match reads 4 bytes a clause for where it begins and 4 a predicate looked at; keys are read only for attributes
that the event has. A block of up to 512 events reads the clauses once for all of them (csrc/boolsieve/block_scan.hpp).
Threads: const throughout.
"""

from libc.stdint cimport uint32_t, uint64_t

from boolsieve.encoding.clauses cimport (
    Clauses, Scratch, collect_pairs, first_failure, make_columns, scan_block,
)


cdef class Scan(Engine):
    """Evaluates every clause, stopping at its first predicate that fails."""

    cdef int insert(self, uint32_t first, uint32_t count) except -1:
        return 0

    cdef int remove(self, uint32_t first, uint32_t count) except -1:
        return 0

    cdef int match(self, Scratch& scratch) except -1 nogil:
        cdef Clauses clauses = self.store.clauses()
        cdef uint32_t clause, begin, end, failed
        cdef uint64_t evaluated = 0
        end = 0
        for clause in range(clauses.count):
            begin = end
            end = clauses.begin[clause + 1]
            failed = first_failure(clauses, begin, end, scratch.event)
            evaluated += failed - begin + (failed < end)
            if failed == end:
                scratch.found.add(clauses.owner[clause])
        scratch.counters.events += 1
        scratch.counters.predicates += evaluated
        scratch.counters.candidates += clauses.count
        return 0

    cdef int match_ranges(self, Scratch& scratch) except -1 nogil:
        return self.scan_ranges(scratch)

    cdef int match_block(self, Scratch& scratch) except -1 nogil:
        cdef Clauses clauses = self.store.clauses()
        if not make_columns(scratch, clauses.attributes):
            return Engine.match_block(self, scratch)
        scan_block(clauses, scratch)
        collect_pairs(scratch, scratch.block.rows, self.store.store.in_order)
        return 0
