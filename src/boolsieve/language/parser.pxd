"""The parser: UTF-8 text -> the flat tree."""

from boolsieve.language.tree cimport Tree


# Clear the tree and fill it with the expression that the text holds. Raises ParseError; the tree is then half
# filled. Makes no Python object unless it raises, so it may run without the GIL. Linear in the length.
cdef int parse_tree(const char* text, size_t length, Tree& tree) except -1 nogil

# The same for a Python str, with a ParseError for a lone surrogate.
cdef int parse_text(str text, Tree& tree) except -1
