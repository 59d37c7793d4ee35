"""Accounts on a host: Kafka's user and group, and the login user of Ansible."""

from __future__ import annotations

import grp
import os
import pwd
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ansible.module_utils.kraft.errors import ToolError
from ansible.module_utils.kraft.node.service.unit_state import Run

PROC = Path("/proc")
#: Home and shell of the users that the roles create.
NOWHERE, NO_SHELL = "/nonexistent", "/usr/sbin/nologin"


def user(name: str) -> dict[str, Any]:
    """Return ``{name, exists, uid, group, groups, home, shell}``: primary and all groups; null and empty if missing."""
    try:
        entry = pwd.getpwnam(name)
    except KeyError:
        nothing = dict.fromkeys(("uid", "group", "home", "shell"))
        return {"name": name, "exists": False, **nothing, "groups": []}
    known = {gid: group_name(gid) for gid in os.getgrouplist(name, entry.pw_gid)}
    found = {"uid": entry.pw_uid, "group": known[entry.pw_gid], "home": entry.pw_dir, "shell": entry.pw_shell}
    return {"name": name, "exists": True, **found, "groups": sorted(each for each in known.values() if each)}


def is_of_service(name: str) -> bool:
    """Check that the user exists as the roles create it for a service beside Kafka."""
    found = user(name)
    return (found["home"], found["shell"], found["group"]) == (NOWHERE, NO_SHELL, name)


def remove_user(run: Run, name: str) -> None:
    """Remove the user of a service, once no process of it runs any more. Raises ToolError."""
    if is_of_service(name):
        code, _, error = run(["userdel", name])
        if code != 0:
            raise ToolError(f"userdel {name} failed: {error.strip()}")


def group(name: str) -> dict[str, Any]:
    """Return ``{name, exists, gid}``."""
    try:
        return {"name": name, "exists": True, "gid": grp.getgrnam(name).gr_gid}
    except KeyError:
        return {"name": name, "exists": False, "gid": None}


def group_name(gid: int) -> str | None:
    try:
        return grp.getgrgid(gid).gr_name
    except KeyError:
        return None


def login(proc: Path = PROC, environment: Mapping[str, str] = os.environ) -> dict[str, Any]:
    """Return ``{name, uid, gid}`` of the login user: of the nearest ancestor process that is not root's, else root."""
    uid = _ancestors_uid(proc) or _sudo_uid(environment) or os.geteuid()
    try:
        entry = pwd.getpwuid(uid)
    except KeyError:
        return {"name": str(uid), "uid": uid, "gid": None}
    return {"name": entry.pw_name, "uid": uid, "gid": entry.pw_gid}


def _ancestors_uid(proc: Path) -> int:
    """Return the uid of the nearest ancestor process that is not root's; 0 without one or if /proc is unreadable."""
    pid = str(os.getpid())
    while pid not in ("", "0"):
        try:
            text = (proc / pid / "status").read_text()
        except OSError:
            return 0
        known = dict(re.findall(r"^(Uid|PPid):\s*(\d+)", text, re.MULTILINE))
        if int(known.get("Uid", 0)):
            return int(known["Uid"])
        pid = known.get("PPid", "")
    return 0


def _sudo_uid(environment: Mapping[str, str]) -> int:
    """Return the uid of sudo's caller; 0 without one."""
    text = environment.get("SUDO_UID", "")
    return int(text) if text.isdigit() else 0
