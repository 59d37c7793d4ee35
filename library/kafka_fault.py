#!/usr/bin/python
"""Break the node of a host for a short while; it comes back by itself, whatever becomes of the run."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: kafka_fault
short_description: Breaks a running node on purpose
description:
  - For drills on a cluster that can take it; ask M(kafka_shutdown_check) first.
  - Nothing has to be put right afterwards. systemd starts a killed node again. For every other fault a timer that ends
    it is set before it begins, so it ends although the run was killed.
  - A node that does not run is not broken again. A fault that still lasts is not begun again.
  - In check mode it says what this host cannot have.
options:
  action:
    description:
      - V(killed) ends the process at once, as the kernel would for want of memory, and waits until systemd has started
        another one.
      - V(frozen) stops the process where it is, for O(seconds).
      - V(unreadable) takes all rights off O(log_dir) for O(seconds). Kafka halts, and cannot start meanwhile. Then the
        rights are as before, systemd starts Kafka, and the module waits until it runs.
      - V(full) fills the filesystem of O(log_dir) for O(seconds), and goes on as V(unreadable). The file has no name,
        so its space is free when its process ends. Refused where anything but Kafka may need that filesystem.
      - V(cut_off) drops what Kafka says between this host and O(peers) for O(seconds), by C(nft), and waits until that
        is over. Clients reach the node meanwhile.
    type: str
    choices: [killed, frozen, unreadable, full, cut_off]
    required: true
  log_dir: {description: The node's metadata log dir; with V(action=unreadable) and V(action=full)., type: path}
  peers:
    description: Names or addresses of the other nodes; with V(action=cut_off).
    type: list
    elements: str
    default: []
  ports:
    description: Kafka's ports, of this node and of the others; with V(action=cut_off).
    type: list
    elements: int
    default: []
  seconds: {description: How long a fault lasts that is not over at once., type: int, default: 30}
  unit: {description: Name of the unit without C(.service)., type: str, default: kafka}
  timeout: {description: Seconds in which systemd must have started the node again., type: int, default: 30}
author: [Kraftwright]
"""

EXAMPLES = r"""
- name: Freeze the node for half a minute
  kafka_fault:
    action: frozen
    seconds: 30

- name: Make the log dir unreadable for half a minute
  kafka_fault:
    action: unreadable
    log_dir: /opt/kafka/kraft-logs/kafka-logs1
    seconds: 30

- name: Cut the node off from the others for half a minute
  kafka_fault:
    action: cut_off
    peers: [10.0.0.2, 10.0.0.3]
    ports: [9092, 9093]
    seconds: 30
"""

RETURN = r"""
commands:
  description: What was run, or would be.
  returned: always
  type: list
  elements: list
"""

import abc
import os
import socket
import stat
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ansible.module_utils.basic import AnsibleModule
from ansible.module_utils.kraft.operations.drill import commands, mounts

POLL_SECONDS = 0.1
ARGUMENT_SPEC: dict[str, Any] = {
    "action": {"type": "str", "choices": ["killed", "frozen", "unreadable", "full", "cut_off"], "required": True},
    "log_dir": {"type": "path"},
    "peers": {"type": "list", "elements": "str", "default": []},
    "ports": {"type": "list", "elements": "int", "default": []},
    "seconds": {"type": "int", "default": 30},
    "unit": {"type": "str", "default": "kafka"},
    "timeout": {"type": "int", "default": 30},
}
NO_NFT = "install the package nftables on it, or leave node_cut_off and controller_cut_off out of kafka_drill_faults"
NO_FILL = "give Kafka a filesystem of its own (kafka_host_data_disks), or leave disk_full out of kafka_drill_faults"


class Fault(abc.ABC):
    """What is done to this host; each fault says why it cannot be, its commands, and when it is over."""

    def __init__(self, module: AnsibleModule) -> None:
        self.module, self.params = module, module.params
        self.unit, self.seconds, self.log_dir = (self.params[key] for key in ("unit", "seconds", "log_dir"))

    def run(self, *command: str, check_rc: bool = False) -> tuple[int, str, str]:
        code, out, err = self.module.run_command(list(command), check_rc=check_rc)
        return int(code), str(out), str(err)

    def process(self) -> str:
        """The id of the unit's process; ``0`` where none runs."""
        shown = self.run("systemctl", "show", "--property=MainPID", "--value", f"{self.unit}.service", check_rc=True)
        return shown[1].strip()

    def refusal(self) -> str:
        """Why this host cannot have the fault; empty where it can."""
        return ""

    @abc.abstractmethod
    def commands(self) -> list[list[str]]:
        """What breaks the host, in order."""

    def trouble(self, before: str) -> str:
        """Wait until the fault is over; why it is not, or nothing. `before`: the process that was broken."""
        if not happened(lambda: self.process() not in ("0", before), self.params["timeout"]):
            return f"Kafka has not started again: see journalctl -u {self.unit}"
        return ""


class Killed(Fault):
    def commands(self) -> list[list[str]]:
        return commands.killed(self.unit)


class Frozen(Fault):
    def commands(self) -> list[list[str]]:
        return commands.frozen(self.unit, self.seconds)

    def trouble(self, before: str) -> str:
        del before
        return ""


