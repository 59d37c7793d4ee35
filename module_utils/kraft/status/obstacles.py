"""Why Kafka cannot start on a host, by the rules of preflight about its log dirs. Pure."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

from ansible.module_utils.kraft.problem import Problem
from ansible.module_utils.kraft.spec.host_rules import disk
from ansible.module_utils.kraft.spec.host_rules.subject import Desired, Host

#: Rule of preflight by which Kafka cannot start -> the command that shows more of it. {}: the path.
LOOK: Mapping[str, str] = {
    "log_dir_full": "df --human-readable {}",
    "log_dir_no_inodes": "df --inodes {}",
    "log_dir_read_only": "dmesg --level=err,warn",
    "log_dir_closed": "namei --modes --owners {}",
    "log_dir_wrong_owner": "ls -l {}",
    "log_dir_is_mount_root": "ls -l {}",
    "log_dir_obstacle": "ls -l {}",
    "metadata_log_misplaced": "ls -l {}",
}


@dataclasses.dataclass(frozen=True)
class Obstacle:
    """``rule``: that of preflight; ``path``: the log dir; ``message`` and ``remedy`` as in preflight."""

    rule: str
    path: str
    message: str
    remedy: str


def obstacles(host: str, node: Mapping[str, Any], log_dirs: Mapping[str, Any], user: str) -> tuple[Obstacle, ...]:
    """Find obstacles. `node`: of ``kafka_desired``; `log_dirs`: of ``kafka_host_info``, empty without inspection."""
    if not log_dirs:
        return ()
    judged = Host(host, node, {"log_dirs": log_dirs}, Desired(user=user))
    paths = judged.log_dirs
    return tuple(
        Obstacle(one.rule, one.value if one.value in paths else paths[0], one.message, one.remedy)
        for one in _problems(judged)
        if one.rule in LOOK
    )


def _problems(host: Host) -> Iterator[Problem]:
    for path, found in host.found():
        yield from disk.filesystem(host, path, found)
        yield from disk.ownership(host, path, found)
        yield from disk.obstacles(host, path, found)
    yield from disk.room(host)
    yield from disk.misplaced(host)
