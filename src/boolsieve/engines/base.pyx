"""The contract of all engines: an index over the clauses of a store.

An engine finds the clauses that an event satisfies; what the clauses mean, where they live and what they belong to is
the store's. It must answer exactly as `scan` does, for every kind of predicate, after every sequence of updates.

Writing one takes a `.pxd`, a `.pyx`, a line in the registry and its own test:

- `insert(first, count)`: clauses that were just appended to the store. `remove(first, count)`: clauses that are still
  there but will be dead soon after. Both run alone (no match at the same time) and with the GIL. An insert
  that fails leaves the engine as it was. Bulk loading is an insert of many.
- `require(first, count)`: the clauses of one expression, before their insert; an engine that cannot take them raises a
  `BudgetError`, and the expression is refused.
- `match(scratch)`: for `scratch.event`, adds the owner of each clause that holds to `scratch.found`, once or more.
  Predicates that the engine did not decide by itself are decided by `first_failure` or `clause_holds`. Const: many
  threads match at the same time, each with a scratch of its own; `scratch.own` holds what an engine needs beside.
- `learn(sample)`: if the engine sets `learns`, gets some of the events that were matched, from time to time, and may
  rearrange itself. Runs alone, as `insert` does; what it costs must be small beside matching the events that passed
  since the last time.
- `match_block(scratch)`: for `scratch.block`, appends each row's slots to `scratch.slots` and their number to
  `scratch.counts`. The default goes row by row.
- `top_k(scratch, ranking)`: for `scratch.event`, offers the slots that match to the ranking. The default offers all; an
  engine that knows bounds may leave out those that cannot be among the best.
- `match_ranges(scratch)`: for an event with several values or a range for some attributes, as `match`. The plain
  attributes are in `scratch.event`, the others in `scratch.ranges.attributes`, with the closed spans of keys that they
  may have, `scratch.ranges.spans`: a predicate that needs such an attribute can hold only if it takes a key of a span.
  Candidates must be decided by `scratch.ranges.clause_holds`. The default matches the plain events that it stands for,
  one by one, or scans the clauses if they are many.
- `buffers()`: all lasting state, as named flat buffers. `check_invariants()` asserts what the engine's file promises.
- Both match functions add to `scratch.counters` what they evaluated.

Clauses are conjunctions. An engine that sets `takes_cnf` also gets expressions in conjunctive normal form, where that
is much shorter: one clause, in which predicates marked with OR_NEXT are alternatives to the one behind them.

Keyword arguments of the constructor are the engine's options; `options()` gives them back, so that a copy can be made.
"""

from libc.stdint cimport uint64_t

from boolsieve.encoding.clauses cimport Clauses

# An event with several values is matched as so many plain events at most, before all clauses are scanned instead. With
# 100,000 expressions of five predicates, a scan takes as long as 12 plain events with opindex, 16 with kindex, 40 with
# psthash and over 200 with cluster.
cdef size_t PLAIN_EVENTS = 16


cdef class Engine:
    """What all engines have in common."""

    #: Other option sets that the contract tests run too.
    test_variants = ()

    def options(self) -> dict:
        """The keyword arguments that make an engine like this one."""
        return {}

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in self.options().items())
        return f"{type(self).__name__}({given})"

    cdef int require(self, uint32_t first, uint32_t count) except -1:
        return 0

    cdef int insert(self, uint32_t first, uint32_t count) except -1:
        raise NotImplementedError

    cdef int remove(self, uint32_t first, uint32_t count) except -1:
        raise NotImplementedError

    cdef int match(self, Scratch& scratch) except -1 nogil:
        return 0

    cdef int top_k(self, Scratch& scratch, Ranking& ranking) except -1 nogil:
        cdef size_t i
        self.match(scratch)
        scratch.found.drain_to(scratch.slots)
        for i in range(scratch.slots.size()):
            ranking.offer(ranking.score(scratch.slots[i], scratch.event), scratch.slots[i])
        return 0

    cdef int match_ranges(self, Scratch& scratch) except -1 nogil:
        cdef uint64_t events = scratch.counters.events
        if scratch.ranges.plain_events(PLAIN_EVENTS) > PLAIN_EVENTS:
            return self.scan_ranges(scratch)
        scratch.ranges.put_first(scratch.event)
        self.match(scratch)
        while scratch.ranges.put_next(scratch.event):
            self.match(scratch)
        scratch.counters.events = events + 1
        return 0

    cdef int scan_ranges(self, Scratch& scratch) except -1 nogil:
        """What all engines can do for match_ranges: a scan of the clauses."""
        cdef Clauses clauses = self.store.clauses()
        cdef uint32_t clause, begin, failed
        cdef uint32_t end = 0
        for clause in range(clauses.count):
            begin = end
            end = clauses.begin[clause + 1]
            failed = scratch.ranges.first_failure(clauses, begin, end, scratch.event)
            scratch.counters.predicates += failed - begin + (failed < end)
            if failed == end and scratch.ranges.clause_holds(clauses, clause, scratch.event):
                scratch.found.add(clauses.owner[clause])
        scratch.counters.candidates += clauses.count
        scratch.counters.events += 1
        return 0

    cdef int learn(self, const Sample& sample) except -1:
        return 0

    cdef int match_block(self, Scratch& scratch) except -1 nogil:
        cdef uint32_t row
        cdef size_t before
        scratch.found.open(self.store.store.slot_count())
        for row in range(scratch.block.rows):
            scratch.event.open(self.store.dictionary.attribute_count())
            scratch.block.read_row(row, scratch.event)
            self.match(scratch)
            scratch.observe()
            scratch.event.close()
            before = scratch.slots.size()
            scratch.found.drain_to(scratch.slots)
            scratch.counts.push_back(<uint32_t>(scratch.slots.size() - before))
            scratch.counters.matches += scratch.slots.size() - before
        return 0

    cdef vector[NamedBuffer] buffers(self) except *:
        cdef vector[NamedBuffer] none
        return none

    def check_invariants(self) -> None:
        """Asserts the invariants that the engine's file numbers."""
