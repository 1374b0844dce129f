"""The language of expressions: text -> flat tree -> Python tree, the builder, and back to text."""

from boolsieve.language.convert import parse
from boolsieve.language.expr import And, Attribute, Const, Expr, Not, Or, Predicate, attr

__all__ = ["And", "Attribute", "Const", "Expr", "Not", "Or", "Predicate", "attr", "parse"]
