"""k-index: its posting lists, the K-th list test, the bound on ranges, what ranking spares."""

from __future__ import annotations

import pickle
import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import boolsieve as bs
import oracle
from boolsieve.engines import KIndex

NONE = 0xFFFFFFFF
WHOLE = 1 << 63  # the key of the number 0; a step of 2 to the next

# In the manner of the paper's running example: size, clause, and what it is about.
ADS = {
    1: "age = 3 AND state = 1",
    2: "age = 3 AND sex = 6",
    3: "age = 3 AND sex = 5 AND state NOT IN (1, 2)",
    4: "state = 1 AND sex = 5",
    5: "age IN (3, 4)",
    6: "state NOT IN (1, 2)",
    7: "age > 3 AND sex BETWEEN 5 AND 6",
}


NAMES = ["age", "state", "sex"]  # in the order in which the expressions name them


def ads(engine: Any = "kindex") -> bs.Index:
    index = bs.Index(engine)
    index.add_many(list(ADS), list(ADS.values()))
    return index


def postings(index: bs.Index, names: Sequence[str] = NAMES) -> dict[tuple[Any, ...], list[int]]:
    """(attribute, value or "present", K, "decided" or "check", sign) -> the ids in that list, from the buffers.

    For one clause an expression, ids from 1 on, and attributes that are numbers.
    """
    raw = index.buffers()
    of_attribute = raw["dictionary.attribute_name"]
    lists = raw["kindex.lists"].reshape(-1, 4)
    found: dict[tuple[Any, ...], list[int]] = {}

    def read(chain: int, attribute: int, value: Any) -> None:
        while chain != NONE:
            following, code, length, begin = (int(field) for field in lists[chain])
            entries = [begin] if length == 1 else raw["kindex.entries"][begin : begin + length].tolist()
            name = names[int(of_attribute[attribute])]
            size, rest, sign = code >> 2, "check" if code & 2 else "decided", "-" if code & 1 else "+"
            found[name, value, size, rest, sign] = [clause + 1 for clause in entries]
            chain = following

    for key, place in raw["kindex.terms"].reshape(-1, 2):
        if int(place) != (1 << 64) - 1:
            read(int(place) & NONE, int(place) >> 32, (int(key) - WHOLE) / 2)
    for attribute, chain in enumerate(raw["kindex.present"]):
        read(int(chain), attribute, "present")
    return found


def test_posting_lists_of_the_worked_example() -> None:
    assert postings(ads()) == {
        ("age", 3, 1, "decided", "+"): [5],
        ("age", 4, 1, "decided", "+"): [5],
        ("age", 3, 2, "decided", "+"): [1, 2],
        ("state", 1, 2, "decided", "+"): [1, 4],
        ("sex", 5, 2, "decided", "+"): [4],
        ("sex", 6, 2, "decided", "+"): [2],
        # An attribute that is to be unequal must be there: so 3 is left to the check, and of 7 the open range is.
        ("age", 3, 2, "check", "+"): [3],
        ("sex", 5, 2, "check", "+"): [3],
        ("state", 1, 2, "check", "-"): [3],
        ("state", 2, 2, "check", "-"): [3],
        ("sex", 5, 1, "check", "+"): [7],
        ("sex", 6, 1, "check", "+"): [7],
        # Of K = 0, which presence and the negative lists decide.
        ("state", "present", 0, "decided", "+"): [6],
        ("state", 1, 0, "decided", "-"): [6],
        ("state", 2, 0, "decided", "-"): [6],
    }


