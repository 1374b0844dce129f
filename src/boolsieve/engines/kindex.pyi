from boolsieve.engines.base import Engine

class KIndex(Engine):
    def __init__(
        self, *, max_values: int = 100, domain: tuple[int, int] | None = None, strict: bool = False
    ) -> None: ...
