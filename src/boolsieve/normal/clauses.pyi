from collections.abc import Iterable

from boolsieve.language.expr import Attribute, Expr
from boolsieve.normal.terms import Term

DEFAULT_BUDGET: int

def dnf(expression: str | bytes | Expr | Attribute, budget: int = ...) -> list[list[Term]]: ...
def cnf(expression: str | bytes | Expr | Attribute, budget: int = ...) -> list[list[Term]]: ...
def all_through_one(
    expressions: Iterable[str | Expr], budget: int, disjunctive: bool
) -> list[list[list[Term]] | None]: ...
