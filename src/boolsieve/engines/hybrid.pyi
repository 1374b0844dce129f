from boolsieve.engines.tatbul import ProfileIndex

class Hybrid(ProfileIndex):
    min_cluster: int
    def __init__(self, *, min_cluster: int = 64) -> None: ...
