"""Reading Arrow producers: what each type becomes, whatever the slice, the chunks and the blocks."""

import ctypes
import gc
import math
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from fractions import Fraction

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boolsieve.encoding.arrow import ArrowSource, to_columns
from boolsieve.errors import EncodingError

INT64_MAX = 2**63 - 1
DAY = 86_400_000_000


def column(values, **options):
    """What a single column is read as."""
    return to_columns(pa.table({"x": values}), **options)["x"]


# ---- scalars -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bits", [8, 16, 32, 64])
def test_integers_of_all_widths_keep_their_limits(bits):
    low, high = -(2 ** (bits - 1)), 2 ** (bits - 1) - 1
    assert column(pa.array([low, None, high, 0], f"int{bits}")) == [low, None, high, 0]
    assert column(pa.array([2**bits - 1, None, 0], f"uint{bits}")) == [2**bits - 1, None, 0]


def test_nan_is_absent_and_infinity_is_a_value():
    values = [1.5, math.nan, None, math.inf, -math.inf, -0.0, 5e-324]
    assert column(values) == [1.5, None, None, math.inf, -math.inf, 0.0, 5e-324]
    assert column(pa.array([math.nan] * 3)) == [None] * 3
    assert column(pa.array([0.1, math.nan], "float32")) == [float(np.float32(0.1)), None]


def test_half_floats_equal_numpy_for_every_bit_pattern():
    halves = np.arange(2**16, dtype=np.uint16).view(np.float16)
    expected = [None if math.isnan(value) else value for value in halves.astype(np.float64).tolist()]
    assert column(pa.array(halves)) == expected


@pytest.mark.parametrize("kind", ["string", "large_string", "string_view"])
def test_strings_of_all_layouts(kind):
    values = ["", "short", None, "exactly 12 b", "longer than twelve bytes", "äöü€😀" * 5, "a\0b"]
    assert column(pa.array(values, kind)) == values
    assert column(pa.array(values * 3, kind)[4:17], rows=3) == (values * 3)[4:17]


def test_bools_and_nulls():
    values = [True, None, False] * 7
    assert column(pa.array(values)) == values
    assert column(pa.nulls(3)) == [None] * 3


@pytest.mark.parametrize("n", [1, 7, 8, 9, 63, 64, 65, 130])
@pytest.mark.parametrize("offset", [0, 1, 7, 8, 13])
def test_bitmaps_at_every_offset_and_length(n, offset):
    values = [None if i % 5 == 3 else i % 3 == 1 for i in range(200)]
    assert column(pa.array(values)[offset : offset + n]) == values[offset : offset + n]
    ints = [None if value is None else i for i, value in enumerate(values)]
    assert column(pa.array(ints)[offset : offset + n]) == ints[offset : offset + n]


def test_dates_before_and_after_1970():
    days = [date(1960, 1, 1), date(1970, 1, 1), None, date(2026, 2, 3)]
    expected = [None if day is None else (day - date(1970, 1, 1)).days * DAY for day in days]
    assert column(pa.array(days, pa.date32())) == expected
    assert column(pa.array(days, pa.date64())) == expected


@pytest.mark.parametrize("zone", [None, "UTC", "America/New_York"])
@pytest.mark.parametrize(("unit", "size"), [("s", 1_000_000), ("ms", 1000), ("us", 1)])
def test_timestamps_are_instants_whatever_their_zone(unit, size, zone):
    assert column(pa.array([5, -5, None], pa.timestamp(unit, zone))) == [5 * size, -5 * size, None]


def test_nanoseconds_round_down_and_say_so():
    times = pa.array([0, 1, 999, 1000, -1, -999, -1000, -1001, None, INT64_MAX, -(2**63)], pa.timestamp("ns"))
    most, least = INT64_MAX // 1000, -(2**63) // 1000
    assert column(times[:9]) == [0, (0, 1), (0, 1), 1, (-1, 0), (-1, 0), -1, (-2, -1), None]
    assert column(times[9:]) == [(most, most + 1), (least, least + 1)]


