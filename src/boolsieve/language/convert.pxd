"""Between the flat tree and the tree of Python objects; neither direction recurses."""

from boolsieve.language.tree cimport Tree


# Clear the flat tree and fill it with an Expr (or with an Attribute, as a bare predicate).
cdef int tree_of(object expr, Tree& tree) except -1

# The Expr that a flat tree stands for.
cdef object expr_of(const Tree& tree)
