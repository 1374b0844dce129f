"""BEGen, the generator of M. Sadoghi, H.-A. Jacobsen, "BE-Tree" (SIGMOD 2011), section 7.1, tables 2 and 3.

Base expressions hold equalities alone and serve as events. Each expression is derived from a base expression: every
predicate of the base is kept with probability Pr_pred, and turned with probability Pr_trans into one that the equality
implies (table 2b). So it matches its base; with B base expressions an event matches 1 / B of all by construction.
Under skewed attributes or few dimensions further matches come by chance.

Table 2b prints `i < v1 where v1 >= v*`; v1 > v* is meant, and `>` likewise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Literal

import numpy as np

from boolsieve.workloads.workload import (
    BETWEEN,
    EQ,
    GE,
    GT,
    IN,
    LE,
    LT,
    NE,
    NOT_IN,
    Events,
    Expressions,
    Ints,
    Space,
    Workload,
    as_objects,
    draw_distinct,
    draw_members,
    numbered,
    offsets_of,
    operand_lists,
    require,
    require_count,
    zipf_weights,
)

OperatorClass = Literal["min", "low", "med", "high"]

# Table 2a, without the equality that all classes have.
INFERRED: dict[str, tuple[int, ...]] = {
    "min": (),
    "low": (IN,),
    "med": (LT, LE, GE, GT, IN, BETWEEN),
    "high": (LT, LE, NE, GE, GT, IN, NOT_IN, BETWEEN),
}
MOST_MEMBERS = 6  # "up to 6 values" of IN and NOT IN


@dataclass(frozen=True, kw_only=True)
class Derivation:
    """How expressions are derived from base expressions: what synthetic and real BEGen workloads share."""

    expression_size: float = 7
    equality: float = 0.3
    operators: OperatorClass = "med"
    range_size: float = 0.12

    def check(self, event_size: float, cardinality: int) -> None:
        require(self.expression_size >= 1, "expression_size", f"{self.expression_size} is below 1")
        require(
            self.expression_size <= event_size,
            "expression_size",
            f"{self.expression_size} predicates cannot be kept of events of {event_size:g} pairs",
        )
        require(0 <= self.equality <= 1, "equality", f"{self.equality} is no share")
        require(
            self.operators in INFERRED, "operators", f"{self.operators!r} is none of {', '.join(INFERRED)}"
        )
        require(
            self.operators != "min" or self.equality == 1,
            "equality",
            f"must be 1.0 where `=` is the only operator (operators='min'), not {self.equality}",
        )
        require(0 < self.range_size <= 0.5, "range_size", f"{self.range_size} is not in (0, 0.5]")
        require(cardinality >= 2 or self.equality == 1, "cardinality", "one value leaves nothing to infer")

    def derive(
        self, rng: np.random.Generator, bases: Events, owners: Ints, first: int, cardinality: int
    ) -> Expressions:
        """An expression from the base at each of `owners`; values are first ... first + cardinality - 1."""
        drawn = bases.take(owners)
        keep = rng.random(len(drawn.attributes)) < self.expression_size * len(bases) / len(bases.attributes)
        # An expression needs a predicate: one at random survives where none was kept.
        sizes = np.add.reduceat(keep, drawn.offsets[:-1]) if len(keep) else np.empty(0, dtype=np.int64)
        bare = np.flatnonzero(sizes == 0)
        keep[drawn.offsets[bare] + (rng.random(len(bare)) * drawn.sizes[bare]).astype(np.int64)] = True
        sizes[bare] = 1

        star = drawn.values[keep] - first
        operators = np.full(len(star), EQ, dtype=np.int8)
        inferred = INFERRED[self.operators]
        if inferred:
            changed = np.flatnonzero(rng.random(len(star)) >= self.equality)
            operators[changed] = np.array(inferred, dtype=np.int8)[
                rng.integers(0, len(inferred), len(changed))
            ]

        low, high = star.copy(), star.copy()
        for operator in inferred:
            if operator in (BETWEEN, IN, NOT_IN):
                continue
            at = np.flatnonzero(operators == operator)
            value, share = star[at], rng.random(len(at))
            if operator == NE:
                low[at] = (value + 1 + (share * (cardinality - 1)).astype(np.int64)) % cardinality
            elif operator in (LT, LE):
                low[at] = value + (share * (cardinality - value)).astype(np.int64) + (operator == LT)
            else:
                low[at] = value - (share * (value + 1)).astype(np.int64) - (operator == GT)

        between = np.flatnonzero(operators == BETWEEN)
        widths = np.rint(rng.random(len(between)) * 2 * self.range_size * cardinality).astype(np.int64)
        widths = np.clip(widths, 1, cardinality)
        begin = star[between] - (rng.random(len(between)) * widths).astype(np.int64)
        low[between] = np.clip(begin, 0, cardinality - widths)
        high[between] = low[between] + widths - 1

        lists = np.flatnonzero((operators == IN) | (operators == NOT_IN))
        negative = operators[lists] == NOT_IN
        counts = rng.integers(1, MOST_MEMBERS, len(lists)) + negative
        shifts, held = draw_members(rng, counts, 1, max(2, cardinality))
        # v* itself goes in front of the others, unless it is the one to be excluded.
        shifts = np.concatenate([np.zeros((len(lists), 1), dtype=np.int64), shifts], axis=1)
        held = np.concatenate([~negative[:, None], held], axis=1)
        members = (star[lists, None] + shifts) % cardinality
        offsets, values = operand_lists(operators, low, high, members, held)
        return Expressions.conjunctions(
            bases.space, sizes, drawn.attributes[keep], operators, offsets, values + first
        )


def owners_of(n: int, bases: int) -> Ints:
    """The base of each of n expressions or events: all bases in turn, so that their shares are equal."""
    return np.arange(n, dtype=np.int64) % bases


@dataclass(frozen=True, kw_only=True)
class BEGen(Workload):
    """Synthetic workload of BE-Tree, section 7.1; the defaults are the first column of table 3.

    dimensions        Number of Dim: 400 (50 to 1400)
    cardinality       Cardinality, values of a dimension: 48 (2 to 150,000)
    expression_size   Avg. Sub Size: 7 (5 to 66)
    event_size        Avg. Event Size: 15 (13 to 81); sizes spread evenly by up to a third around it
    range_size        Pred Avg. Range Size, share of the domain that BETWEEN covers: 0.12 (0.06 to 0.5)
    equality          % Equality Pred, share of `=`, which is 1 - Pr_trans: 0.3 (0.2 to 1.0)
    operators         Op Class: "min", "low", "med", "high" (table 2a)
    match_probability Match Prob: 0.01 (0.0001 to 0.09); 1 / match_probability base expressions
    zipf              exponent of the attributes' Zipf distribution; 0 is uniform
    """

    dimensions: int = 400
    cardinality: int = 48
    expression_size: float = 7
    event_size: int = 15
    range_size: float = 0.12
    equality: float = 0.3
    operators: OperatorClass = "med"
    match_probability: float = 0.01
    zipf: float = 0.0

    def check(self) -> None:
        self.require_least(1, "dimensions", "cardinality")
        self.require_drawable("event_size")
        self.require_positive_share("match_probability")
        self.require_least(0, "zipf")
        self.derivation.check(self.event_size, self.cardinality)

    @property
    def derivation(self) -> Derivation:
        return Derivation(
            expression_size=self.expression_size,
            equality=self.equality,
            operators=self.operators,
            range_size=self.range_size,
        )

    @property
    def bases(self) -> int:
        """The number of base expressions."""
        return max(1, round(1 / self.match_probability))

    def base_expressions(self) -> Events:
        """The base expressions, as the events that they model."""
        rng = self.stream("bases")
        spread = min(self.event_size // 3, self.dimensions - self.event_size)
        sizes = rng.integers(self.event_size - spread, self.event_size + spread + 1, self.bases)
        attributes = draw_distinct(rng, sizes, zipf_weights(self.dimensions, self.zipf))
        values = rng.integers(0, self.cardinality, len(attributes))
        return Events(Space(numbered("a", self.dimensions)), offsets_of(sizes), attributes, values)

    def expressions(self, n: int) -> Expressions:
        """Derived expressions; expression i is from base i modulo `bases`, and matches it."""
        require_count(n)
        owners = owners_of(n, self.bases)
        return self.derivation.derive(
            self.stream("expressions"), self.base_expressions(), owners, 0, self.cardinality
        )

    def events(self, n: int) -> Events:
        """The base expressions in turn, in random order; more than `bases` events repeat them."""
        require_count(n)
        order = self.stream("events").permutation(self.bases)
        return self.base_expressions().take(order[owners_of(n, self.bases)])


@dataclass(frozen=True, kw_only=True)
class BEGenTransition(BEGen):
    """BE-Tree's figure 13: expressions with uniform and with Zipf attributes take each other's place, and go back.

    first             which are there at the beginning, "uniform" or "zipf"
    replaced          how far it is: 0 to 1 is the share that is replaced by the others, 1 to 2 the share that is back
    zipf              exponent of the skewed ones: 2

    Half of the events are those of the uniform workload, half those of the other.
    """

    match_probability: float = 0.001
    zipf: float = 2.0
    first: Literal["uniform", "zipf"] = "uniform"
    replaced: float = 0.0

    def check(self) -> None:
        super().check()
        require(self.first in ("uniform", "zipf"), "first", f"{self.first!r} is neither 'uniform' nor 'zipf'")
        require(0 <= self.replaced <= 2, "replaced", f"{self.replaced} is not in 0 to 2")

    def _sides(self) -> tuple[BEGen, BEGen]:
        same = {each.name: getattr(self, each.name) for each in fields(BEGen)}
        uniform, skewed = BEGen(**{**same, "zipf": 0.0}), BEGen(**same)
        return (uniform, skewed) if self.first == "uniform" else (skewed, uniform)

    def expressions(self, n: int) -> Expressions:
        """The first ones are replaced, in order; expression i of either side is always the same."""
        there, new = (side.expressions(n) for side in self._sides())
        if self.replaced > 1:
            there, new = new, there
        changed = round(n * (self.replaced - (self.replaced > 1)))
        return new.part(0, changed).then(there.part(changed, n))

    def events(self, n: int) -> Events:
        """Events of both sides, in random order; the same however far it is."""
        one, other = self._sides()
        both = one.events(n - n // 2).then(other.events(n // 2))
        return both.take(self.stream("mixed").permutation(n))


def qgrams(text: str, q: int = 3) -> dict[str, str]:
    """The q-grams of a text as pairs: all characters but the last of a q-gram are the attribute, the last its value.

    An attribute that comes again with another value keeps the first one: an event has one value an attribute.

    >>> qgrams("string")
    {'st': 'r', 'tr': 'i', 'ri': 'n', 'in': 'g'}
    """
    pairs: dict[str, str] = {}
    for at in range(len(text) - q + 1):
        pairs.setdefault(text[at : at + q - 1], text[at + q - 1])
    return pairs


@dataclass(frozen=True, kw_only=True)
class QGrams(Workload):
    """Real workload of BE-Tree, section 7.1: strings (titles, names) become conjunctions of equalities of q-grams.

    strings           any list; duplicates and strings without a q-gram are left out
    q                 characters of a q-gram: 3
    match_probability None: expressions and events are strings drawn from the list. Else 1 / match_probability of the
                      strings serve as base expressions, and `expression_size`, `equality`, `operators`, `range_size`
                      say how expressions are derived from them, as in `BEGen` (last two columns of table 3)
    """

    strings: Sequence[str]
    q: int = 3
    match_probability: float | None = None
    expression_size: float = 7
    equality: float = 0.3
    operators: OperatorClass = "med"
    range_size: float = 0.12

    def check(self) -> None:
        require(self.q >= 2, "q", f"{self.q} leaves no character for the attribute")
        bases = self._bases
        require(len(bases) > 0, "strings", f"none has {self.q} characters")
        if self.match_probability is None:
            return
        self.require_positive_share("match_probability")
        needed = self._needed
        require(
            needed <= len(bases),
            "match_probability",
            f"{self.match_probability} needs {needed} base expressions, but there are {len(bases)} distinct strings",
        )
        average = len(bases.attributes) / len(bases)
        self._derivation.check(average, len(bases.space.tables[0]) - 2)

    @property
    def _derivation(self) -> Derivation:
        return Derivation(
            expression_size=self.expression_size,
            equality=self.equality,
            operators=self.operators,
            range_size=self.range_size,
        )

    @property
    def _needed(self) -> int:
        return max(1, round(1 / (self.match_probability or 1)))

    @property
    def _bases(self) -> Events:
        pairs = [found for text in dict.fromkeys(self.strings) if (found := qgrams(text, self.q))]
        names: dict[str, int] = {}
        attributes = [names.setdefault(name, len(names)) for found in pairs for name in found]
        letters = [letter for found in pairs for letter in found.values()]
        # Below the first letter and above the last one: what `>` and `<` may need to hold for all letters.
        alphabet = ["", *sorted(set(letters)), "\U0010ffff"]
        place = {letter: at for at, letter in enumerate(alphabet)}
        return Events(
            Space(list(names), (as_objects(alphabet),)),
            offsets_of(np.array([len(found) for found in pairs], dtype=np.int64)),
            np.array(attributes, dtype=np.int32),
            np.array([place[letter] for letter in letters], dtype=np.int64),
        )

    def expressions(self, n: int) -> Expressions:
        """Strings from the list as conjunctions, or expressions derived from base expressions."""
        require_count(n)
        rng = self.stream("expressions")
        bases = self._bases
        if self.match_probability is None:
            drawn = bases.take(rng.integers(0, len(bases), n))
            operators = np.full(len(drawn.values), EQ, dtype=np.int8)
            singles = np.arange(len(drawn.values) + 1)
            return Expressions.conjunctions(
                bases.space, drawn.sizes, drawn.attributes, operators, singles, drawn.values
            )
        chosen = bases.take(self._chosen(len(bases)))
        cardinality = len(bases.space.tables[0]) - 2
        return self._derivation.derive(rng, chosen, owners_of(n, len(chosen)), 1, cardinality)

    def events(self, n: int) -> Events:
        """Strings from the list, or the base expressions in turn."""
        require_count(n)
        bases = self._bases
        if self.match_probability is None:
            return bases.take(self.stream("events").integers(0, len(bases), n))
        return bases.take(self._chosen(len(bases))[owners_of(n, self._needed)])

    def _chosen(self, strings: int) -> Ints:
        return self.stream("bases").permutation(strings)[: self._needed]


__all__ = ["BEGen", "QGrams", "qgrams"]
