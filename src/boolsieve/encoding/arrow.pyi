from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

class _Stream(Protocol):
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

class _Array(Protocol):
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...

class ArrowSource:
    def __init__(self, data: _Stream | _Array) -> None: ...

def to_columns(
    data: _Stream | _Array, rows: int = 1024, by_codes: bool = False
) -> dict[str, list[Any] | str]: ...
def export_lists(
    offsets: npt.NDArray[np.int64], ids: npt.NDArray[np.int64] | list[str]
) -> tuple[object, object]: ...
def export_pairs(rows: npt.NDArray[np.int64], ids: npt.NDArray[np.int64] | list[str]) -> object: ...
