"""Acts on the nodes of a cluster. Each fault ends without us: a timer of systemd is set before it begins."""

from __future__ import annotations

import json
import shlex
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from ansible.module_utils.kraft.operations.drill.commands import frozen, killed, timer

SCRIPT = Path(__file__).with_name("on_tmp.py")
TABLE = ("inet", "kraftwright_lesson")
SECONDS = 180.0


class Nodes(Protocol):
    """Signals to nodes by their ids, and what a lesson runs on a host."""

    def freeze(self, node_id: int) -> None:
        """Stop the process where it is."""

    def thaw(self, node_id: int) -> None:
        """Let it go on."""

    def kill(self, node_id: int) -> None:
        """End the process at once. It stays down until `revive`: else systemd starts it within its session."""

    def revive(self, node_id: int) -> None:
        """Start the node if it does not run."""

    def close_controller(self, node_id: int) -> None:
        """Drop what comes to the node's controller port from other hosts than nodes."""

    def open_controller(self, node_id: int) -> None:
        """Remove that filter."""

    def on_tmp(self) -> dict[str, Any]:
        """Run ``on_tmp.py`` beside the cluster; its observations."""


@dataclass(frozen=True)
class Host:
    """``ssh``: a command that runs its last argument on the host; ``address`` and ``port`` of its controller."""

    ssh: Sequence[str]
    address: str
    port: int


class SshNodes:
    """Nodes whose service is a unit of systemd, by ssh as a user who may use sudo."""

    def __init__(self, hosts: Mapping[int, Host], unit: str, java: str, libs: str, freeze_seconds: int = 30) -> None:
        self._hosts, self._unit, self._java, self._libs = hosts, unit, java, libs
        self._freeze_seconds = freeze_seconds

    def freeze(self, node_id: int) -> None:
        self._all(node_id, frozen(self._unit, self._freeze_seconds))

    def thaw(self, node_id: int) -> None:
        self._all(node_id, [["systemctl", "kill", "--signal=CONT", f"{self._unit}.service"]])

    def kill(self, node_id: int) -> None:
        self._all(node_id, [*killed(self._unit), ["systemctl", "stop", f"{self._unit}.service"]])

    def revive(self, node_id: int) -> None:
        self._all(node_id, [["systemctl", "start", f"{self._unit}.service"]])

    def close_controller(self, node_id: int) -> None:
        remove = timer(self._freeze_seconds, "nft", "delete", "table", *TABLE)
        rules = filter_of([one.address for one in self._hosts.values()], self._hosts[node_id].port)
        self._all(node_id, [remove, ["nft", rules]])

    def open_controller(self, node_id: int) -> None:
        self._all(node_id, [["nft", "delete", "table", *TABLE]])

    def on_tmp(self) -> dict[str, Any]:
        node_id = min(self._hosts)
        done = self._run(node_id, shlex.join(["python3", "-", self._java, self._libs]), SCRIPT.read_text())
        found: dict[str, Any] = json.loads(done)
        return found

    def _all(self, node_id: int, commands: Sequence[Sequence[str]]) -> None:
        self._run(node_id, " && ".join(shlex.join(["sudo", "-n", *one]) for one in commands))

    def _run(self, node_id: int, command: str, send: str = "") -> str:
        line = [*self._hosts[node_id].ssh, command]
        try:
            done = subprocess.run(line, input=send, capture_output=True, text=True, timeout=SECONDS, check=False)  # noqa: S603
        except subprocess.TimeoutExpired as error:
            raise TimeoutError(f"node {node_id}: {command[:200]}: no end within {SECONDS} s") from error
        if done.returncode:
            raise OSError(f"node {node_id}: {command[:200]}: {done.stderr.strip()[-500:]}")
        return done.stdout


def filter_of(peers: Sequence[str], port: int) -> str:
    """Return rules of nft that drop what comes to `port` from elsewhere than `peers` (IPv4) and this host. Pure."""
    known = ", ".join(["127.0.0.0/8", *sorted(peers)])
    rule = f"ip saddr != {{ {known} }} tcp dport {port} drop"
    return f"table {' '.join(TABLE)} {{\nchain input {{ type filter hook input priority filter; {rule}; }}\n}}\n"
