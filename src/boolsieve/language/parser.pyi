RESERVED: frozenset[str]
