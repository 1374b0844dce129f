"""Normal forms: a tree -> clauses of terms, disjunctive (DNF) or conjunctive (CNF), under a budget."""

from boolsieve.normal.clauses import DEFAULT_BUDGET, cnf, dnf
from boolsieve.normal.terms import Term

__all__ = ["DEFAULT_BUDGET", "Term", "cnf", "dnf"]
