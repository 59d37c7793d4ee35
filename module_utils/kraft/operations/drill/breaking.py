"""Breaks this host, and waits until the fault is over. Runs on the host."""

from __future__ import annotations

import abc
import os
import socket
import stat
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ansible.module_utils.kraft.errors import ToolError
from ansible.module_utils.kraft.node.service.unit_state import is_stopped
from ansible.module_utils.kraft.operations.drill import commands, mounts
from ansible.module_utils.kraft.operations.drill.faults import CUT_OFF, FROZEN, FULL, KILLED, UNREADABLE

POLL_SECONDS = 0.1
#: Time that systemd may take to end a fault, beside the fault's duration.
LEFTOVER_SECONDS = 5.0
#: Time in which the kernel holds all threads of a process that is sent a signal.
NOTICED_SECONDS = 2.0
#: Exit codes of ``systemctl is-active`` for a unit that is not active, and for one that does not exist.
NOT_ACTIVE = (3, 4)
#: Runs a command; gives its exit code, output and errors.
Run = Callable[[list[str]], tuple[int, str, str]]
NO_NFT = "install the package nftables on it, or leave node_cut_off and controller_cut_off out of kafka_drill_faults"
NO_FILL = "give Kafka a separate filesystem (kafka_host_data_disks), or leave disk_full out of kafka_drill_faults"


class Fault(abc.ABC):
    """A fault on this host: its preconditions, its commands, and its end."""

    def __init__(self, run: Run, params: Mapping[str, Any], nft: str = "") -> None:
        """Store the parameters. `run`: a command; `params`: of ``kafka_fault``; `nft`: the program, empty without."""
        self._run, self.params, self.nft = run, params, nft
        self.unit, self.seconds, self.log_dir = (self.params[key] for key in ("unit", "seconds", "log_dir"))

    @property
    def leftover_seconds(self) -> float:
        """Return how long a killed drill's fault may last: a timer ends it, and Kafka starts again."""
        return float(self.seconds) + LEFTOVER_SECONDS

    def down(self) -> bool:
        """Check that no Kafka runs here, also after the leftovers of a killed drill."""
        return not happened(lambda: self.process() != "0", self.leftover_seconds)

    def run(self, *command: str) -> tuple[int, str, str]:
        return self._run(list(command))

    def process(self) -> str:
        """Return the id of the unit's process; ``0`` if none runs. Raises ToolError if systemd does not answer."""
        code, out, said = self.run("systemctl", "show", "--property=MainPID", "--value", f"{self.unit}.service")
        if code or not out.strip().isdigit():
            raise ToolError(f"systemctl show {self.unit}.service: {said.strip() or 'no answer'}")
        return out.strip()

    def ended(self, *units: str) -> bool:
        """Check that none of `units` is active. Without an answer from systemd, one may be."""
        return self.run("systemctl", "is-active", "--quiet", *units)[0] in NOT_ACTIVE

    def refusal(self) -> str:
        """Return why this host cannot have the fault; empty if it can."""
        return ""

    @abc.abstractmethod
    def commands(self) -> list[list[str]]:
        """Return the commands that break the host, in order."""

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
        """Return the error of a fault. Health is not queried meanwhile: nothing advances while it lasts."""
        happened(lambda: self.held(before), NOTICED_SECONDS)
        if happened(lambda: not self.held(before), self.seconds + self.params["timeout"]):
            return ""
        return f"Kafka is still frozen: run systemctl kill --signal=CONT {self.unit}.service on this host"

    def held(self, process: str) -> bool:
        return is_stopped(int(process))


class Halted(Fault):
    """Kafka halts by itself, and is started when the fault is over."""

    @abc.abstractmethod
    def over(self) -> bool:
        """Check whether the fault has ended."""

    @abc.abstractmethod
    def remedy(self) -> str:
        """Return the remedy for a fault that has not ended."""

    def trouble(self, before: str) -> str:
        noticed = happened(lambda: self.process() != before, self.seconds)
        if not happened(self.over, self.seconds + self.params["timeout"]):
            return self.remedy()
        if not noticed:
            return f"Kafka did not notice the fault within {self.seconds} s: give more kafka_drill_seconds"
        return super().trouble(before)


