from typing import Literal

from boolsieve.engines.base import Engine

class Dexin(Engine):
    def __init__(self, *, slots: int = 1500, method: Literal["auto", "exclusive", "inclusive"] = "auto") -> None: ...
