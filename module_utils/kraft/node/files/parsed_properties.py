"""Files of Java's properties format on a host."""

from __future__ import annotations

import re


def parse_properties(text: str) -> dict[str, str]:
    """Parse lines of Java's properties format. Lines are not continued; a backslash is left out."""
    values: dict[str, str] = {}
    for line in text.splitlines():
        match = re.match(r"\s*([^#!\s=:][^\s=:]*)\s*[=:\s]\s*(.*)$", line)
        if match:
            values[match.group(1)] = re.sub(r"\\(.)", r"\1", match.group(2)).strip()
    return values
