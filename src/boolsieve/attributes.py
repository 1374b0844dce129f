"""The attributes that an expression is given, as plain values by dotted name."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any, TypeAlias

from boolsieve.encoding.values import plain_value as basic_value
from boolsieve.errors import EncodingError
from boolsieve.language.values import Value, plain_name, plain_value

Attributes: TypeAlias = dict[str, Value | list[Value]]

# Far beyond what records have; an error is better than following a mapping that contains itself.
DEEPEST = 100


def plain_attributes(attributes: Any) -> Attributes:
    """Names and values, without those that are absent.

    Nested mappings become dotted names; of two with the same name, the one nearer to the top wins.

    >>> plain_attributes({"tier": "gold", "home": {"city": "Rome", "floor": None}})
    {'tier': 'gold', 'home.city': 'Rome'}
    """
    if not isinstance(attributes, Mapping):
        raise EncodingError(f"attributes are a mapping of names to values, not {type(attributes).__name__}")
    found: Attributes = {}
    level: list[tuple[str, Mapping[Any, Any]]] = [("", attributes)]
    for _ in range(DEEPEST):
        deeper = []
        for prefix, mapping in level:
            for key, value in mapping.items():
                name = prefix + plain_name(key)
                if isinstance(value, Mapping):
                    deeper.append((name + ".", value))
                    continue
                plain = _plain(value, name)
                if plain is not None:
                    found.setdefault(name, plain)
        if not deeper:
            return found
        level = deeper
    raise ValueError(f"attributes nest deeper than {DEEPEST} mappings")


def _plain(value: Any, name: str) -> Value | list[Value] | None:
    basic = _basic(value, name)
    if basic is None or not isinstance(basic, (list, tuple, set, frozenset)):
        return None if basic is None else plain_value(basic, name)
    elements = (_basic(element, name) for element in basic)
    return [plain_value(element, name) for element in elements if element is not None]


def _basic(value: Any, name: str) -> Any:
    """The value without the types of other packages; None if it is absent."""
    if value is None or type(value) in (bool, int, str, list, tuple, set, frozenset):
        return value
    basic, between = value, False
    if not isinstance(value, float):
        try:
            basic, between = basic_value(value)
        except TypeError:
            return value  # a basic type or a subclass; what is none is refused by plain_value
    if between:
        raise ValueError(f"attribute {name!r}: {value} is finer than a microsecond")
    return None if isinstance(basic, float) and basic != basic else basic


def journal_form(attributes: Attributes) -> dict[str, Any]:
    """Attributes as JSON has them: dates and times become texts, alone in a mapping with their kind as the name.

    >>> journal_form({"tier": "gold", "since": [date(2026, 1, 2)]})
    {'tier': 'gold', 'since': [{'date': '2026-01-02'}]}
    """

    def form(value: Value | list[Value]) -> Any:
        if isinstance(value, list):
            return [form(element) for element in value]
        if isinstance(value, date):
            return {"time" if isinstance(value, datetime) else "date": value.isoformat()}
        return value

    return {name: form(value) for name, value in attributes.items()}


def from_journal(attributes: dict[str, Any]) -> Attributes:
    """The attributes that `journal_form` was given."""

    def value(form: Any) -> Any:
        if isinstance(form, list):
            return [value(element) for element in form]
        if isinstance(form, dict):
            ((kind, text),) = form.items()
            return datetime.fromisoformat(text) if kind == "time" else date.fromisoformat(text)
        return form

    return {name: value(form) for name, form in attributes.items()}
