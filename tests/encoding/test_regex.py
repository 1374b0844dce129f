"""Sets of regular expressions against Python's own."""

import copy
import pickle
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boolsieve.encoding import regex
from boolsieve.encoding.regex import MissingPackageError, RegexSets
from boolsieve.errors import BoolsieveError

re2 = pytest.importorskip("re2")

PIECES = st.sampled_from(
    ["a", "b", "é", "😀", ".", "[ab]", "[^a]", "a*", "b+", "(ab)?", "(a|bb)", "^", "$", "a.*b", "é{2}"]
)
PATTERNS = st.lists(PIECES, min_size=1, max_size=4).map("".join)
TEXTS = st.text("abcé😀", max_size=8)


def expected(members, name, text):
    return sorted(
        attribute for other, pattern, attribute in members if other == name and re.search(pattern, text)
    )


@given(
    st.lists(st.one_of(st.tuples(st.integers(0, 1), PATTERNS), TEXTS), max_size=40),
    TEXTS,
)
@settings(max_examples=100, deadline=None)
def test_adds_mixed_with_finds_agree_with_re(steps, last):
    sets, members = RegexSets(), []
    for step in [*steps, last]:
        if isinstance(step, tuple):
            members.append((*step, 100 + len(members)))
            sets.add(*members[-1])
        else:
            for name in (0, 1):
                assert sorted(sets.find(name, step)) == expected(members, name, step)


def test_a_name_has_few_sets_however_its_patterns_came():
    sets = RegexSets()
    for i in range(300):
        sets.add(0, f"x{i}$", i)
        assert sets.find(0, f"x{i}") == [i]
    sizes = [len(group.members) for group in sets._groups[0]]
    assert sum(sizes) == 300
    assert all(larger >= 2 * smaller for larger, smaller in pairwise(sizes))


def test_names_are_kept_apart():
    sets = RegexSets([(3, "a", 1)])
    assert (sets.uses(3), sets.uses(4)) == (True, False)
    assert sets.find(4, "a") == []
    assert sets.find(3, "a") == [1]
    assert sets.uses(3)


def test_the_empty_text_and_the_empty_pattern():
    sets = RegexSets([(0, "", 1), (0, "^$", 2), (0, "a", 3)])
    assert sorted(sets.find(0, "")) == [1, 2]
    assert sorted(sets.find(0, "a")) == [1, 3]


def test_the_search_is_unanchored_and_by_characters():
    sets = RegexSets([(0, "b", 1), (0, "^b", 2), (0, "a.c", 3), (0, "^.$", 4)])
    assert sorted(sets.find(0, "abc")) == [1, 3]
    assert sets.find(0, "aéc") == [3]
    assert sets.find(0, "😀") == [4]


def test_nul_characters_are_searched_like_others():
    sets = RegexSets([(0, "a\0b", 1), (0, r"\x00$", 2)])
    assert sets.find(0, "xa\0by") == [1]
    assert sets.find(0, "a\0") == [2]


@pytest.mark.parametrize(
    ("pattern", "holds"), [("b", True), ("^a.b$", True), ("^a[^x]b$", True), ("ab", False)]
)
@pytest.mark.parametrize("others", [[], [(0, "zzz", 9)]], ids=["single", "set"])
def test_a_lone_surrogate_is_a_character_like_others(pattern, holds, others):
    sets = RegexSets([(0, pattern, 1), *others])
    assert sets.find(0, "a\ud800b") == ([1] if holds else [])


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("(", r"missing \)"),
        ("[z-a]", "invalid character class range"),
        (r"(a)\1", "invalid escape sequence"),
        ("(?=a)", "invalid perl operator"),
        ("a{1001}", "bad repetition operator|invalid repetition size"),
        ("((a{100}){100}){100}", "repetition|too large"),
        ("a\ud800", "lone surrogate"),
    ],
)
def test_a_bad_pattern_is_named_with_the_reason_and_nothing_is_printed(pattern, reason, capfd):
    with pytest.raises(ValueError, match=reason) as caught:
        RegexSets.check(pattern)
    assert repr(pattern) in str(caught.value)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("pattern", ["", "a", r"\d+\s*[^é]", "(?i)straße", "^(a|b)*$", r"\pL"])
def test_good_patterns_pass(pattern):
    RegexSets.check(pattern)


def test_sets_that_need_too_much_memory_are_split(monkeypatch, capfd):
    monkeypatch.setattr(regex, "SET_MEMORY", 20_000)
    members = [(0, f"a.*b{i}.*c", i) for i in range(50)]
    sets = RegexSets(members)
    for text in ("ab7c", "".join(f"ab{i}" for i in range(0, 50, 3)) + "c", "b7"):
        assert sorted(sets.find(0, text)) == expected(members, 0, text)
    assert len(sets._groups[0][0]._parts) > 1
    assert capfd.readouterr().err == ""


def test_sets_whose_automaton_fails_while_it_matches_are_split(monkeypatch):
    class Failing:
        """As RE2 does without memory: a match that fails looks like none."""

        def __init__(self, inner):
            self.inner, self.size = inner, 0

        def Add(self, pattern):
            self.size += 1
            return self.inner.Add(pattern)

        def Compile(self):
            self.inner.Compile()

        def Match(self, text):
            return self.inner.Match(text) if self.size < 8 else None

    search_set = re2.Set.SearchSet
    monkeypatch.setattr(re2.Set, "SearchSet", lambda options: Failing(search_set(options)))
    members = [(0, f"b{i}", i) for i in range(50)]
    sets = RegexSets(members)
    assert sorted(sets.find(0, "b7 b41")) == [4, 7, 41]
    assert sets.find(0, "nothing") == []


def test_copies_and_pickles_find_the_same_and_go_their_own_ways():
    sets = RegexSets([(0, "a", 1), (1, "b", 2)])
    sets.find(0, "a")
    for other in (copy.copy(sets), copy.deepcopy(sets), pickle.loads(pickle.dumps(sets))):
        assert len(other) == 2
        other.add(0, "a+", 3)
        assert sorted(other.find(0, "a")) == [1, 3]
        assert other.find(1, "b") == [2]
    assert sets.find(0, "a") == [1]


def test_threads_may_find_while_the_sets_are_still_to_be_compiled():
    members = [(0, f"b{i}$", i) for i in range(200)]
    for _ in range(5):
        sets = RegexSets(members)
        with ThreadPoolExecutor(4) as threads:
            found = list(threads.map(lambda i, sets=sets: sets.find(0, f"ab{i}"), range(200)))
        assert found == [[i] for i in range(200)]


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "re2", None)
    with pytest.raises(ModuleNotFoundError, match=re.escape("pip install boolsieve[regex]")) as caught:
        RegexSets.check("a")
    assert isinstance(caught.value, BoolsieveError)
    assert isinstance(caught.value, MissingPackageError)
    sets = RegexSets([(0, "a", 1)])
    with pytest.raises(MissingPackageError):
        sets.find(0, "a")
