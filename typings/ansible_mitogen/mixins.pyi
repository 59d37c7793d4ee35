from collections.abc import Callable
from typing import Any

class ActionModuleMixin:
    run: Callable[..., Any]
