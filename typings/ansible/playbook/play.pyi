from typing import Any

class Play:
    @staticmethod
    def load(data: dict[str, Any], variable_manager: Any, loader: Any) -> Play: ...
