"""Settings that a command gets as a JSON file: read and judged as a whole, every problem in one message."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from spark_jobs.errors import UsageError


def load(path: Path, problems: Callable[[object], list[str]]) -> dict[str, Any]:
    """Load the object in ``path``, or raise a ``UsageError`` with the reason, or with all ``problems``."""
    try:
        content = json.loads(path.read_text())
    except OSError as error:
        raise UsageError([f"{path}: cannot be read: {error.strerror}"]) from None
    except ValueError as error:
        raise UsageError([f"{path}: is not JSON: {error}"]) from None
    found = problems(content)
    if found:
        raise UsageError([f"{path}: {problem}" for problem in found])
    loaded: dict[str, Any] = content
    return loaded
