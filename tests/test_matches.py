"""The result of a batch: as a sequence of lists, and as seen from pyarrow, polars, pandas and DuckDB."""

import copy
import gc
import pickle
import subprocess
import sys
import weakref

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boolsieve.encoding.arrow import to_columns
from boolsieve.errors import EncodingError
from boolsieve.matches import Matches


def matches_of(lists, dtype=None):
    """Matches of these lists of ids: int64 if all are ints and no dtype is given."""
    ids = [one for row in lists for one in row]
    array = np.empty(len(ids), dtype or (np.int64 if all(type(one) is int for one in ids) else object))
    array[:] = ids
    return Matches(np.cumsum([0, *map(len, lists)], dtype=np.int64), array)


INTS = [[5, 6], [], [7], [2**63 - 1, -1, 0]]
STRINGS = [["alice", "ä€😀"], [], ["", "alice"]]
MIXED = [["alice", 42], [], [7]]


# ---- a sequence of lists -----------------------------------------------------------------------------------


@pytest.mark.parametrize("lists", [INTS, STRINGS, MIXED, [], [[]], [[], []]])
def test_rows_are_lists_of_python_ids(lists):
    matches = matches_of(lists)
    assert len(matches) == len(lists)
    assert matches.to_lists() == list(matches) == lists
    assert [matches[i] for i in range(len(lists))] == lists
    assert [matches[i - len(lists)] for i in range(len(lists))] == lists
    assert all(type(one) in (int, str) for row in matches for one in row)
    assert matches.total == sum(map(len, lists))
    assert matches.counts().tolist() == [len(row) for row in lists]
    assert matches.rows().tolist() == [i for i, row in enumerate(lists) for _ in row]


@pytest.mark.parametrize("row", [4, -5, 10**30])
def test_rows_beyond_the_end_are_index_errors(row):
    with pytest.raises(IndexError, match="of 4"):
        matches_of(INTS)[row]


def test_numpy_integers_are_row_numbers_and_floats_are_not():
    matches = matches_of(INTS)
    assert matches[np.int64(2)] == [7]
    with pytest.raises(TypeError):
        matches[1.0]


@given(st.lists(st.lists(st.integers(-9, 9), max_size=3), max_size=8), st.slices(8), st.slices(8))
@settings(deadline=None)
def test_slices_of_slices_are_those_of_a_list(lists, first, second):
    part = matches_of(lists)[first][second]
    expected = lists[first][second]
    assert part.to_lists() == expected
    assert part == matches_of(expected)
    assert part.offsets[0] == 0
    assert part.offsets[-1] == len(part.ids) == part.total
    assert pickle.loads(pickle.dumps(part)) == part
    assert pa.array(part).to_pylist() == expected
    assert list(zip(part.rows().tolist(), part.ids.tolist(), strict=True)) == part.to_polars().rows()


def test_slices_share_the_memory():
    matches = matches_of(INTS)
    part = matches[1:3]
    assert np.shares_memory(part.ids, matches.ids)
    assert part.ids.tolist() == [7]


def test_iteration_goes_beyond_one_chunk_of_rows():
    lists = [[i, i + 1][: i % 3] for i in range(10_000)]
    assert list(matches_of(lists)) == lists


def test_equality_compares_rows_and_ids():
    assert matches_of(INTS) == matches_of(INTS, object)
    assert matches_of([[1], [2]]) != matches_of([[1, 2], []])
    assert matches_of([[1]]) != matches_of([[2]])
    assert matches_of([[1]]) != matches_of([["1"]])
    assert matches_of([[1]]) != [[1]]
    with pytest.raises(TypeError, match="unhashable"):
        hash(matches_of([]))


def test_repr_shows_the_first_rows_and_ids():
    assert repr(matches_of(MIXED)) == "<Matches: 3 rows, 3 matches: [['alice', 42], [], [7]]>"
    assert repr(matches_of([[1]])) == "<Matches: 1 row, 1 match: [[1]]>"
    assert repr(matches_of([])) == "<Matches: 0 rows, 0 matches: []>"
    assert repr(matches_of([list(range(9))] * 9)) == (
        f"<Matches: 9 rows, 81 matches: [{'[0, 1, 2, 3, 4, ...], ' * 5}...]>"
    )


