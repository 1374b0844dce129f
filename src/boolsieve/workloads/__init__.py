"""Seeded generators of the papers' workloads: expressions and events as columns, text, objects, Arrow and files."""

from boolsieve.workloads.begen import BEGen, BEGenTransition, QGrams, qgrams
from boolsieve.workloads.dexin import Dexin
from boolsieve.workloads.flights import Flights
from boolsieve.workloads.opindex import (
    OpIndexKeywords,
    OpIndexNormalForm,
    OpIndexPrefix,
    OpIndexProducts,
    OpIndexSynthetic,
)
from boolsieve.workloads.pstree import Advertisements, PSTreeDense, PSTreeSparse, QueryLog, word_pair
from boolsieve.workloads.tatbul import Tatbul
from boolsieve.workloads.workload import Events, Expressions, Workload, vocabulary

__all__ = [
    "Advertisements",
    "BEGen",
    "BEGenTransition",
    "Dexin",
    "Events",
    "Expressions",
    "Flights",
    "OpIndexKeywords",
    "OpIndexNormalForm",
    "OpIndexPrefix",
    "OpIndexProducts",
    "OpIndexSynthetic",
    "PSTreeDense",
    "PSTreeSparse",
    "QGrams",
    "QueryLog",
    "Tatbul",
    "Workload",
    "qgrams",
    "vocabulary",
    "word_pair",
]
