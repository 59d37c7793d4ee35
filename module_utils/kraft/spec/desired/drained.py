"""Log dirs that are to be emptied, as an operator names them. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ansible.module_utils.kraft.spec.desired.model import Node

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


def as_parameter(nodes: Sequence[Node]) -> list[dict[str, Any]]:
    """Return ``drained`` for ``kafka_reassignment``; hosts that are no nodes are reported by the rules."""
    text = nodes[0].variables.get(DRAIN) if nodes else ""
    node_ids = {node.host: node.node_id for node in nodes}
    return [{"node_id": node_ids[host], "path": path} for host, path in drained(text) if host in node_ids]