def test_arrays_are_read_only():
    for array in (matches_of(INTS).ids, matches_of(INTS).offsets, matches_of(INTS)[2:].offsets):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_the_callers_arrays_stay_writable():
    offsets, ids = np.array([0, 1]), np.array([5])
    Matches(offsets, ids)
    assert offsets.flags.writeable
    assert ids.flags.writeable


@pytest.mark.parametrize("lists", [INTS, STRINGS, MIXED, []])
def test_pickles_and_copies_are_equal(lists):
    matches = matches_of(lists)
    assert pickle.loads(pickle.dumps(matches)) == matches
    assert copy.deepcopy(matches) == copy.copy(matches) == matches


def test_a_pickled_slice_holds_only_its_own_ids():
    assert len(pickle.dumps(matches_of([[1]] * 10_000)[:3])) < 1000


@pytest.mark.parametrize("offsets", [[], [0.0, 1.0], [[0, 1]], [-1, 1], [0, 2], [1, 0]])
def test_offsets_that_fit_no_ids_are_refused(offsets):
    with pytest.raises(ValueError, match="offsets must"):
        Matches(np.array(offsets), np.array([5]))


@pytest.mark.parametrize("ids", [np.array([0.5]), np.array(["a"]), np.array([1], np.int32), np.array([[1]])])
def test_ids_of_other_types_are_refused(ids):
    with pytest.raises(EncodingError, match="ids must be int64 or objects"):
        Matches(np.array([0, 1]), ids)


def test_strided_arrays_are_taken():
    matches = Matches(np.array([0, 9, 1, 9, 3])[::2], np.array([5, 0, 6, 0, 7])[::2])
    assert matches.to_lists() == [[5], [6, 7]]
    assert pa.array(matches).to_pylist() == [[5], [6, 7]]


# ---- seen from outside -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lists", "kind"), [(INTS, pa.int64()), (STRINGS, pa.string()), ([], pa.int64()), ([[], []], pa.int64())]
)
def test_pyarrow_takes_lists_and_pairs(lists, kind):
    matches = matches_of(lists)
    array = matches.to_arrow()
    array.validate(full=True)
    assert array.type == pa.list_(kind)
    assert array.to_pylist() == lists
    table = pa.table(matches)
    table.validate(full=True)
    assert table.schema == pa.schema([("row", pa.int64()), ("id", kind)])
    assert table["row"].to_pylist() == matches.rows().tolist()
    assert table["id"].to_pylist() == matches.ids.tolist()


def test_empty_string_ids_stay_strings():
    assert matches_of([[], []], object).to_arrow().type == pa.list_(pa.string())
    assert matches_of([[]], object).to_polars().schema == {"row": pl.Int64, "id": pl.String}


def test_objects_that_are_all_ints_are_exported_as_ints():
    assert matches_of(INTS, object).to_arrow().equals(matches_of(INTS).to_arrow())


@pytest.mark.parametrize("lists", [INTS, STRINGS])
def test_polars_takes_lists_and_pairs(lists):
    matches = matches_of(lists)
    assert pl.Series(matches).to_list() == lists
    frame = matches.to_polars()
    assert frame.columns == ["row", "id"]
    assert frame.rows() == list(zip(matches.rows().tolist(), matches.ids.tolist(), strict=True))


@pytest.mark.parametrize("lists", [INTS, STRINGS, MIXED])
def test_pandas_takes_pairs_and_may_write_to_them(lists):
    matches = matches_of(lists)
    frame = matches.to_pandas()
    assert frame.columns.tolist() == ["row", "id"]
    assert list(zip(frame["row"], frame["id"], strict=True)) == list(
        zip(matches.rows().tolist(), matches.ids.tolist(), strict=True)
    )
    frame.loc[0, "id"] = frame.loc[1, "id"]
    assert matches.to_lists() == lists


def test_pandas_reads_the_stream_itself():
    if not hasattr(pd.DataFrame, "from_arrow"):
        pytest.skip("this pandas has no DataFrame.from_arrow")
    assert pd.DataFrame.from_arrow(matches_of(INTS))["id"].tolist() == [5, 6, 7, 2**63 - 1, -1, 0]


