"""Seeded generators of the papers' workloads: expressions and events as columns, text, objects, Arrow and files."""

from boolsieve.workloads.begen import BEGen, QGrams, qgrams
from boolsieve.workloads.opindex import (
    OpIndexKeywords,
    OpIndexNormalForm,
    OpIndexPrefix,
    OpIndexProducts,
    OpIndexSynthetic,
)
from boolsieve.workloads.workload import Events, Expressions, Workload, vocabulary

__all__ = [
    "BEGen",
    "Events",
    "Expressions",
    "OpIndexKeywords",
    "OpIndexNormalForm",
    "OpIndexPrefix",
    "OpIndexProducts",
    "OpIndexSynthetic",
    "QGrams",
    "Workload",
    "qgrams",
    "vocabulary",
]
