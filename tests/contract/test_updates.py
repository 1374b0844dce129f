"""Sequences of updates: an index behaves like a dict of expressions, whatever its history."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

import boolsieve as bs
import oracle
import strategies

NewIndex = Callable[[], bs.Index]


class Updates(RuleBasedStateMachine):
    """An index next to a dict; `new_index` comes from the subclass that a test makes."""

    new_index: NewIndex

    @initialize(world=strategies.worlds())
    def begin(self, world: strategies.World) -> None:
        self.world = world
        self.texts = strategies.expressions(world, leaves=4)
        self.index = type(self).new_index()
        self.model: dict[Any, Any] = {}

    @rule(id_=strategies.ids(), data=st.data())
    def add(self, id_: Any, data: st.DataObject) -> None:
        text = data.draw(self.texts)
        if id_ in self.model:
            with pytest.raises(bs.DuplicateIdError):
                self.index.add(id_, text)
        else:
            self.index.add(id_, text)
            self.model[id_] = bs.parse(text)

    @rule(ids=st.lists(strategies.ids(), max_size=5), data=st.data())
    def add_many(self, ids: list[Any], data: st.DataObject) -> None:
        texts = [data.draw(self.texts) for _ in ids]
        if len(set(ids)) < len(ids) or self.model.keys() & set(ids):
            with pytest.raises(bs.DuplicateIdError):
                self.index.add_many(ids, texts)
        else:
            self.index.add_many(ids, texts)
            self.model.update(zip(ids, map(bs.parse, texts), strict=True))

    @rule(ids=st.lists(strategies.ids(), max_size=5), data=st.data())
    def add_many_with_bad_texts_skipped(self, ids: list[Any], data: st.DataObject) -> None:
        texts = [data.draw(st.one_of(self.texts, st.just("a = "))) for _ in ids]
        skipped = []
        for position, (id_, text) in enumerate(zip(ids, texts, strict=True)):
            if text == "a = " or id_ in self.model:
                skipped.append((position, id_))
            else:
                self.model[id_] = bs.parse(text)
        report = self.index.add_many(ids, texts, errors="skip")
        assert [(record.position, record.id) for record in report] == skipped

    @rule(id_=strategies.ids(), data=st.data())
    def assign(self, id_: Any, data: st.DataObject) -> None:
        text = data.draw(self.texts)
        self.index[id_] = text
        self.model[id_] = bs.parse(text)

    @rule(id_=strategies.ids())
    def assign_bad_text(self, id_: Any) -> None:
        with pytest.raises(bs.ParseError):
            self.index[id_] = "a = = 1"

    @rule(id_=strategies.ids())
    def remove(self, id_: Any) -> None:
        if id_ in self.model:
            del self.index[id_]
            del self.model[id_]
        else:
            with pytest.raises(bs.UnknownIdError):
                del self.index[id_]

    @precondition(lambda self: self.model)
    @rule(data=st.data())
    def match(self, data: st.DataObject) -> None:
        event = data.draw(strategies.events(self.world))
        expected = oracle.matching(self.model, event)
        assert self.index.match(event) == expected
        assert self.index.match_count(event) == len(expected)

    @rule(data=st.data(), threads=st.sampled_from([1, 2]))
    def match_batch(self, data: st.DataObject, threads: int) -> None:
        events = data.draw(st.lists(strategies.events(self.world), max_size=4))
        expected = [oracle.matching(self.model, event) for event in events]
        assert [list(ids) for ids in self.index.match_batch(events, threads=threads)] == expected

    @rule(id_=strategies.ids())
    def get(self, id_: Any) -> None:
        assert (id_ in self.index) is (id_ in self.model)
        assert self.index.get(id_) == self.model.get(id_)

    @invariant()
    def is_sound(self) -> None:
        if hasattr(self, "index"):
            self.index.check_invariants()
            assert len(self.index) == len(self.model)
            assert list(self.index) == list(self.model)


def test_index_behaves_like_a_dict_of_expressions(new_index: NewIndex) -> None:
    machine = type("EngineUpdates", (Updates,), {"new_index": staticmethod(new_index)})
    examples = max(10, settings().max_examples // 3)
    run_state_machine_as_test(machine, settings=settings(max_examples=examples, stateful_step_count=25))


@st.composite
def histories(draw: st.DrawFn) -> tuple[list[tuple[Any, ...]], list[dict[str, Any]]]:
    world = draw(strategies.worlds())
    return draw(strategies.update_sequences(world)), draw(
        st.lists(strategies.events(world), min_size=1, max_size=4)
    )


@settings(max_examples=max(10, settings().max_examples // 2))
@given(history=histories())
def test_history_does_not_show(new_index: NewIndex, history: Any) -> None:
    """An index that grew by updates equals one that got the same expressions in one call."""
    steps, events = history
    index, texts = new_index(), {}
    for kind, *arguments in steps:
        if kind == "add":
            index.add(*arguments)
            texts[arguments[0]] = arguments[1]
        elif kind == "add_many":
            index.add_many(*arguments)
            texts.update(zip(*arguments, strict=True))
        elif kind == "set":
            index[arguments[0]] = arguments[1]
            texts[arguments[0]] = arguments[1]
        elif kind == "remove":
            del index[arguments[0]]
            del texts[arguments[0]]
        else:
            index.match(arguments[0])
    index.check_invariants()
    fresh = new_index()
    fresh.add_many(texts.keys(), texts.values())
    assert list(index.items()) == list(fresh.items())
    assert [index.match(event) for event in events] == [fresh.match(event) for event in events]
