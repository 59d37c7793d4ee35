"""Filters of a mirror: thin names for pure functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import ansible.module_utils

ansible.module_utils.__path__.append(str(Path(__file__).resolve().parents[2] / "module_utils"))

from ansible.module_utils.kraft.spec.desired.mirror import split


def kraft_mirror_split(mirror: Mapping[str, Any], prefix: str = "") -> dict[str, dict[str, Any]]:
    """Split ``kafka_mirror`` into ``mirror`` without secrets, and the ``secrets`` of its source's client.

    `prefix`: MirrorMaker's before the name of each secret.
    """
    source = mirror["source"]
    public, secrets = split(source.get("client") or {})
    return {
        "mirror": {**mirror, "source": {**source, "client": public}},
        "secrets": {f"{prefix}{key}": value for key, value in secrets.items()},
    }


class FilterModule:
    """Filters for mirrors."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        """Name in templates -> function."""
        return {
            "kraft_mirror_split": kraft_mirror_split,
        }
