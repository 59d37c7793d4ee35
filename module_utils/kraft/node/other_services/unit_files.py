"""Services beside Kafka (collector, proxies, mirror): their unit files, and commands to systemd."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping

from ansible.module_utils.kraft.errors import RefusedError
from ansible.module_utils.kraft.node.files import apply as file_io
from ansible.module_utils.kraft.node.service import systemctl as host_systemctl
from ansible.module_utils.kraft.node.service.unit_state import Run

UNITS = "/etc/systemd/system"
MARK = "# Written by Kraftwright"  #: first words of each unit file of ours
SECONDS = 30  #: for one command
CREDENTIALS = "/run/credentials"  #: where systemd keeps the copies of a service's files, for its user alone
LOADED = re.compile(r"^LoadCredential=([^:\n]+):(.*)$", re.MULTILINE)
#: Confinement of every service beside Kafka. Without DynamicUser=, which containers do not grant.
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
#: For services without a JVM, which would compile to memory.
HARDENED = f"Restart=always\nRestartSec=5s\nNice=10\n{CONFINED}MemoryDenyWriteExecute=true\nUMask=0022\n"


def unit_path(name: str) -> str:
    return f"{UNITS}/{name}.service"


def credentials(service: str) -> str:
    """Return the directory of the files that the unit of `service` loads (`loading`)."""
    return f"{CREDENTIALS}/{service}.service"


def loading(files: Mapping[str, str]) -> str:
    """Return lines by which systemd copies files for the service alone at its start: name of the copy -> file.

    So its user needs no group that could read the files themselves.
    """
    return "".join(f"LoadCredential={name}:{path.replace('%', '%%')}\n" for name, path in files.items())


def is_behind(service: str) -> bool:
    """Check whether a running service of ours has other copies than the current files that its unit loads.

    A missing file is no reason to restart what still works.
    """
    place = credentials(service)
    if not os.path.isdir(place):
        return False
    files = loaded(service).items()
    return any(os.path.isfile(path) and _content(f"{place}/{name}") != _content(path) for name, path in files)


def loaded(service: str) -> dict[str, str]:
    """Return the files that the unit of a service of ours loads, by the names of their copies; none without a unit."""
    if not is_ours(unit_path(service)):
        return {}
    found = LOADED.findall(file_io.read(unit_path(service)).decode())
    return {name: path.replace("%%", "%") for name, path in found}


def _content(path: str) -> bytes:
    try:
        return file_io.read(path)
    except OSError:
        return b""


def hardened(user: str, wanted_by: str = "multi-user.target") -> str:
    """The rest of a unit: as whom it runs, what it may not do, and with what it starts."""
    return f"User={user}\n{HARDENED}\n[Install]\nWantedBy={wanted_by}\n"


def is_ours(unit: str) -> bool:
    """Check that Kraftwright wrote this unit file."""
    return os.path.isfile(unit) and file_io.read(unit).startswith(MARK.encode())


def refuse_foreign(paths: Iterable[str], remedy: str) -> None:
    """Raise RefusedError for unit files that exist and are not ours."""
    foreign = [path for path in paths if os.path.lexists(path) and not is_ours(path)]
    if foreign:
        raise RefusedError([f"{path}: Kraftwright did not write it. {remedy}" for path in foreign])


def systemctl(run: Run, *words: str) -> None:
    """Run one command. Raises ToolError with systemd's message."""
    host_systemctl.systemctl(run, SECONDS, *words)
