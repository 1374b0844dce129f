"""What generated columns are measured by."""

from __future__ import annotations

import numpy as np

import boolsieve as bs
from boolsieve.workloads import Events, Expressions
from boolsieve.workloads.workload import OPERATORS


def operator_shares(expressions: Expressions) -> dict[str, float]:
    counts = np.bincount(expressions.operators, minlength=len(OPERATORS)) / len(expressions.operators)
    return {name: float(share) for name, share in zip(OPERATORS, counts, strict=True) if share}


def matches(expressions: Expressions, events: Events) -> list[list[int]]:
    index = bs.Index(engine="scan")
    index.add_many(range(len(expressions)), expressions.texts())
    return [list(row) for row in index.match_batch(events.dicts())]


def match_rate(expressions: Expressions, events: Events) -> float:
    found = sum(len(row) for row in matches(expressions, events))
    return found / len(expressions) / len(events)


def zipf_exponent(counts: np.ndarray) -> float:
    """The slope of the frequencies of the first twenty ranks, in logarithms."""
    ranks = np.arange(1, 21)
    return -float(np.polyfit(np.log(ranks), np.log(counts[:20]), 1)[0])