def test_times_beyond_the_range_of_microseconds_stop_at_its_ends():
    ends = [(INT64_MAX, INT64_MAX + 1), (-(2**63), -(2**63) + 1)]
    for unit, size in (("s", 1_000_000), ("ms", 1000)):
        last = INT64_MAX // size
        times = pa.array([last, last + 1, -last, -last - 2], pa.timestamp(unit))
        assert column(times) == [last * size, ends[0], -last * size, ends[1]]
    days = INT64_MAX // DAY
    dates = pa.array([days, days + 1, -days, -days - 1], pa.int32()).cast(pa.date32())
    assert column(dates) == [days * DAY, ends[0], -days * DAY, ends[1]]


@pytest.mark.parametrize("make", [pa.decimal32, pa.decimal64, pa.decimal128, pa.decimal256])
def test_decimals_of_all_widths(make):
    values = [Decimal("-1.25"), Decimal("0.10"), None, Decimal("99999.99"), Decimal("-0.01"), Decimal(0)]
    assert column(pa.array(values, make(9, 2))) == [-1.25, 0.1, None, 99999.99, -0.01, 0]


def test_whole_decimals_are_exact_within_int64():
    whole = [2**53 + 1, -(2**53) - 1, INT64_MAX, -(2**63), 2**62 + 1, 7]
    for scale in (0, 2, 18):
        kind = pa.decimal128(38, scale)
        assert column(pa.array([Decimal(value) for value in whole], kind)) == whole
    assert column(pa.array([Decimal(10**17 + 1)], pa.decimal128(18, 0))) == [10**17 + 1]
    assert column(pa.array([Decimal(12300)], pa.decimal128(5, -2))) == [12300]
    assert column(pa.array([Decimal(9007199254740993) * 1000], pa.decimal128(38, -3))) == [
        9007199254740993000
    ]
    assert column(pa.array([Decimal(2**63), Decimal(10**30)], pa.decimal128(38, 0))) == [2.0**63, 1e30]


@given(st.integers(-(10**76) + 1, 10**76 - 1), st.integers(0, 76))
@settings(max_examples=200, deadline=None)
def test_decimals_become_the_nearest_double(digits, scale):
    got = column(
        pa.array([Decimal((digits < 0, tuple(map(int, str(abs(digits)))), -scale))], pa.decimal256(76, scale))
    )
    exact = Fraction(digits, 10**scale)
    assert got[0] == (exact.numerator if abs(exact) < 2**63 and exact.denominator == 1 else float(exact))


