"""Services beside Kafka (collector, proxies, shipper, mirror): their unit files, and commands to systemd."""

from __future__ import annotations

import os
from collections.abc import Iterable

from ansible.module_utils.kraft.errors import RefusedError
from ansible.module_utils.kraft.node.files import apply as file_io
from ansible.module_utils.kraft.node.service import systemd
from ansible.module_utils.kraft.node.service.state import Run

UNITS = "/etc/systemd/system"
MARK = "# Written by Kraftwright"  #: how each unit file of ours begins
SECONDS = 30  #: for one command
#: What no service beside Kafka needs. Without DynamicUser=, which containers do not grant.
CONFINED = """\
CapabilityBoundingSet=
AmbientCapabilities=
NoNewPrivileges=true
PrivateDevices=true
PrivateTmp=true
PrivateUsers=true
ProtectSystem=strict
RemoveIPC=true
RestrictSUIDSGID=true
ProtectClock=true
ProtectControlGroups=true
ProtectHome=read-only
ProtectHostname=true
ProtectKernelLogs=true
ProtectKernelModules=true
ProtectKernelTunables=true
LockPersonality=true
RestrictNamespaces=true
RestrictRealtime=true
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallFilter=~@privileged @resources
SystemCallErrorNumber=EPERM
"""
#: Of one that runs no JVM, which would compile to memory.
HARDENED = f"Restart=always\nRestartSec=5s\nNice=10\n{CONFINED}MemoryDenyWriteExecute=true\nUMask=0022\n"


def unit_path(name: str) -> str:
    return f"{UNITS}/{name}.service"


def hardened(user: str, wanted_by: str = "multi-user.target", allowed: str = "") -> str:
    """The rest of a unit: as whom it runs, what it may not do, and with what it starts. `allowed`: a system call."""
    call = f"SystemCallFilter={allowed}\n" if allowed else ""
    return f"User={user}\n{HARDENED}{call}\n[Install]\nWantedBy={wanted_by}\n"


def is_ours(unit: str) -> bool:
    """Whether this unit file is one that Kraftwright wrote."""
    return os.path.isfile(unit) and file_io.read(unit).startswith(MARK.encode())


def refuse_foreign(paths: Iterable[str], remedy: str) -> None:
    """Raises RefusedError for unit files that are there and not ours."""
    foreign = [path for path in paths if os.path.lexists(path) and not is_ours(path)]
    if foreign:
        raise RefusedError([f"{path}: somebody else wrote it. {remedy}" for path in foreign])


def systemctl(run: Run, *words: str) -> None:
    """One command. Raises ToolError with what systemd said."""
    systemd.systemctl(run, SECONDS, *words)
