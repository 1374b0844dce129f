from boolsieve.engines.base import Engine

class Gryphon(Engine):
    def __init__(self, *, leaf: int = 32) -> None: ...