@given(st.integers(-(10**38) + 1, 10**38 - 1).map(lambda x: x // 10 ** (abs(x) % 37)), st.integers(-20, 38))
@settings(max_examples=200, deadline=None)
def test_decimals_of_any_scale_become_the_nearest_double(digits, scale):
    raw = pa.py_buffer(digits.to_bytes(16, "little", signed=True))
    array = pa.Array.from_buffers(pa.decimal128(38, scale), 1, [None, raw])
    exact = Fraction(digits) / Fraction(10) ** scale
    whole = -(2**63) <= exact < 2**63 and exact.denominator == 1
    assert column(array) == [exact.numerator if whole else float(exact)]


# ---- dictionaries and runs ---------------------------------------------------------------------------------


@pytest.mark.parametrize("by_codes", [False, True])
@pytest.mark.parametrize("index", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"])
def test_dictionaries_of_all_index_widths(index, by_codes):
    codes = pa.array([2, None, 0, 1, 2, 3], index)
    array = pa.DictionaryArray.from_arrays(codes, pa.array(["a", "b", "c", None]))
    assert column(array, by_codes=by_codes) == ["c", None, "a", "b", "c", None]
    assert column(array[1:4], by_codes=by_codes) == [None, "a", "b"]


@pytest.mark.parametrize("by_codes", [False, True])
def test_dictionaries_of_other_types_than_strings(by_codes):
    for values in ([1, 2**60], [1.5, math.nan], [date(1960, 1, 1), date(2000, 1, 1)], [True, False]):
        dense = pa.array(values)
        codes = pa.array([1, 0, None, 1])
        array = pa.DictionaryArray.from_arrays(codes, dense)
        assert column(array, by_codes=by_codes) == column(dense.take(codes))


@pytest.mark.parametrize("by_codes", [False, True])
def test_an_empty_dictionary_has_only_absent_rows(by_codes):
    for kind in ("string", "int64", "double", "uint64", "bool", "date32"):
        codes = pa.array([None, None], "int32")
        assert column(pa.DictionaryArray.from_arrays(codes, pa.array([], kind)), by_codes=by_codes) == [
            None,
            None,
        ]


def test_a_huge_dictionary():
    words = pa.array([f"word {i}" for i in range(200_000)])
    codes = pa.array(np.random.default_rng(3).integers(0, len(words), 5000))
    array = pa.DictionaryArray.from_arrays(codes, words)
    expected = words.take(codes).to_pylist()
    assert column(array, rows=100) == expected
    assert column(array, rows=5000, by_codes=True) == expected


@pytest.mark.parametrize("by_codes", [False, True])
@pytest.mark.parametrize("ends", ["int16", "int32", "int64"])
def test_runs_of_all_widths_and_slices(ends, by_codes):
    runs = pa.RunEndEncodedArray.from_arrays(pa.array([2, 5, 6, 10], ends), pa.array(["a", None, "b", "c"]))
    expected = ["a", "a", None, None, None, "b", "c", "c", "c", "c"]
    for start in range(10):
        for stop in range(start, 11):
            assert column(runs[start:stop], by_codes=by_codes, rows=4) == expected[start:stop]


@pytest.mark.parametrize("by_codes", [False, True])
def test_runs_of_dictionary_codes(by_codes):
    words = pa.DictionaryArray.from_arrays(pa.array([1, None, 0]), pa.array(["a", "b"]))
    runs = pa.RunEndEncodedArray.from_arrays(pa.array([1, 3, 4], "int32"), words)
    assert column(runs, by_codes=by_codes) == ["b", None, None, "a"]


# ---- lists, maps, structs ----------------------------------------------------------------------------------

LISTS = [[1, 2], None, [], [3, None], [4], [5, 6, 7]]


@pytest.mark.parametrize(
    "kind",
    [
        pa.list_(pa.int64()),
        pa.large_list(pa.int32()),
        pa.list_view(pa.int64()),
        pa.large_list_view(pa.int8()),
    ],
)
def test_lists_of_all_layouts_and_slices(kind):
    array = pa.array(LISTS, kind)
    for start in range(6):
        for stop in range(start, 7):
            assert column(array[start:stop], rows=2) == LISTS[start:stop]


def test_fixed_size_lists():
    values = [["a", "b"], None, ["c", None], ["d", "e"]]
    array = pa.array(values, pa.list_(pa.string(), 2))
    assert column(array) == values
    assert column(array[1:3]) == values[1:3]
    assert column(pa.array([[], None], pa.list_(pa.int64(), 0))) == [[], None]


def test_list_views_in_any_order_and_overlapping():
    views = pa.ListViewArray.from_arrays(
        pa.array([3, 0, 1, 4], "int32"), pa.array([2, 2, 3, 0], "int32"), pa.array(["a", "b", "c", "d", "e"])
    )
    assert column(views) == [["d", "e"], ["a", "b"], ["b", "c", "d"], []]
    words = pa.DictionaryArray.from_arrays(pa.array([1, 0, None]), pa.array(["x", "y"]))
    views = pa.ListViewArray.from_arrays(pa.array([2, 0], "int32"), pa.array([1, 2], "int32"), words)
    assert column(views) == [[None], ["y", "x"]]


def test_values_below_a_null_list_are_not_seen():
    lists = pa.ListArray.from_arrays(
        pa.array([0, 2, 4, 5], "int32"), pa.array([1, 2, 3, 4, 5]), mask=pa.array([False, True, False])
    )
    assert column(lists) == [[1, 2], None, [5]]


def test_lists_of_other_encodings():
    for kind in (pa.dictionary(pa.int8(), pa.string()), pa.string_view()):
        assert column(pa.array([["a", "b"], None, ["b", None]], pa.list_(kind))) == [
            ["a", "b"],
            None,
            ["b", None],
        ]
    assert column(pa.array([[None], []], pa.list_(pa.null()))) == [[None], []]
    assert column(pa.array([[1.5, math.nan]])) == [[1.5, None]]


def test_maps_and_their_slices():
    values = [[("a", 1), ("b", None)], None, [], [("a", 3)], [("ccc", 4), ("d", 5)]]
    array = pa.array(values, pa.map_(pa.string(), pa.int64()))
    expected = [None if pairs is None else dict(pairs) for pairs in values]
    for start in range(5):
        for stop in range(start, 6):
            assert column(array[start:stop], rows=2) == expected[start:stop]


def test_maps_of_lists_and_with_dictionary_keys():
    lists = pa.array(
        [[("a", [1, 2]), ("b", None)], [], [("c", []), ("d", [3])]], pa.map_("string", pa.list_(pa.int64()))
    )
    assert column(lists) == [{"a": [1, 2], "b": None}, {}, {"c": [], "d": [3]}]
    keys = pa.array(["a", "b", "a"]).dictionary_encode()
    maps = pa.MapArray.from_arrays(pa.array([0, 2, 3], "int32"), keys, pa.array([1.5, 2.5, math.nan]))
    assert column(maps) == [{"a": 1.5, "b": 2.5}, {"a": None}]


def test_struct_fields_get_dotted_names_and_the_nulls_of_all_levels():
    values = [
        {"a": 1, "b": {"c": "x", "d": 2.5}},
        None,
        {"a": None, "b": None},
        {"a": 4, "b": {"c": None, "d": 1.0}},
    ]
    table = pa.table({"first": [0, 1, 2, 3], "s": values, "last": [9, 8, 7, 6]})
    expected = {
        "first": [0, 1, 2, 3],
        "s.a": [1, None, None, 4],
        "s.b.c": ["x", None, None, None],
        "s.b.d": [2.5, None, None, 1.0],
        "last": [9, 8, 7, 6],
    }
    assert to_columns(table) == expected
    assert list(to_columns(table)) == list(expected)
    for start in range(4):
        assert to_columns(table.slice(start, 2)) == {
            name: values[start : start + 2] for name, values in expected.items()
        }


def test_a_null_struct_hides_valid_children():
    child = pa.array([1, 2, 3])
    inner = pa.StructArray.from_arrays([child], ["c"], mask=pa.array([False, True, False]))
    outer = pa.StructArray.from_arrays([inner, child], ["b", "a"], mask=pa.array([True, False, False]))
    assert to_columns(pa.table({"s": outer})) == {"s.b.c": [None, None, 3], "s.a": [None, 2, 3]}
    assert to_columns(outer[1:]) == {"b.c": [None, 3], "a": [2, 3]}
    encoded = pa.array(["x", "y", "x"]).dictionary_encode()
    runs = pa.RunEndEncodedArray.from_arrays(pa.array([3], "int32"), pa.array(["r"]))
    outer = pa.StructArray.from_arrays([encoded, runs], ["d", "r"], mask=pa.array([True, False, False]))
    for by_codes in (False, True):
        assert to_columns(outer, by_codes=by_codes) == {"d": [None, "y", "x"], "r": [None, "r", "r"]}


def test_a_record_batch_array_with_null_rows_has_absent_values_there():
    batch = pa.StructArray.from_arrays([pa.array([1, 2])], ["a"], mask=pa.array([False, True]))
    assert to_columns(batch) == {"a": [1, None]}


# ---- what does not suit ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("array", "name"),
    [
        (pa.array([b"x"]), "binary"),
        (pa.array([b"x"], pa.large_binary()), "large_binary"),
        (pa.array([b"xy"], pa.binary(2)), "fixed_size_binary[2]"),
        (pa.array([timedelta(1)]), "duration[us]"),
        (pa.array([5], pa.time32("s")), "time32[s]"),
        (pa.array([(1, 2, 3)], pa.month_day_nano_interval()), "interval[month, day, ns]"),
        (pa.array([[{"a": 1}]]), "list<struct>"),
        (pa.array([[[1]]]), "list<list<int64>>"),
        (pa.array([[(1, 2)]], pa.map_(pa.int64(), pa.int64())), "map<int64, int64>"),
        (pa.array([b"x"]).dictionary_encode(), "dictionary<binary>"),
        (pa.UnionArray.from_sparse(pa.array([0], "int8"), [pa.array([1])]), "sparse_union"),
    ],
)
def test_unsuitable_types_are_named_and_disturb_no_other_column(array, name):
    assert to_columns(pa.table({"x": array, "y": [1]})) == {"x": name, "y": [1]}


@pytest.mark.parametrize("data", [[1, 2], {"a": 1}, None, 5])
def test_what_is_no_producer_is_named(data):
    with pytest.raises(EncodingError, match=f"{type(data).__name__} is no Arrow producer"):
        to_columns(data)


@pytest.mark.parametrize("data", [pa.array([1]), pa.chunked_array([[1]]), pl.Series([1])])
def test_arrays_that_are_no_tables_are_refused(data):
    with pytest.raises(
        EncodingError, match="must be a table or a struct array, not an Arrow array of type int64"
    ):
        to_columns(data)


def test_structs_nested_without_end_are_refused():
    kind = pa.int64()
    for _ in range(200):
        kind = pa.struct([("a", kind)])
    with pytest.raises(EncodingError, match="nested deeper than 64 levels"):
        to_columns(Tampered(pa.array([None], kind)))


def test_errors_of_the_producer_keep_their_text():
    def batches():
        yield pa.record_batch({"a": [1]})
        raise ValueError("the disk is on fire")

    with pytest.raises((EncodingError, OSError), match="the disk is on fire"):
        to_columns(pa.RecordBatchReader.from_batches(pa.schema([("a", "int64")]), batches()))


def test_a_consumed_reader_is_an_error_or_empty_but_no_crash():
    class Twice:
        def __init__(self):
            self.capsule = pa.table({"a": [1]}).__arrow_c_stream__()

        def __arrow_c_stream__(self, requested_schema=None):
            return self.capsule

    twice = Twice()
    assert to_columns(twice) == {"a": [1]}
    with pytest.raises(EncodingError, match="consumed before"):
        to_columns(twice)


def test_a_producer_without_the_right_capsule_is_refused():
    class Wrong:
        def __arrow_c_stream__(self, requested_schema=None):
            return "no capsule"

    with pytest.raises(EncodingError, match="no capsule of the name arrow_array_stream"):
        to_columns(Wrong())


# ---- producers ---------------------------------------------------------------------------------------------


def test_batches_and_chunks_are_read_one_after_another():
    table = pa.table({"a": pa.chunked_array([[1, 2], [], [3]]), "b": pa.chunked_array([["x"], ["y", None]])})
    assert to_columns(table) == {"a": [1, 2, 3], "b": ["x", "y", None]}
    assert to_columns(table.to_reader(max_chunksize=1)) == {"a": [1, 2, 3], "b": ["x", "y", None]}


def test_empty_tables_have_columns_without_values():
    schema = pa.schema(
        [
            ("a", pa.int64()),
            ("s", pa.string()),
            ("l", pa.list_(pa.int8())),
            ("d", pa.dictionary("int8", "string")),
        ]
    )
    for table in (
        schema.empty_table(),
        pa.Table.from_batches([], schema),
        pl.from_arrow(schema.empty_table()),
    ):
        assert to_columns(table) == {"a": [], "s": [], "l": [], "d": []}
    assert to_columns(pa.table({})) == {}


def test_polars_frames():
    frame = pl.DataFrame(
        {
            "view": ["short", None, "longer than twelve bytes"],
            "category": pl.Series(["x", None, "x"], dtype=pl.Categorical),
            "level": pl.Series(["lo", "hi", None], dtype=pl.Enum(["lo", "hi"])),
            "list": [[1, 2], None, []],
            "struct": [{"a": 1}, None, {"a": None}],
            "time": [datetime(1960, 1, 1, 0, 0, 0, 1), None, datetime(2020, 1, 1)],
            "decimal": pl.Series([Decimal("1.50"), None, Decimal("-2.25")], dtype=pl.Decimal(10, 2)),
            "array": pl.Series([[1, 2], None, [3, 4]], dtype=pl.Array(pl.Int16, 2)),
        }
    )
    epoch = datetime(1970, 1, 1)
    times = [None if time is None else (time - epoch) // timedelta(microseconds=1) for time in frame["time"]]
    expected = {
        "view": frame["view"].to_list(),
        "category": ["x", None, "x"],
        "level": ["lo", "hi", None],
        "list": [[1, 2], None, []],
        "struct.a": [1, None, None],
        "time": times,
        "decimal": [1.5, None, -2.25],
        "array": [[1, 2], None, [3, 4]],
    }
    for by_codes in (False, True):
        assert to_columns(frame, by_codes=by_codes) == expected
        assert to_columns(frame[1:], by_codes=by_codes) == {
            name: values[1:] for name, values in expected.items()
        }


def test_pandas_frames():
    frame = pd.DataFrame(
        {"a": [1, 2], "f": [0.5, math.nan], "s": ["x", None], "c": pd.Categorical(["u", "v"])}
    )
    frame["t"] = pd.to_datetime(["2020-01-01", None]).tz_localize("Europe/Berlin")
    noon = datetime(2019, 12, 31, 23, tzinfo=timezone.utc).timestamp() * 1e6
    assert to_columns(frame) == {
        "a": [1, 2],
        "f": [0.5, None],
        "s": ["x", None],
        "c": ["u", "v"],
        "t": [noon, None],
    }


def test_duckdb_relations():
    relation = duckdb.sql(
        "SELECT i AS a, i::UTINYINT AS u, i / 2 AS f, 'row ' || i AS s, [i, i + 1] AS l, MAP {'k': i} AS m, "
        "{'x': i} AS st, DATE '1969-12-31' AS d, i::DECIMAL(10, 2) AS dec, 'lo'::ENUM('lo', 'hi') AS e, "
        "i::HUGEINT AS h FROM range(3) t(i)"
    )
    assert to_columns(relation) == {
        "a": [0, 1, 2],
        "u": [0, 1, 2],
        "f": [0, 0.5, 1],
        "s": ["row 0", "row 1", "row 2"],
        "l": [[0, 1], [1, 2], [2, 3]],
        "m": [{"k": 0}, {"k": 1}, {"k": 2}],
        "st.x": [0, 1, 2],
        "d": [-DAY] * 3,
        "dec": [0, 1, 2],
        "e": ["lo"] * 3,
        "h": [0, 1, 2],
    }


def test_duckdb_gives_many_batches():
    values = to_columns(duckdb.sql("SELECT i, 'x' || (i % 7) AS s FROM range(10000) t(i)"))
    assert values == {"i": list(range(10000)), "s": [f"x{i % 7}" for i in range(10000)]}


# ---- producers that lie ------------------------------------------------------------------------------------


class Schema(ctypes.Structure):
    pass


Schema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_char_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(Schema))),
    ("dictionary", ctypes.POINTER(Schema)),
    ("release", ctypes.c_void_p),
    ("private_data", ctypes.c_void_p),
]


