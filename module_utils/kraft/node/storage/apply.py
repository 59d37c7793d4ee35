"""Ensure a node's log dirs: observe, plan, stop in check mode, run the tool, read back its result."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ansible.module_utils.kraft.errors import KraftError, RefusedError, refuse
from ansible.module_utils.kraft.node.files.apply import locked
from ansible.module_utils.kraft.node.files.parsed_properties import parse_properties
from ansible.module_utils.kraft.node.release.manifest import CLASSPATH, release_dir
from ansible.module_utils.kraft.node.storage.format_tool import (
    flush,
    rename_directory,
    run_tool,
    set_aside,
    tool_arguments,
    tool_command,
)
from ansible.module_utils.kraft.node.storage.log_dir import ABSENT, FORMATTED, LogDir, metadata_dir, observe_log_dir
from ansible.module_utils.kraft.node.storage.plan import NOTHING, StoragePlan, plan_storage
from ansible.module_utils.kraft.node.storage.types import NodeStorage, Peer
from ansible.module_utils.kraft.problem import Problem


def node_storage(params: Mapping[str, Any]) -> NodeStorage:
    """Return the desired storage that the module's parameters describe."""
    metadata = params["metadata_log_dir"] or params["log_dirs"][0]
    return NodeStorage(
        host="",
        node_id=params["node_id"],
        cluster_id=params["cluster_id"],
        roles=tuple(params["roles"]),
        log_dirs=tuple(dict.fromkeys([*params["log_dirs"], metadata])),
        metadata_log_dir=metadata,
        quorum=params["quorum"],
        directory_id=params["directory_id"] or "",
        initial_controllers=params["initial_controllers"] or "",
        rejoins=bool(params.get("rejoins")),
        listed_directory_id=params.get("listed_directory_id") or "",
    )


def peers(params: Mapping[str, Any]) -> list[Peer]:
    return [Peer(p["host"], p["node_id"], p["known"], tuple(p["lived"])) for p in params["peers"]]


def as_problems(error: RefusedError) -> list[Problem]:
    return [problem for problem in error.problems if isinstance(problem, Problem)]


def config_problems(node: NodeStorage, found: Mapping[str, str], config: str) -> Iterator[Problem]:
    """Compare server.properties, from which the tool formats, with the plan."""
    dirs = tuple(part.strip() for part in found.get("log.dirs", "").split(","))
    metadata = metadata_dir(found)
    compared = {
        "node.id": (found.get("node.id", ""), str(node.node_id)),
        "log dirs": (sorted({*dirs, metadata}), sorted(node.log_dirs)),
        "metadata log dir": (metadata, node.metadata_log_dir),
    }
    remedy = "write the node's configuration before its log dirs are formatted"
    for name, (says, wanted) in compared.items():
        if says != wanted:
            yield Problem("config_differs", f"{config} has {name} {says}, wanted is {wanted}", remedy, value=says)


def static_voter_problems(node: NodeStorage, found: Mapping[str, str], others: Sequence[Peer]) -> Iterator[Problem]:
    """Check that each voter of a static quorum was inspected. Only server.properties names them."""
    entries = found.get("controller.quorum.voters", "").split(",")
    voters = {entry.partition("@")[0].strip() for entry in entries if "@" in entry}
    unseen = sorted(voters - {str(node.node_id)} - {str(peer.node_id) for peer in others})
    if unseen:
        disks = f"the disks of node {', '.join(unseen)}"
        message = f"{node.metadata_log_dir} would start a new quorum, but nothing is known of {disks}"
        yield Problem("voter_needs_all_peers", message, "name all nodes of the cluster in peers", value=unseen)


def log_dir_line(found: LogDir) -> str:
    """Return a log dir's state in one line."""
    if found.state != FORMATTED:
        return f"{found.path}: {found.state}"
    identity = f"cluster id {found.cluster_id}, node id {found.node_id}, directory id {found.directory_id}"
    return f"{found.path}: formatted ({identity}){for_voters(found.voters or ())}"


def for_voters(voters: Iterable[str]) -> str:
    """Return the voters that a dir was formatted for; empty without any."""
    listed = ",".join(voters)
    return f" for the voters {listed}" if listed else ""


