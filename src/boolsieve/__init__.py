"""boolsieve: given millions of stored Boolean expressions, find at once all that an event satisfies."""

from boolsieve import engines
from boolsieve.encoding.ranges import any_of, between
from boolsieve.errors import (
    BoolsieveError,
    BudgetError,
    DuplicateIdError,
    EncodingError,
    ParseError,
    StorageError,
    UnknownIdError,
)
from boolsieve.explanation import Explanation
from boolsieve.index import Index
from boolsieve.language import Expr, attr, parse
from boolsieve.matches import Matches

__all__ = [
    "BoolsieveError",
    "BudgetError",
    "DuplicateIdError",
    "EncodingError",
    "Explanation",
    "Expr",
    "Index",
    "Matches",
    "ParseError",
    "StorageError",
    "UnknownIdError",
    "any_of",
    "attr",
    "between",
    "engines",
    "parse",
]