class Array(ctypes.Structure):
    pass


Array._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(Array))),
    ("dictionary", ctypes.POINTER(Array)),
    ("release", ctypes.c_void_p),
    ("private_data", ctypes.c_void_p),
]

RELEASE = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


def struct_in(capsule, name, kind):
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return kind.from_address(get(capsule, name))


class Tampered:
    """A producer of one batch with the column x; tests change its C structs and count the releases."""

    def __init__(self, values, tamper=lambda schema, array: None):
        batch = pa.StructArray.from_arrays([values], ["x"])
        self.schema, self.array = batch.__arrow_c_array__()
        self.released = []
        self.callbacks = []
        schema = struct_in(self.schema, b"arrow_schema", Schema)
        array = struct_in(self.array, b"arrow_array", Array)
        for name, struct in (("schema", schema), ("array", array)):
            self.count(name, struct)
        tamper(schema.children[0].contents, array.children[0].contents)

    def count(self, name, struct):
        release = RELEASE(struct.release)
        child = struct.children[0].contents
        honest = ctypes.string_at(ctypes.addressof(child), ctypes.sizeof(child))

        def counted(pointer):
            self.released.append(name)
            ctypes.memmove(ctypes.addressof(child), honest, ctypes.sizeof(child))  # what pyarrow must find
            release(pointer)

        self.callbacks.append(RELEASE(counted))
        struct.release = ctypes.cast(self.callbacks[-1], ctypes.c_void_p).value

    def __arrow_c_array__(self, requested_schema=None):
        return self.schema, self.array


