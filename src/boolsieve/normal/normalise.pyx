# distutils: language = c++
"""Normal forms: DNF and CNF of a tree under a budget of clauses.

1. `build_groups` walks the tree once, root first, and pushes NOT down to the predicates: an expression matches if it is
   TRUE, and once no NOT is left only "is this predicate TRUE" matters (UNKNOWN counts as FALSE). Chains become groups of
   any width, AND below OR below AND.
2. `simplify_groups` goes back up: the predicates of a group are merged attribute by attribute (merge.pyx), groups that
   come out as TRUE, FALSE or one term move into their parent, and each group counts the clauses it would need.
3. Within the budget, `distribute` writes the clauses. It extends one clause at a time by one alternative after the
   other, merges on the way, and turns back as soon as the clause is a contradiction (CNF: a tautology).

CNF is the same with AND and OR exchanged in step 3. A plain conjunction is one group, ready after step 2. Nothing
recurses; steps 1 and 2 are linear but for sorting, step 3 is linear in what step 2 counted.
"""

from libc.stdint cimport uint32_t, uint64_t

from boolsieve.errors import BudgetError

from boolsieve.language.tree cimport *
from boolsieve.normal.leaves cimport append_leaf
from boolsieve.normal.merge cimport merge_gathered
from boolsieve.normal.workspace cimport *

cdef enum:
    # Contradictions may bring the clauses below the budget: worth a try up to this many times the budget.
    TRIED = 64
    # Terms and literals for each clause of the budget, beyond those written: a bound for memory, not for clauses.
    TERMS_A_CLAUSE = 1024
    # Up to so many clauses each pair is compared, to drop those that contain all terms of another.
    FEW = 64

cdef uint64_t SATURATED = 10**18

# Reused from call to call. The callers hold the GIL, and nothing below gives it up before it is done with it.
cdef Workspace shared_work


cdef int append_dnf(const Tree& tree, Normal& out, uint64_t budget=DEFAULT_BUDGET) except -1:
    return append(tree, out, budget, OP_AND, shared_work)


cdef int append_cnf(const Tree& tree, Normal& out, uint64_t budget=DEFAULT_BUDGET) except -1:
    return append(tree, out, budget, OP_OR, shared_work)


cdef int append(const Tree& tree, Normal& out, uint64_t budget, Op inner, Workspace& work) except -1:
    """Append the normal form whose clauses are joined inside by `inner`."""
    cdef Group root
    work.start(tree)
    build_groups(tree, work)
    simplify_groups(work, inner)
    root = work.groups[0]
    if root.absorbed or root.width == 0:
        if root.absorbed != (inner == OP_AND):  # TRUE in DNF, FALSE in CNF: one clause without terms
            check_budget(work, 1, 0, budget, inner)
            work.finish_clause(NULL, NULL)
    elif inner == OP_AND and root.child == NONE:
        check_budget(work, 1, 0, budget, inner)
        work.finish_clause(work.merged.data() + root.begin, work.merged.data() + root.end)
    else:
        check_budget(work, root.clauses, root.size, at_most(budget, TRIED), inner, budget)
        distribute(work, inner)
        work.reduce_clauses(FEW)
        if work.clauses.size() > budget:
            raise_budget_error(root.clauses, budget, inner)
    work.append_to(out)
    return 0
