"""Loading: text to an index that is ready to match."""

from __future__ import annotations

from typing import Any

import boolsieve as bs
import workload


def test_parse(benchmark: Any) -> None:
    text = workload.four_predicates(1)[0]
    assert benchmark(bs.parse, text) == bs.parse(text)


def test_add_many(benchmark: Any, size: int) -> None:
    texts = workload.four_predicates(size)

    def load() -> bs.Index:
        index = bs.Index(engine="scan")
        index.add_many(range(size), texts)
        return index

    index = benchmark.pedantic(load, rounds=3)
    stats = index.stats()
    assert stats["expressions"] == stats["clauses"] == size
    benchmark.extra_info["expressions a second"] = round(size / benchmark.stats["min"])
    benchmark.extra_info["bytes a clause"] = round(stats["bytes"] / size)
    benchmark.extra_info["of these text"] = round(sum(map(len, texts)) / size)


def test_add_one(benchmark: Any, index: bs.Index) -> None:
    ids = iter(range(10**9, 2 * 10**9))
    benchmark(lambda: index.add(next(ids), "a1 = 5 AND a2 >= 17"))
    for id_ in range(10**9, next(ids)):
        index.remove(id_)