def test_what_was_read_is_released_once():
    producer = Tampered(pa.array([1, 2]))
    assert to_columns(producer) == {"x": [1, 2]}
    assert sorted(producer.released) == ["array", "schema"]
    del producer.schema, producer.array
    gc.collect()
    assert sorted(producer.released) == ["array", "schema"]


def test_what_was_never_read_is_released_once():
    producer = Tampered(pa.array([1, 2]))
    source = ArrowSource(producer)
    assert producer.released == []
    del source
    assert sorted(producer.released) == ["array", "schema"]


def set_fields(**fields):
    def tamper(schema, array):
        for name, value in fields.items():
            setattr(schema if name in ("format",) else array, name, value)

    return tamper


def without_buffer(number):
    def tamper(schema, array):
        array.buffers[number] = None

    return tamper


@pytest.mark.parametrize(
    ("values", "tamper", "problem"),
    [
        (pa.array([1, 2]), set_fields(length=-1), "column 'x' has the length -1"),
        (pa.array([1, 2]), set_fields(offset=-1), "column 'x' has the length 2 and the offset -1"),
        (pa.array([1, 2]), set_fields(offset=INT64_MAX), "column 'x' has the length 2 and the offset"),
        (pa.array([1, 2]), set_fields(length=1), "column 'x' has 1 values for rows 0 to 2"),
        (pa.array([1, 2]), set_fields(n_buffers=1), "column 'x' has 1 buffers instead of 2"),
        (pa.array(["a"]), set_fields(n_buffers=2), "column 'x' has 2 buffers instead of 3"),
        (pa.array(["a"], "string_view"), set_fields(n_buffers=2), "column 'x' has 2 buffers instead of 3"),
        (pa.array([1, 2]), without_buffer(1), "column 'x' has values but no buffer"),
        (pa.array(["a"]), without_buffer(1), "column 'x' has values but no buffer"),
        (pa.array([[1]], pa.list_view(pa.int64())), without_buffer(2), "column 'x' has values but no buffer"),
        (pa.array([1, 2]), set_fields(n_children=1), "column 'x' has 1 child arrays instead of 0"),
        (pa.array(["a"]).dictionary_encode(), set_fields(dictionary=None), "column 'x' has no dictionary"),
        (pa.array([1, 2]), set_fields(format=b"d:10"), "malformed decimal format 'd:10'"),
        (pa.array([1, 2]), set_fields(format=b"d:10,2,77"), "malformed decimal format"),
        (pa.array([1, 2]), set_fields(format=b"+l"), "has 0 child types, its format"),
        (pa.array([1, 2]), set_fields(format=None), "without a format"),
    ],
)
def test_malformed_arrays_are_errors_that_name_the_column(values, tamper, problem):
    producer = Tampered(values, tamper)
    with pytest.raises(EncodingError, match=problem):
        to_columns(producer)
    assert sorted(producer.released) == ["array", "schema"]


