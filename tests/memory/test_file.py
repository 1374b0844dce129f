"""The checksum of files."""

from __future__ import annotations

import random

import pytest

from boolsieve.memory.file import checksum


@pytest.mark.parametrize("length", [*range(1, 140), 1000, 4096])
def test_each_changed_byte_changes_the_checksum(length: int) -> None:
    rng = random.Random(length)
    data = bytearray(rng.randbytes(length))
    whole = checksum(bytes(data))
    for at in range(length):
        before = data[at]
        for value in {0, 255, before ^ 1, before ^ 128, rng.randrange(256)} - {before}:
            data[at] = value
            assert checksum(bytes(data)) != whole
        data[at] = before


def test_length_order_and_start_count() -> None:
    zeros = [checksum(bytes(length)) for length in range(300)]
    assert len(set(zeros)) == 300
    blocks = [bytes([i]) * 64 for i in range(8)]
    sums = {checksum(b"".join(blocks[i:] + blocks[:i])) for i in range(8)}
    sums |= {checksum(b"".join([blocks[1], blocks[0], *blocks[2:]]))}
    sums |= {checksum(b"".join(blocks), seed) for seed in range(1, 100)}
    assert len(sums) == 108


def test_bits_of_the_checksum_are_even() -> None:
    sums = [checksum(i.to_bytes(8, "little")) for i in range(4000)]
    for bit in range(64):
        assert 1700 < sum(s >> bit & 1 for s in sums) < 2300