def test_figure_2_of_opindex() -> None:
    """Table 1 of OpIndex as a k-index: by size, attribute and value. The domain, open there, ends at 12 here."""
    index = bs.Index(KIndex(domain=(1, 12)))
    texts = [
        "A = 2 AND B IN (3, 6, 9)",
        "A <= 8 AND C >= 2",
        "C = 6 AND B <= 4 AND E BETWEEN 3 AND 12",
        "A = 2",
        "D >= 12 AND E <= 9",
        "B IN (3, 6) AND C <= 4 AND D >= 10 AND E <= 7",
    ]
    index.add_many(range(1, 7), texts)
    found = {
        (size, name, value): ids
        for (name, value, size, _, _), ids in postings(index, "ABCED").items()
        if value >= 1  # beside these, a list for what is below the domain
    }
    expected: dict[tuple[int, str, int], list[int]] = {}
    for id_, size, name, values in [
        (4, 1, "A", [2]),
        (1, 2, "A", [2]),
        (1, 2, "B", [3, 6, 9]),
        (2, 2, "A", range(1, 9)),
        (2, 2, "C", range(2, 13)),
        (5, 2, "D", [12]),
        (5, 2, "E", range(1, 10)),
        (3, 3, "B", range(1, 5)),
        (3, 3, "C", [6]),
        (3, 3, "E", range(3, 13)),
        (6, 4, "B", [3, 6]),
        (6, 4, "C", range(1, 5)),
        (6, 4, "D", range(10, 13)),
        (6, 4, "E", range(1, 8)),
    ]:
        for value in values:  # type: ignore[attr-defined]
            expected.setdefault((size, name, value), []).append(id_)
    assert found == expected
    assert found[2, "A", 2] == [1, 2]


def test_matches_of_the_worked_example() -> None:
    index = ads()
    assert index.match({"age": 3, "state": 1, "sex": 5}) == [1, 4, 5]
    assert index.match({"age": 3, "state": 9, "sex": 5}) == [3, 5, 6]
    assert index.match({"age": 3, "sex": 5}) == [5]  # 3 and 6 need a state
    assert index.match({"age": 3.5, "sex": 5.5}) == [7]
    assert index.match({"age": 4, "sex": 6.5}) == [5]


def counted(index: bs.Index, use: Callable[[], Any]) -> tuple[Any, int, int]:
    """What a call gives, and how many candidates and predicates it took."""
    before = index.stats()
    result = use()
    after = index.stats()
    counts = [int(after[name] - before[name]) for name in ("candidates", "predicates_evaluated")]
    return result, counts[0], counts[1]


def test_trace_of_the_kth_list_test() -> None:
    """a: 1 2 3 4 5 9; b: 5 6 9; c: 9. K = 3: c's clause is the third, a and b skip to it."""
    index = bs.Index("kindex")
    for id_ in range(1, 10):
        parts = ["a = 1"] + ["b = 1"] * (id_ in (5, 6, 9)) + ["c = 1"] * (id_ == 9)
        filler = [f"d{i} = {id_}" for i in range(3 - len(parts))]
        index.add(id_, " AND ".join(parts + filler) if id_ != 6 else "b = 1 AND d0 = 6 AND d1 = 6")
    event = {"a": 1, "b": 1, "c": 1}
    # Two lists skip to clause 9, then all three move on from it.
    assert counted(index, lambda: index.match(event)) == ([9], 1, 2 + 3)
    # With two lists nothing has three entries, so nothing is read.
    assert counted(index, lambda: index.match({"a": 1, "b": 1})) == ([], 0, 0)


def test_skips_read_far_less_than_the_lists_hold() -> None:
    index = bs.Index("kindex")
    index.add_many(range(20_000), [f"a = 1 AND b = {i % 100}" for i in range(20_000)])
    found, candidates, steps = counted(index, lambda: index.match({"a": 1, "b": 7}))
    assert found == list(range(7, 20_000, 100))
    assert (candidates, steps) == (200, 200 * 3)  # for each: a skips once, both move on


def test_values_between_whole_numbers() -> None:
    index = bs.Index("kindex")
    texts = [
        "a BETWEEN 2 AND 4",
        "a > 2 AND a < 4",
        "a > 2 AND a < 3",
        "a NOT IN (2, 3)",
        "a = 3",
        "a >= 2 AND a < 3",
    ]
    index.add_many(range(len(texts)), texts)
    model = dict(enumerate(map(bs.parse, texts)))
    for value in [1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 2**61, -(2**62), 2.0**70, -1e300]:
        assert index.match({"a": value}) == oracle.matching(model, {"a": value}), value


