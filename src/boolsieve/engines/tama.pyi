from boolsieve.engines.base import Engine

class Tama(Engine):
    def __init__(self, *, levels: int = 8, approximate: bool = False) -> None: ...
