from collections.abc import Sequence
from typing import Literal

from boolsieve.engines.base import Engine

def plan(rates: Sequence[float]) -> list[tuple[int, Literal["exclusive", "inclusive"]]]: ...

class Dexin(Engine):
    def __init__(
        self,
        *,
        slots: int = 1500,
        method: Literal["auto", "exclusive", "inclusive"] = "auto",
        trees: bool = True,
    ) -> None: ...
