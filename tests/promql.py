"""Names in expressions of Prometheus."""

from __future__ import annotations

import re

WORDS = {"by", "on", "and", "or", "unless", "offset", "group_right", "group_left"}
LEFT_OUT = re.compile(r'"[^"]*"|\{[^}]*\}|\[[^]]*\]|\b(?:by|on|group_right|group_left) \([^)]*\)|\boffset \w+')


def names(expression: str) -> set[str]:
    """Metrics and records of an expression: words that are neither functions nor labels nor PromQL's own."""
    plain = LEFT_OUT.sub(" ", expression)
    functions = set(re.findall(r"(\w+)\s*\(", plain))
    return set(re.findall(r"[a-zA-Z_:][\w:]*", plain)) - WORDS - functions
