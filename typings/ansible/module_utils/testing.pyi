from contextlib import AbstractContextManager
from typing import Any

def patch_module_args(args: dict[str, Any] | None = ...) -> AbstractContextManager[None]: ...
