"""Directories and links of a node below its install directory, with owners and modes. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ansible.module_utils.kraft.spec.desired.model import Node

ROOT, KAFKA, GROUP = "root", "kafka_user", "kafka_group"
#: Directories below the install directory: path, group and mode. ``next``: the files of the next start.
OWN = (
    ("", ROOT, "0755"),
    ("/releases", ROOT, "0755"),
    ("/.incoming", ROOT, "0700"),
    ("/client", ROOT, "0755"),
    ("/agents", ROOT, "0755"),
    ("/next", GROUP, "0750"),
)
#: Directories of a release that are reached through ``current``.
LINKED = ("bin", "libs", "config")


def directories(node: Node) -> list[dict[str, str]]:
    """Return ``directories`` for ``kafka_files``: root's own, then those that Kafka writes to."""
    accounts = {ROOT: ROOT, **_accounts(node.variables)}
    written = dict.fromkeys([node.log4j_dir, node.metadata_dir, *node.log_dirs])
    return [
        *(_entry(f"{node.install_dir}{path}", ROOT, accounts[group], mode) for path, group, mode in OWN),
        *(_entry(path, accounts[KAFKA], accounts[GROUP], "0750") for path in written),
    ]


def links(node: Node) -> list[dict[str, str]]:
    """Return ``links`` for ``kafka_files``."""
    return [{"path": f"{node.install_dir}/{name}", "target": f"current/{name}"} for name in LINKED]


def _accounts(variables: Mapping[str, Any]) -> dict[str, str]:
    return {name: str(variables.get(name) or "kafka") for name in (KAFKA, GROUP)}


def _entry(path: str, owner: str, group: str, mode: str) -> dict[str, str]:
    return {"path": path, "owner": owner, "group": group, "mode": mode}
