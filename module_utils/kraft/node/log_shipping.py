"""The shipper of Kafka's log files on its host: its files, its services, and what it has not delivered yet."""

from __future__ import annotations

import contextlib
import glob
import os
import re
import time
from collections.abc import Mapping
from typing import Any

from ansible.module_utils.kraft.errors import RefusedError, ToolError
from ansible.module_utils.kraft.node import log_shipper, stunnel, unit_files
from ansible.module_utils.kraft.node.files import guarded
from ansible.module_utils.kraft.node.files.ensure import ensure_files
from ansible.module_utils.kraft.node.log_shipper import PROXY, QUEUE, ROOTS, RSYSLOG, SERVICES, SHIPPER
from ansible.module_utils.kraft.node.release.manifest import read_text
from ansible.module_utils.kraft.node.service.state import Run
from ansible.module_utils.kraft.node.unit_files import systemctl

WORK = "/var/lib/kafka-logs"  #: systemd makes it: the queue, and how far each file was read
PLACE = "imfile-state"  #: how the names of files begin there that say how far a file was read
RELP = ("/usr/lib/*/rsyslog/omrelp.so", "/usr/lib64/rsyslog/omrelp.so")  #: of Debian, of RHEL
HELD = re.compile(r"^\+iQueueSize:2:\d+:(\d+):$", re.MULTILINE)
SINCE = re.compile(r'\(\$msg < "\[([^"]+)"\)')
SECONDS, POLL_SECONDS = 15.0, 0.2

Settings = Mapping[str, Any]


def has_rsyslog() -> bool:
    return os.access(RSYSLOG, os.X_OK)


def missing() -> list[str]:
    """The packages that the host lacks, as Debian names them."""
    found = {
        "rsyslog": has_rsyslog(),
        "rsyslog-relp": any(map(glob.glob, RELP)),
        "stunnel4": bool(stunnel.program()),
    }
    return [name for name, is_there in found.items() if not is_there]


def home(install_dir: str) -> str:
    return f"{install_dir}/log_shipping"


def paths(install_dir: str) -> dict[str, str]:
    """All files that are ours."""
    place = home(install_dir)
    return {
        "rsyslog": f"{place}/rsyslog.conf",
        "stunnel": f"{place}/stunnel.conf",
        "roots": f"{place}/{ROOTS}",
        **{name: unit_files.unit_path(name) for name in SERVICES},
    }


def since(config: str) -> str:
    """When shipping was switched on, in the form of Kafka's log4j: of a configuration that is there, or now."""
    found = SINCE.search(read_text(config))
    return found[1] if found else time.strftime("%Y-%m-%d %H:%M:%S")


def wanted(settings: Settings, install_dir: str, group: str) -> dict[str, Any]:
    """The files as ``ensure_files`` takes them; without `settings` none may be there."""
    ours = paths(install_dir)
    contents: dict[str, str] = {}
    if settings:
        contents = {
            ours["rsyslog"]: log_shipper.rsyslog_text(settings, WORK, since(ours["rsyslog"])),
            ours["stunnel"]: log_shipper.stunnel_text(settings, unit_files.credentials(PROXY)),
            ours["roots"]: settings["roots"],
            ours[SHIPPER]: log_shipper.shipper_unit(settings, ours["rsyslog"], group, install_dir),
            ours[PROXY]: log_shipper.proxy_unit(settings, ours["stunnel"], ours["roots"]),
        }
    owned = {"owner": "root", "group": "root", "mode": "0644", "sensitive": False}
    place = {"path": home(install_dir), "owner": "root", "group": "root", "mode": "0755"}
    return {
        "directories": [place] if settings else [],
        "files": [{"path": path, "content": content, **owned} for path, content in contents.items()],
        "absent": [] if settings else [path for path in ours.values() if is_leaving(path)],
    }


def is_leaving(path: str) -> bool:
    """Whether a file is there and ours: a unit may be somebody else's."""
    return os.path.lexists(path) and (not path.startswith(f"{unit_files.UNITS}/") or unit_files.is_ours(path))


