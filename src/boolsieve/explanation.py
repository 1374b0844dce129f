"""Why an event satisfies an expression, or not: the tree with the outcome of each part.

The outcome of a part is not computed a second time in Python: each predicate and its negation are put into an index
of their own, which matches the event. TRUE if the predicate matches, FALSE if its negation does, else UNKNOWN.

An event with several values or a range for an attribute stands for many plain events, so both may match. A part is TRUE
if it can be, else FALSE if it can be, as its parts allow; and the whole is TRUE only if one plain event satisfies it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

from boolsieve.encoding.ranges import AnyOf, Between
from boolsieve.language.expr import And, Const, Expr, Not, Or, Predicate

_ABSENT = object()
_Outcomes: TypeAlias = frozenset[bool]


class Explanation:
    """The outcome of an expression or a part of it.

    Attributes:
        expression: the part.
        outcome: True, False or None for unknown.
        children: the explanations of its parts; none for a predicate.
        value: for a predicate the event's value; None if it has none.
    """

    __slots__ = ("_word", "children", "expression", "outcome", "value")

    def __init__(
        self, expression: Expr, outcome: bool | None, children: list[Explanation], word: str, value: Any
    ):
        self.expression = expression
        self.outcome = outcome
        self.children = children
        self.value = None if value is _ABSENT else value
        self._word = word

    @classmethod
    def of(cls, expression: Expr, event: Mapping[str, Any], holds: Callable[[], bool]) -> Explanation:
        """Explains an expression on an event; `holds` tells whether the event satisfies it as a whole."""
        predicates = list(dict.fromkeys(part for part in expression._walk() if isinstance(part, Predicate)))
        outcomes = _outcomes(predicates, event)
        done: list[tuple[Explanation, _Outcomes]] = []
        waiting: list[tuple[Expr, list[Expr] | None]] = [(expression, None)]
        while waiting:
            part, parts = waiting.pop()
            if parts is None:
                parts = _parts(part)
                waiting.append((part, parts))
                waiting.extend((inner, None) for inner in parts)
                continue
            # The parts were explained last to first.
            children = [done.pop() for _ in parts]
            possible = (
                outcomes[part] if isinstance(part, Predicate) else _combined(part, [p for _, p in children])
            )
            done.append((cls._made(part, [child for child, _ in children], possible, event), possible))
        whole, _ = done[0]
        if any(isinstance(_value(event, part.name), (AnyOf, Between)) for part in predicates):
            if holds():
                whole.outcome = True
            elif whole.outcome:
                whole.outcome = False
                whole._word += "    (no one value satisfies all that is asked of it)"
        return whole

    @classmethod
    def _made(
        cls, part: Expr, children: list[Explanation], possible: _Outcomes, event: Mapping[str, Any]
    ) -> Explanation:
        outcome = True if True in possible else False if False in possible else None
        if isinstance(part, Predicate):
            value = _value(event, part.name)
            shown = f"{part.name} is absent" if value is _ABSENT else f"{part.name} is {value!r}"
            return cls(part, outcome, [], f"{part}    ({shown})", value)
        word = {Not: "NOT", Or: "OR", And: "AND"}.get(type(part)) or str(part)
        return cls(part, outcome, children, word, _ABSENT)

    def _lines(self) -> Iterator[str]:
        names = {True: "TRUE", False: "FALSE", None: "UNKNOWN"}
        waiting = [(self, 0)]
        while waiting:
            part, depth = waiting.pop()
            yield f"{'  ' * min(depth, 40)}{names[part.outcome]:<8}{part._word}"
            waiting.extend((child, depth + 1) for child in reversed(part.children))

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def __repr__(self) -> str:
        return f"<Explanation: {next(self._lines())}>"


def _parts(part: Expr) -> list[Expr]:
    """The parts of a node; a chain of ANDs or ORs is one node with many."""
    if isinstance(part, Not):
        return [part.operand]
    if not isinstance(part, (And, Or)):
        return []
    kind = type(part)
    parts = []
    while isinstance(part, kind):
        parts.append(part.right)
        part = part.left
    return [part, *reversed(parts)]


def _outcomes(predicates: list[Predicate], event: Mapping[str, Any]) -> dict[Expr, _Outcomes]:
    """Which of TRUE and FALSE each predicate can be; both only if the event stands for several."""
    from boolsieve.index import Index

    index = Index(max_clauses=1 << 40)
    for position, predicate in enumerate(predicates):
        index.add(2 * position, predicate)
        index.add(2 * position + 1, ~predicate)
    found = set(index.match(event))
    return {
        predicate: frozenset(
            outcome for outcome, id_ in ((True, 2 * position), (False, 2 * position + 1)) if id_ in found
        )
        for position, predicate in enumerate(predicates)
    }


def _combined(part: Expr, parts: list[_Outcomes]) -> _Outcomes:
    """Which of TRUE and FALSE a part can be, if its own parts can be so independently of each other."""
    if isinstance(part, Const):
        return frozenset([part.value])
    if isinstance(part, Not):
        return frozenset(not outcome for outcome in parts[0])
    decisive = isinstance(part, Or)
    decided = [decisive] if any(decisive in possible for possible in parts) else []
    undecided = [not decisive] if all((not decisive) in possible for possible in parts) else []
    return frozenset(decided + undecided)


def _value(event: Mapping[str, Any], name: str) -> Any:
    """The event's value for a name, also within nested mappings, or _ABSENT."""
    waiting = [(event, name)]
    while waiting:
        mapping, rest = waiting.pop(0)
        if mapping.get(rest) is not None and not isinstance(mapping[rest], Mapping):
            return mapping[rest]
        waiting.extend(
            (mapping[head], tail)
            for head, tail in ((rest[:i], rest[i + 1 :]) for i, c in enumerate(rest) if c == ".")
            if isinstance(mapping.get(head), Mapping)
        )
    return _ABSENT
