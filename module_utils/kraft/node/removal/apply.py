"""Inspect a host whose cluster is destroyed, and remove what the plan names. Each step can be repeated after a kill."""

from __future__ import annotations

import contextlib
import itertools
import os
import shutil
from collections.abc import Iterable, Mapping
from typing import Any

from ansible.module_utils.kraft.errors import ToolError
from ansible.module_utils.kraft.node import identity, plugins
from ansible.module_utils.kraft.node.machine import accounts
from ansible.module_utils.kraft.node.other_services import (
    collector_service,
    departed,
    metrics_proxy,
    mirror_service,
    unit_files,
)
from ansible.module_utils.kraft.node.other_services.unit_files import unit_path
from ansible.module_utils.kraft.node.release.manifest import read_text
from ansible.module_utils.kraft.node.removal import foreign
from ansible.module_utils.kraft.node.removal.plan import LINKS, LOG_FILE, OURS, Desired, Found, Plan
from ansible.module_utils.kraft.node.service.record import STARTED_DIR
from ansible.module_utils.kraft.node.service.systemctl import systemctl
from ansible.module_utils.kraft.node.service.unit_state import Run, observe_service
from ansible.module_utils.kraft.node.storage.log_dir import LOST_AND_FOUND
from ansible.module_utils.kraft.node.storage.meta_properties import META, read_meta

WORKERS = ("kafka-appcds-archive",)  #: units that a deployment may have left running
#: Users of the services beside Kafka.
USERS = (metrics_proxy.USER, mirror_service.USER, collector_service.USER)
LOOKED_AT = 2000  #: files of a directory that are checked for Kafka's user
ANSWERED = 30  #: seconds in which a running quorum releases a broker


def observe(run: Run, params: Mapping[str, Any]) -> Found:
    """Inspect the host. `params`: those of ``kafka_uninstall``."""
    service = observe_service(run, params["unit"], STARTED_DIR)
    unit = unit_path(params["unit"])
    below = _below(params["install_dir"])
    logs = [os.path.join(params["log4j_dir"], name) for name in _names(params["log4j_dir"]) if LOG_FILE.fullmatch(name)]
    kernel = filter(unit_files.is_ours, [params["sysctl_file"]])
    linked = [os.path.join(params["install_dir"], name) for name in LINKS]
    other_services = (mirror_service.SERVICE, *reversed(collector_service.SERVICES), *departed.SERVICES)
    named = (*metrics_proxy.SERVICES.values(), *other_services)
    services = filter(unit_files.is_ours, map(unit_path, named))
    deployed = identity.observe(params["install_dir"], STARTED_DIR, params["unit"], service.pid, params["log_dirs"])
    others = [one.path for one in deployed.disks if one.path not in params["log_dirs"]]
    user, (log_dirs, unreadable) = accounts.user(params["user"]), _log_dirs(params["log_dirs"])
    undeclared, broken = _log_dirs(others)
    known = {path.rstrip("/") for path in (*log_dirs, *unreadable, *undeclared, *broken)}
    strangers = tuple(_strangers(params))
    not_kafkas = dict(zip(log_dirs, map(_not_kafkas, log_dirs)))
    beside = itertools.chain(strangers, _files_below(params["log4j_dir"]), *not_kafkas.values())
    kept = [path for path in beside if path not in logs]
    paths = tuple(path for path in (*services, *below, *logs, *kernel) if os.path.lexists(path))
    going = (*paths, *(log_dirs if params.get("delete_data") else ()))
    return Found(
        unit=read_text(unit) if os.path.lexists(unit) else None,
        runs=service.active or service.enabled or service.pid > 0,  # a stopping process still writes
        log_dirs=log_dirs,
        unreadable={**unreadable, **broken, **_unlisted((params["install_dir"], params["log4j_dir"]))},
        identity=deployed,
        undeclared=tuple(undeclared),
        blank=tuple(one.path for one in deployed.disks if one.deployed and one.path not in known),
        not_kafkas=not_kafkas,
        mounted=tuple(foreign.mounted_below(going)),
        owned=tuple(path for path in kept if user["exists"] and _holds_files_of(path, user["uid"])),
        paths=paths,
        strangers=strangers,
        occupied=tuple(path for path in linked if os.path.lexists(path) and not os.path.islink(path)),
        has_account=user["exists"],
        users=tuple(filter(accounts.is_of_service, USERS)),
        account_is_ours=bool(user["exists"] and user["home"] == accounts.NOWHERE and user["group"] == params["group"]),
    )


def _below(install_dir: str) -> list[str]:
    """Return the paths of deployments below the install directory: of plugins those that they unpacked."""
    above = os.path.join(install_dir, plugins.DIRECTORY)
    unpacked = [os.path.join(above, name) for name in _names(above) if plugins.OURS.fullmatch(name)]
    others = [os.path.join(install_dir, name) for name in OURS if name != plugins.DIRECTORY]
    return [*others, *unpacked]


def _names(path: str) -> list[str]:
    try:
        return sorted(os.listdir(path))
    except OSError:
        return []


def _unlisted(paths: Iterable[str]) -> dict[str, str]:
    """Return directories that are there and cannot be listed -> the error: files in them may be Kafka's user's."""
    found = dict[str, str]()
    for path in paths:
        try:
            os.listdir(path)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            found[path] = error.strerror or str(error)
    return found


