"""Inspect a node, and start, restart or stop it through systemd."""

from __future__ import annotations

import dataclasses
import os
import stat
import time
from collections.abc import Mapping
from typing import Any

from ansible.module_utils.kraft.difference import PROPERTIES, RECORD, Difference
from ansible.module_utils.kraft.errors import RefusedError, ToolError
from ansible.module_utils.kraft.node import identity, planned_work
from ansible.module_utils.kraft.node.files.apply import write_link
from ansible.module_utils.kraft.node.files.parsed_properties import parse_properties
from ansible.module_utils.kraft.node.release.manifest import describe_damage, observe_release, read_manifest
from ansible.module_utils.kraft.node.service import plan as node
from ansible.module_utils.kraft.node.service import staging
from ansible.module_utils.kraft.node.service.differences import CONFIG_FILES, Inputs, differences, moves, running_inputs
from ansible.module_utils.kraft.node.service.record import STARTED_DIR, started_files
from ansible.module_utils.kraft.node.service.staging import Place
from ansible.module_utils.kraft.node.service.systemctl import systemctl
from ansible.module_utils.kraft.node.service.unit_state import Run, ServiceState, observe_service

PROC = "/proc"
#: Maximum seconds to watch a started JVM; the watch ends as soon as it opens its class path.
WATCH_SECONDS = 10.0
WATCH_STEP = 0.02
LAST_LINES = 20


def current_release(install_dir: str) -> str:
    """Return the version that ``current`` leads to; '' without one. Raises RefusedError if ``current`` is no link."""
    path = f"{install_dir}/current"
    try:
        status = os.lstat(path)
    except FileNotFoundError:
        return ""
    if not stat.S_ISLNK(status.st_mode):
        raise RefusedError([f"{path} is no link, so no release can be chosen with it; look at it and move it away"])
    return os.path.basename(os.readlink(path))


def given_files(params: Mapping[str, Any]) -> dict[str, str]:
    """Return name -> content of the files that ``kafka_node`` was given."""
    return {os.path.basename(one["path"]): one["content"] for one in params["files"]}


def require_identity(run: Run, params: Mapping[str, Any]) -> None:
    """Compare the host's identity with the inventory, unless ``kafka_node`` only reports. Raises RefusedError."""
    state = params["state"]
    given = identity.directories(parse_properties(given_files(params).get(PROPERTIES, "")))
    pid = observe_service(run, params["unit"], STARTED_DIR).pid
    found = identity.observe(params["install_dir"], STARTED_DIR, params["unit"], pid, given)
    if state != node.REPORTED:
        identity.require(found, params["cluster_id"], params["node_id"], unnamed=state == node.STARTED)


def wanted_place(params: Mapping[str, Any]) -> Place:
    """Return the files and release for the next start by ``kafka_node``. Raises RefusedError if there are none."""
    unit, install_dir, take = params["unit"], params["install_dir"], params["take"]
    room, release = (take, params["release"] or "") if params["state"] != node.REVERTED else (staging.PREVIOUS, "")
    if room == staging.PREVIOUS:
        release = staging.previous_release(install_dir)
        if not release:
            raise RefusedError([f"{install_dir}/{room} holds nothing that this node could go back to"])
    elif room == staging.CURRENT:
        release = current_release(install_dir)
    own = (*CONFIG_FILES, f"{unit}.service")
    given = tuple(name for name in given_files(params) if name not in own)
    config = "/config" if room == staging.CURRENT else ""
    others = given if params["files"] else staging.listed(f"{install_dir}/{room}{config}")
    return Place(unit, install_dir, release, room, others)


def desired_inputs(place: Place, given: Mapping[str, str]) -> Inputs:
    """Return the inputs of the next start: the files of the room, or those `given` by name in check mode."""
    texts = staging.to_start_with(place, given)
    unit = texts.pop(place.service)
    return Inputs(texts, read_manifest(place.release_dir), unit)


def observe_node(run: Run, place: Place, given: Mapping[str, str]) -> node.NodeState:
    """Inspect the node; compare it with the desired state if a release is requested.

    A unit that comes up without a process has no record yet. That is a difference: its files are unknown.
    """
    service = observe_service(run, place.unit, STARTED_DIR)
    current = current_release(place.install_dir)
    pending = staging.not_in_place(place, given) if place.release else ()
    if not service.pid:
        found = node.NodeState(service, current, pending=pending)
        return (
            dataclasses.replace(found, differences=(Difference(RECORD),)) if found.running and place.release else found
        )
    record = started_files(STARTED_DIR)
    running = running_inputs(record, place.service)
    version = running.manifest.version if running.manifest else ""
    if not place.release:
        return node.NodeState(service, current, version)
    desired = desired_inputs(place, given)
    differing = tuple(differences(running, desired, service.environment_unit, place.release))
    kept = staging.can_keep(place, record)
    edited = staging.edited(place, pending, given, record) if version == place.release else ()
    return node.NodeState(service, current, version, differing, pending, kept, moves(running, desired), edited)


