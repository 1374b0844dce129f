from boolsieve.engines.base import Engine

class Rein(Engine):
    def __init__(self, *, buckets: int | None = None) -> None: ...
