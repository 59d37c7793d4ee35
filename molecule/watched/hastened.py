"""The shipped rules at a faster pace: every duration is divided, and what is compared stays as it is. Pure."""

from __future__ import annotations

import re
from typing import Any

#: Durations of an expression: a range, or how far back it looks.
WRITTEN = re.compile(r"(\[|offset )(\d+[smhd])\b")
UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def seconds(duration: str) -> int:
    """Of ``30s``, ``5m``, ``1h`` or ``2d``."""
    return int(duration[:-1]) * UNITS[duration[-1]]


def shortened(duration: str, by: int) -> str:
    """A duration divided by `by`. ValueError where no whole second is left of it."""
    left, rest = divmod(seconds(duration), by)
    if rest or (not left and seconds(duration)):
        raise ValueError(f"{duration} cannot be divided by {by}")
    return f"{left}s"


def hastened(rules: dict[str, Any], by: int, interval: str) -> dict[str, Any]:
    """A file of rules whose durations are divided by `by`, evaluated every `interval`."""
    groups = [
        {**group, "interval": interval, "rules": [faster(rule, by) for rule in group["rules"]]}
        for group in rules["groups"]
    ]
    return {**rules, "groups": groups}


def faster(rule: dict[str, Any], by: int) -> dict[str, Any]:
    """One rule; `for` and what its expression looks back."""
    expression = WRITTEN.sub(lambda found: found[1] + shortened(found[2], by), rule["expr"])
    lasting = {"for": shortened(rule["for"], by)} if "for" in rule else {}
    return {**rule, "expr": expression, **lasting}
