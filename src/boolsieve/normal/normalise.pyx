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
            work.finish_clause(NULL, NULL)
    elif inner == OP_AND and root.child == NONE:
        work.finish_clause(work.merged.data() + root.begin, work.merged.data() + root.end)
    else:
        if root.clauses > product(budget, TRIED) or root.size > size_limit(work, budget):
            raise_budget_error(work, budget, inner)
        distribute(work, inner)
        work.reduce_clauses(FEW)
        if work.clauses.size() > budget:
            raise_budget_error(work, budget, inner)
    work.append_to(out)
    return 0


cdef inline uint64_t product(uint64_t a, uint64_t b) noexcept nogil:
    return SATURATED if b and a > SATURATED / b else a * b


cdef inline uint64_t total(uint64_t a, uint64_t b) noexcept nogil:
    return min(a + b, SATURATED)  # neither is greater than SATURATED, so nothing overflows


cdef uint64_t size_limit(Workspace& work, uint64_t budget) noexcept nogil:
    return total(product(budget, TERMS_A_CLAUSE), work.terms.size() + work.literals.size())


cdef int raise_budget_error(Workspace& work, uint64_t budget, Op inner) except -1:
    clauses, size = work.groups[0].clauses, work.groups[0].size
    form = "disjunctive" if inner == OP_AND else "conjunctive"
    needs = f"{clauses:,} clauses" if clauses < SATURATED else "at least 10^18 clauses"
    allowed = f"the budget is {budget:,}"
    if clauses <= budget:
        needs += f" with {size:,} terms and literals in all"
        allowed += f", which allows {size_limit(work, budget):,}"
    raise BudgetError(
        f"the expression needs {needs} in {form} normal form, but {allowed}: raise it with max_clauses=", clauses, budget
    )


cdef int build_groups(const Tree& tree, Workspace& work) except -1:
    """Step 1. The nodes are in postfix order, so from the back each parent comes before its right, then its left child."""
    cdef uint64_t i, added
    cdef Context context
    cdef const Node* node
    cdef Op op
    context.group = add_group(work, OP_AND, NONE)
    context.negated = False
    work.contexts.push_back(context)
    for i in range(tree.nodes.size(), 0, -1):
        node = &tree.nodes[i - 1]
        context = work.contexts.back()
        work.contexts.pop_back()
        if node.op == OP_NOT:
            context.negated = not context.negated
            work.contexts.push_back(context)
        elif node.op == OP_AND or node.op == OP_OR:
            op = OP_OR if (node.op == OP_OR) != context.negated else OP_AND
            if work.groups[context.group].op != op:
                context.group = add_group(work, op, context.group)
            work.contexts.push_back(context)
            work.contexts.push_back(context)
        else:
            added = work.terms.size()
            op = <Op>append_leaf(tree, node[0], context.negated, work)
            added = work.terms.size() - added
            if added != 1 and work.groups[context.group].op != op:
                if added == 0:
                    work.groups[context.group].absorbed = True
                else:
                    context.group = add_group(work, op, context.group)
            link_terms(work, context.group)
    return 0


cdef uint32_t add_group(Workspace& work, Op op, uint32_t parent) except? NONE nogil:
    cdef Group group
    group.op = op
    group.absorbed = False
    group.parent = parent
    group.term = group.child = group.next = NONE
    group.width = 0
    group.begin = group.end = group.clauses = group.size = 0
    work.groups.push_back(group)
    return <uint32_t>(work.groups.size() - 1)


cdef int link_terms(Workspace& work, uint32_t group) except -1 nogil:
    """Give the group the terms that have no group yet."""
    while work.term_next.size() < work.terms.size():
        work.term_next.push_back(work.groups[group].term)
        work.groups[group].term = <uint32_t>(work.term_next.size() - 1)
    return 0


cdef int simplify_groups(Workspace& work, Op inner) except -1 nogil:
    """Step 2. Children come after their parents, so from the back each group finds its own children done."""
    cdef uint32_t g, parent, child, term
    cdef Group* group
    for g in range(<uint32_t>work.groups.size(), 0, -1):
        group = &work.groups[g - 1]
        if not group.absorbed:
            work.gathered.clear()
            term = group.term
            while term != NONE:
                work.gathered.push_back(work.terms[term])
                term = work.term_next[term]
            group.begin = work.merged.size()
            group.absorbed = merge_gathered(work, group.op) == 1
            group.end = work.merged.size()
            group.width += <uint32_t>(group.end - group.begin)
            count_clauses(work, group, inner)
        parent = group.parent
        if parent == NONE or group.absorbed:
            continue  # FALSE below OR and TRUE below AND change nothing
        if group.width == 0:
            work.groups[parent].absorbed = True
        elif group.width == 1 and group.child == NONE:
            work.terms.push_back(work.merged[group.begin])
            link_terms(work, parent)
        else:
            group.next = work.groups[parent].child
            work.groups[parent].child = g - 1
            work.groups[parent].width += 1
    return 0