class Unreadable(Halted):
    def __init__(self, run: Run, params: Mapping[str, Any], nft: str = "") -> None:
        super().__init__(run, params, nft)
        self.mode = rights(self.log_dir)

    def refusal(self) -> str:
        if happened(lambda: self.readable() and not self.timed(), self.leftover_seconds):
            return ""
        if self.readable():
            return f"a timer of an earlier drill still runs: wait until {commands.restorer(self.unit)}.timer ends"
        return f"{self.log_dir} is unreadable already (mode {self.mode:04o}); give its owner all rights"

    def timed(self) -> bool:
        """Check whether a timer of a killed drill is still to restore rights, or does so now: a second is refused."""
        units = [f"{commands.restorer(self.unit)}.{kind}" for kind in ("timer", "service")]
        return not self.ended(*units)

    def readable(self) -> bool:
        """Check whether the owner has all rights, those that this fault restores in the end."""
        self.mode = rights(self.log_dir)
        return self.mode & stat.S_IRWXU == stat.S_IRWXU

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
        if happened(self.over, self.leftover_seconds):
            return ""
        return f"{self.log_dir} is filled already: wait until {commands.filler(self.unit)} ends"

    def commands(self) -> list[list[str]]:
        room = os.statvfs(self.log_dir)
        available, owner = room.f_bavail * room.f_frsize, Path(self.log_dir).stat().st_uid
        return commands.full(self.unit, self.seconds, self.log_dir, owner, available)

    def over(self) -> bool:
        return self.ended(commands.filler(self.unit))

    def remedy(self) -> str:
        return f"{self.log_dir} is still full: run systemctl stop {commands.filler(self.unit)} on this host"


class CutOff(Fault):
    def refusal(self) -> str:
        if not self.nft:
            return f"this host has no nft; {NO_NFT}"
        code, _, said = self.run(self.nft, "list", "tables")
        if code:
            return (
                f"nft does not work on this host ({(said.strip().splitlines() or ['no reason given'])[-1]}); {NO_NFT}"
            )
        if not happened(self.over, self.leftover_seconds):
            return "this host is cut off already: wait until its table is gone (nft list table inet kraftwright_drill)"
        return "" if self.params["peers"] and self.params["ports"] else "peers and ports: no other node is named"

    def commands(self) -> list[list[str]]:
        return commands.cut_off(self.nft, self.seconds, addresses(self.params["peers"]), self.params["ports"])

    def over(self) -> bool:
        code, tables, _ = self.run(self.nft, "list", "tables")
        return code == 0 and f"table {' '.join(commands.TABLE)}" not in tables.splitlines()

    def trouble(self, before: str) -> str:
        del before
        if happened(self.over, self.seconds + self.params["timeout"]):
            return ""
        return f"this host is still cut off: run nft delete table {' '.join(commands.TABLE)} on it"


FAULTS: dict[str, type[Fault]] = {
    KILLED: Killed,
    FROZEN: Frozen,
    UNREADABLE: Unreadable,
    FULL: Full,
    CUT_OFF: CutOff,
}


def happened(condition: Callable[[], bool], seconds: float) -> bool:
    """Wait for the condition; return True if it became true in that time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(POLL_SECONDS)
    return True


def rights(path: str) -> int:
    """Return the permission bits of a directory."""
    return stat.S_IMODE(Path(path).stat().st_mode)


def addresses(names: list[str]) -> list[str]:
    """Resolve these names on this host. Raises OSError."""
    found = (socket.getaddrinfo(name, None, type=socket.SOCK_STREAM) for name in names)
    return sorted({str(one[4][0]) for answer in found for one in answer})
