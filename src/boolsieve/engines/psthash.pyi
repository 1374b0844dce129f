from typing import Any

from boolsieve.engines.pst import PST

class PSTHash(PST):
    def __init__(self, *, access: int = 2) -> None: ...
    def options(self) -> dict[str, Any]: ...
