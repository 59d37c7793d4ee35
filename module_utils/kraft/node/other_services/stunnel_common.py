"""stunnel as services beside Kafka: its program, and the common parts of all its configurations and units."""

from __future__ import annotations

import os
from collections.abc import Iterable

from ansible.module_utils.kraft.node.other_services.unit_files import MARK, hardened, is_ours, unit_path
from ansible.module_utils.kraft.node.service.unit_state import Run

PROGRAMS = ("/usr/bin/stunnel4", "/usr/bin/stunnel")  #: of Debian, of RHEL
MISSING = f"{' and '.join(PROGRAMS)}: stunnel is not installed. Install its package"


def program() -> str:
    """Return the path of stunnel; empty if it is not installed."""
    return next((path for path in PROGRAMS if os.access(path, os.X_OK)), "")


def pids(run: Run, services: Iterable[str]) -> list[int]:
    """Return the processes of those services that we have set up. A port of one of them is not taken."""
    ours = [service for service in services if is_ours(unit_path(service))]
    said = [run(["systemctl", "show", "--property=MainPID", "--value", service])[1].strip() for service in ours]
    return [int(each) for each in said if each.isdigit() and each != "0"]


def config_text(name: str, lines: Iterable[str]) -> str:
    """Return the configuration of one service, which stays in the foreground and writes to its journal."""
    own = "".join(f"{line}\n" for line in lines)
    return f"""{MARK}; changes made here are lost.
foreground = yes
pid =
syslog = no
debug = warning
[{name}]
{own}verifyChain = yes
sslVersionMin = TLSv1.2
ciphers = ECDHE+AESGCM:ECDHE+CHACHA20
TIMEOUTclose = 0
"""


def service_text(
    config: str, user: str, hidden: Iterable[str], lines: str = "", wanted_by: str = "multi-user.target"
) -> str:
    """Return the rest of a unit after ``[Unit]``. It reads only what it loads of Kafka, and nothing below `hidden`."""
    unseen = " ".join(f"-{each}" for each in hidden)
    return f"""[Service]
Type=exec
{lines}ExecStart={program() or PROGRAMS[0]} {config}
InaccessiblePaths={unseen}
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX
ProtectProc=invisible
MemoryMax=64M
{hardened(user, wanted_by)}"""
