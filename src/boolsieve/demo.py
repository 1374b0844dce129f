"""A first look, by `python -m boolsieve.demo`: a few saved searches, then 100,000 generated ones."""

from __future__ import annotations

import random
import time

import boolsieve as bs

SEARCHES = {
    "alice": "model = 'iphone5s' AND color = 'silver' AND price <= 580",
    "bob": "genre = 'classics' AND price BETWEEN 20 AND 40 AND ranking < 5",
    "carol": "title ILIKE '%whale%' AND NOT (price > 30 OR used)",
    "dave": "tags HAS ANY ('sale', 'new') AND stock IS NOT NULL",
}
EVENTS = (
    {"model": "iphone5s", "color": "silver", "price": 550},
    {"genre": "classics", "title": "The Whale", "price": 25, "ranking": 3, "used": False},
    {"title": "Whales", "price": 12.5, "tags": ["sale"], "stock": 4},
)
EXPRESSIONS, BATCH = 100_000, 2_000
COLORS = ("black", "blue", "gold", "green", "red", "silver", "white")


def saved_searches() -> None:
    index = bs.Index()
    for name, text in SEARCHES.items():
        index.add(name, text)
        print(f"  {name:<6} {text}")
    print()
    for event in EVENTS:
        print(f"  {event}\n      -> {', '.join(map(str, index.match(event))) or 'nobody'}")


def generated_expression(rng: random.Random) -> str:
    shop, color, low = rng.randrange(500), rng.choice(COLORS), rng.randrange(9_500)
    price = f"price BETWEEN {low} AND {low + 500}"
    return f"shop = {shop} AND color = '{color}' AND {price} AND rating >= {rng.randrange(5)}"


def generated_event(rng: random.Random) -> dict[str, object]:
    return {
        "shop": rng.randrange(500),
        "color": rng.choice(COLORS),
        "price": rng.randrange(10_000),
        "rating": round(rng.uniform(0, 5), 1),
    }


def generated_load() -> None:
    rng = random.Random(7)
    expressions = [generated_expression(rng) for _ in range(EXPRESSIONS)]
    events = [generated_event(rng) for _ in range(BATCH)]
    index = bs.Index()

    begin = time.perf_counter()
    index.add_many(range(EXPRESSIONS), expressions)
    added = time.perf_counter()
    matches = index.match_batch(events)
    matched = time.perf_counter()

    print(f"  {'':<14} {'count':>12} {'seconds':>9} {'a second':>14}")
    for what, count, seconds in (
        ("expressions", EXPRESSIONS, added - begin),
        ("events", BATCH, matched - added),
        ("pairs decided", EXPRESSIONS * BATCH, matched - added),
    ):
        print(f"  {what:<14} {count:>12,} {seconds:>9.2f} {count / seconds:>14,.0f}")
    found, size = sum(map(len, matches)), index.stats()["bytes"] / EXPRESSIONS
    print(f"\n  {found:,} matches; {size:.0f} bytes an expression")


def main() -> None:
    print("Saved searches, and the events that find them:\n")
    saved_searches()
    print("\nA generated load:\n")
    generated_load()


if __name__ == "__main__":
    main()