def test_unknown_formats_are_unsuitable_columns():
    assert to_columns(Tampered(pa.array([1, 2]), set_fields(format=b"?9"))) == {"x": "'?9'"}


@pytest.mark.parametrize("by_codes", [False, True])
@pytest.mark.parametrize(
    ("index", "code"), [("int8", -1), ("int32", 2), ("uint32", 2**32 - 1), ("uint64", 2**64 - 1)]
)
def test_codes_beyond_the_dictionary_are_errors(index, code, by_codes):
    words = pa.array(["a", "b"])
    bad = pa.DictionaryArray.from_arrays(pa.array([0, code], index), words, safe=False)
    with pytest.raises(EncodingError, match="column 'x' has dictionary codes beyond its dictionary of 2"):
        column(bad, by_codes=by_codes)
    hidden = pa.DictionaryArray.from_buffers(
        pa.dictionary(index, pa.string()), 2, [pa.py_buffer(b"\1"), bad.indices.buffers()[1]], words
    )
    assert column(hidden, by_codes=by_codes) == ["a", None]


def test_offsets_that_go_backwards_are_errors():
    offsets = pa.py_buffer(np.array([0, 2, 1], np.int32))
    strings = pa.Array.from_buffers(pa.string(), 2, [None, offsets, pa.py_buffer(b"abc")])
    with pytest.raises(EncodingError, match="column 'x' has malformed string offsets"):
        column(strings)
    for stop in (1, 9):
        offsets = np.array([0, 2, 3], np.int32)
        buffers = [None, pa.py_buffer(offsets)]
        lists = pa.Array.from_buffers(pa.list_(pa.int64()), 2, buffers, children=[pa.array([1, 2, 3])])
        table = pa.table({"x": lists})
        offsets[2] = stop  # only now, as pyarrow refuses to make such an array
        with pytest.raises(EncodingError, match="column 'x' has malformed list offsets"):
            to_columns(table)


