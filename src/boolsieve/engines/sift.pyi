from typing import Literal

from boolsieve.engines.base import Engine

class Sift(Engine):
    def __init__(self, *, variant: Literal["counting", "key", "tree"] = "counting") -> None: ...
