"""Workloads of "PS-Tree" (VLDB 2018), sections 7.1, 7.3 and 7.4, table 1: synthetic, query log, advertisements."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from boolsieve.workloads.begen import BEGen
from boolsieve.workloads.workload import (
    BETWEEN,
    EQ,
    GE,
    IN,
    LE,
    NOT_IN,
    Events,
    Expressions,
    Ints,
    Space,
    Workload,
    as_objects,
    draw,
    draw_distinct,
    draw_members,
    frequency_space,
    numbered,
    offsets_of,
    operand_lists,
    require,
    require_count,
    vocabulary,
    zipf_weights,
)

MADE_UP_WORDS = 50_000


@dataclass(frozen=True, kw_only=True)
class PSTreeDense(BEGen):
    """Dense synthetic workload of PS-Tree, table 1, made by `BEGen`. The paper's text gives the defaults of dimensions
    alone (100 for dense, 30,000 for sparse workloads); the others are ours, from the values it varies.

    dimensions        Dimension Number: 100 (to 30,000)
    cardinality       Dimension Cardinality: 100 (3 to 1,000)
    expression_size   Avg. Subscription Size: 10 (5 to 30)
    event_size        Avg. Event size: 30 (to 90)
    match_probability Matching Probability: 0.01 (0.001 to 0.5)
    equality          Equal. Operator Ratio: 0.4 (0 to 1)
    zipf              alpha in Zipf: 0, uniform (to 5)
    """

    dimensions: int = 100
    cardinality: int = 100
    expression_size: float = 10
    event_size: int = 30
    equality: float = 0.4


@dataclass(frozen=True, kw_only=True)
class PSTreeSparse(PSTreeDense):
    """Sparse synthetic workload of PS-Tree: as `PSTreeDense`, with 30,000 dimensions."""

    dimensions: int = 30_000


def word_pair(word: str) -> tuple[str, str]:
    """A keyword as attribute and value: of more than six characters the first three and the next three, else halves.

    >>> word_pair("boolean"), word_pair("vldb")
    (('boo', 'lea'), ('vl', 'db'))
    """
    half = 3 if len(word) > 6 else len(word) // 2
    return word[:half], word[half : 6 if len(word) > 6 else None]


@dataclass(frozen=True, kw_only=True)
class QueryLog(Workload):
    """Query-log workload of PS-Tree, section 7.1: each keyword is an equality of its first and its further characters.

    queries       texts, split at white space and put into lower case; by default made-up ones
    documents     texts that become events in the same way; by default made-up ones
    max_size      maximum number of words of a made-up query: 5 (the paper's have 2.78 predicates on average)
    document_size words of a made-up document: 140 (the paper's have 93 pairs on average)

    Of words that share an attribute the first counts, since an event has one value an attribute. Words of a single
    character are left out.
    """

    queries: Sequence[str] | None = None
    documents: Sequence[str] | None = None
    max_size: int = 5
    document_size: int = 140

    def check(self) -> None:
        require(
            1 <= self.max_size <= MADE_UP_WORDS,
            "max_size",
            f"{self.max_size} is not in 1 ... {MADE_UP_WORDS}",
        )
        self.require_least(1, "document_size")
        for name, texts in (("queries", self.queries), ("documents", self.documents)):
            usable = texts is None or any(len(word) > 1 for text in texts for word in text.split())
            require(usable, name, "none has a word of two characters or more")

    @cached_property
    def _made_up(self) -> tuple[list[str], NDArray[np.float64]]:
        return frequency_space(vocabulary(MADE_UP_WORDS, seed=self.seed), MADE_UP_WORDS)

    @cached_property
    def _words(self) -> dict[str, int]:
        """All words with their places; made-up ones come first, in order of frequency."""
        words: dict[str, int] = {}
        if self.queries is None or self.documents is None:
            words.update((word, at) for at, word in enumerate(self._made_up[0]))
        for text in (*(self.queries or ()), *(self.documents or ())):
            for word in _keywords(text):
                words.setdefault(word, len(words))
        return words

    @cached_property
    def _pairs(self) -> tuple[Space, Ints, Ints]:
        """The space, and each word's attribute and value."""
        names: dict[str, int] = {}
        values: dict[str, int] = {}
        pairs = [word_pair(word) for word in self._words]
        attributes = np.array([names.setdefault(name, len(names)) for name, _ in pairs], dtype=np.int32)
        codes = np.array([values.setdefault(value, len(values)) for _, value in pairs], dtype=np.int64)
        return Space(list(names), (as_objects(list(values)),)), attributes, codes

    def _given(self, rng: np.random.Generator, texts: Sequence[str], n: int) -> tuple[Ints, Ints]:
        """Row and place of each word of n texts."""
        found = [words for text in texts if (words := [self._words[word] for word in _keywords(text)])]
        chosen = rng.integers(0, len(found), n).tolist()
        rows = np.repeat(np.arange(n), [len(found[at]) for at in chosen])
        return rows, np.array([word for at in chosen for word in found[at]], dtype=np.int64)

    def _rows(self, rows: Ints, words: Ints, n: int) -> tuple[Space, Ints, Ints, Ints]:
        """Space, sizes, attributes and values, of each attribute the first word."""
        space, attributes, codes = self._pairs
        _, first = np.unique(rows * len(space.names) + attributes[words], return_index=True)
        first.sort()
        return space, np.bincount(rows[first], minlength=n), attributes[words[first]], codes[words[first]]

    def expressions(self, n: int) -> Expressions:
        """Queries as conjunctions."""
        require_count(n)
        rng = self.stream("expressions")
        found: tuple[Ints, Ints]
        if self.queries is None:
            lengths = rng.integers(1, self.max_size + 1, n)
            found = np.repeat(np.arange(n), lengths), draw_distinct(rng, lengths, self._made_up[1])
        else:
            found = self._given(rng, self.queries, n)
        space, sizes, attributes, values = self._rows(found[0], found[1], n)
        operators = np.full(len(values), EQ, dtype=np.int8)
        return Expressions.conjunctions(
            space, sizes, attributes, operators, np.arange(len(values) + 1), values
        )

    def events(self, n: int) -> Events:
        """Documents as events."""
        require_count(n)
        rng = self.stream("events")
        found: tuple[Ints, Ints]
        if self.documents is None:
            rows = np.repeat(np.arange(n), self.document_size)
            found = rows, draw(rng, len(rows), self._made_up[1])
        else:
            found = self._given(rng, self.documents, n)
        space, sizes, attributes, values = self._rows(found[0], found[1], n)
        return Events(space, offsets_of(sizes), attributes, values)


def _keywords(text: str) -> Iterable[str]:
    return (word for word in text.lower().split() if len(word) > 1)


@dataclass(frozen=True, kw_only=True)
class Advertisements(Workload):
    """Workload of the published shape of PS-Tree's advertisements, section 7.4; operators and values are ours.

    dimensions   number of dimensions: 122; each fourth is a number (0 to 99), the others are names
    max_size     maximum number of predicates of an expression: 56
    average_size average number of predicates: 8; sizes follow a geometric distribution that ends at max_size
    event_size   average number of pairs of an event: 20; sizes spread evenly by up to a third around it
    zipf         exponent of the Zipf distribution of attributes and of values: 1.0
    """

    dimensions: int = 122
    max_size: int = 56
    average_size: float = 8
    event_size: int = 20
    zipf: float = 1.0

    def check(self) -> None:
        self.require_least(1, "dimensions")
        self.require_drawable("max_size", "event_size")
        middle = (1 + self.max_size) / 2
        require(
            1 <= self.average_size <= middle,
            "average_size",
            f"{self.average_size} is not in 1 ... {middle:g}, the middle of the sizes",
        )
        self.require_least(0, "zipf")

    @cached_property
    def _sizes(self) -> NDArray[np.float64]:
        """The probabilities of the sizes 1 ... max_size: ratio**size, with the ratio that gives the average."""
        sizes = np.arange(1, self.max_size + 1)
        low, high = 0.0, 1.0
        for _ in range(60):
            ratio = (low + high) / 2
            weights: NDArray[np.float64] = np.power(ratio, sizes - 1, dtype=np.float64)
            weights /= weights.sum()
            low, high = (ratio, high) if weights @ sizes < self.average_size else (low, ratio)
        return weights

    @cached_property
    def _space(self) -> Space:
        numeric = np.arange(self.dimensions) % 4 == 3
        names = [f"{'n' if number else 'c'}{at}" for at, number in enumerate(numeric.tolist())]
        table = as_objects(numbered("v", int(self._cardinalities.max())))
        return Space(names, (table,), np.where(numeric, -1, 0).astype(np.int16))

    @cached_property
    def _cardinalities(self) -> Ints:
        """How many values each attribute has: names from 2 (gender) to 200 (region), numbers 100."""
        names = np.exp(self.stream("space").uniform(np.log(2), np.log(200), self.dimensions)).astype(np.int64)
        return np.where(np.arange(self.dimensions) % 4 == 3, 100, np.maximum(2, names))

    def _values(self, rng: np.random.Generator, attributes: Ints) -> Ints:
        """A value of each attribute; those of names are skewed, numbers uniform."""
        skewed = draw(rng, len(attributes), zipf_weights(200, self.zipf)) % self._cardinalities[attributes]
        return np.where(self._space.textual[attributes], skewed, rng.integers(0, 100, len(attributes)))

    def expressions(self, n: int) -> Expressions:
        """Conjunctions: `=`, IN and NOT IN on names, ranges on numbers."""
        require_count(n)
        rng = self.stream("expressions")
        sizes = 1 + draw(rng, n, self._sizes)
        attributes = draw_distinct(rng, sizes, zipf_weights(self.dimensions, self.zipf))
        named = self._space.textual[attributes]
        choice = rng.random(len(attributes))
        on_names = np.select([choice < 0.3, choice < 0.85], [EQ, IN], NOT_IN)
        on_numbers = np.select([choice < 0.5, choice < 0.75], [BETWEEN, GE], LE)
        operators = np.where(named, on_names, on_numbers).astype(np.int8)
        first = self._values(rng, attributes)
        second = np.minimum(99, first + rng.integers(5, 50, len(first)))
        lists = np.flatnonzero((operators == IN) | (operators == NOT_IN))
        members, held = draw_members(
            rng, rng.integers(1, 7, len(lists)), 0, self._cardinalities[attributes[lists]]
        )
        offsets, values = operand_lists(operators, first, second, members, held)
        return Expressions.conjunctions(self._space, sizes, attributes, operators, offsets, values)

    def events(self, n: int) -> Events:
        """Sessions with the attributes that are popular among advertisements, too."""
        require_count(n)
        rng = self.stream("events")
        spread = min(self.event_size // 3, self.dimensions - self.event_size)
        sizes = rng.integers(self.event_size - spread, self.event_size + spread + 1, n)
        attributes = draw_distinct(rng, sizes, zipf_weights(self.dimensions, self.zipf))
        return Events(self._space, offsets_of(sizes), attributes, self._values(rng, attributes))


__all__ = ["Advertisements", "PSTreeDense", "PSTreeSparse", "QueryLog", "word_pair"]
