"""Diagnostics of a host: configuration, state, logs. Secrets are hidden before they leave the host."""

from __future__ import annotations

import glob
import os
import time
from collections.abc import Iterable, Mapping
from typing import Any

from ansible.module_utils.kraft.errors import ToolError
from ansible.module_utils.kraft.known_secrets import KnownSecrets
from ansible.module_utils.kraft.node.files import guarded
from ansible.module_utils.kraft.node.machine.java import AS_NOBODY
from ansible.module_utils.kraft.node.other_services import collector_service, metrics_proxy, mirror_service
from ansible.module_utils.kraft.node.other_services.unit_files import unit_path
from ansible.module_utils.kraft.node.release.manifest import read_text
from ansible.module_utils.kraft.node.service.record import STARTED_DIR, started_files
from ansible.module_utils.kraft.node.service.unit_state import Run, observe_service
from ansible.module_utils.kraft.node.storage.log_dir import METADATA_LOG, QUORUM_STATE
from ansible.module_utils.kraft.node.storage.meta_properties import META
from ansible.module_utils.kraft.secret_values import shown_text

TAIL = 1 << 20  #: bytes of each log
LINES = "3000"  #: of the journal
SECONDS = "10"  #: for each command
LARGEST = 40  #: directories of a log dir that are named
PATIENCE = 15.0  #: seconds for a dump of threads to reach the journal
DUMP_ENDS = "JNI global refs"
BLOCK = 512  #: bytes, by POSIX
COUNTING = 10.0  #: seconds for the sizes of a log dir
#: Our files; those that other roles contribute may hold secrets of any form.
OURS = ("server.properties", "jvm.options", "log4j2.yaml")
RECORDED = (*OURS, "kafka.service", "MANIFEST")
OF_LOG_DIR = {META: META, QUORUM_STATE: f"{METADATA_LOG}/{QUORUM_STATE}"}
HOLD_SECRETS = (".properties", ".options")
LOGS = ("server.log", "controller.log", "state-change.log", "kafka-authorizer.log", "gc.log")
#: Name -> command on the host.
COMMANDS: Mapping[str, tuple[str, ...]] = {
    "kernel": ("uname", "-a"),
    "uptime": ("uptime",),
    "memory": ("free", "--mebi"),
    "filesystems": ("df", "--human-readable", "--print-type"),
    "inodes": ("df", "--inodes"),
    "mounts": ("findmnt", "--real"),
    "sockets": ("ss", "--summary"),
    "listening": ("ss", "--tcp", "--listening", "--numeric", "--processes"),
    "time": ("timedatectl", "show"),
}


def collect(run: Run, params: Mapping[str, Any]) -> dict[str, str]:
    """Return file name -> text. `params`: those of ``kafka_support_bundle``. Unreadable parts contain the reason."""
    unit, install_dir = f"{params['unit']}.service", params["install_dir"]
    threads, pid = _of_process(run, params["unit"])
    settings = {
        **{f"config/{name}": f"{install_dir}/config/{name}" for name in OURS},
        "config/unit": f"/etc/systemd/system/{unit}",
        "config/live.json": f"{install_dir}/live.json",
        "host/os-release": "/etc/os-release",
        "host/sysctl": params["sysctl_file"],
        "host/limits": f"/proc/{pid}/limits",
    }
    asked = {
        **{f"host/{name}": command for name, command in COMMANDS.items()},
        "host/java": (*AS_NOBODY, params["java"], "-version"),
        "service/show": ("systemctl", "show", unit),
        "service/journal": _journal(unit),
        **{f"service/journal_{name}": _journal(f"{name}.service") for name in beside()},
    }
    logs = {f"logs/{name}": tail(os.path.join(params["log4j_dir"], name)) for name in LOGS}
    texts = {**{name: read_text(path) for name, path in settings.items()}, **_of_service(params["log_dirs"])}
    earlier = {path: read_text(path) for path in with_secrets(install_dir)}
    known = KnownSecrets(text for name, text in {**texts, **earlier}.items() if name.endswith(HOLD_SECRETS))
    shown = {name: shown_text(text, is_of_node(name)) for name, text in texts.items() if text}
    return {
        **{name: text if is_of_node(name) else known.hidden(text) for name, text in shown.items()},
        **{name: known.hidden(_said(run, command)) for name, command in asked.items()},
        **{name: known.hidden(text) for name, text in logs.items() if text},
        **{f"log_dirs/{number}/usage": _usage(path) for number, path in enumerate(params["log_dirs"])},
        "service/threads": known.hidden(threads),
    }


