"""SIFT: an inverted list a distinct predicate, and a counter a clause; or clauses filed under rare predicates.

T. W. Yan, H. Garcia-Molina, "Index Structures for Selective Dissemination of Information Under the Boolean Model"
(ACM TODS 1994): its counting, key and tree methods. There a profile is a set of words; here it is a clause, and its
words are its predicates. All three begin with the distinct predicates that the event satisfies
(csrc/boolsieve/predicate_index.hpp).

- `counting`: each of them lists its clauses; a clause whose counter reaches its number of predicates holds.
- `key`: a clause is filed under its rarest predicate alone. What is filed under a predicate that holds is checked.
- `tree`: a clause is filed under a path of its predicates, rarest first, so that clauses share prefixes. A node keeps
  the first 64 clauses that come to it; later ones go on to a child, as long as they have another predicate.

Where it differs, and why:
- Ranges are found in sorted lists an attribute. The BE-Tree paper's SIFT enumerates their values, as k-index does,
  which takes memory in proportion to their width.
- `!=`, NOT IN, IS NULL and long texts are in no list: nearly every event satisfies them. They are decided by the store
  when all else is counted. A clause of nothing else stands for the presence of an attribute that it needs.
- Counters are cleared where the event touched them, or all at once if that is less work.
- How rare a predicate is, is estimated from the clauses (csrc/boolsieve/rarity.hpp): how many ask for its attribute,
  and how much of the span of operands it covers. The paper has the frequencies of words.
- Clauses come and go. A removed clause stays in lists that others need too, where its counter can no longer be reached
  or its check fails; it goes when its list is full.

Buffers, `counting`:

    predicates.*   -       -           the distinct predicates, see predicate_index.hpp
    need           uint8   clauses     how many predicates are counted; + 128 if the store decides more; 0 if dead
    postings.*     -       predicates  the clauses that have it, rising (lists.hpp)

Buffers, `key` and `tree`:

    predicates.*   -       -           the distinct predicates on edges
    trie.*         -       -           the nodes, see predicate_trie.hpp
    members.*      -       nodes       the clauses filed there
    clause_node    uint32  clauses     where a clause is filed, or 2**32 - 1 if dead
    rarity.*       -       -           see rarity.hpp

Invariants, `counting`:

1. The predicates keep their own; their references are those of the live clauses.
2. `need` is what the clause's predicates ask for.
3. A predicate lists each live clause that has it, in order; one that is gone lists nothing.

Invariants, `key` and `tree`:

1. The predicates keep their own; their references are the nodes. 2. The trie keeps its own.
3. Each live clause is filed once, where `clause_node` says.
4. A clause has all predicates of its path, which is no longer than the variant allows.
5. A node knows how many live clauses are filed there and below, and there are some. 6. Those of rarity.

Cost: an event takes a look-up and a stab a pair, then for `counting` a step a satisfied predicate of each clause, for
the others a check a candidate. Insert: a look-up a predicate; a tree also ranks the clause's predicates for each node
on its path. Remove: the same. Bytes: `counting` 4 to 5 a predicate and about 60 a distinct one; the others 5 a clause
and about 80 a node. Threads: match is const; counters and bits live in the scratch.
"""

from libc.stdint cimport uint32_t
from libcpp.string cimport string
from libcpp.vector cimport vector

from boolsieve.memory.buffers cimport NamedBuffer

VARIANTS = ("counting", "key", "tree")
# Filing a clause compares each of its predicates with its path, so that the path must have an end.
DEEPEST = 16


cdef class Sift(Engine):
    """Counts satisfied predicates, or files clauses under their rarest ones.

    Args:
        variant: "counting", a counter a clause; "key", clauses filed under their rarest predicate; "tree", under a path
            of predicates, rarest first.
    """

    test_variants = ({"variant": "key"}, {"variant": "tree"})

    def __cinit__(self, *, variant="counting"):
        if variant not in VARIANTS:
            raise ValueError(f"variant is 'counting', 'key' or 'tree', not {variant!r}")
        self.variant = variant
        if variant == "counting":
            self.index.reset(new SiftCounting())
        else:
            self.index.reset(new SiftTrie(1 if variant == "key" else DEEPEST))

    def options(self) -> dict:
        return {"variant": self.variant}

    cdef int insert(self, uint32_t first, uint32_t count) except -1:
        self.index.get().insert(self.store.clauses(), first, count)
        return 0

    cdef int remove(self, uint32_t first, uint32_t count) except -1:
        self.index.get().remove(self.store.clauses(), first, count)
        return 0

    cdef int match(self, Scratch& scratch) except -1 nogil:
        self.index.get().match(self.store.clauses(), scratch)
        return 0

    cdef vector[NamedBuffer] buffers(self) except *:
        cdef vector[NamedBuffer] named
        self.index.get().list(named)
        return named

    def check_invariants(self) -> None:
        cdef string problem = self.index.get().check(self.store.clauses())
        assert problem.empty(), problem.decode()
