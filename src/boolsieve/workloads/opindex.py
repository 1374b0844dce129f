"""Workloads of D. Zhang, C.-Y. Chan, K.-L. Tan, "An Efficient Publish/Subscribe Index for E-Commerce Databases" (VLDB
2014): synthetic, CNF and DNF, prefixes, keywords, and products (sections 7.1, 7.6, 7.7; table 3).

Sizes are uniform between 1 and the maximum that table 3 gives. The paper's lists of words, documents and products are
not public; where none are given, `vocabulary` and published frequencies stand for them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from boolsieve.workloads.workload import (
    BETWEEN,
    EQ,
    GE,
    IN,
    LE,
    PREFIX,
    Events,
    Expressions,
    Form,
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


@dataclass(frozen=True, kw_only=True)
class OpIndexSynthetic(Workload):
    """Synthetic workload of OpIndex, section 7.1, table 3: `=`, `<=` and `>=` on attributes and values at random.

    dimensions     d, number of dimensions: 20,000 (to 60,000)
    max_size       Gamma_max, maximum subscription size: 8 (4 to 20)
    max_event_size m, maximum event size: 40 (20 to 120)
    equality       theta_1, share of `=`; the rest is half `<=`, half `>=`: 0.4 (0.2 to 1.0)
    value_space    sigma, number of values: 50 (to 12,800)
    zipf           exponent of the Zipf distribution of attributes and of values: 0, uniform (to 1.0)
    """

    dimensions: int = 20_000
    max_size: int = 8
    max_event_size: int = 40
    equality: float = 0.4
    value_space: int = 50
    zipf: float = 0.0

    def check(self) -> None:
        self.require_least(1, "dimensions")
        self.require_drawable("max_size", "max_event_size")
        self.require_share("equality")
        self.require_least(1, "value_space")
        self.require_least(0, "zipf")

    @cached_property
    def _space(self) -> Space:
        return Space(numbered("a", self.dimensions))

    def _predicates(self, rng: np.random.Generator, sizes: Ints) -> tuple[Ints, Ints, Ints]:
        attributes = draw_distinct(rng, sizes, zipf_weights(self.dimensions, self.zipf))
        operators = np.full(len(attributes), EQ, dtype=np.int8)
        unequal = np.flatnonzero(rng.random(len(attributes)) >= self.equality)
        operators[unequal] = np.where(rng.random(len(unequal)) < 0.5, LE, GE)
        return attributes, operators, draw(rng, len(attributes), zipf_weights(self.value_space, self.zipf))

    def expressions(self, n: int) -> Expressions:
        """Conjunctions of 1 to max_size predicates."""
        require_count(n)
        rng = self.stream("expressions")
        sizes = rng.integers(1, self.max_size + 1, n)
        attributes, operators, values = self._predicates(rng, sizes)
        singles = np.arange(len(values) + 1)
        return Expressions.conjunctions(self._space, sizes, attributes, operators, singles, values)

    def events(self, n: int) -> Events:
        """Events of 1 to max_event_size pairs."""
        require_count(n)
        rng = self.stream("events")
        sizes = rng.integers(1, self.max_event_size + 1, n)
        attributes = draw_distinct(rng, sizes, zipf_weights(self.dimensions, self.zipf))
        values = draw(rng, len(attributes), zipf_weights(self.value_space, self.zipf))
        return Events(self._space, offsets_of(sizes), attributes, values)


@dataclass(frozen=True, kw_only=True)
class OpIndexNormalForm(OpIndexSynthetic):
    """CNF and DNF workloads of OpIndex, section 7.6, over the synthetic predicates.

    form        "cnf" (AND of ORs) or "dnf" (OR of ANDs)
    max_clauses maximum number of clauses of an expression: 5
    max_size    maximum number of predicates of a clause: 4, so that a CNF has at most 4**5 = 1,024 clauses as a DNF,
                which is what an index takes by default
    """

    form: Form = "cnf"
    max_clauses: int = 5
    max_size: int = 4

    def check(self) -> None:
        super().check()
        require(self.form in ("cnf", "dnf"), "form", f"{self.form!r} is neither 'cnf' nor 'dnf'")
        self.require_least(1, "max_clauses")

    def expressions(self, n: int) -> Expressions:
        """Expressions of 1 to max_clauses clauses of 1 to max_size predicates each."""
        require_count(n)
        rng = self.stream("expressions")
        clauses = rng.integers(1, self.max_clauses + 1, n)
        sizes = rng.integers(1, self.max_size + 1, int(clauses.sum()))
        attributes, operators, values = self._predicates(rng, sizes)
        singles = np.arange(len(values) + 1)
        return Expressions(
            self._space,
            offsets_of(clauses),
            offsets_of(sizes),
            attributes,
            operators,
            singles,
            values,
            form=self.form,
        )


@dataclass(frozen=True, kw_only=True)
class OpIndexPrefix(Workload):
    """Prefix workload of OpIndex, section 7.7: `=` on numeric attributes, STARTS WITH on string attributes.

    numeric, strings number of numeric (10,000) and of string attributes (100)
    max_size         maximum number of predicates: 8
    max_event_size   maximum number of numeric pairs of an event: 40
    event_strings    number of string pairs of an event: 5
    prefix_share     share of prefix predicates: 0.4 (0.2 to 1.0)
    prefix_length    characters of a prefix: 3
    value_space      number of values of a numeric attribute: 50
    words            words with frequencies, from which operands and values are drawn; by default made-up ones
    """

    numeric: int = 10_000
    strings: int = 100
    max_size: int = 8
    max_event_size: int = 40
    event_strings: int = 5
    prefix_share: float = 0.4
    prefix_length: int = 3
    value_space: int = 50
    words: Mapping[str, int] | None = None

    def check(self) -> None:
        self.require_least(1, "numeric", "value_space", "prefix_length")
        self.require_share("prefix_share")
        for name, size, count in (
            ("max_size", self.max_size, min(self.numeric, self.strings)),
            ("max_event_size", self.max_event_size, self.numeric),
            ("event_strings", self.event_strings, self.strings),
        ):
            require(size >= 1, name, f"{size} is below 1")
            require(size <= count, name, f"{size} distinct attributes cannot be drawn from {count}")
        require(
            len(self._prefixes[0]) > 0,
            "prefix_length",
            f"no word has {self.prefix_length} characters",
        )

    @cached_property
    def _ranked(self) -> tuple[list[str], NDArray[np.float64]]:
        words = vocabulary(50_000, seed=self.seed) if self.words is None else self.words
        require(len(words) > 0, "words", "there are none")
        return frequency_space(words, len(words))

    @cached_property
    def _prefixes(self) -> tuple[list[str], NDArray[np.float64]]:
        counts: dict[str, float] = {}
        for word, weight in zip(*self._ranked, strict=True):
            if len(word) >= self.prefix_length:
                start = word[: self.prefix_length]
                counts[start] = counts.get(start, 0.0) + float(weight)
        return list(counts), np.array(list(counts.values()))

    @cached_property
    def _space(self) -> Space:
        """The words come first in the table of the string attributes, then the prefixes."""
        names = numbered("a", self.numeric) + numbered("s", self.strings)
        table_of = np.repeat(np.array([-1, 0], dtype=np.int16), [self.numeric, self.strings])
        return Space(names, (as_objects(self._ranked[0] + self._prefixes[0]),), table_of)

    def _pairs(
        self, rng: np.random.Generator, numbers: Ints, texts: Ints, texts_from: Ints
    ) -> tuple[Ints, Ints, NDArray[np.bool_]]:
        """Attributes and values of rows with so many numeric and then so many string attributes."""
        sizes = np.stack([numbers, texts], axis=1).ravel()
        textual = np.repeat(np.tile([False, True], len(numbers)), sizes)
        attributes = np.empty(len(textual), dtype=np.int32)
        attributes[~textual] = draw_distinct(rng, numbers, zipf_weights(self.numeric, 0))
        attributes[textual] = self.numeric + draw_distinct(rng, texts, zipf_weights(self.strings, 0))
        values = np.empty(len(textual), dtype=np.int64)
        values[~textual] = rng.integers(0, self.value_space, len(textual) - len(texts_from))
        values[textual] = texts_from
        return attributes, values, textual

    def expressions(self, n: int) -> Expressions:
        """Conjunctions of 1 to max_size predicates."""
        require_count(n)
        rng = self.stream("expressions")
        sizes = rng.integers(1, self.max_size + 1, n)
        prefixes = rng.binomial(sizes, self.prefix_share)
        drawn = len(self._ranked[0]) + draw(rng, int(prefixes.sum()), self._prefixes[1])
        attributes, values, textual = self._pairs(rng, sizes - prefixes, prefixes, drawn)
        operators = np.where(textual, PREFIX, EQ).astype(np.int8)
        singles = np.arange(len(values) + 1)
        return Expressions.conjunctions(self._space, sizes, attributes, operators, singles, values)

    def events(self, n: int) -> Events:
        """Events of 1 to max_event_size numbers and event_strings words."""
        require_count(n)
        rng = self.stream("events")
        numbers = rng.integers(1, self.max_event_size + 1, n)
        texts = np.full(n, self.event_strings)
        drawn = draw(rng, int(texts.sum()), self._ranked[1])
        attributes, values, _ = self._pairs(rng, numbers, texts, drawn)
        return Events(self._space, offsets_of(numbers + texts), attributes, values)


@dataclass(frozen=True, kw_only=True)
class OpIndexKeywords(Workload):
    """Keyword workload of OpIndex, section 7.1: words are attributes; expressions are queries, events are documents.

    words         words with frequencies (of a query log); by default made-up ones
    documents     texts, split at white space and put into lower case; by default drawn from `words`
    dimensions    how many of the most frequent words are attributes: 50,000
    max_size      maximum number of words of a query: 5
    document_size words of a document that is drawn: 123 (Wikipedia; 5 is Twitter)
    operator      "=": a word that occurs has value 1 and queries are `word = 1`; "BETWEEN": the value is the word's
                  frequency in the document, and queries ask for a range of it
    max_frequency the greatest frequency that a range of "BETWEEN" reaches: 20
    """

    words: Mapping[str, int] | None = None
    documents: Sequence[str] | None = None
    dimensions: int = 50_000
    max_size: int = 5
    document_size: int = 123
    operator: Literal["=", "BETWEEN"] = "="
    max_frequency: int = 20

    def check(self) -> None:
        self.require_least(1, "dimensions")
        require(
            self.operator in ("=", "BETWEEN"), "operator", f"{self.operator!r} is neither '=' nor 'BETWEEN'"
        )
        self.require_least(1, "max_size", "document_size", "max_frequency")
        require(self.documents is None or len(self.documents) > 0, "documents", "there are none")
        count = self.dimensions if self.words is None else min(self.dimensions, len(self.words))
        require(
            self.max_size <= count,
            "max_size",
            f"{self.max_size} distinct words cannot be drawn from {count}",
        )
        if self.words is not None:
            frequency_space(self.words, self.dimensions)

    @cached_property
    def _ranked(self) -> tuple[list[str], NDArray[np.float64]]:
        words = vocabulary(self.dimensions, seed=self.seed) if self.words is None else self.words
        return frequency_space(words, self.dimensions)

    @cached_property
    def _space(self) -> Space:
        return Space(self._ranked[0])

    def expressions(self, n: int) -> Expressions:
        """Queries of 1 to max_size distinct words, frequent ones more often."""
        require_count(n)
        rng = self.stream("expressions")
        sizes = rng.integers(1, self.max_size + 1, n)
        attributes = draw_distinct(rng, sizes, self._ranked[1])
        if self.operator == "=":
            operators = np.full(len(attributes), EQ, dtype=np.int8)
            offsets, values = np.arange(len(attributes) + 1), np.ones(len(attributes), dtype=np.int64)
        else:
            operators = np.full(len(attributes), BETWEEN, dtype=np.int8)
            offsets = 2 * np.arange(len(attributes) + 1)
            values = np.sort(rng.integers(1, self.max_frequency + 1, (len(attributes), 2)), axis=1).ravel()
        return Expressions.conjunctions(self._space, sizes, attributes, operators, offsets, values)

    def events(self, n: int) -> Events:
        """Documents drawn from the given ones, or made up; words that are no attribute are left out."""
        require_count(n)
        rng = self.stream("events")
        if self.documents is None:
            rows = np.repeat(np.arange(n), self.document_size)
            words = draw(rng, n * self.document_size, self._ranked[1])
            cells, counts = np.unique(rows * len(self._ranked[0]) + words, return_counts=True)
            rows, words = np.divmod(cells, len(self._ranked[0]))
            sizes = np.bincount(rows, minlength=n)
        else:
            place = {word: at for at, word in enumerate(self._ranked[0])}
            chosen = rng.integers(0, len(self.documents), n).tolist()
            found = {
                at: Counter(place[word] for word in self.documents[at].lower().split() if word in place)
                for at in set(chosen)
            }
            sizes = np.array([len(found[at]) for at in chosen], dtype=np.int64)
            words = np.array([word for at in chosen for word in found[at]], dtype=np.int64)
            counts = np.array([count for at in chosen for count in found[at].values()], dtype=np.int64)
        values = np.ones(len(words), dtype=np.int64) if self.operator == "=" else counts
        return Events(self._space, offsets_of(sizes), words.astype(np.int32), values)


@dataclass(frozen=True, kw_only=True)
class OpIndexProducts(Workload):
    """Product workload of OpIndex, section 7.1: the shape of the item specifics of an electronic marketplace.

    dimensions     number of attributes: 10,204
    products       number of products, which scales the attributes' frequencies f(A): 296,846
    top_share      share of products that have the most frequent attribute: 0.31 (the next one 0.17, which gives the
                   exponent 0.87 of the frequencies' Zipf distribution)
    max_size       maximum number of predicates; their attributes are drawn by log f(A): 8
    max_event_size maximum number of attributes of a product, drawn by f(A): 40
    membership     share of IN (the paper's set operator, 2 to `max_members` values); the rest is `=`: 0.5
    value_space    values of an attribute: 50, with Zipf frequencies
    """

    dimensions: int = 10_204
    products: int = 296_846
    top_share: float = 0.31
    max_size: int = 8
    max_event_size: int = 40
    membership: float = 0.5
    max_members: int = 6
    value_space: int = 50

    def check(self) -> None:
        self.require_least(1, "dimensions")
        self.require_positive_share("top_share")
        require(
            self.products * self.top_share > 1,
            "products",
            f"{self.products} are too few for frequencies with a logarithm above 0",
        )
        self.require_share("membership")
        self.require_least(2, "max_members", "value_space")
        self.require_drawable("max_size", "max_event_size")

    @cached_property
    def _space(self) -> Space:
        return Space(numbered("a", self.dimensions), (as_objects(numbered("v", self.value_space)),))

    @cached_property
    def frequencies(self) -> NDArray[np.float64]:
        """f(A), how many products have each attribute; at least 2, so that none has the weight log 1 = 0."""
        ranks = np.arange(1, self.dimensions + 1, dtype=np.float64)
        return np.maximum(2.0, self.products * self.top_share * ranks**-0.87)

    def expressions(self, n: int) -> Expressions:
        """Conjunctions of 1 to max_size predicates."""
        require_count(n)
        rng = self.stream("expressions")
        sizes = rng.integers(1, self.max_size + 1, n)
        weights = np.log(self.frequencies)
        attributes = draw_distinct(rng, sizes, weights / weights.sum())
        operators = np.where(rng.random(len(attributes)) < self.membership, IN, EQ).astype(np.int8)
        first = draw(rng, len(attributes), zipf_weights(self.value_space, 1))
        lists = np.flatnonzero(operators == IN)
        shifts, held = draw_members(rng, rng.integers(1, self.max_members, len(lists)), 1, self.value_space)
        members = (first[lists, None] + np.pad(shifts, ((0, 0), (1, 0)))) % self.value_space
        held = np.pad(held, ((0, 0), (1, 0)), constant_values=True)
        offsets, values = operand_lists(operators, first, first, members, held)
        return Expressions.conjunctions(self._space, sizes, attributes, operators, offsets, values)

    def events(self, n: int) -> Events:
        """Products of 1 to max_event_size attributes."""
        require_count(n)
        rng = self.stream("events")
        sizes = rng.integers(1, self.max_event_size + 1, n)
        attributes = draw_distinct(rng, sizes, self.frequencies / self.frequencies.sum())
        values = draw(rng, len(attributes), zipf_weights(self.value_space, 1))
        return Events(self._space, offsets_of(sizes), attributes, values)


__all__ = ["OpIndexKeywords", "OpIndexNormalForm", "OpIndexPrefix", "OpIndexProducts", "OpIndexSynthetic"]
