"""Restarts by the age of a process: on request, or if it is older than a certificate of its node."""

from __future__ import annotations

import contextlib
import dataclasses
import datetime
import os
import time

from ansible.module_utils.kraft.difference import REQUEST, Difference
from ansible.module_utils.kraft.errors import RefusedError
from ansible.module_utils.kraft.node.certificate import (
    CLIENTS,
    DIRECTORY,
    NODE,
    is_renewed_live,
    is_trust_loaded,
    reads_certificates,
)
from ansible.module_utils.kraft.node.service.plan import NodeState
from ansible.module_utils.kraft.node.service.staging import Place
from ansible.module_utils.kraft.node.service.unit_state import Run

MOMENT = "%Y-%m-%dT%H:%M:%SZ"
AGE = "started_before"


def started_at(found: NodeState) -> float:
    """Return the process's start in seconds of the epoch."""
    return time.time() - time.monotonic() + found.service.started_at_us / 1e6


def with_certificates(run: Run, found: NodeState, place: Place, due: bool) -> NodeState:
    """Add a difference for each file of certificates that is newer than the node's process.

    Files that it has loaded while it ran are none (``node/certificate.py``), nor any if it reads none.
    `due`: check mode would issue one that a running process cannot load.
    """
    if not found.service.pid or not place.release or not reads_certificates():
        return found
    directory = os.path.join(place.install_dir, DIRECTORY)
    started, newer = started_at(found), [os.path.join(directory, NODE)] if due else []
    newer += [path for path in certificates(directory) if is_newer(path, started)]
    own = os.path.join(directory, NODE)
    if own in newer and not due and is_renewed_live(run):
        newer.remove(own)
    clients = os.path.join(directory, f"{CLIENTS}.pem")
    if clients in newer and is_trust_loaded(directory):
        newer.remove(clients)
    added = tuple(Difference(path) for path in sorted(set(newer)))
    return dataclasses.replace(found, differences=(*found.differences, *added))


def certificates(directory: str) -> list[str]:
    """Return the paths of the files of certificates; none without the directory."""
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        return [os.path.join(directory, name) for name in os.listdir(directory) if name.endswith(".pem")]
    return []


def is_newer(path: str, moment: float) -> bool:
    """Check the time of a file. One that is gone by now, or a link without a target, is not newer."""
    with contextlib.suppress(FileNotFoundError):
        return os.stat(path).st_mtime > moment
    return False


def asked_for(found: NodeState, before: str) -> NodeState:
    """Add a difference if the node's process was started before that moment."""
    if not before or not found.service.pid:
        return found
    try:
        moment = datetime.datetime.strptime(before, MOMENT).replace(tzinfo=datetime.timezone.utc)
    except ValueError as error:
        raise RefusedError([f"started_before: {before!r} is no moment such as 2026-11-21T20:00:00Z"]) from error
    started = started_at(found)
    if started >= moment.timestamp():
        return found
    words = datetime.datetime.fromtimestamp(started, datetime.timezone.utc).strftime(MOMENT)
    return dataclasses.replace(found, differences=(*found.differences, Difference(REQUEST, AGE, words, before)))