def predict(node: NodeStorage, found: LogDir, action: str) -> str:
    """Return the line of `log_dir_line` after the plan; a directory id that the tool draws is unknown before."""
    if action == NOTHING:
        return log_dir_line(found)
    drawn = not (node.is_dynamic_voter and found.path == node.metadata_log_dir)
    directory_id = "drawn by Kafka" if drawn else node.directory_id
    identity = f"cluster id {node.cluster_id}, node id {node.node_id}, directory id {directory_id}"
    told = () if drawn or node.rejoins else node.voters.values()
    return f"{found.path}: formatted ({identity}){for_voters(told)}"


def diff(node: NodeStorage, dirs: Sequence[LogDir], plan: StoragePlan) -> dict[str, str]:
    header = f"log dirs of node {node.node_id}"
    return {
        "before_header": header,
        "after_header": header,
        "before": "".join(log_dir_line(found) + "\n" for found in dirs),
        "after": "".join(predict(node, found, plan.actions[found.path]) + "\n" for found in dirs),
    }


def absent_problems(dirs: Sequence[LogDir]) -> list[Problem]:
    """Refuse absent directories: the tool would create them with any owner, on any filesystem."""
    remedy = "make it first, owned by Kafka's user (and mount its disk)"
    absent = [found.path for found in dirs if found.state == ABSENT]
    return [Problem("log_dir_absent", f"{path} does not exist", remedy, value=path) for path in absent]


def apply(node: NodeStorage, plan: StoragePlan, params: Mapping[str, Any], lock: int) -> list[str]:
    """Run the tool once for all directories. Returns the files that were set aside."""
    release = release_dir(params["install_dir"], params["version"])
    if not Path(release, CLASSPATH).exists():
        raise KraftError(f"release {params['version']} is not installed in {params['install_dir']}")
    found = parse_properties(Path(params["config"]).read_text(encoding="utf-8"))
    refuse(list(config_problems(node, found, params["config"])))
    if node.is_controller and plan.actions[node.metadata_log_dir] != NOTHING:
        refuse(list(static_voter_problems(node, found, peers(params))))
    aside = [set_aside(path) for path in plan.set_aside]
    arguments = tool_arguments(params["config"], node.cluster_id, plan.flags)
    run_tool(tool_command(params["java"], release, params.get("class_path", ())), arguments, params["user"], lock)
    if node.rejoins and node.is_dynamic_voter and plan.actions[node.metadata_log_dir] != NOTHING:
        rename_directory(node.metadata_log_dir, node.directory_id)
    for path, action in plan.actions.items():
        if action != NOTHING:
            flush(path)
    return aside


def verify(node: NodeStorage, dirs: Sequence[LogDir], others: Sequence[Peer]) -> None:
    """Verify the tool's result: on a full disk it leaves an empty meta.properties and reports success."""
    again = plan_storage(node, dirs, others)
    refuse(again.problems)
    wrong = [
        f"{found.path} is {found.state} {found.detail}".strip()
        for found in dirs
        if again.actions[found.path] != NOTHING
    ]
    if wrong:
        raise KraftError(
            f"kafka-storage format reported success, but {'; '.join(wrong)}: is the filesystem full? "
            "Free space and run again; the next run completes it"
        )


def ensure_storage(params: Mapping[str, Any], check_mode: bool) -> dict[str, Any]:
    """Ensure the storage and return the module's result. Observes and acts under a lock on the metadata log dir."""
    node, others = node_storage(params), peers(params)
    with contextlib.ExitStack() as held:
        lock = -1
        if not check_mode and Path(node.metadata_log_dir).is_dir():
            lock = held.enter_context(locked(node.metadata_log_dir))
        dirs = [observe_log_dir(path) for path in node.log_dirs]
        plan = plan_storage(node, dirs, others)
        refuse(plan.problems)
        result: dict[str, Any] = {"changed": plan.changed, "actions": plan.actions, "set_aside": []}
        result["diff"] = [diff(node, dirs, plan)] if plan.changed else []
        if plan.changed and not check_mode:
            refuse(absent_problems(dirs))
            result["set_aside"] = apply(node, plan, params, lock)
            dirs = [observe_log_dir(path) for path in node.log_dirs]
            verify(node, dirs, others)
    return {**result, "log_dirs": {found.path: found.as_facts() for found in dirs}}
