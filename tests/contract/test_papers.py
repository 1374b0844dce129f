"""The worked examples of the papers, on every engine."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import boolsieve as bs

NewIndex = Callable[[], bs.Index]

OPINDEX_TABLE_1 = {
    "S1": "A = 2 AND B IN (3, 6, 9)",
    "S2": "A <= 8 AND C >= 2",
    "S3": "C = 6 AND B <= 4 AND E BETWEEN 3 AND 12",
    "S4": "A = 2",
    "S5": "D >= 12 AND E <= 9",
    "S6": "B IN (3, 6) AND C <= 4 AND D >= 10 AND E <= 7",
}


@pytest.mark.parametrize(
    ("event", "matches"),
    [
        pytest.param({"A": 2, "B": 6}, ["S1", "S4"], id="example 2"),
        # Only S2, S5 and S6 share predicates with it, and each lacks an attribute.
        pytest.param({"B": 6, "C": 3, "E": 9}, [], id="example 5"),
        pytest.param(
            {"A": 2, "B": 6, "C": 3, "D": 12, "E": 7}, ["S1", "S2", "S4", "S5", "S6"], id="all but S3"
        ),
        pytest.param({"B": 4, "C": 6, "E": 12}, ["S3"], id="ends of S3"),
    ],
)
def test_opindex_table_1(new_index: NewIndex, event: dict[str, int], matches: list[str]) -> None:
    index = new_index()
    index.add_many(OPINDEX_TABLE_1.keys(), OPINDEX_TABLE_1.values())
    assert index.match(event) == matches


def test_opindex_wish_list(new_index: NewIndex) -> None:
    index = new_index()
    index.add("wish", "model = 'iphone5s' AND color = 'silver' AND price <= 580")
    product = {
        "model": "iphone5s",
        "color": "silver",
        "storage capacity": "16GB",
        "price": 550,
        "contract": "no",
    }
    assert index.match(product) == ["wish"]
    assert index.match({**product, "price": 581}) == []
    assert index.match({"model": "iphone5", "color": "white", "price": 800, "size": "16GB"}) == []


def test_betree_shopper(new_index: NewIndex) -> None:
    index = new_index()
    index.add(
        "shopper",
        "genre = 'classics' AND era IN ('1920s', '1940s') AND price BETWEEN 20 AND 40 AND ranking < 5"
        " AND format NOT IN ('paperback')",
    )
    item = {
        "genre": "classics",
        "title": "The Sun Also Rises",
        "author": "Hemingway",
        "era": "1920s",
        "price": 26,
        "ranking": 2,
        "format": "hardcover",
    }
    assert index.match(item) == ["shopper"]
    for change in [
        {"era": "1930s"},
        {"price": 41},
        {"ranking": 5},
        {"format": "paperback"},
        {"format": None},
    ]:
        assert index.match({**item, **change}) == []


TATBUL_EXAMPLE_4 = {
    0: "x BETWEEN 10 AND 25 AND y BETWEEN 70 AND 110",
    1: "x BETWEEN 20 AND 45 AND y BETWEEN 60 AND 90",
    # The list of profiles has 30 as the lower end, but figure 6 counts profile 2 among those that hold x = 20.
    2: "x BETWEEN 20 AND 40 AND y BETWEEN 70 AND 80",
    3: "x > 45 AND x < 50 AND y > 40 AND y < 50",
    4: "x <= 40 AND y <= 30",
    5: "x = 55 AND y BETWEEN 20 AND 80",
    6: "x BETWEEN 5 AND 45 AND y = 50",
    7: "x = 35 AND y = 20",
    8: "x BETWEEN 60 AND 65",
    9: "y BETWEEN 100 AND 120",
}


def test_tatbul_example_4(new_index: NewIndex) -> None:
    index = new_index()
    index.add_many(TATBUL_EXAMPLE_4.keys(), TATBUL_EXAMPLE_4.values())
    document = {"x": 20, "y": 80}
    assert index.match(document) == [0, 1, 2]
    index[2] = "x BETWEEN 30 AND 40 AND y BETWEEN 70 AND 80"
    assert index.match(document) == [0, 1]


def test_tatbul_figure_6_matches_on_x_alone(new_index: NewIndex) -> None:
    index = new_index()
    for id_, text in TATBUL_EXAMPLE_4.items():
        on_x = text.split(" AND y ")[0]
        if on_x.startswith("x"):
            index.add(id_, on_x)
    assert index.match({"x": 20}) == [0, 1, 2, 4, 6]
