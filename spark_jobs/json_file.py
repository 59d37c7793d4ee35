"""Settings that a command gets as a JSON file: read and judged as a whole, every problem in one message."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from spark_jobs.errors import UsageError

LINE = re.compile(r'"output_dir"\s*:\s*"((?:[^"\\]|\\/)+)"')  #: in a file that is not JSON


def load(path: Path, problems: Callable[[object], list[str]]) -> dict[str, Any]:
    """Load the object in ``path``, or raise a ``UsageError`` with the reason, or with all ``problems``."""
    try:
        content = json.loads(path.read_text())
    except OSError as error:
        raise UsageError([f"{path}: cannot be read: {error.strerror}"]) from None
    except (ValueError, RecursionError) as error:
        raise UsageError([f"{path}: is not JSON: {error}"]) from None
    found = problems(content)
    if found:
        raise UsageError([f"{path}: {problem}" for problem in found])
    loaded: dict[str, Any] = content
    return loaded


def output_dir(path: Path | None) -> Path | None:
    """Return the ``output_dir`` in a file that cannot be used, also if it is not JSON; null if it names none."""
    try:
        text = path.read_bytes().decode(errors="replace") if path else ""
    except (OSError, ValueError):
        return None
    try:
        content = json.loads(text)
        found = content.get("output_dir") if isinstance(content, dict) else None
    except (ValueError, RecursionError):
        named = LINE.findall(text)
        found = named[-1].replace("\\/", "/") if named else None
    return Path(found) if isinstance(found, str) and found and "\0" not in found else None
