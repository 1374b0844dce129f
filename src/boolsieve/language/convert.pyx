"""Between the flat tree and the tree of Python objects; neither direction recurses."""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from cpython.unicode cimport PyUnicode_AsUTF8AndSize, PyUnicode_DecodeUTF8
from libc.stdint cimport int64_t, uint32_t
from libcpp.string cimport string

from boolsieve.language.parser cimport parse_text, parse_tree
from boolsieve.language.tree cimport (
    LITERAL_BOOL, LITERAL_DATE, LITERAL_FLOAT, LITERAL_INT, LITERAL_STRING, LITERAL_TIME,
    OP_AND, OP_ATTRIBUTE, OP_FALSE, OP_NOT, OP_OR, OP_TRUE,
    Literal, Node, Op, Tree,
)

from datetime import date, datetime, timedelta, timezone

from boolsieve.errors import EncodingError
from boolsieve.language.expr import And, Attribute, Const, Expr, Not, Or, Predicate, trusted_predicate

# In the order of the enum Op, from OP_ATTRIBUTE on.
cdef tuple OPERATORS = (
    "ATTRIBUTE", "=", "!=", "<", "<=", ">", ">=", "IN", "BETWEEN", "IS NULL", "IS DISTINCT FROM",
    "LIKE", "ILIKE", "STARTS WITH", "ENDS WITH", "CONTAINS", "MATCHES",
    "HAS", "HAS ANY", "HAS ALL", "HAS NONE",
)
cdef dict OP_OF = {operator: number + <int>OP_ATTRIBUTE for number, operator in enumerate(OPERATORS)}

cdef object EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
cdef int EPOCH_ORDINAL = date(1970, 1, 1).toordinal()
cdef int64_t SECOND = 1_000_000
cdef int64_t DAY = 86_400 * SECOND
TRUE = Const(True)
FALSE = Const(False)


def parse(text):
    """The expression that a text holds; an Expr is returned as it is.

    >>> parse("price < 5 and in_stock")
    Expr('price < 5 AND in_stock')
    """
    cdef Tree tree
    if isinstance(text, str):
        parse_text(str.__str__(text), tree)
    elif isinstance(text, bytes):
        parse_tree(PyBytes_AS_STRING(text), PyBytes_GET_SIZE(text), tree)
    elif isinstance(text, Expr):
        return text
    elif isinstance(text, Attribute):
        return text.is_true()
    else:
        raise EncodingError(f"an expression is text or an Expr, not {type(text).__name__}")
    return expr_of(tree)


def through_tree(expr):
    """The expression after a trip through the flat form: equal, if both directions are right."""
    cdef Tree tree
    tree_of(expr, tree)
    return expr_of(tree)


cdef int append_text(str text, string& arena, uint32_t* length) except -1:
    cdef Py_ssize_t size
    cdef const char* data = PyUnicode_AsUTF8AndSize(text, &size)
    if size >> 32:
        raise ValueError("a name or a text of more than 4 GiB")
    arena.append(data, size)
    length[0] = <uint32_t>size
    return 0


cdef int append_literal(object value, Tree& tree) except -1:
    cdef Literal literal
    literal.length = 0
    kind = type(value)
    if kind is str:
        literal.type = LITERAL_STRING
        literal.offset = tree.arena.size()
        append_text(value, tree.arena, &literal.length)
    elif kind is int:
        literal.type = LITERAL_INT
        literal.integer = value
    elif kind is float:
        literal.type = LITERAL_FLOAT
        literal.real = value
    elif kind is bool:
        literal.type = LITERAL_BOOL
        literal.integer = value
    elif kind is datetime:
        literal.type = LITERAL_TIME
        since = value - EPOCH
        literal.integer = <int64_t>since.days * DAY + <int64_t>since.seconds * SECOND
        literal.integer += <int64_t>since.microseconds
    else:
        literal.type = LITERAL_DATE
        literal.integer = (<int64_t>value.toordinal() - EPOCH_ORDINAL) * DAY
    tree.literals.push_back(literal)
    return 0


cdef int tree_of(object expr, Tree& tree) except -1:
    cdef Node node
    cdef list waiting
    tree.clear()
    if isinstance(expr, Attribute):
        expr = expr.is_true()
    if not isinstance(expr, Expr):
        raise EncodingError(f"an expression is an Expr, not {type(expr).__name__}")
    waiting = [expr]  # an Expr to visit, or the Op (an int) whose operands have been visited
    while waiting:
        item = waiting.pop()
        kind = type(item)
        node.negated = False
        node.escape = node.name_length = node.count = 0
        node.name = 0
        node.first = <uint32_t>tree.literals.size()
        if kind is int:
            node.op = <Op><int>item
        elif kind is Predicate:
            node.op = <Op><int>OP_OF[item.op]
            node.negated = item.negated
            node.escape = 0 if item.escape is None else <uint32_t>ord(item.escape)
            node.name = tree.arena.size()
            append_text(item.name, tree.arena, &node.name_length)
            for value in item.operands:
                append_literal(value, tree)
            node.count = <uint32_t>tree.literals.size() - node.first
        elif kind is Const:
            node.op = OP_TRUE if item.value else OP_FALSE
        else:
            if kind is Not:
                waiting.append(<int>OP_NOT)
                waiting.append(item.operand)
            else:
                waiting.append(<int>(OP_AND if kind is And else OP_OR))
                waiting.append(item.right)
                waiting.append(item.left)
            continue
        tree.nodes.push_back(node)
    return 0


cdef object value_of(const Literal& literal, const Tree& tree):
    if literal.type == LITERAL_STRING:
        return PyUnicode_DecodeUTF8(tree.arena.data() + literal.offset, literal.length, NULL)
    if literal.type == LITERAL_INT:
        return literal.integer
    if literal.type == LITERAL_FLOAT:
        return literal.real
    if literal.type == LITERAL_BOOL:
        return literal.integer != 0
    if literal.type == LITERAL_TIME:
        return EPOCH + timedelta(microseconds=literal.integer)
    return date.fromordinal(literal.integer // DAY + EPOCH_ORDINAL)


cdef object expr_of(const Tree& tree):
    cdef size_t i
    cdef uint32_t j
    cdef const Node* node
    cdef list done = []
    for i in range(tree.nodes.size()):
        node = &tree.nodes[i]
        if node.op == OP_AND or node.op == OP_OR:
            right = done.pop()
            left = done.pop()
            done.append((And if node.op == OP_AND else Or)(left, right))
        elif node.op == OP_NOT:
            done.append(Not(done.pop()))
        elif node.op == OP_TRUE or node.op == OP_FALSE:
            done.append(TRUE if node.op == OP_TRUE else FALSE)
        else:
            operands = []
            for j in range(node.first, node.first + node.count):
                operands.append(value_of(tree.literals[j], tree))
            done.append(trusted_predicate(
                PyUnicode_DecodeUTF8(tree.arena.data() + node.name, node.name_length, NULL),
                OPERATORS[<int>node.op - <int>OP_ATTRIBUTE],
                tuple(operands),
                node.negated,
                chr(node.escape) if node.escape else None,
            ))
    return done.pop()
