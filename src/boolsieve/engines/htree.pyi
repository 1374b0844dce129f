from boolsieve.engines.base import Engine

class HTree(Engine):
    def __init__(self, *, levels: int = 3, leaf: int = 16) -> None: ...
