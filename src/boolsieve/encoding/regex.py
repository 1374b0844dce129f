"""Regular expressions, many at once: MATCHES through RE2's sets.

A set answers for all of its patterns in one pass over the text, but can not be added to. So the patterns of
a name are in several sets, each at least twice as large as the next (the binary counter of Bentley and Saxe,
1980): a find asks a logarithmic number of sets, and a pattern is compiled a logarithmic number of times. Sets
are compiled at the first find after a change.

RE2 runs a set as an automaton in bounded memory. When that does not suffice, compiling fails, or worse, a
match fails and looks like no match. Each set therefore holds the empty pattern too, which any text matches:
an answer without it is no answer. A set that fails is split into halves, down to single patterns, which RE2
can always run.
"""

from __future__ import annotations

import importlib
import threading
from collections.abc import Iterable
from types import ModuleType
from typing import Any

from boolsieve.errors import BoolsieveError

# The bound for one set, which takes only what it needs. RE2's default of 8 MB is too little for 10,000
# patterns with `.*`; with 64 MB a set of 50,000 compiles and answers in microseconds.
SET_MEMORY = 64 << 20

_Members = list[tuple[str, int]]  # patterns and their attributes


class MissingPackageError(BoolsieveError, ModuleNotFoundError):
    """An optional package that is needed here is not installed."""


def _re2() -> ModuleType:
    try:
        return importlib.import_module("re2")
    except ModuleNotFoundError:
        raise MissingPackageError(
            "MATCHES needs google-re2: pip install boolsieve[regex]", name="re2"
        ) from None


def _compiled(pattern: str) -> Any:
    re2 = _re2()
    options = re2.Options()
    options.log_errors = False
    options.never_capture = True
    return re2.compile(pattern, options)


def check(pattern: str) -> None:
    """Raises ValueError if this is not a regular expression in RE2's syntax."""
    re2 = _re2()
    try:
        _compiled(pattern)
    except UnicodeEncodeError:
        reason = "it holds a lone surrogate"
    except re2.error as error:
        reason = error.args[0].decode(errors="replace") if isinstance(error.args[0], bytes) else str(error)
    else:
        return
    raise ValueError(f"{pattern!r} is not a regular expression for MATCHES: {reason}")


class _Single:
    """One pattern, for itself."""

    def __init__(self, pattern: str, attribute: int) -> None:
        self._pattern, self._attribute = _compiled(pattern), attribute

    def find(self, text: bytes) -> list[int]:
        return [self._attribute] if self._pattern.search(text) else []


class _Set:
    """Several patterns in one automaton. Raises re2.error if that takes too much memory."""

    def __init__(self, members: _Members) -> None:
        re2 = _re2()
        options = re2.Options()
        options.log_errors = False
        options.never_capture = True
        options.max_mem = SET_MEMORY
        self._set = re2.Set.SearchSet(options)
        for pattern, _ in members:
            self._set.Add(pattern)
        self._set.Add("")
        self._set.Compile()
        self._attributes = [attribute for _, attribute in members]

    def find(self, text: bytes) -> list[int] | None:
        """The attributes, or None if the automaton ran out of memory."""
        found = self._set.Match(text)
        if found is None:
            return None
        size = len(self._attributes)
        return [self._attributes[i] for i in found if i < size]


class _Group:
    """The members of one place of the counter: one set, or several where one takes too much memory."""

    def __init__(self, members: _Members) -> None:
        self.members = members
        self._parts = _parts_of([members])

    def find(self, text: bytes) -> list[int]:
        while True:
            parts = self._parts
            answers = [part.find(text) for part, _ in parts]
            if None not in answers:
                return [attribute for answer in answers if answer for attribute in answer]
            # Threads that split the same part at the same time do so twice, with the same result.
            smaller = []
            for part, answer in zip(parts, answers, strict=True):
                smaller += [part] if answer is not None else _parts_of(_halves(part[1]))
            self._parts = smaller


def _halves(members: _Members) -> list[_Members]:
    middle = len(members) // 2
    return [members[:middle], members[middle:]]


def _parts_of(lists: list[_Members]) -> list[tuple[_Single | _Set, _Members]]:
    error = _re2().error
    parts: list[tuple[_Single | _Set, _Members]] = []
    waiting = lists[::-1]
    while waiting:
        members = waiting.pop()
        if len(members) == 1:
            parts.append((_Single(*members[0]), members))
            continue
        try:
            parts.append((_Set(members), members))
        except error:
            waiting += reversed(_halves(members))
    return parts


class RegexSets:
    """Finds, for a text, all stored regular expressions on its attribute that match somewhere in it.

    A lone surrogate in a text is a character like others: `.` matches it, and it hinders no match beside it.

    Threads: finds may run side by side.
    """

    check = staticmethod(check)

    def __init__(self, members: Iterable[tuple[int, str, int]] = ()) -> None:
        self._members: list[tuple[int, str, int]] = []
        self._groups: dict[int, tuple[_Group, ...]] = {}
        self._waiting: dict[int, _Members] = {}
        self._lock = threading.Lock()
        for member in members:
            self.add(*member)

    def __len__(self) -> int:
        return len(self._members)

    def __reduce__(self) -> tuple[type[RegexSets], tuple[list[tuple[int, str, int]]]]:
        return RegexSets, (list(self._members),)

    def uses(self, name: int) -> bool:
        """Whether there is a pattern on this attribute."""
        return name in self._waiting or name in self._groups

    def add(self, name: int, pattern: str, attribute: int) -> None:
        """Registers a pattern that `check` takes, on the attribute `name`, to be reported as `attribute`."""
        self._members.append((name, pattern, attribute))
        self._waiting.setdefault(name, []).append((pattern, attribute))

    def find(self, name: int, text: str) -> list[int]:
        """The attributes of the patterns that match, each once, in no order."""
        if name in self._waiting:
            self._compile(name)
        groups = self._groups.get(name)
        if groups is None:
            return []
        encoded = text.encode("utf-8", "surrogatepass")
        found: list[int] = []
        for group in groups:
            found += group.find(encoded)
        return found

    def _compile(self, name: int) -> None:
        with self._lock:
            members = self._waiting.get(name)
            if members is None:  # another thread was first
                return
            groups = self._groups.get(name, ())
            while groups and len(groups[-1].members) < 2 * len(members):
                members = groups[-1].members + members
                groups = groups[:-1]
            self._groups[name] = (*groups, _Group(members))
            # Last, so that no thread passes by before the new group is there.
            del self._waiting[name]
