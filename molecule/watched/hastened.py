"""The shipped rules at a faster pace: every duration is divided, and comparisons stay. Pure."""

from __future__ import annotations

import re
from typing import Any

#: Durations of an expression: a range, or an offset.
WRITTEN = re.compile(r"(\[|offset )(\d+[smhd])\b")
UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def seconds(duration: str) -> int:
    """Parse ``30s``, ``5m``, ``1h`` or ``2d``."""
    return int(duration[:-1]) * UNITS[duration[-1]]


def shortened(duration: str, by: int) -> str:
    """Divide a duration by `by`. Raises ValueError if the result is no whole second."""
    left, rest = divmod(seconds(duration), by)
    if rest or (not left and seconds(duration)):
        raise ValueError(f"{duration} cannot be divided by {by}")
    return f"{left}s"


def hastened(rules: dict[str, Any], by: int, interval: str) -> dict[str, Any]:
    """Return a file of rules whose durations are divided by `by`, evaluated every `interval`."""
    groups = [
        {**group, "interval": interval, "rules": [faster(rule, by) for rule in group["rules"]]}
        for group in rules["groups"]
    ]
    return {**rules, "groups": groups}


def faster(rule: dict[str, Any], by: int) -> dict[str, Any]:
    """Return one rule with shorter `for` and ranges."""
    expression = WRITTEN.sub(lambda found: found[1] + shortened(found[2], by), rule["expr"])
    lasting = {"for": shortened(rule["for"], by)} if "for" in rule else {}
    return {**rule, "expr": expression, **lasting}
