from boolsieve.engines.base import Engine

class OpIndex(Engine):
    def __init__(self, *, segments: bool = True) -> None: ...
