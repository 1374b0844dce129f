"""The flat tree -> its normal form in values, appended to a flat `Normal` as one more expression.

Both raise BudgetError if more than `budget` clauses would be needed; after any error `out` is as it was. They hold the GIL
throughout and share one workspace under it.
"""

from libc.stdint cimport uint64_t

from boolsieve.language.tree cimport Normal, Tree

cdef enum:
    DEFAULT_BUDGET = 1024


# Clauses are conjunctions of terms; the expression is true if one of them is.
cdef int append_dnf(const Tree& tree, Normal& out, uint64_t budget=*) except -1

# Clauses are disjunctions of terms; the expression is true if all of them are: no clause is always true, a clause without
# terms is never true.
cdef int append_cnf(const Tree& tree, Normal& out, uint64_t budget=*) except -1
