"""The string pool and the integer map against a dict."""

from hypothesis import given, settings
from hypothesis import strategies as st

from boolsieve.structures.pool import IntMap, StringPool, hash_of_bytes, hash_of_int

LONGEST = 40  # past the 16 bytes that are hashed without a loop, and past two steps of it


def test_equal_strings_share_an_id_and_ids_are_dense():
    pool = StringPool()
    assert [pool.add(s) for s in (b"b", b"", b"b", b"a", b"")] == [0, 1, 0, 2, 1]
    assert [pool.text(i) for i in range(len(pool))] == [b"b", b"", b"a"]


def test_an_empty_pool_finds_nothing():
    assert StringPool().find(b"") is None
    assert StringPool().find(b"a") is None


@given(st.lists(st.binary(max_size=LONGEST)), st.lists(st.binary(max_size=LONGEST)))
def test_pool_agrees_with_a_dict(added, sought):
    pool, ids = StringPool(), {}
    for string in added:
        assert pool.add(string) == ids.setdefault(string, len(ids))
    pool.check()
    for string in added + sought:
        assert pool.find(string) == ids.get(string)
    assert [pool.text(i) for i in range(len(pool))] == list(ids)


def test_pool_keeps_ids_while_it_grows():
    pool = StringPool()
    strings = [b"%d" % (i * i) for i in range(20_000)]
    assert [pool.add(s) for s in strings] == list(range(20_000))
    pool.check()
    assert [pool.find(s) for s in strings] == list(range(20_000))
    assert pool.find(b"2") is None


def test_reserve_saves_later_growth_and_keeps_what_is_there():
    pool = StringPool()
    pool.add(b"first")
    pool.reserve(1000)
    pool.check()
    assert pool.find(b"first") == 0
    for i in range(999):
        pool.add(b"%d" % i)
    pool.check()


def test_a_copy_of_the_buffers_is_a_pool_of_its_own():
    pool = StringPool()
    pool.add(b"a")
    other = pool.copy()
    other.add(b"b")
    assert (other.find(b"a"), other.find(b"b"), pool.find(b"b")) == (0, 1, None)


def test_hash_reads_every_byte_and_the_length():
    for length in range(1, 3 * LONGEST):
        zero = bytes(length)
        hashes = {hash_of_bytes(zero), hash_of_bytes(bytes(length + 1))}
        hashes |= {hash_of_bytes(zero[:i] + b"\x01" + zero[i + 1 :]) for i in range(length)}
        assert len(hashes) == length + 2, length


def test_hashes_stay_the_same_so_that_saved_tables_are_found_again():
    assert hash_of_bytes(b"") == 0x537F088FA8A5CB13
    assert hash_of_bytes(b"boolsieve") == 0x93A3FAD25437CDAA
    assert hash_of_bytes(bytes(range(50))) == 0xA0B19E97479BF1FB
    assert hash_of_int(1) == 0x961EFF78A2E07AFF


def test_hash_spreads_similar_strings_over_a_table():
    # As many strings as slots leave about 1/e of the slots empty if they spread like random ones.
    for strings in ([b"user_%d" % i for i in range(4096)], [b"%03d" % i for i in range(1000)]):
        for shift in (0, 32):
            used = {(hash_of_bytes(s) >> shift) % len(strings) for s in strings}
            assert len(used) > 0.58 * len(strings)
    for step in (1 << shift for shift in range(0, 53, 4)):
        used = {hash_of_int(i * step) % 4096 for i in range(4096)}
        assert len(used) > 0.58 * 4096, step


KEYS = st.one_of(st.integers(0, 20), st.integers(0, 2**64 - 1))


@given(st.lists(st.tuples(st.sampled_from(["set", "erase", "find"]), KEYS, st.integers(0, 2**32 - 2))))
@settings(max_examples=200)
def test_int_map_agrees_with_a_dict(steps):
    found, expected = IntMap(), {}
    for step, key, value in steps:
        if step == "set":
            found.set(key, value)
            expected[key] = value
        elif step == "erase":
            assert found.erase(key) == (expected.pop(key, None) is not None)
        assert found.find(key) == expected.get(key)
    found.check()
    assert len(found) == len(expected)
    for key, value in expected.items():
        assert found.find(key) == value


def test_int_map_finds_the_rest_while_half_is_erased():
    found = IntMap()
    for i in range(10_000):
        found.set(i << 32, i)
    for i in range(0, 10_000, 2):
        assert found.erase(i << 32)
    found.check()
    assert [found.find(i << 32) for i in range(10_000)] == [i if i % 2 else None for i in range(10_000)]


def test_a_copy_of_the_buffers_is_an_int_map_of_its_own():
    found = IntMap()
    found.set(0, 7)
    other = found.copy()
    other.erase(0)
    assert (found.find(0), other.find(0), len(other)) == (7, None, 0)
