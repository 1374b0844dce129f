"""Seeded generators of the papers' workloads: expressions and events as columns, text, objects, Arrow and files."""

from boolsieve.workloads.begen import BEGen, QGrams, qgrams
from boolsieve.workloads.workload import Events, Expressions, Workload, vocabulary

__all__ = ["BEGen", "Events", "Expressions", "QGrams", "Workload", "qgrams", "vocabulary"]