@pytest.mark.parametrize("view", [(20, 0, 5, 0), (20, 0, 0, 5), (20, 0, 0, -1), (-1, 0, 0, 0)])
def test_views_beyond_their_buffers_are_errors_unless_null(view):
    views = pa.py_buffer(np.array(view, np.int32))
    data = pa.py_buffer(b"x" * 20)
    for validity in (None, pa.py_buffer(b"\0")):
        strings = pa.Array.from_buffers(pa.string_view(), 1, [validity, views, data])
        if validity is None:
            with pytest.raises(EncodingError, match="column 'x' has a malformed string view"):
                column(strings)
        else:
            assert column(strings) == [None]


def test_runs_that_end_too_early_are_errors():
    ends = np.array([2, 5], np.int32)
    table = pa.table({"x": pa.RunEndEncodedArray.from_arrays(pa.array(ends), pa.array([1, 2]))})
    ends[1] = 3
    with pytest.raises(EncodingError, match="column 'x' has runs that end before row 3"):
        to_columns(table)


@pytest.mark.parametrize(
    "kind", ["int16", "int64", "uint64", "double", "string", "decimal128(20, 1)", "timestamp[ns]"]
)
def test_buffers_need_not_be_aligned(kind):
    kind = {"decimal128(20, 1)": pa.decimal128(20, 1), "timestamp[ns]": pa.timestamp("ns")}.get(kind, kind)
    array = pa.array([1, None, 3], "int64").cast(kind)
    moved = [
        None if buffer is None else pa.py_buffer(b"." + buffer.to_pybytes())[1:] for buffer in array.buffers()
    ]
    assert column(pa.Array.from_buffers(array.type, 3, moved)) == column(array)