@pytest.mark.parametrize("domain", [(0, 9), (5, 5), (-(2**61), -(2**61) + 3)])
def test_domain_does_not_change_what_matches(domain: tuple[int, int]) -> None:
    index = bs.Index(KIndex(max_values=12, domain=domain))
    dice = random.Random(3)
    ends = [-(2**61), -7, -1, 0, 1, 4, 5, 6, 9, 10, 40, 2**61]
    texts = [f"a {dice.choice(['<', '<=', '>', '>=', '=', '!='])} {end}" for end in ends for _ in range(3)]
    texts += [f"a NOT IN ({one}, {two})" for one in ends for two in ends[:4]]
    texts += [f"a IN ({one}, {two}) AND b = 1" for one in ends for two in ends[6:]]
    texts += [f"a BETWEEN {one} AND {two}" for one in ends for two in ends if one < two]
    texts += [f"a NOT BETWEEN {one} AND {two} AND b = 1" for one in ends for two in ends if one < two]
    index.add_many(range(len(texts)), texts)
    index.check_invariants()
    model = dict(enumerate(map(bs.parse, texts)))
    for value in [*ends, *(end + 1 for end in ends), *(end + 0.5 for end in ends[1:-1]), 2**62, -1e30]:
        event = {"a": value, "b": 1}
        assert index.match(event) == oracle.matching(model, event), value


def test_domain_lists_open_ranges() -> None:
    index = ads(KIndex(domain=(0, 9)))
    lists = postings(index)
    ages = [key[1] for key, ids in lists.items() if key[0] == "age" and 7 in ids]
    assert sorted(ages) == [3.5, 4, 5, 6, 7, 8, 9]  # the gap that it begins with
    assert lists["sex", 5, 2, "decided", "+"] == [4, 7]
    assert index.match({"age": 4, "sex": 5}) == [5, 7]
    assert index.match({"age": 400, "sex": 6}) == [7]


# --- The bound ---


def test_range_beyond_the_bound_is_left_to_the_check() -> None:
    index = bs.Index(KIndex(max_values=10))
    index.add(1, "age = 1 AND state BETWEEN 1 AND 10")
    index.add(2, "age = 1 AND state BETWEEN 1 AND 11")
    assert sorted(key[1:4] for key in postings(index) if key[0] == "age") == [
        (1, 1, "check"),
        (1, 2, "decided"),
    ]
    assert [index.match({"age": 1, "state": state}) for state in (1, 10, 11, 12)] == [[1, 2], [1, 2], [2], []]


STRICT = KIndex(max_values=10, strict=True)
TOO_WIDE = [
    ("a BETWEEN 1 AND 11", "'a' has 11 values; kindex enumerates at most 10", 11),
    ("b = 1 AND price.net > 5", "'price.net' has 4,611,686,018,427,387,899 values", 2**62 - 5),
    ("a NOT BETWEEN 1 AND 11", "'a' has 11 values", 11),
    ("a = 1 OR b >= 0.5 AND b <= 1.5", "'b' has", None),
    ("a BETWEEN 'a' AND 'b'", "'a' has", None),
]


@pytest.mark.parametrize(("text", "message", "needed"), TOO_WIDE)
def test_strict_refuses_a_range_beyond_the_bound(text: str, message: str, needed: int | None) -> None:
    index = bs.Index(STRICT)
    index.add_many(["p", "q"], ["a = 1", "a = 2"], weight=[1, 2])
    before = pickle.dumps(index)
    with pytest.raises(bs.BudgetError) as error:
        index.add("new", text, 5.0, {"a": 1} if "a " in text else None)
    assert str(error.value).startswith("expression 'new': a range on attribute")
    assert message in str(error.value)
    assert error.value.budget == 10
    assert error.value.needed == (needed or error.value.needed) > 10
    with pytest.raises(bs.BudgetError, match="expression 'q'"):
        index["q"] = text
    with pytest.raises(bs.BudgetError, match="position 1, expression 'r'"):
        index.add_many(["s", "r"], ["a = 1", text])
    assert list(index) == ["p", "q"]
    assert index["q"] == bs.parse("a = 2")
    assert index.top_k({"a": 2}, 9) == pickle.loads(before).top_k({"a": 2}, 9) == [("q", 2.0)]
    index.check_invariants()


