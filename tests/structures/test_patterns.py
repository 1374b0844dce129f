"""The string predicates against Python's own string methods and an obvious LIKE."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boolsieve.structures.patterns import KINDS, Patterns

RUN, ONE = "%", "_"


def like(pattern: str, value: str) -> bool:
    """Whether the value matches, by the set of pattern places that can be reached after each character."""

    def with_runs(places):
        for place in sorted(places):
            while place < len(pattern) and pattern[place] == RUN:
                place += 1
                places.add(place)
        return places

    places = with_runs({0})
    for character in value:
        reached = {p for p in places if p < len(pattern) and pattern[p] == RUN}
        reached |= {p + 1 for p in places if p < len(pattern) and pattern[p] in (ONE, character)}
        places = with_runs(reached)
    return len(pattern) in places


HOLDS = {
    "starts": lambda operand, value: value.startswith(operand),
    "ends": lambda operand, value: value.endswith(operand),
    "contains": lambda operand, value: operand in value,
    "equals": lambda operand, value: operand == value,
    "like": like,
}


def encoded(kind: str, operand: str) -> bytes:
    if not kind.endswith("like"):
        return operand.encode()
    return b"".join({RUN: b"\xff", ONE: b"\xfe"}.get(c) or c.encode() for c in operand)


class Reference:
    """Patterns, and the list of what was added to them."""

    def __init__(self):
        self.patterns, self.added = Patterns(), {}

    def add(self, name, kind, operand):
        if (name, kind, operand) not in self.added:
            attribute = 1000 + len(self.added)
            self.patterns.add(name, kind, encoded(kind, operand), attribute)
            self.added[name, kind, operand] = attribute

    def compare(self, name, value):
        for folded in (False, True):
            text = value.lower() if folded else value
            expected = sorted(
                attribute
                for (other, kind, operand), attribute in self.added.items()
                if other == name
                and kind.startswith("folded_") == folded
                and HOLDS[kind.removeprefix("folded_")](operand, text)
            )
            assert sorted(self.patterns.find(name, folded, text.encode())) == expected


# Few letters, so that literals overlap and are found; of each length in UTF-8, with NUL and a combining mark.
# Some share their first or last byte, so that a search that ignores the borders of letters finds too much.
LETTERS = "ab\0é\u0301è©ĩ€😀"
WORDS = st.text(LETTERS, max_size=8)
FEW = st.text("ab", max_size=10)
LIKES = st.one_of(st.text("ab%_", max_size=8), st.text(LETTERS + "%_", max_size=8))


@st.composite
def predicates(draw):
    kind = draw(st.sampled_from(sorted(KINDS)))
    operand = draw(LIKES if kind.endswith("like") else st.one_of(WORDS, FEW))
    return draw(st.integers(0, 1)), kind, operand


@given(st.lists(predicates(), max_size=30), st.lists(st.one_of(WORDS, FEW), min_size=1, max_size=8))
@settings(max_examples=250, deadline=None)
def test_finds_exactly_the_predicates_that_hold_each_once(added, values):
    reference = Reference()
    for predicate in added:
        reference.add(*predicate)
    reference.patterns.check()
    for value in values:
        for name in (0, 1, 2):
            reference.compare(name, value)


@given(st.lists(predicates(), min_size=20, max_size=60), st.lists(FEW, min_size=1, max_size=4))
@settings(max_examples=40, deadline=None)
def test_finds_after_each_add_whatever_is_linked_or_fresh(added, values):
    reference = Reference()
    for predicate in added:
        reference.add(*predicate)
        reference.patterns.check()
        for value in values:
            reference.compare(0, value)


@given(st.lists(predicates(), max_size=40), st.lists(FEW, min_size=1, max_size=4), st.integers(0, 40))
@settings(max_examples=50, deadline=None)
def test_settling_and_copying_change_no_answer(added, values, when):
    reference = Reference()
    for i, predicate in enumerate(added):
        reference.add(*predicate)
        if i == when:
            reference.patterns.settle()
            reference.patterns.check()
    reference.patterns = reference.patterns.copy()
    reference.patterns.check()
    for value in values:
        reference.compare(0, value)


@given(st.text("ab%_", max_size=12), st.text("ab", max_size=12))
@settings(max_examples=300)
def test_like_agrees_with_the_reference(pattern, value):
    patterns = Patterns()
    patterns.add(0, "like", encoded("like", pattern), 7)
    assert patterns.find(0, False, value.encode()) == ([7] if like(pattern, value) else [])


@pytest.mark.parametrize("kind", ["starts", "ends", "contains", "like"])
def test_thousands_of_random_words_across_many_relinks(kind):
    reference = Reference()
    state = 12345
    words = []
    for _ in range(2000):
        state = state * 6364136223846793005 + 1442695040888963407 & (1 << 64) - 1
        number, letters = state >> 20, ""
        for _ in range(2 + (state >> 60) % 5):
            letters += "abcdefgh"[number % 8]
            number //= 8
        words.append(letters)
    for i, word in enumerate(words):
        reference.add(0, kind, f"{word[:1]}%{word[1:]}_" if kind == "like" else word)
        if i % 500 == 0:
            reference.compare(0, "".join(words[i : i + 3]))
    reference.patterns.check()
    for i in range(0, 100, 10):
        reference.compare(0, "".join(words[i : i + 10]))


def test_wide_nodes_find_each_of_all_bytes():
    patterns = Patterns()
    for byte in range(256):
        patterns.add(0, "starts", bytes([byte]), byte)
        patterns.add(0, "contains", bytes([byte]), 256 + byte)
    patterns.settle()
    patterns.check()
    for byte in range(256):
        assert sorted(patterns.find(0, False, bytes([byte]))) == [byte, 256 + byte]


def test_underscore_takes_one_character_whatever_its_length_in_bytes():
    for value in ("a", "é", "€", "😀", "\0"):
        reference = Reference()
        for pattern in ("_", "__", "_%", "%_", "__%", "%", "", "x_y", "%x_y%"):
            reference.add(0, "like", pattern)
        for text in (value, value * 2, f"x{value}y", f"{value}x{value}y{value}", f"x{value}{value}y", ""):
            reference.compare(0, text)


def test_a_combining_mark_is_a_character_of_its_own():
    reference = Reference()
    reference.add(0, "like", "_")
    reference.add(0, "like", "__")
    reference.compare(0, "e\u0301")


def test_empty_operands_take_every_value_and_an_empty_equals_only_the_empty_one():
    patterns = Patterns()
    for attribute, kind in enumerate(
        ("folded_starts", "folded_ends", "folded_contains", "folded_equals", "folded_like")
    ):
        patterns.add(0, kind, b"", attribute)
    assert sorted(patterns.find(0, True, b"")) == [0, 1, 2, 3, 4]
    assert sorted(patterns.find(0, True, b"a")) == [0, 1, 2]


def test_an_empty_value_and_operands_longer_than_the_value():
    reference = Reference()
    for kind in ("starts", "ends", "contains", "folded_equals"):
        reference.add(0, kind, "abc")
    for value in ("", "a", "ab", "bc", "abc", "abcd"):
        reference.compare(0, value)


def test_names_and_folded_text_are_kept_apart():
    patterns = Patterns()
    patterns.add(3, "starts", b"a", 1)
    patterns.add(4, "folded_starts", b"a", 2)
    assert (patterns.uses_plain(3), patterns.uses_folded(3)) == (True, False)
    assert (patterns.uses_plain(4), patterns.uses_folded(4)) == (False, True)
    assert (patterns.uses_plain(5), patterns.uses_folded(5)) == (False, False)
    assert patterns.find(3, False, b"ab") == [1]
    assert patterns.find(3, True, b"ab") == []
    assert patterns.find(4, False, b"ab") == []
    assert patterns.find(4, True, b"ab") == [2]


def test_the_largest_name_and_attribute_are_taken():
    patterns = Patterns()
    patterns.add(2**32 - 1, "contains", b"a", 2**32 - 1)
    assert patterns.find(2**32 - 1, False, b"cat") == [2**32 - 1]


def test_nested_repeats_in_a_long_value_are_reported_once():
    patterns = Patterns()
    for length in range(1, 400):
        patterns.add(0, "contains", b"a" * length, length)
    assert sorted(patterns.find(0, False, b"a" * 20_000)) == list(range(1, 400))


def test_a_like_with_many_runs_does_not_blow_up():
    patterns = Patterns()
    patterns.add(0, "like", b"\xffa" * 30 + b"\xffb", 1)
    assert patterns.find(0, False, b"a" * 3000) == []
    assert patterns.find(0, False, b"a" * 3000 + b"b") == [1]


def test_threads_may_find_side_by_side():
    patterns = Patterns()
    for i in range(2000):
        patterns.add(0, ("starts", "contains")[i % 2], b"%d" % i, i)
    values = [b"%d" % (i * 7919) for i in range(2000)]
    expected = [patterns.find(0, False, value) for value in values]
    with ThreadPoolExecutor(4) as threads:
        for found in threads.map(lambda _: [patterns.find(0, False, v) for v in values], range(4)):
            assert found == expected


def test_an_unknown_kind_is_named():
    with pytest.raises(ValueError, match="'regex' is none of starts"):
        Patterns().add(0, "regex", b"", 0)