cdef int count_clauses(Workspace& work, Group* group, Op inner) noexcept nogil:
    """How many clauses the group would need, and how many terms and literals they would have: nothing is written yet."""
    cdef uint64_t size = 0
    cdef uint64_t i
    cdef uint32_t child = group.child
    cdef Group* other
    for i in range(group.begin, group.end):
        size += 1 + work.merged[i].count
    group.size = size
    group.clauses = 1 if group.op == inner else group.end - group.begin
    while child != NONE:
        other = &work.groups[child]
        if group.op == inner:
            group.size = total(product(group.size, other.clauses), product(other.size, group.clauses))
            group.clauses = product(group.clauses, other.clauses)
        else:
            group.size = total(group.size, other.size)
            group.clauses = total(group.clauses, other.clauses)
        child = other.next
    return 0


cdef int distribute(Workspace& work, Op inner) except -1 nogil:
    """Step 3: one clause for each way to take one alternative of each group that is not joined by `inner`.

    A frame's clause is path from `begin` up to the next frame's. The groups that are still to be
    chosen from are a linked list that frames share.
    """
    cdef Frame* top
    cdef Group* group
    cdef uint32_t pending = NONE
    cdef uint32_t child
    work.gathered.clear()
    if work.groups[0].op == inner:
        gather_group(work, 0, &pending)
        extend(work, inner, pending)
    else:
        push_frame(work, 0, NONE, 0)
    while not work.frames.empty():
        top = &work.frames.back()
        group = &work.groups[top.group]
        if top.term == group.end and top.child == NONE:
            work.path.resize(top.begin)
            work.frames.pop_back()
            continue
        work.gathered.assign(work.path.begin() + top.begin, work.path.end())
        pending = top.pending
        if top.term < group.end:
            work.gathered.push_back(work.merged[top.term])
            top.term += 1
        else:
            child = top.child
            top.child = work.groups[child].next
            gather_group(work, child, &pending)
        extend(work, inner, pending)
    return 0


cdef int gather_group(Workspace& work, uint32_t g, uint32_t* pending) except -1 nogil:
    """Gather all that follows from choosing the group; what leaves a choice is put before the pending groups."""
    cdef Group* group
    cdef Pending entry
    cdef uint32_t child
    work.forced.assign(1, g)
    while not work.forced.empty():
        group = &work.groups[work.forced.back()]
        work.forced.pop_back()
        work.gathered.insert(work.gathered.end(), work.merged.begin() + group.begin, work.merged.begin() + group.end)
        child = group.child
        while child != NONE:
            if work.groups[child].width == 1:  # a group: a single term would have moved up
                work.forced.push_back(work.groups[child].child)
            else:
                entry.group = child
                entry.next = pending[0]
                pending[0] = <uint32_t>work.pending.size()
                work.pending.push_back(entry)
            child = work.groups[child].next
    return 0


cdef int extend(Workspace& work, Op inner, uint32_t pending) except -1 nogil:
    """Merge the gathered terms: a clause if nothing is pending, else the frame for the next group."""
    cdef uint64_t before = work.merged.size()
    if merge_gathered(work, inner):
        return 0
    if pending == NONE:
        work.finish_clause(work.merged.data() + before, work.merged.data() + work.merged.size())
    else:
        push_frame(work, work.pending[pending].group, work.pending[pending].next, work.merged.size() - before)
    work.merged.resize(before)
    return 0


cdef int push_frame(Workspace& work, uint32_t group, uint32_t pending, uint64_t length) except -1 nogil:
    """The frame's clause is the last `length` terms of work.merged."""
    cdef Frame frame
    frame.group = group
    frame.pending = pending
    frame.child = work.groups[group].child
    frame.term = work.groups[group].begin
    frame.begin = work.path.size()
    work.path.insert(work.path.end(), work.merged.end() - length, work.merged.end())
    work.frames.push_back(frame)
    return 0
