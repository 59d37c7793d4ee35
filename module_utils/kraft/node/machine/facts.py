"""Facts of a host for preflight and other modules, gathered in one pass without changing it."""

from __future__ import annotations

import dataclasses
import os
import time
from pathlib import Path
from typing import Any

from ansible.module_utils.kraft.node import identity
from ansible.module_utils.kraft.node.files import guarded
from ansible.module_utils.kraft.node.files.parsed_properties import parse_properties
from ansible.module_utils.kraft.node.identity import REMOVED
from ansible.module_utils.kraft.node.machine import accounts, devices
from ansible.module_utils.kraft.node.machine.disk import foreign_files, install_dir, mounts, orphan_uid, path_facts
from ansible.module_utils.kraft.node.machine.java import java, javas
from ansible.module_utils.kraft.node.machine.machine import (
    cpus,
    machine,
    memory_mb,
    nofile_hard,
    read,
    releases,
    sysctl,
)
from ansible.module_utils.kraft.node.machine.network import ask_all, connected, ports_in_use
from ansible.module_utils.kraft.node.machine.os_family import distribution
from ansible.module_utils.kraft.node.release.manifest import observe_releases
from ansible.module_utils.kraft.node.service.deployed import deployed_node as describe_deployed
from ansible.module_utils.kraft.node.service.record import STARTED_DIR, started_files
from ansible.module_utils.kraft.node.service.unit_state import SYSTEMD_RUNNING, Run, ServiceState, observe_service
from ansible.module_utils.kraft.node.storage.log_dir import METADATA_LOG, QUORUM_STATE, metadata_dir, observe_log_dir
from ansible.module_utils.kraft.node.storage.replicas import held_replicas

#: Return code of ``adjtimex`` while the kernel's clock is not synchronised.
CLOCK_ERROR = 5


@dataclasses.dataclass(frozen=True)
class Questions:
    """Input of an inspection. ``names``: resolved; ``binds``: tried as own addresses; ``reach``: host:port."""

    log_dirs: tuple[str, ...] = ()
    install_dir: str = "/opt/kafka"
    unit: str = "kafka"
    user: str = "kafka"
    group: str = "kafka"
    java_home: str = ""
    sysctl_names: tuple[str, ...] = ()
    ports: tuple[int, ...] = ()
    names: tuple[str, ...] = ()
    binds: tuple[str, ...] = ()
    reach: tuple[str, ...] = ()
    disks: tuple[dict[str, str], ...] = ()
    started_dir: str = STARTED_DIR


def observe_host(ask: Questions, run: Run) -> dict[str, Any]:
    """Return the facts by name, see the documentation of ``kafka_host_info``."""
    service = observe_service(run, ask.unit, ask.started_dir)
    now = deployed(ask, service)
    return {
        "os": distribution(),
        "cpus": cpus(),
        "memory_mb": memory_mb(),
        "java": java(ask.java_home, run),
        "javas": javas(),
        "limits": {"nofile_hard": nofile_hard()},
        "sysctl": sysctl(ask.sysctl_names),
        "systemd": SYSTEMD_RUNNING.is_dir(),
        "privileged": os.geteuid() == 0,
        "user": accounts.user(ask.user),
        "group": accounts.group(ask.group),
        "login": accounts.login(),
        "time": time.time(),
        "clock_synchronised": clock_synchronised(),
        "service": service.as_facts(),
        **machine(),
        "deployed": now,
        "identity": identity.observe(ask.install_dir, ask.started_dir, ask.unit, service.pid, ask.log_dirs).as_facts(),
        "used_log_dirs": used_log_dirs(ask, service),
        **disk_facts(ask),
        "disks": devices.observe(ask.disks, run),
        **network_facts(ask, service, other_voters(now)),
        "connections": connected(int(one["bind"].rsplit(":", 1)[1]) for one in now["listeners"]),
    }