def _log_dirs(paths: Iterable[str]) -> tuple[dict[str, str], dict[str, str]]:
    """Return log dirs that are there and not empty: path -> cluster id in them; and path -> error of a broken disk."""
    found, unreadable = dict[str, str](), dict[str, str]()
    for path in paths:
        try:
            if set(os.listdir(path)) - {LOST_AND_FOUND}:
                found[path] = read_meta(path).values.get("cluster.id", "")
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            unreadable[path] = error.strerror or str(error)
    return found, unreadable


def _strangers(params: Mapping[str, Any]) -> Iterable[str]:
    """Yield paths below the install directory that are neither ours nor lead to a log dir, and files of others."""
    for name in _names(params["install_dir"]):
        path = os.path.join(params["install_dir"], name)
        leads = any(each == path or each.startswith(f"{path}/") for each in (*params["log_dirs"], params["log4j_dir"]))
        if name not in OURS and not leads:
            yield path
    above = os.path.join(params["install_dir"], plugins.DIRECTORY)
    yield from (os.path.join(above, name) for name in _names(above) if not plugins.OURS.fullmatch(name))
    drop_ins = f"{unit_path(params['unit'])}.d"
    if os.path.isdir(drop_ins):
        yield drop_ins
    if os.path.lexists(params["sysctl_file"]) and not unit_files.is_ours(params["sysctl_file"]):
        yield params["sysctl_file"]


def _not_kafkas(log_dir: str) -> tuple[str, ...]:
    """Return what no node made there; nothing of a disk that has just broken, since nothing on it goes."""
    try:
        return foreign.in_log_dir(log_dir)
    except OSError:
        return ()


def _files_below(path: str) -> list[str]:
    return [os.path.join(path, name) for name in _names(path)]


def _holds_files_of(path: str, uid: int) -> bool:
    """Check whether the path or a file below it belongs to a user, or may: some are not read, or there are too many."""
    unread: list[OSError] = []
    walked = os.walk(path, onerror=unread.append) if os.path.isdir(path) else ()
    below = (os.path.join(top, name) for top, dirs, files in walked for name in (*dirs, *files))
    for number, each in enumerate(itertools.chain([path], below)):
        with contextlib.suppress(FileNotFoundError):
            if number >= LOOKED_AT or os.lstat(each).st_uid == uid:
                return True
    return any(not isinstance(one, FileNotFoundError) for one in unread)


def carry_out(run: Run, plan: Plan, params: Mapping[str, Any], desired: Desired) -> None:
    """Execute the steps. Raises ToolError if a tool fails; the next run continues.

    Data is removed last: until then the log dirs identify the node, also for the next run.
    """
    unit = f"{params['unit']}.service"
    for worker in WORKERS if plan.changes else ():
        run(["systemctl", "stop", f"{worker}.service"])  # none may be running
    if plan.stop:
        stop(run, unit, params["timeout"])
    if plan.unit:
        os.unlink(unit_path(params["unit"]))
        systemctl(run, params["timeout"], "daemon-reload")
        run(["systemctl", "reset-failed", unit])  # there may be no failure to reset
    for path in plan.paths:
        end_service(run, path, params["timeout"])
        remove(path)
    for name in plan.users:
        accounts.remove_user(run, name)
    for path in plan.data:
        empty(path)
    above = os.path.join(params["install_dir"], plugins.DIRECTORY)
    for path in (*params["log_dirs"], params["log4j_dir"], above, params["install_dir"]):
        remove_empty(path, params["install_dir"])
    if plan.account:
        _tool(run, "userdel", desired.user)
        if accounts.group(desired.group)["exists"]:
            _tool(run, "groupdel", desired.group)


def end_service(run: Run, path: str, timeout: int) -> None:
    """Stop and disable the service if the path is the unit of one beside Kafka."""
    if path.startswith(f"{unit_files.UNITS}/"):
        systemctl(run, timeout, "disable", "--now", os.path.basename(path))


def stop(run: Run, unit: str, timeout: int) -> None:
    """Stop and disable the service, and kill it if it does not stop in time.

    A broker requests its shutdown from the controllers. The last ones to stop have no quorum left that could answer,
    and would wait for five minutes. Acknowledged records are in files, and the next start recovers them.
    """
    try:
        systemctl(run, ANSWERED, "disable", "--now", unit)
    except ToolError:
        systemctl(run, timeout, "kill", "--signal=KILL", unit)
        systemctl(run, timeout, "stop", unit)


def _tool(run: Run, *command: str) -> None:
    code, _, error = run(list(command))
    if code != 0:
        raise ToolError(f"{' '.join(command)} failed: {error.strip()}")


def empty(path: str) -> None:
    """Delete a node's files in a log dir. Its identity goes last, so that remains can be identified.

    Raises OSError if the disk cannot be read any more: nothing was deleted then.
    """
    stay = {LOST_AND_FOUND, *map(os.path.basename, foreign.in_log_dir(path))}
    for name in sorted(os.listdir(path), key=lambda name: name == META):
        if name not in stay:
            remove(os.path.join(path, name))


def remove(path: str) -> None:
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    else:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)


def remove_empty(path: str, top: str) -> None:
    """Remove a directory without content, then those above it up to `top`. A mounted disk and a link stay."""
    while _is_removable(path):
        os.rmdir(path)
        path = os.path.dirname(path)
        if os.path.commonpath([path, top]) != top:
            return


def _is_removable(path: str) -> bool:
    if not os.path.isdir(path) or os.path.islink(path) or os.path.ismount(path):
        return False
    try:
        return not os.listdir(path)
    except OSError:  # of a broken disk
        return False
