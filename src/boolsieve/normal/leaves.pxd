from boolsieve.language.tree cimport Node, Tree
from boolsieve.normal.workspace cimport Workspace


# Append to work.terms what makes the predicate (or its negation) TRUE. Returns OP_AND or OP_OR, which joins the terms: no
# term at all is TRUE for OP_AND, FALSE for OP_OR.
cdef int append_leaf(const Tree& tree, const Node& node, bint negated, Workspace& work) except -1