# ---- round trips -------------------------------------------------------------------------------------------

SCALARS = [
    (st.integers(-(2**63), 2**63 - 1), pa.int64()),
    (st.integers(0, 255), pa.uint8()),
    (st.integers(0, 2**64 - 1), pa.uint64()),
    (st.floats(allow_nan=False), pa.float64()),
    (st.floats(allow_nan=False, width=32), pa.float32()),
    (st.text(st.characters(exclude_categories=["Cs"])), pa.string()),
    (st.text(st.characters(exclude_categories=["Cs"])), pa.string_view()),
    (st.booleans(), pa.bool_()),
]


def nullable(values):
    return st.one_of(st.none(), values)


@st.composite
def arrays(draw):
    """Python values and the Arrow type that takes them: scalars, lists, structs and maps of them."""
    values, kind = draw(st.sampled_from(SCALARS))
    shape = draw(
        st.sampled_from(["scalar", "list", "list_view", "struct", "map", "dictionary", "list of dictionary"])
    )
    if "dictionary" in shape and kind != pa.string_view():
        kind = pa.dictionary(pa.int16(), kind)
    if shape.startswith("list"):
        values = st.lists(nullable(values), max_size=4)
        kind = pa.list_view(kind) if shape == "list_view" else pa.list_(kind)
    elif shape == "struct":
        values, kind = st.fixed_dictionaries({"f": nullable(values)}), pa.struct([("f", kind)])
    elif shape == "map":
        values, kind = (
            st.dictionaries(st.text("abc", max_size=3), nullable(values), max_size=3),
            pa.map_("string", kind),
        )
    data = draw(st.lists(nullable(values), max_size=40))
    source = [None if row is None else list(row.items()) for row in data] if shape == "map" else data
    return data, pa.array(source, kind)


@given(arrays(), st.integers(0, 5), st.integers(0, 5), st.integers(1, 50), st.booleans())
@settings(max_examples=150, deadline=None)
def test_slices_and_chunks_of_all_shapes_come_back(case, skip, cut, rows, by_codes):
    data, array = case
    parts = pa.chunked_array([array[skip : skip + cut], array[skip + cut :]])
    expected = data[skip:]
    name = "x"
    if pa.types.is_struct(array.type):
        name, expected = "x.f", [None if row is None else row["f"] for row in expected]
    assert to_columns(pa.table({"x": parts}), rows=rows, by_codes=by_codes) == {name: expected}


@given(
    st.lists(nullable(st.integers(-(2**63), 2**63 - 1))),
    st.sampled_from([("s", 10**6, 1), ("ms", 1000, 1), ("ns", 1, 1000)]),
)
@settings(max_examples=100, deadline=None)
def test_times_are_scaled_exactly(values, unit):
    name, multiply, divide = unit

    def microseconds(value):
        exact = Fraction(value * multiply, divide)
        below = max(-(2**63), min(INT64_MAX, math.floor(exact)))
        return below if below == exact else (below, below + 1)

    expected = [None if value is None else microseconds(value) for value in values]
    assert column(pa.array(values, pa.timestamp(name))) == expected
