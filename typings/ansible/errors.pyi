from typing import Any

class AnsibleError(Exception):
    @property
    def message(self) -> str: ...

class AnsibleAction(AnsibleError):
    def __init__(self, message: str = ..., *, result: dict[str, Any] | None = ...) -> None: ...
