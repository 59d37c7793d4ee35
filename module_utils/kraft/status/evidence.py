"""Each host's data about its node, as one value. Pure: modules' results in."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from ansible.module_utils.kraft.cluster.leadership import Claim, claims_from
from ansible.module_utils.kraft.node.identity import FOREIGN, UNNAMED, Identity, as_node, clashes
from ansible.module_utils.kraft.node.service.deployed import is_static
from ansible.module_utils.kraft.node.storage.log_dir import UNREADABLE
from ansible.module_utils.kraft.status.obstacles import Obstacle, obstacles

Result = Mapping[str, Any]
LONG = 160
NOT_DEPLOYED = "it is not deployed"


@dataclasses.dataclass(frozen=True)
class Evidence:
    """A node as its own host shows it.

    ``unreached``: why Ansible got no answer from the host. ``down``: why Kafka does not run there. ``stopped``: a
    signal holds the process. ``silent``: the errors of its listeners, asked on the host itself. ``claims``: what
    each controller answered to this host. ``removed``: the host has the mark of ``remove_nodes.yml``. ``lived``: if
    anything shows that the node was ever started, None if not inspected. ``obstacles``: why Kafka cannot start.
    ``foreign``: whose node the host is, if it is another one: then nothing else of it is the node's.
    ``migration``: the phase of a migration with which it was deployed. ``static``: it goes by a list of voters.
    ``restarts``: how many times systemd has started it again, the last time ``age`` seconds ago. ``release``: version
    of Kafka that runs, "" if that is not known. ``release_age``: seconds since the host's release was last changed.
    """

    host: str
    node_id: int
    roles: tuple[str, ...]
    unreached: str = ""
    down: str = ""
    stopped: bool = False
    silent: tuple[str, ...] = ()
    claims: tuple[Claim, ...] = ()
    foreign: str = ""
    removed: bool = False
    lived: bool | None = None
    obstacles: tuple[Obstacle, ...] = ()
    migration: str = ""
    static: bool = False
    restarts: int = 0
    age: float = 0
    release: str = ""
    release_age: float = 0

    @property
    def name(self) -> str:
        return f"{self.host} (node {self.node_id})"

    @property
    def is_broker(self) -> bool:
        return "broker" in self.roles

    @property
    def is_controller(self) -> bool:
        return "controller" in self.roles

    @property
    def broken(self) -> bool:
        """Check whether its own host shows that it cannot work."""
        return bool(self.down or self.stopped or self.silent)


def unread(result: Result | None) -> str:
    """Return why a task has no answer; '' if it has one. A module failed under ``kafka_attempt`` has an ``error``."""
    if result is None or result.get("skipped"):
        return "nothing was asked"
    if result.get("unreachable") or result.get("failed") or result.get("error"):
        words = str(result.get("error") or result.get("msg") or "no reason given")
        text = " ".join(words.split()).removeprefix("Task failed: ")
        return text if len(text) <= LONG else f"{text[:LONG]}..."
    return ""


def _lived(service: Result | None, log_dirs: Mapping[str, Mapping[str, Any]]) -> bool | None:
    """Return whether a node was ever started there; None if a disk was not inspected, or cannot be read."""
    if not service:
        return None
    if service["pid"] or any(one["lived"] for one in log_dirs.values()):
        return True
    return False if log_dirs and all(one.get("state") != UNREADABLE for one in log_dirs.values()) else None


def unreached(results: Mapping[str, Any]) -> str:
    """Return why a host could not be reached; '' if every task that was tried ran on it."""
    lost = [one for one in results.values() if isinstance(one, Mapping) and one.get("unreachable")]
    return unread(lost[0]) if lost else ""


def down(service: Mapping[str, Any] | None) -> str:
    """Return why Kafka does not run, from ``kafka_host_info``'s ``service``; '' if it runs or was not inspected."""
    if not service or service["pid"]:
        return ""
    how = f"({service['result']}, exit status {service['exit_status']})"
    if not service["installed"]:
        return NOT_DEPLOYED
    if service["state"] == "failed":
        return f"its unit has failed {how}"
    if service["active"]:
        return f"it crashes, and systemd starts it again and again {how}"
    return f"its unit is {service['state']}: it was stopped, or not started since the machine booted"


def foreign(node: Mapping[str, Any], results: Mapping[str, Any], cluster_id: str) -> str:
    """Return the owner of a host's node by its log dirs, if not `node`; '' otherwise, and without inspection."""
    found = Identity.from_facts(results["identity"]) if results.get("identity") else Identity(deployed=False)
    wrong = [one for one in clashes(found, cluster_id, node["node_id"]) if one.kind != UNNAMED]
    if not wrong:
        return ""
    theirs = f"it belongs to cluster {wrong[0].cluster_id}{as_node(wrong[0].node_id)}"
    return theirs if wrong[0].kind == FOREIGN else f"it is node {wrong[0].node_id} of this cluster"


def evidence(host: str, node: Mapping[str, Any], results: Mapping[str, Any], cluster_id: str) -> Evidence:
    """Collect the evidence. `node`: its entry of ``kafka_desired``. `results`: registered on the host, by name.

    Reads ``view`` (``kafka_connectivity_info``), the parts ``service``, ``removed``, ``log_dirs``, ``deployed`` and
    ``user`` of ``kafka_host_info``, and ``process`` (``kafka_node``); any result shows if the host was reached.
    """
    other = foreign(node, results, cluster_id)
    if other:
        return Evidence(host=host, node_id=node["node_id"], roles=tuple(node["roles"]), foreign=other)
    service, log_dirs = results.get("service"), results.get("log_dirs") or {}
    view: Result = results.get("view") or {}
    view = {} if unread(view) else view
    claims = claims_from(view.get("controllers"))
    own = [f"controller: {one.error}" for one in claims if one.node_id == node["node_id"] and one.error]
    broker = (view.get("broker") or {}).get("error")
    return Evidence(
        host=host,
        node_id=node["node_id"],
        roles=tuple(node["roles"]),
        unreached=unreached(results),
        down=down(service),
        stopped=bool(service and service.get("stopped")),
        silent=(*own, *([f"broker: {broker}"] if broker else [])),
        claims=claims,
        removed=bool(results.get("removed")),
        lived=_lived(service, log_dirs),
        obstacles=obstacles(host, node, log_dirs, (results.get("user") or {}).get("name") or "kafka"),
        migration=str((results.get("deployed") or {}).get("migration") or ""),
        static=is_static(results.get("deployed") or {}),
        restarts=service.get("restarts", 0) if service else 0,
        age=service.get("age", 0) if service and service["pid"] else 0,
        release="" if unread(results.get("process")) else str((results.get("process") or {}).get("release") or ""),
        release_age=float(results.get("current_release_age") or 0),
    )