def start_problems(place: Place) -> list[str]:
    """Return what a start lacks; checked before any change, so that a running node is not stopped in vain."""
    state = observe_release(place.install_dir, place.release)
    out = []
    if not state.complete:
        damage = describe_damage(state.damage) or "it is not there"
        out.append(f"release {place.release} in {place.release_dir} is not complete ({damage}); install it first")
    needed = place.sources().values()
    return out + [f"{path} does not exist; configure the node first" for path in needed if not os.path.isfile(path)]


def last_words(run: Run, unit: str, since: float) -> str:
    """Return the unit's journal since a moment (seconds of the epoch)."""
    command = ["journalctl", f"--unit={unit}.service", f"--since=@{int(since)}", "--no-pager", "--quiet"]
    rc, out, _ = run([*command, "--output=cat", f"--lines={LAST_LINES}"])
    return out.strip() if rc == 0 and out.strip() else f"(the journal has nothing; see journalctl --unit={unit})"


def has_classes(pid: int) -> bool:
    """Check that a JVM has opened its class path: its options and its heap were good."""
    directory = f"{PROC}/{pid}/fd"
    try:
        targets = [os.readlink(f"{directory}/{number}") for number in os.listdir(directory)]
    except OSError:
        return False
    return any(target.endswith(".jar") for target in targets)


def watch_start(run: Run, unit: str) -> ServiceState:
    """Watch a start until the JVM loads classes or is gone. Readiness is not waited for: kafka_health does that."""
    service = observe_service(run, unit, STARTED_DIR)
    deadline = time.monotonic() + WATCH_SECONDS
    while service.pid and not has_classes(service.pid) and time.monotonic() < deadline:
        if not os.path.exists(f"{PROC}/{service.pid}"):
            return observe_service(run, unit, STARTED_DIR)
        time.sleep(WATCH_STEP)
    return service


def start(run: Run, unit: str, how: str, timeout: int) -> None:
    """Start or restart. Raises ToolError with the unit's last lines if it ends at once."""
    since = time.time()
    try:
        systemctl(run, timeout, how, f"{unit}.service")
        service = watch_start(run, unit)
    except ToolError as error:
        raise ToolError(f"{error}\n{last_words(run, unit, since)}") from error
    if not service.pid or service.failed:
        how_it_ended = f"result {service.result}, exit status {service.exit_status}"
        words = last_words(run, unit, since)
        raise ToolError(f"{unit}.service was started and ended at once ({how_it_ended}). It said:\n{words}")


def _files(found: node.NodeState, actions: tuple[str, ...], place: Place) -> None:
    """Apply the actions to files and links."""
    if node.KEEP in actions:
        staging.keep(place, started_files(STARTED_DIR))
    if node.RESTORE in actions:
        staging.restore(place, node.restorable(found), started_files(STARTED_DIR))
    if node.PLACE in actions:
        starts = {node.START, node.RESTART} & set(actions)
        staging.put_in_place(place, None if starts else node.placeable(found))
    if node.FLIP in actions:
        write_link(f"{place.install_dir}/current", f"releases/{place.release}")


def _leave(found: node.NodeState, actions: tuple[str, ...], place: Place) -> None:
    """Remove files that the previous unit needed, once systemd has loaded the one that replaces it."""
    if node.PLACE in actions:
        starts = {node.START, node.RESTART} & set(actions)
        staging.withdraw(place, None if starts else node.placeable(found))
        staging.clean_other_releases(place)
        if starts:
            staging.clean_plugins(place)


def apply(run: Run, found: node.NodeState, actions: tuple[str, ...], place: Place, timeout: int) -> None:
    """Execute the actions in order. `found`: the node that they were planned for."""
    if {node.STOP, node.START, node.RESTART} & set(actions):
        planned_work.begin()
    _files(found, actions, place)
    if node.RELOAD in actions:
        systemctl(run, timeout, "daemon-reload")
    _leave(found, actions, place)
    commands = {
        node.ENABLE: ("enable", "--quiet", place.service),
        node.STOP: ("stop", place.service),
    }
    for action in actions:
        if action == node.RESET:
            run(["systemctl", "reset-failed", place.service])  # fails harmlessly on a unit that is not loaded
        elif action in commands:
            systemctl(run, timeout, *commands[action])
        elif action in (node.START, node.RESTART):
            start(run, place.unit, action, timeout)
