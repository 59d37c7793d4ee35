"""Owner of a directory of reports: one cluster, identified by its id. Two inventories may share a name."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ansible.module_utils.kraft.control import report_lock
from ansible.module_utils.kraft.control.files import json_of
from ansible.module_utils.kraft.errors import RefusedError

#: The file with the owner; the other files in the directory are the reports.
MARK = "cluster_id"
REPORT = "report.json"
NO_REPORTS = (MARK, report_lock.FILE)
DIRECTORY_MODE, MARK_MODE = 0o750, 0o640


def owner(directory: Path) -> str:
    """Return the id of the cluster whose reports are there; empty without reports, or if they have no owner.

    An older version wrote no mark: then the last report counts, which has the id from the cluster itself. A directory
    that this user may not read is refused when it is written.
    """
    try:
        if all(path.name in NO_REPORTS for path in directory.iterdir()):
            return ""
        return (directory / MARK).read_text(encoding="utf-8").strip() or _reported(directory)
    except FileNotFoundError:
        return _reported(directory)
    except (NotADirectoryError, PermissionError):
        return ""


def is_foreign(directory: Path, cluster_id: str) -> bool:
    """Check whether another cluster's reports are there."""
    return owner(directory) not in ("", cluster_id)


def foreign(values: Mapping[str, Any], top: Path) -> tuple[str, ...]:
    """Return directories for a cluster's reports that are another's: those of its variables, and one below `top`."""
    name, cluster_id = (str(values.get(each) or "") for each in ("kafka_cluster_name", "kafka_cluster_id"))
    if name in ("", "..") or Path(name).name != name:
        return ()  # it is refused anyway
    given = (values.get(each) for each in ("kafka_smoke_report_dir", "kafka_probe_report_dir"))
    places = [top, *(Path(os.path.expanduser(each)) for each in given if isinstance(each, str))]
    directories = dict.fromkeys(place.absolute() / name for place in places)
    return tuple(str(each) for each in directories if is_foreign(each, cluster_id))


def refusal(directory: Path, cluster_id: str) -> tuple[str, str]:
    """Return the fault of a foreign directory, and the remedy."""
    found = owner(directory)
    message = f"{directory} holds reports of cluster id {found}, the inventory says {cluster_id}"
    remedy = (
        f"if it is the same cluster, correct kafka_cluster_id; if it is another, give it another kafka_cluster_name; if"
        f" the old one is gone, move its reports away: mv {directory} {directory}-{found}"
    )
    return message, remedy


def claim(directory: Path, cluster_id: str) -> bool:
    """Make the directory if it is missing, and mark it as this cluster's. Returns whether anything was done.

    Raises RefusedError if another cluster's reports are there, also of a run that came first this very moment, and if
    this user may not write.
    """
    if is_foreign(directory, cluster_id):
        raise RefusedError([" -> ".join(refusal(directory, cluster_id))])
    try:
        directory.parent.mkdir(parents=True, exist_ok=True)
        directory.mkdir(mode=DIRECTORY_MODE, exist_ok=True)
        return _mark(directory, cluster_id)
    except OSError as error:
        remedy = "run as the user whose directory it is, or move it away"
        raise RefusedError([f"{directory} cannot be used for reports: {error.strerror} -> {remedy}"]) from error


def _mark(directory: Path, cluster_id: str) -> bool:
    """Write the whole mark in one step, and never in place of one that another run has just made."""
    path, mine = directory / MARK, directory / f".{MARK}-{os.getpid()}"
    if _text(path) == cluster_id:
        return False
    if owner(directory) == "" and path.exists():
        path.unlink()  # left by a run that wrote no report
    descriptor = os.open(mine, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, MARK_MODE)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(f"{cluster_id}\n")
    try:
        with contextlib.suppress(FileExistsError):
            os.link(mine, path)
    finally:
        mine.unlink()
    if (found := _text(path)) != cluster_id:
        raise RefusedError([f"{directory} was taken a moment ago by a run of cluster id {found} -> run again"])
    return True


def _text(path: Path) -> str:
    with contextlib.suppress(FileNotFoundError):
        return path.read_text(encoding="utf-8").strip()
    return ""


def _reported(directory: Path) -> str:
    """Return the cluster id in the last report; empty without a readable report, or if it never saw a cluster."""
    cluster = json_of(directory / REPORT).get("cluster")
    return str(cluster.get("cluster_id") or "") if isinstance(cluster, dict) else ""