def test_strict_skips_just_what_is_beyond_the_bound() -> None:
    index = bs.Index(STRICT)
    index.add("old", "a = 1")
    ids = ["x", "bad", "old", "also bad", "y"]
    texts = ["a BETWEEN 1 AND 10", "a > 1", "a = 3", "b < 2", "a IS NOT NULL AND c"]
    report = index.add_many(ids, texts, errors="skip", weight=[1, 2, 3, 4, 5])
    assert [(record.position, record.id, type(record.error)) for record in report] == [
        (1, "bad", bs.BudgetError),
        (2, "old", bs.DuplicateIdError),
        (3, "also bad", bs.BudgetError),
    ]
    assert "expression 'bad': a range on attribute 'a'" in str(report[0].error)
    assert {id_: index.weight(id_) for id_ in index} == {"old": 0.0, "x": 1.0, "y": 5.0}
    assert index.match({"a": 1, "c": True}) == ["old", "x", "y"]
    index.check_invariants()


def test_sets_are_enumerated_whatever_their_size() -> None:
    index = bs.Index(STRICT)
    index.add(1, "a IN (" + ", ".join(map(str, range(0, 100, 2))) + ")")
    assert index.match({"a": 98}) == [1]
    assert index.match({"a": 97}) == []


BAD_OPTIONS = [
    ({"max_values": 0}, "max_values is a positive int, not 0"),
    ({"max_values": 2.0}, "max_values is a positive int, not 2.0"),
    ({"domain": 5}, "domain is a pair of ints, not 5"),
    ({"domain": (1, 2.5)}, "domain is a pair of ints of at most"),
    ({"domain": (0, 2**62)}, "domain is a pair of ints of at most"),
    ({"domain": (2, 1)}, "domain: 2 is greater than 1"),
    ({"strict": 1}, "strict is a bool, not 1"),
]


@pytest.mark.parametrize(("options", "message"), BAD_OPTIONS)
def test_bad_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        KIndex(**options)


def test_options_go_with_copies() -> None:
    engine = KIndex(max_values=7, domain=(1, 5), strict=True)
    assert repr(engine) == "KIndex(max_values=7, domain=(1, 5), strict=True)"
    index = bs.Index(engine).copy()
    with pytest.raises(bs.BudgetError):
        index.add(1, "a BETWEEN 1.5 AND 2.5")
    index.add(1, "a > 2")
    assert index.match({"a": 3}) == [1]
    assert repr(KIndex()) == "KIndex()"


# --- Updates ---


def test_lists_let_go_of_the_dead() -> None:
    """One list, always full of newer clauses: it stays in proportion to the live ones."""
    index = bs.Index("kindex")
    for id_ in range(20_000):
        index.add(id_, "a = 1")
        if id_ >= 100:
            del index[id_ - 100]
    assert index.match({"a": 1}) == list(range(19_900, 20_000))
    index.check_invariants()
    assert len(index.buffers()["kindex.entries"]) < 8_000


def test_updates_mixed_with_matches() -> None:
    dice = random.Random(11)
    index, model = bs.Index(KIndex(max_values=5)), {}
    for step in range(3_000):
        id_ = dice.randrange(400)
        if dice.random() < 0.4 and id_ in model:
            del index[id_], model[id_]
        else:
            names = dice.sample("abcdef", dice.randint(1, 4))
            value = dice.randrange(6)
            text = " AND ".join(
                f"{name} {dice.choice([f'= {value}', f'!= {value}', f'> {value}', f'BETWEEN 1 AND {value + 1}'])}"
                for name in names
            )
            weight = float(dice.randrange(50))
            if id_ in model:
                index.replace(id_, text, weight)
                model[id_] = text, weight
            else:
                index.add(id_, text, weight)
                model[id_] = text, weight
        if step % 20 == 0:
            event = {name: dice.choice([0, 1, 2, 2.5, 3]) for name in dice.sample("abcdef", 4)}
            parsed = {other: bs.parse(text) for other, (text, _) in model.items()}
            found = set(oracle.matching(parsed, event))
            assert index.match(event) == [other for other in index if other in found]
            best = sorted((other for other in index if other in found), key=lambda other: -model[other][1])[
                :3
            ]
            assert [other for other, _ in index.top_k(event, 3)] == best
        if step % 500 == 0:
            index.check_invariants()


