from typing import Any

class Loader:
    def load_service_model(self, service_name: str, type_name: str) -> dict[str, Any]: ...