def _of_service(log_dirs: Iterable[str]) -> dict[str, str]:
    """Return name -> text of the record of the process, and of the state files of its log dirs."""
    record = started_files(STARTED_DIR)
    texts = {f"started/{name}": record[name].decode("utf-8", "replace") for name in RECORDED if name in record}
    for number, path in enumerate(log_dirs):
        for name, below in OF_LOG_DIR.items():
            texts[f"log_dirs/{number}/{name}"] = guarded.read_text(path, below)
    return texts


def is_of_node(name: str) -> bool:
    """Check for a file of Kafka's own settings."""
    return name.endswith("/server.properties")


def with_secrets(install_dir: str) -> list[str]:
    """Return files of earlier and later starts. Logs may hold their secrets as well."""
    folders = ("previous", "next", "releases/*/config", "mirror")
    return [
        path for folder in folders for path in glob.glob(f"{install_dir}/{folder}/*") if path.endswith(HOLD_SECRETS)
    ]


def _journal(unit: str) -> tuple[str, ...]:
    return ("journalctl", "--unit", unit, "--no-pager", "--lines", LINES, "--output=short-iso")


def beside() -> list[str]:
    """The services beside Kafka that have a unit here."""
    named = (*metrics_proxy.SERVICES.values(), mirror_service.SERVICE, *collector_service.SERVICES)
    return [name for name in named if os.path.lexists(unit_path(name))]


def _said(run: Run, command: tuple[str, ...]) -> str:
    try:
        code, out, err = run(["timeout", SECONDS, *command])
    except OSError as error:
        return f"{command[0]}: {error}\n"
    return f"{out}{err}" if code == 0 else f"{out}{err}\n({' '.join(command)} ended with {code})\n"


def tail(path: str, size: int = TAIL) -> str:
    """Return the last bytes of a file, from a whole line on; empty without one."""
    try:
        text, is_cut = guarded.tail(path, size)
    except OSError:
        return ""
    return text.partition("\n")[2] if is_cut else text


def _of_process(run: Run, unit: str) -> tuple[str, int]:
    """Return a dump of the threads, or why there is none, and the pid; 0 without a known process."""
    try:
        service = observe_service(run, unit, STARTED_DIR)
    except ToolError as error:
        return f"{error}\n", 0
    running = service.pid and not service.stopped
    return _threads(run, unit, service.pid) if running else "not running\n", service.pid


def _threads(run: Run, unit: str, pid: int) -> str:
    """Return a dump of threads, which the JVM writes into its journal. The JDK's tool would be a Java run by root."""
    since, deadline = f"@{time.time():.3f}", time.monotonic() + PATIENCE
    run(["kill", "-QUIT", str(pid)])
    while True:
        said = _said(run, ("journalctl", "--unit", f"{unit}.service", "--since", since, "--no-pager", "--output=cat"))
        if DUMP_ENDS in said or time.monotonic() > deadline:
            return said
        time.sleep(0.2)


def _usage(path: str) -> str:
    """Return the bytes of a log dir and its largest entries, as far as counted in time."""
    deadline, sizes, whole = time.monotonic() + COUNTING, dict[str, int](), True
    for entry in _entries(path):
        sizes[entry.name] = _size(entry)
        whole = time.monotonic() < deadline
        if not whole:
            break
    largest = sorted(sizes.items(), key=lambda one: -one[1])[:LARGEST]
    counted = f"{path}: {sum(sizes.values()):,} bytes in {len(sizes)} entries{'' if whole else ', and more'}\n"
    return "".join([counted, *(f"{size:>18,}  {name}\n" for name, size in largest)])


def _size(entry: os.DirEntry[str]) -> int:
    """Return the bytes of a file, or of the files in a directory of a partition."""
    try:
        if entry.is_dir(follow_symlinks=False):
            return sum(_held(one) for one in _entries(entry.path))
        return _held(entry)
    except OSError:  # Kafka deletes segments meanwhile
        return 0


def _held(entry: os.DirEntry[str]) -> int:
    """Return the bytes on the disk: Kafka makes its indexes larger than they are filled."""
    return entry.stat(follow_symlinks=False).st_blocks * BLOCK


def _entries(path: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(path) as found:
            return sorted(found, key=lambda entry: entry.name)
    except OSError:
        return []
