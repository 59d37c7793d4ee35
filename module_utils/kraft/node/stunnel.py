"""stunnel as services beside Kafka: where its program is, and what all its configurations and units have in common."""

from __future__ import annotations

import os
from collections.abc import Iterable

from ansible.module_utils.kraft.node.service.state import Run
from ansible.module_utils.kraft.node.unit_files import MARK, hardened, is_ours, unit_path

PROGRAMS = ("/usr/bin/stunnel4", "/usr/bin/stunnel")  #: of Debian, of RHEL
MISSING = f"{' and '.join(PROGRAMS)}: stunnel is not installed. Install its package"


def program() -> str:
    """Where stunnel is; empty where it is not installed."""
    return next((path for path in PROGRAMS if os.access(path, os.X_OK)), "")


def pids(run: Run, services: Iterable[str]) -> list[int]:
    """The processes of those services that we have set up. A port that one of them has is not taken."""
    ours = [service for service in services if is_ours(unit_path(service))]
    said = [run(["systemctl", "show", "--property=MainPID", "--value", service])[1].strip() for service in ours]
    return [int(each) for each in said if each.isdigit() and each != "0"]


def config_text(name: str, lines: Iterable[str]) -> str:
    """Of one service, which stays in the foreground and writes to its journal."""
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
    """The rest of a unit after ``[Unit]``. It reads nothing of Kafka but what it loads, and nothing below `hidden`."""
    unseen = " ".join(f"-{each}" for each in hidden)
    return f"""[Service]
Type=exec
{lines}ExecStart={program() or PROGRAMS[0]} {config}
InaccessiblePaths={unseen}
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX
ProtectProc=invisible
MemoryMax=64M
{hardened(user, wanted_by)}"""
