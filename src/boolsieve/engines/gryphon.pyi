from typing import Literal

from boolsieve.engines.base import Engine

class Gryphon(Engine):
    def __init__(self, *, leaf: int = 16, order: Literal["rare", "common"] = "rare") -> None: ...
