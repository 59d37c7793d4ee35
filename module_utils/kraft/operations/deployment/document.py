"""A plan as a file of the control machine: written for its owner and group, and read with every fault found."""

from __future__ import annotations

import json
import os.path
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ansible.module_utils.kraft.errors import RefusedError
from ansible.module_utils.kraft.operations.deployment.plan import FORMAT

#: Variables that name a plan's file: the one to write, and the approved one.
WRITTEN, APPROVED = "kafka_plan_file", "kafka_approved_plan"
OTHER_OPERATION = "has no effect on this operation"


def text(plan: dict[str, Any]) -> str:
    return json.dumps(plan, indent=2, ensure_ascii=False) + "\n"


def read(path: Path) -> dict[str, Any]:
    """Read the plan in a file. Raises RefusedError with the reason, as a clause about the file."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise RefusedError([f"cannot be read: {error.strerror}"]) from error
    except ValueError as error:
        raise RefusedError([f"is no JSON: {error}"]) from error
    if isinstance(found, dict) and found.get("format", FORMAT) != FORMAT:
        remedy = "write a new one with --check and -e kafka_plan_file"
        raise RefusedError([f"has format {found['format']}, and this version reads format {FORMAT}: {remedy}"])
    if not isinstance(found, dict) or not all(
        isinstance(found.get(part), dict) for part in ("cluster", "hosts", "resources")
    ):
        raise RefusedError(["is no plan of a deployment"])
    return found


def fault(path: Path, cluster_id: str) -> str:
    """Return why the plan in a file cannot be applied to the cluster, as a clause; empty if it can."""
    try:
        found = read(path)
    except RefusedError as error:
        return str(error)
    planned = found["cluster"].get("id")
    return "" if planned == cluster_id else f"is the plan of cluster id {planned}, the inventory says {cluster_id}"


def faults(values: Mapping[str, Any], plans: bool) -> dict[str, str]:
    """Return variable -> why its plan cannot be used, as a clause. `plans`: the operation makes such a plan."""
    written, approved = (str(values.get(name) or "") for name in (WRITTEN, APPROVED))
    if not plans:
        found = {name: OTHER_OPERATION for name in (WRITTEN, APPROVED) if values.get(name)}
    elif written and approved and place(written).resolve() == place(approved).resolve():
        found = {WRITTEN: f"is the file of {APPROVED}: the fresh plan would take the place of the approved one"}
    else:
        found = {
            WRITTEN: unwritable(place(written)) if written else "",
            APPROVED: fault(place(approved), str(values.get("kafka_cluster_id"))) if approved else "",
        }
    return {name: clause for name, clause in found.items() if clause}


def place(given: str) -> Path:
    """Return a path in the form of the plan's module: ``-e kafka_plan_file=~/plan.json`` still has its ``~``."""
    return Path(os.path.expanduser(given))


def unwritable(path: Path) -> str:
    """Return why a plan cannot be written to a file, as a clause; empty if it can."""
    if path.is_dir():
        return "is a directory"
    return "" if path.parent.is_dir() else f"cannot be written: there is no directory {path.parent}"