def undelivered() -> int:
    """Messages that are in the queue on disk, as its own record says at each change."""
    found = HELD.search(guarded.read_text(WORK, f"{QUEUE}.qi"))
    return int(found[1]) if found else 0


def pids(run: Run) -> list[int]:
    """The process of the proxy that we have set up, which has the port of loopback."""
    return stunnel.pids(run, [PROXY])


def is_running(run: Run, name: str) -> bool:
    return all(run(["systemctl", asked, "--quiet", name])[0] == 0 for asked in ("is-active", "is-enabled"))


def due(run: Run, settings: Settings, install_dir: str, group: str) -> bool:
    """Whether anything differs."""
    return bool(
        ensure_files(wanted(settings, install_dir, group), check_mode=True)["changed"]
        or (not settings and os.path.lexists(home(install_dir)))
        or (
            settings
            and (missing() or not all(is_running(run, name) for name in SERVICES) or unit_files.is_behind(PROXY))
        )
    )


def ensure(run: Run, settings: Settings, install_dir: str, group: str, check_mode: bool) -> dict[str, Any]:
    """Bring files and services to what is wanted. ``changed``, and ``kept``: messages that nobody has received."""
    changed = due(run, settings, install_dir, group)
    if changed and not check_mode:
        if settings:
            bring(run, settings, install_dir, group)
        else:
            withdraw(run, install_dir, group)
    return {"changed": changed, "kept": 0 if settings else undelivered()}


def bring(run: Run, settings: Settings, install_dir: str, group: str) -> None:
    if lacking := missing():
        raise RefusedError([f"{', '.join(lacking)}: not installed. Install the packages, or set kafka_logs_packages"])
    unit_files.refuse_foreign(map(unit_files.unit_path, SERVICES), "Give your own service another name")
    run(["systemctl", "stop", *SERVICES])  # there may be none yet; what is in the queue stays on disk
    ensure_files(wanted(settings, install_dir, group))
    systemctl(run, "daemon-reload")
    for name in reversed(SERVICES):
        systemctl(run, "enable", name)
        systemctl(run, "start", name)
    wait(run)


def withdraw(run: Run, install_dir: str, group: str) -> None:
    """Stop, and remove what is ours. Messages that nobody has received stay, with the place of each file."""
    units = [name for name in SERVICES if unit_files.is_ours(unit_files.unit_path(name))]
    if units:
        systemctl(run, "disable", "--now", *units)
    ensure_files(wanted({}, install_dir, group))
    if os.path.isdir(home(install_dir)) and not os.listdir(home(install_dir)):
        os.rmdir(home(install_dir))
    systemctl(run, "daemon-reload")
    if units:
        forget()


def forget() -> bool:
    """Remove the queue and the places in the files; not where there are messages that nobody has received.

    What others have put there stays, and the directory with it.
    """
    if undelivered():
        return False
    for name in os.listdir(WORK) if os.path.isdir(WORK) else ():
        if name.startswith((f"{QUEUE}.", PLACE)):
            with contextlib.suppress(OSError):
                os.unlink(os.path.join(WORK, name))
    with contextlib.suppress(OSError):
        os.rmdir(WORK)
    return True


def reload(run: Run, check_mode: bool) -> bool:
    """Restart stunnel where it has an older certificate; whether it had to. Lines wait meanwhile, none is lost."""
    behind = is_running(run, PROXY) and unit_files.is_behind(PROXY)
    if behind and not check_mode:
        systemctl(run, "restart", PROXY)
        wait(run)
    return behind


def wait(run: Run) -> None:
    """Until both run and stunnel has read what is there. Raises ToolError where they do not."""
    deadline = time.monotonic() + SECONDS
    while True:
        down = [name for name in SERVICES if not is_running(run, name)]
        if not down and not unit_files.is_behind(PROXY):
            return
        if time.monotonic() > deadline:
            name = (*down, PROXY)[0]
            raise ToolError(f"{name} does not run after {SECONDS:.0f} s; see journalctl --unit {name}")
        time.sleep(POLL_SECONDS)
