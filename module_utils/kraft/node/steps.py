"""Changes that each step of a deployment would make on this host, found in one inspection. Changes nothing.

Every answer comes from the same functions by which the step itself observes and plans, so the two cannot disagree. A
step that cannot be checked counts as one with something to do: then its own module runs and gives the reason.
"""

from __future__ import annotations

import dataclasses
import hashlib
import stat
from collections.abc import Callable, Mapping
from typing import Any

from ansible.module_utils.kraft.errors import KraftError
from ansible.module_utils.kraft.node import certificate, jvm_trial, plugins
from ansible.module_utils.kraft.node.files import apply as file_io
from ansible.module_utils.kraft.node.files import plan as files
from ansible.module_utils.kraft.node.machine import kernel
from ansible.module_utils.kraft.node.other_services import collector_service, metrics_proxy, stunnel_common
from ansible.module_utils.kraft.node.release import appcds_archive, appcds_archive_io, unpack
from ansible.module_utils.kraft.node.release import manifest as release
from ansible.module_utils.kraft.node.service.unit_state import Run
from ansible.module_utils.kraft.node.storage import apply as storage

Desired = Mapping[str, Any]
CLIENT_MODE = 0o644
FAILURES = (KraftError, OSError, ValueError, KeyError, TypeError)
STORAGE_DEFAULTS = {"directory_id": None, "initial_controllers": None, "metadata_log_dir": None, "peers": ()}


def inspect_kernel(_: Run, asked: Desired) -> dict[str, Any]:
    found = kernel.ensure_settings(asked, check_mode=True)
    return {"changed": found["changed"], "unmet": found["unmet"]}


def inspect_directories(_: Run, asked: Desired) -> dict[str, Any]:
    wanted = files.wanted_list({"files": (), **asked})
    known, found = file_io.accounts(wanted), [file_io.find(each) for each in wanted]
    problems = files.file_refusals(wanted, found, known, predict=True)
    return {"changed": bool(problems or files.plan(wanted, found, known))}


def inspect_release(_: Run, asked: Desired) -> dict[str, Any]:
    rest = bool(unpack.incoming_rest(asked["install_dir"], ""))
    state = dataclasses.replace(release.observe_release(asked["install_dir"], asked["version"]), rest=rest)
    return {"changed": release.plan_release(state, asked["checksum"], "", archive_found=False, ours=False).changed}


def inspect_appcds_archive(run: Run, asked: Desired) -> dict[str, Any]:
    place = (asked["java"], asked["install_dir"], asked["version"], asked["checksum"])
    found = appcds_archive_io.observe(run, *place)
    action = appcds_archive.plan_appcds_archive(found)
    return {**appcds_archive.described(found), "changed": not found.key or action != appcds_archive.NONE}


def inspect_client(_: Run, asked: Desired) -> dict[str, Any]:
    """Compare the client. `digest`: the sha256 of the control machine's copy; empty if that one cannot be read."""
    return {"changed": not is_copy(asked)}


def inspect_agents(_: Run, asked: Desired) -> dict[str, Any]:
    """Compare the jars that other roles contribute to the JVM, each with its digest."""
    return {"changed": not all(map(is_copy, asked["files"]))}


def inspect_plugins(_: Run, asked: Desired) -> dict[str, Any]:
    """Compare the plugins. ``missing``: names of those to install."""
    missing = plugins.missing(asked["plugins"])
    return {"changed": bool(missing), "missing": missing}


def is_copy(asked: Desired) -> bool:
    """Check that a file has the bytes with the `digest`, and every user can read it."""
    status = file_io.lstat(asked["path"])
    if status is None or not stat.S_ISREG(status.st_mode) or stat.S_IMODE(status.st_mode) != CLIENT_MODE:
        return False
    return str(asked["digest"]) == hashlib.sha256(file_io.read(asked["path"])).hexdigest()


def inspect_storage(_: Run, asked: Desired) -> dict[str, Any]:
    """Plan the storage without the other nodes, which are unknown yet: a log dir rather counts as one to change."""
    return {"changed": storage.ensure_storage({**STORAGE_DEFAULTS, **asked}, check_mode=True)["changed"]}


def inspect_certificate(run: Run, asked: Desired) -> dict[str, Any]:
    """Inspect the certificate. The control machine decides, since it has the authorities."""
    key = {"host_key": certificate.host_key(run, asked["host_key"])} if asked.get("host_key") else {}
    return {"changed": False, **certificate.observe(run, asked["directory"]), **key}


def inspect_collector(run: Run, asked: Desired) -> dict[str, Any]:
    return {
        "changed": collector_service.due(run, **asked),
        "exporter": not collector_service.lacks_exporter(asked["settings"]),
    }


def inspect_metrics_proxy(run: Run, asked: Desired) -> dict[str, Any]:
    """``pids``: of proxies that run now. Their ports are not taken, whatever else cannot be found out."""
    found = {"program": bool(stunnel_common.program()), "pids": metrics_proxy.pids(run)}
    try:
        return {**found, "changed": metrics_proxy.due(run, **asked)}
    except FAILURES as error:
        return {**found, "changed": True, "reason": str(error)}


def inspect_jvm(run: Run, asked: Desired) -> dict[str, Any]:
    """Test the JVM with the options. It changes nothing; the preflight decides on the result."""
    return {"changed": False, "refused": jvm_trial.refusal(run, asked["java"], asked["options"], asked["file"])}


STEPS: Mapping[str, Callable[[Run, Desired], dict[str, Any]]] = {
    "kernel": inspect_kernel,
    "directories": inspect_directories,
    "release": inspect_release,
    "appcds_archive": inspect_appcds_archive,
    "client": inspect_client,
    "agents": inspect_agents,
    "plugins": inspect_plugins,
    "certificate": inspect_certificate,
    "storage": inspect_storage,
    "collector": inspect_collector,
    "metrics_proxy": inspect_metrics_proxy,
    "jvm": inspect_jvm,
}


def answer(run: Run, name: str, asked: Desired) -> dict[str, Any]:
    try:
        found = STEPS[name](run, asked)
    except FAILURES as error:
        found = {"changed": True, "reason": str(error)}
    return {**found, "wanted": dict(asked)} if found["changed"] else found


def observe(run: Run, asked: Mapping[str, Desired]) -> dict[str, dict[str, Any]]:
    """Return step -> its answer with ``changed``, whether it would change anything, for every requested step.

    A step that would also gives its ``wanted`` values, for the plan of the deployment.
    """
    return {name: answer(run, name, each) for name, each in asked.items()}
