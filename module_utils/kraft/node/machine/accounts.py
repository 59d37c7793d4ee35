"""Who is who on a host: the user and group that Kafka is to run as, and the account that Ansible logs in with."""

from __future__ import annotations

import grp
import os
import pwd
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ansible.module_utils.kraft.errors import ToolError
from ansible.module_utils.kraft.node.service.state import Run

PROC = Path("/proc")
#: Home and shell of the users that roles here make.
NOWHERE, NO_SHELL = "/nonexistent", "/usr/sbin/nologin"


def user(name: str) -> dict[str, Any]:
    """``{name, exists, uid, group, groups, home, shell}``: primary group, all groups; null and empty without one."""
    try:
        entry = pwd.getpwnam(name)
    except KeyError:
        nothing = dict.fromkeys(("uid", "group", "home", "shell"))
        return {"name": name, "exists": False, **nothing, "groups": []}
    known = {gid: group_name(gid) for gid in os.getgrouplist(name, entry.pw_gid)}
    found = {"uid": entry.pw_uid, "group": known[entry.pw_gid], "home": entry.pw_dir, "shell": entry.pw_shell}
    return {"name": name, "exists": True, **found, "groups": sorted(each for each in known.values() if each)}


def is_of_service(name: str) -> bool:
    """Whether the user is there as roles here make it for a service beside Kafka; somebody else's is another one."""
    found = user(name)
    return (found["home"], found["shell"], found["group"]) == (NOWHERE, NO_SHELL, name)


def remove_user(run: Run, name: str) -> None:
    """Remove the user of a service, once nothing runs as it any more. Raises ToolError."""
    if is_of_service(name):
        code, _, error = run(["userdel", name])
        if code != 0:
            raise ToolError(f"userdel {name} failed: {error.strip()}")


def group(name: str) -> dict[str, Any]:
    """``{name, exists, gid}``."""
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
    """``{name, uid, gid}`` of who logged in: the nearest process above this one that is not root's, or else root."""
    uid = _ancestors_uid(proc) or _sudo_uid(environment) or os.geteuid()
    try:
        entry = pwd.getpwuid(uid)
    except KeyError:
        return {"name": str(uid), "uid": uid, "gid": None}
    return {"name": entry.pw_name, "uid": uid, "gid": entry.pw_gid}


def _ancestors_uid(proc: Path) -> int:
    """The first user above this process who is not root; 0 where there is none or the process tree cannot be read."""
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
    """What sudo says of its caller."""
    text = environment.get("SUDO_UID", "")
    return int(text) if text.isdigit() else 0