class Halted(Fault):
    """Kafka halts by itself, and is started when the fault is over."""

    @abc.abstractmethod
    def over(self) -> bool:
        """Whether the fault has ended."""

    @abc.abstractmethod
    def remedy(self) -> str:
        """What to do where it has not."""

    def trouble(self, before: str) -> str:
        noticed = happened(lambda: self.process() != before, self.seconds)
        if not happened(self.over, self.seconds + self.params["timeout"]):
            return self.remedy()
        if not noticed:
            return f"Kafka did not notice the fault within {self.seconds} s: give more kafka_drill_seconds"
        return super().trouble(before)


class Unreadable(Halted):
    def __init__(self, module: AnsibleModule) -> None:
        super().__init__(module)
        self.mode = rights(self.log_dir)

    def refusal(self) -> str:
        if self.mode & stat.S_IRWXU == stat.S_IRWXU:
            return ""
        return f"{self.log_dir} is unreadable already (mode {self.mode:04o}); give its owner all rights"

    def commands(self) -> list[list[str]]:
        return commands.unreadable(self.unit, self.seconds, self.log_dir, self.mode)

    def over(self) -> bool:
        return rights(self.log_dir) == self.mode

    def remedy(self) -> str:
        return f"{self.log_dir} is still unreadable: run chmod {self.mode:04o} {self.log_dir} on this host"


class Full(Halted):
    def refusal(self) -> str:
        place = os.path.realpath(self.log_dir)
        why = mounts.refusal(place, mounts.parse(Path("/proc/self/mountinfo").read_text(encoding="utf-8")))
        if why:
            return f"{self.log_dir} {why}, so it is not filled; {NO_FILL}"
        return "" if self.over() else f"{self.log_dir} is filled already: wait until {commands.filler(self.unit)} ends"

    def commands(self) -> list[list[str]]:
        room = os.statvfs(self.log_dir)
        available, owner = room.f_bavail * room.f_frsize, Path(self.log_dir).stat().st_uid
        return commands.full(self.unit, self.seconds, self.log_dir, owner, available)

    def over(self) -> bool:
        return self.run("systemctl", "is-active", "--quiet", commands.filler(self.unit))[0] != 0

    def remedy(self) -> str:
        return f"{self.log_dir} is still full: run systemctl stop {commands.filler(self.unit)} on this host"


class CutOff(Fault):
    def __init__(self, module: AnsibleModule) -> None:
        super().__init__(module)
        self.nft = str(module.get_bin_path("nft", opt_dirs=["/usr/sbin", "/sbin"]) or "")

    def refusal(self) -> str:
        if not self.nft:
            return f"this host has no nft; {NO_NFT}"
        code, _, said = self.run(self.nft, "list", "tables")
        if code:
            return (
                f"nft does not work on this host ({(said.strip().splitlines() or ['no reason given'])[-1]}); {NO_NFT}"
            )
        if not self.over():
            return "this host is cut off already: wait until its table is gone (nft list table inet kraftwright_drill)"
        return "" if self.params["peers"] and self.params["ports"] else "peers and ports: no other node is named"

    def commands(self) -> list[list[str]]:
        return commands.cut_off(self.nft, self.seconds, addresses(self.params["peers"]), self.params["ports"])

    def over(self) -> bool:
        return self.run(self.nft, "list", "table", *commands.TABLE)[0] != 0

    def trouble(self, before: str) -> str:
        del before
        if happened(self.over, self.seconds + self.params["timeout"]):
            return ""
        return f"this host is still cut off: run nft delete table {' '.join(commands.TABLE)} on it"


FAULTS: dict[str, type[Fault]] = {
    "killed": Killed,
    "frozen": Frozen,
    "unreadable": Unreadable,
    "full": Full,
    "cut_off": CutOff,
}


def happened(condition: Callable[[], bool], seconds: float) -> bool:
    """Whether the condition became true in that time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(POLL_SECONDS)
    return True


def rights(path: str) -> int:
    """The permission bits of a directory."""
    return stat.S_IMODE(Path(path).stat().st_mode)


def addresses(names: list[str]) -> list[str]:
    """What these names resolve to on this host. Raises OSError."""
    found = (socket.getaddrinfo(name, None, type=socket.SOCK_STREAM) for name in names)
    return sorted({str(one[4][0]) for answer in found for one in answer})


def main() -> None:
    needs_dir = [("action", one, ["log_dir"]) for one in ("unreadable", "full")]
    module = AnsibleModule(argument_spec=ARGUMENT_SPEC, supports_check_mode=True, required_if=needs_dir)
    params = module.params
    if params["seconds"] < 1:
        module.fail_json(msg=f"seconds: {params['seconds']} is less than 1")
    try:
        fault = FAULTS[params["action"]](module)
        before = fault.process()
        down = f"{params['unit']}.service does not run on this host; bring the node back first"
        refusal = down if before == "0" else fault.refusal()
        steps = [] if refusal else fault.commands()
    except OSError as error:
        module.fail_json(msg=f"this host cannot be broken so: {error}")
    if refusal:
        module.fail_json(msg=refusal)
    for command in [] if module.check_mode else steps:
        module.run_command(command, check_rc=True)
    trouble = "" if module.check_mode else fault.trouble(before)
    if trouble:
        module.fail_json(msg=trouble)
    module.exit_json(changed=True, commands=steps)


if __name__ == "__main__":
    main()
