"""Restarts that are asked for by the age of a process."""

from __future__ import annotations

import dataclasses
import datetime
import time

from ansible.module_utils.kraft.difference import REQUEST, Difference
from ansible.module_utils.kraft.errors import RefusedError
from ansible.module_utils.kraft.node.service.plan import NodeState

MOMENT = "%Y-%m-%dT%H:%M:%SZ"
AGE = "started_before"


def asked_for(found: NodeState, before: str) -> NodeState:
    """The node with one difference more where its process was started before that moment."""
    if not before or not found.service.pid:
        return found
    try:
        moment = datetime.datetime.strptime(before, MOMENT).replace(tzinfo=datetime.timezone.utc)
    except ValueError as error:
        raise RefusedError([f"started_before: {before!r} is no moment such as 2026-11-21T20:00:00Z"]) from error
    started = time.time() - time.monotonic() + found.service.started_at_us / 1e6
    if started >= moment.timestamp():
        return found
    words = datetime.datetime.fromtimestamp(started, datetime.timezone.utc).strftime(MOMENT)
    return dataclasses.replace(found, differences=(*found.differences, Difference(REQUEST, AGE, words, before)))
