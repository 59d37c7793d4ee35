from typing import Any

class Config:
    def __init__(self, **kwargs: Any) -> None: ...
