"""k-index: posting lists by attribute and value, merged with a test on the K-th list.

S. E. Whang, C. Brower, J. Shanmugasundaram, S. Vassilvitskii, E. Vee, R. Yerneni, H. Garcia-Molina, "Indexing Boolean
Expressions" (VLDB 2009), its DNF algorithm and its ranking. Clauses are partitioned by their size K, the number of
positive predicates in posting lists. A clause of size K holds only if it stands in K of the lists that the event's
pairs lead to. The lists of a partition are kept in order of the clause that each stands on: if the first and the K-th
stand on the same clause, that is in K lists; else nothing before the K-th list's clause can be, and the lists before it
skip to there (doubling steps, then a binary search).

Where it differs, and why:
- Ranges are enumerated into at most `max_values` values. A range with more (a comparison open to one side always has
  more, unless a `domain` closes it) is left to the check of the candidates, or refused with `strict`.
- A value between two whole numbers (3.5) is looked up under the number below and under its gap, and what is found is
  checked; so a range of n whole numbers has n entries and not 2n.
- Events outside of the `domain` are looked up at its edge, and what is found is checked. So the domain is about speed
  and never about what matches.
- Negation is strong, as everywhere here: an attribute that is to be unequal must be there. Negative lists reject
  candidates; presence is for the check. They stand apart from positive lists and are sought for candidates only.
- A partition is split in two: clauses that their lists decide, and clauses of which something is left to check.
- A clause without positive lists (K = 0) stands in a list of those that need an attribute, whatever its value: of the
  attributes that it needs, the one with the shortest such list then. The paper has one list for all events.
- Clauses come and go. A new one has the highest number, so it goes to the end of its lists. A dead one stays where it
  is, fails, and is let go of when its list is full, or with all the others when the index closes its holes.

Ranking: a list knows the largest weight that a clause in it gives to its attribute, and the largest sum of weights of
such a clause; a partition knows the largest weight of an expression and of what is in no list. Partitions go by falling
bound. A list is left out of the merge once no clause in it can reach the k-th best score so far.

  buffer           type     length            meaning
  terms            uint64   2 * power of two  hash table, linear probing: key; attribute << 32 | first list, or ~0
  used             uint64   0 or 1            how many terms there are
  present          uint32   attributes        first list of the clauses listed under its presence, or NONE
  lists            uint32   4 * lists         next list of the same term; code; length; begin, or its only entry
  entries          uint32   -                 clauses of lists with two or more, in chunks
  free             uint32   0 or 128          first free chunk of each size; a free chunk begins with the next
  own_bound        float64  <= lists          largest weight for the list's attribute, 0 for the lists beyond
  whole_bound      float64  <= lists          largest sum of weights of a clause in it
  partition_bound  float64  <= 4 * (K + 1)    by code: largest weight of an expression, largest rest of a clause

A code is K * 4, + 2 if something is left to check, + 1 if the list rejects.

1. Terms are a power of two of places, at most three quarters in use, and each is found from its home.
2. Each list is in the chain of exactly one term or attribute.
3. Entries rise strictly within a list, and chunks do not overlap.
4. A live clause stands in exactly the lists that its predicates call for. (Dead clauses may stand in any.)
5. Bounds are at least what the live clauses below them are worth.

Cost: an event costs a look-up a pair and the merge: at worst all entries of its lists, far less where skips are long.
Insert: a look-up a value, amortised; remove: nothing. Bytes: 4 to 5 an entry, about 45 a distinct attribute and value.
Threads: match and top_k are const, cursors are in the scratch.
"""

from libcpp.vector cimport vector

from boolsieve.encoding.clauses cimport KIND_BITS
from boolsieve.encoding.store cimport Dictionary
from boolsieve.memory.buffers cimport NamedBuffer, list_buffers

from boolsieve.errors import BudgetError

# An entry takes 4 bytes in a long list and about 50 in one of its own.
DEFAULT_MAX_VALUES = 100


cdef class KIndex(Engine):
    """Merges posting lists by attribute and value.

    Args:
        max_values: ranges of up to this many values are enumerated into posting lists.
        domain: the smallest and the largest whole number that events usually have; bounds open ranges.
        strict: refuse a range of more values with a `BudgetError`, rather than leave it to the check.
    """

    test_variants = ({"max_values": 1}, {"max_values": 30, "domain": (-3, 20)})

    def __init__(self, *, max_values=DEFAULT_MAX_VALUES, domain=None, strict=False):
        if not isinstance(max_values, int) or isinstance(max_values, bool) or not 1 <= max_values < 1 << 32:
            raise ValueError(f"max_values is a positive int, not {max_values!r}")
        if domain is not None:
            try:
                low, high = domain
            except (TypeError, ValueError):
                raise ValueError(f"domain is a pair of ints, not {domain!r}") from None
            for end in (low, high):
                if not isinstance(end, int) or isinstance(end, bool) or not -(1 << 61) <= end <= 1 << 61:
                    raise ValueError(f"domain is a pair of ints of at most 2**61 in size, not {domain!r}")
            if low > high:
                raise ValueError(f"domain: {low} is greater than {high}")
            self.domain = (low, high)
        if not isinstance(strict, bool):
            raise ValueError(f"strict is a bool, not {strict!r}")
        self.strict = strict
        low, high = self.domain or (0, 0)
        self.postings.configure(max_values, self.domain is not None, low, high)

    def options(self) -> dict:
        """The keyword arguments that make an engine like this one."""
        given = {}
        if self.postings.max_values != DEFAULT_MAX_VALUES:
            given["max_values"] = self.postings.max_values
        if self.domain is not None:
            given["domain"] = self.domain
        if self.strict:
            given["strict"] = True
        return given

    cdef int require(self, uint32_t first, uint32_t count) except -1:
        cdef Clauses clauses = self.store.clauses()
        cdef Dictionary* dictionary = &self.store.dictionary
        cdef uint32_t clause, p, attribute
        if not self.strict:
            return 0
        for clause in range(first, first + count):
            p = self.postings.first_too_wide(clauses, dictionary.attribute_view.data(), clause)
            if p == clauses.begin[clause + 1]:
                continue
            attribute = clauses.head[p] >> KIND_BITS
            needed = self.postings.values_needed(dictionary.attribute_view.data(), attribute, clauses.low[p],
                                                 clauses.high[p])
            name = (<bytes>dictionary.names.text(dictionary.attribute_name[attribute])).decode()
            raise BudgetError(f"a range on attribute {name!r} has {needed:,} values; kindex enumerates at most "
                              f"{self.postings.max_values:,} (max_values, domain, strict)",
                              needed, self.postings.max_values)
        return 0

    cdef int insert(self, uint32_t first, uint32_t count) except -1:
        self.postings.insert(self.store.store, self.store.dictionary, first, count)
        return 0

    cdef int remove(self, uint32_t first, uint32_t count) except -1:
        return 0

    cdef int match(self, Scratch& scratch) except -1 nogil:
        self.postings.match(self.store.store, self.store.dictionary, scratch)
        return 0

    cdef int top_k(self, Scratch& scratch, Ranking& ranking) except -1 nogil:
        self.postings.top_k(self.store.store, self.store.dictionary, scratch, ranking)
        return 0

    cdef vector[NamedBuffer] buffers(self) except *:
        cdef vector[NamedBuffer] found
        list_buffers[KIndexPostings](self.postings, b"kindex.", found)
        return found

    def check_invariants(self) -> None:
        """Asserts the numbered invariants; about as much work as building the lists."""
        cdef const char* problem = self.postings.check(self.store.store, self.store.dictionary)
        assert problem == NULL, problem.decode()
