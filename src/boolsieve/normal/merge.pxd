from boolsieve.language.tree cimport Op
from boolsieve.normal.workspace cimport Workspace


# Join the terms in work.gathered by OP_AND or OP_OR and append to work.merged what is left, sorted, at most one way to
# write each condition. Returns 1, and appends nothing, if that decides the whole: FALSE for OP_AND, TRUE for OP_OR.
cdef int merge_gathered(Workspace& work, Op op) except -1 nogil
