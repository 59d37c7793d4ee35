"""Log dirs that are to be emptied, as an operator names them. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

DRAIN = "kafka_drain_log_dirs"


def drained(text: object) -> tuple[tuple[str, str], ...]:
    """Parse host and directory of each; the directory is empty if none is named."""
    parts = (_divided(one.strip()) for one in str(text or "").split(",") if one.strip())
    return tuple(dict.fromkeys((host, path.rstrip("/") or path) for host, path in parts))


def _divided(text: str) -> tuple[str, str]:
    """Split an entry; a host may be an IPv6 address, so the colon is the one before the directory."""
    host, colon, path = text.partition(":/")
    if colon:
        return host, f"/{path}"
    host, _, path = text.partition(":")
    return host, path


def as_parameter(text: object, nodes: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return ``drained`` for ``kafka_reassignment``. `nodes`: of ``kafka_desired``, which has checked the text."""
    return [{"node_id": nodes[host]["node_id"], "path": path} for host, path in drained(text)]