def disk_facts(ask: Questions) -> dict[str, Any]:
    """Return facts of log dirs, other relevant paths, the install dir and its releases."""
    mounted = mounts(read(Path("/proc/self/mounts")))
    current = os.path.join(ask.install_dir, "current")
    return {
        "log_dirs": {path: log_dir(path, ask.user, mounted) for path in ask.log_dirs},
        "paths": {
            name: {**path_facts(path, ask.user, mounted), "path": path}
            for name, path in (("install_dir", ask.install_dir), ("tmp", "/tmp"))  # noqa: S108 - looked at, not used
        },
        "install_dir": install_dir(ask.install_dir),
        "releases": releases(observe_releases(ask.install_dir)),
        "quorum": quorum(os.path.join(current, "config/server.properties")),
        "removed": os.path.exists(os.path.join(ask.install_dir, REMOVED)),
        **current_release(current),
    }


def current_release(link: str) -> dict[str, Any]:
    """Return the release for the next start, and the seconds since a start changed it; None without one."""
    if not os.path.islink(link):
        return {"current_release": None, "current_release_age": None}
    age = round(max(0.0, time.time() - os.lstat(link).st_mtime), 1)
    return {"current_release": os.path.basename(os.path.realpath(link)), "current_release_age": age}


def log_dir(path: str, name: str, mounted: list[dict[str, Any]]) -> dict[str, Any]:
    """Return place and content of a log dir; ``foreign_files``: files in it that are not Kafka's user's.

    ``orphan_uid``: the uid that owns all of it, if its account is gone.
    """
    where = path_facts(path, name, mounted)
    return {
        **where,
        **observe_log_dir(path).as_facts(),
        "foreign_files": foreign_files(path, name),
        "orphan_uid": orphan_uid(path),
    }


def quorum(properties: str) -> str | None:
    """Return the configured form of quorum, ``static`` or ``dynamic``; None if the node has none."""
    values = properties_of(properties)
    forms = {"controller.quorum.voters": "static", "controller.quorum.bootstrap.servers": "dynamic"}
    return next((form for key, form in forms.items() if values.get(key)), None)


def deployed(ask: Questions, service: ServiceState) -> dict[str, Any]:
    """Return the node's deployed configuration, see ``node.deployed``; empty lists if it was never deployed."""
    in_place = properties_of(os.path.join(ask.install_dir, "current/config/server.properties"))
    running = running_properties(ask, service)
    counts = running or in_place
    metadata = metadata_dir(counts)
    state = guarded.read_text(metadata, f"{METADATA_LOG}/{QUORUM_STATE}") if metadata else ""
    return describe_deployed(running, in_place, state)


def used_log_dirs(ask: Questions, service: ServiceState) -> dict[str, Any]:
    """Return each log dir of the deployed or running node: how many replicas it holds, and the first of them."""
    in_place = properties_of(os.path.join(ask.install_dir, "current/config/server.properties"))
    given = (each.get("log.dirs", "") for each in (in_place, running_properties(ask, service)))
    paths = (one.strip().rstrip("/") for text in given for one in text.split(","))
    return {path: held_replicas(path) for path in dict.fromkeys(paths) if path}


def running_properties(ask: Questions, service: ServiceState) -> dict[str, str]:
    """Return the settings that the process was started with; empty if none runs, or without a record."""
    record = started_files(ask.started_dir) if service.pid else {}
    return parse_properties(record.get("server.properties", b"").decode("utf-8", "replace"))


def properties_of(path: str) -> dict[str, str]:
    return parse_properties(read(Path(path)))


def other_voters(now: dict[str, Any]) -> set[str]:
    """Return addresses of the other static voters: one that the inventory no longer names may still run."""
    every = (one for found in now["voters"] for one in found["voters"])
    return {one["address"] for one in every if one["address"] and str(one["node_id"]) != now["node_id"]}


def network_facts(ask: Questions, service: ServiceState, voters: set[str]) -> dict[str, Any]:
    """Return facts of ports, names, addresses and other hosts' ports."""
    questions = {"names": ask.names, "binds": ask.binds, "reach": sorted({*ask.reach, *voters})}
    return {"ports": ports_in_use(ask.ports, service.pid), **ask_all(questions)}


def clock_synchronised() -> bool | None:
    """Check that the kernel's clock is synchronised; None if the kernel does not report it."""
    try:
        import ctypes  # noqa: PLC0415 - rarely missing, but then the answer is only "unknown"

        libc = ctypes.CDLL(None, use_errno=True)
        answer: int = libc.adjtimex(ctypes.create_string_buffer(512))  # zeros: read only
    except (ImportError, OSError, AttributeError):
        return None
    return None if answer < 0 else answer != CLOCK_ERROR
