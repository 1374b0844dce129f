from boolsieve.engines.pst import PST

class PSTBloom(PST):
    def __init__(self) -> None: ...