# --- Ranking ---


def test_ranking_spares_candidates_where_weights_are_skewed() -> None:
    dice = random.Random(5)
    n = 20_000
    index = bs.Index("kindex")
    texts = [
        " AND ".join(f"a{i} = {dice.randrange(3)}" for i in dice.sample(range(12), dice.randint(1, 3)))
        for _ in range(n)
    ]
    index.add_many(range(n), texts, weight=[dice.paretovariate(1) for _ in range(n)])
    event = {f"a{i}": 1 for i in range(12)}
    everything, all_candidates, all_steps = counted(index, lambda: index.top_k(event, n))
    best, candidates, steps = counted(index, lambda: index.top_k(event, 10))
    assert best == everything[:10]
    assert len(everything) == index.match_count(event) == all_candidates
    assert candidates < all_candidates / 20
    assert steps < all_steps


def test_ranking_leaves_out_lists_of_light_attributes() -> None:
    """The heavy attribute is in a tenth of the expressions; lists without it are never merged."""
    n = 5_000
    index = bs.Index("kindex")
    texts = [f"{'heavy' if i % 10 == 0 else 'light'} = 1 AND b = {i % 2}" for i in range(n)]
    weights = [{"heavy": 100 + i} if i % 10 == 0 else {"light": 1} for i in range(n)]
    index.add_many(range(n), texts, weights=weights)
    event = {"heavy": 1, "light": 1, "b": 0}
    best, candidates, _ = counted(index, lambda: index.top_k(event, 5))
    assert best == [(n - 10 - 10 * i, 100.0 + n - 10 - 10 * i) for i in range(5)]
    assert candidates <= n / 10 + 25
    # The event's weights turn it round.
    assert index.top_k(event, 2, {"heavy": 0}) == [(2, 1.0), (4, 1.0)]


# --- Invariants ---


def corrupted(name: str, change: Callable[[Any], None], weighted: bool = False) -> bs.Index:
    index = bs.Index("kindex")
    weight = [3.0] * 60 if weighted else None
    index.add_many(
        range(60), [f"a = {i % 2} AND b != 7" if i % 3 else "c > 5" for i in range(60)], weight=weight
    )
    index.check_invariants()
    rebuild, (format_, kind, options, budget, store, engine) = index.__reduce__()  # type: ignore[misc]
    engine = dict(engine)
    change(engine[name])
    return rebuild(format_, kind, options, budget, store, engine)  # type: ignore[no-any-return]


def put(at: Any, value: Any) -> Callable[[Any], None]:
    def change(array: Any) -> None:
        array[at] = value

    return change


def turn_round(entries: Any) -> None:
    entries[:] = entries[::-1].copy()


def swap_terms(terms: Any) -> None:
    pairs = terms.reshape(-1, 2)
    pairs[:] = np.roll(pairs, 1, axis=0)


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("kindex.used", put(0, 1), "1: "),
        ("kindex.terms", swap_terms, "1: a term that is not found"),
        ("kindex.present", put(slice(None), NONE), "2: lists out of reach"),
        ("kindex.lists", put(0, 0), "2: "),
        ("kindex.entries", turn_round, "3: entries out of order"),
        ("kindex.lists", put(3, 10**6), "3: a list beyond the entries"),
        ("kindex.lists", put(2, 3), "4: "),
    ],
)
def test_check_invariants_finds_damage(name: str, change: Callable[[Any], None], message: str) -> None:
    with pytest.raises(AssertionError, match=message):
        corrupted(name, change).check_invariants()


@pytest.mark.parametrize("name", ["kindex.whole_bound", "kindex.partition_bound"])
def test_check_invariants_finds_bounds_that_are_too_low(name: str) -> None:
    with pytest.raises(AssertionError, match="5: bound"):
        corrupted(name, put(slice(None), 1.0), weighted=True).check_invariants()
