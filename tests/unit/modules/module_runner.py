"""The type of the fixture ``run_module``: name and parameters in, the module's result out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Result = dict[str, Any]
RunModule = Callable[..., Result]