def test_duckdb_queries_the_stream():
    with duckdb.connect() as connection:
        connection.register("matches", matches_of(STRINGS))
        counts = connection.sql("SELECT id, count(*) FROM matches GROUP BY id ORDER BY id").fetchall()
    assert counts == [("", 1), ("alice", 2), ("ä€😀", 1)]


def test_what_is_exported_is_read_back():
    assert to_columns(matches_of(STRINGS)) == {"row": [0, 0, 2, 2], "id": ["alice", "ä€😀", "", "alice"]}


def test_mixed_ids_have_no_typed_column():
    matches = matches_of(MIXED)
    for export in (
        matches.to_arrow,
        matches.to_polars,
        matches.__arrow_c_array__,
        matches.__arrow_c_stream__,
    ):
        with pytest.raises(EncodingError, match="ids are ints and strings"):
            export()


def test_strings_without_a_utf8_form_are_named():
    with pytest.raises(EncodingError, match=r"the id 'a\\ud800' is no valid unicode"):
        matches_of([["a\ud800"]]).to_arrow()


# ---- memory ------------------------------------------------------------------------------------------------


def test_int_ids_are_exported_without_a_copy():
    matches = matches_of(INTS)
    for part, start in ((matches, 0), (matches[1:], 2)):
        address = matches.ids.ctypes.data + 8 * start
        assert part.to_arrow().values.buffers()[1].address == address
        assert pa.table(part)["id"].chunk(0).buffers()[1].address == address
        assert part.to_polars()["id"].to_numpy(allow_copy=False).ctypes.data == address


@pytest.mark.parametrize(
    ("take", "ids_of"),
    [
        (pa.array, lambda array: array.flatten().to_pylist()),
        (pa.table, lambda table: table["id"].to_pylist()),
        (pl.Series, lambda series: series.explode().to_list()),
        (Matches.to_polars, lambda frame: frame["id"].to_list()),
    ],
)
def test_exports_outlive_the_matches_and_let_go_of_them(take, ids_of):
    ids = np.arange(1000)
    alive = weakref.ref(ids)
    taken = take(Matches(np.array([0, 400, 1000]), ids))
    del ids
    gc.collect()
    assert alive() is not None
    assert ids_of(taken) == list(range(1000))
    del taken
    gc.collect()
    assert alive() is None


def test_a_child_outlives_its_parent():
    ids = np.arange(10)
    alive = weakref.ref(ids)
    array = Matches(np.array([0, 4, 10]), ids).to_arrow()
    del ids
    values = array.values
    del array
    gc.collect()
    assert values.to_pylist() == list(range(10))
    del values
    gc.collect()
    assert alive() is None


def test_capsules_that_nobody_takes_are_released():
    ids = np.arange(10)
    alive = weakref.ref(ids)
    matches = Matches(np.array([0, 10]), ids)
    capsules = [matches.__arrow_c_array__(), matches.__arrow_c_stream__()]
    del ids, matches
    assert alive() is not None
    capsules.clear()
    gc.collect()
    assert alive() is None


def test_a_stream_gives_its_schema_again_and_its_batch_once():
    reader = pa.RecordBatchReader.from_stream(matches_of(INTS))
    assert reader.schema.names == ["row", "id"]
    assert len(list(reader)) == 1
    with pytest.raises(StopIteration):
        reader.read_next_batch()


# ---- without the other packages ----------------------------------------------------------------------------


@pytest.mark.parametrize("package", ["pyarrow", "pandas", "polars"])
def test_a_missing_package_is_named(package, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    method = {"pyarrow": "to_arrow"}.get(package, f"to_{package}")
    with pytest.raises(ImportError, match=f"{method}.. needs the package {package}"):
        getattr(matches_of(INTS), method)()


def test_nothing_else_needs_the_other_packages():
    program = """
import sys
sys.modules.update(dict.fromkeys(["pyarrow", "pandas", "polars"]))
import numpy as np
from boolsieve.encoding.arrow import to_columns
from boolsieve.matches import Matches
matches = Matches(np.array([0, 2, 2]), np.array([5, 6]))
assert to_columns(matches) == {"row": [0, 0], "id": [5, 6]}
print(matches)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "<Matches: 2 rows, 2 matches: [[5, 6], []]>\n"
