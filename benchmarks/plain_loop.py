"""What `scan` is measured against: a plain C++ loop over the same arrays."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path
from typing import Any

import numpy as np

import boolsieve as bs


class PlainLoop:
    """benchmarks/plain_loop.cpp, compiled with the flags of the package, on the arrays of an index."""

    ARRAYS = ("begin", "owner", "head", "low", "high", "sets")
    WHOLE = 1  # VIEW_WHOLE, see csrc/boolsieve/dictionary.hpp

    def __init__(self, index: bs.Index, folder: Path) -> None:
        library = folder / "plain_loop.so"
        source = Path(__file__).with_name("plain_loop.cpp")
        subprocess.run(
            [
                "g++",
                "-O3",
                "-std=c++17",
                "-fno-math-errno",
                "-ffp-contract=off",
                "-shared",
                "-fPIC",
                source,
                "-o",
                library,
            ],
            check=True,
        )
        self._run = ctypes.CDLL(str(library)).plain_loop
        self._run.restype = ctypes.c_size_t
        self._run.argtypes = [*[ctypes.c_void_p] * 6, ctypes.c_size_t, *[ctypes.c_void_p] * 2]
        arrays = index.buffers()
        self._arrays = [arrays[f"store.{name}"] for name in self.ARRAYS]
        self._views = arrays["dictionary.views"].reshape(-1, 16)
        self._attributes = len(arrays["dictionary.attribute_name"])
        ends, text = arrays["dictionary.names.ends"].tolist(), arrays["dictionary.names.bytes"].tobytes()
        starts = [0, *ends[:-1]]
        self._names = {
            text[start:end].decode(): i for i, (start, end) in enumerate(zip(starts, ends, strict=True))
        }
        self._found = np.empty(len(self._arrays[1]), np.uint32)
        self._pointers, self._room = [pointer(array) for array in self._arrays], pointer(self._found)

    def encode(self, event: dict[str, int]) -> Any:
        """The keys of an event of small integers, by attribute."""
        keys = np.zeros(self._attributes, np.uint64)
        keys[0] = 1
        for name, value in event.items():
            if name in self._names:
                keys[self._views[self._names[name], self.WHOLE]] = (1 << 63) + 2 * value
        return keys

    def count(self, keys: Any) -> int:
        """How many clauses hold."""
        return int(self._run(*self._pointers, len(self._arrays[1]), pointer(keys), self._room))


def pointer(array: Any) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)
