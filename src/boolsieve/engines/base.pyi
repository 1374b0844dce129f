from typing import Any

class Engine:
    test_variants: tuple[dict[str, Any], ...]

    def options(self) -> dict[str, Any]: ...
    def check_invariants(self) -> None: ...
