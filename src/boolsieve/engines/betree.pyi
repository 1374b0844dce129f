from boolsieve.engines.base import Engine

class BETree(Engine):
    def __init__(self, *, capacity: int | None = None, min_size: int = 3) -> None: ...
