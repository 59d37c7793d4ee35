"""Carry out plans for voters: requests to the active controller, through whichever broker answers."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable
from typing import Any

from ansible.module_utils.kraft.cluster.client import ApiError, Client
from ansible.module_utils.kraft.cluster.gather import observe
from ansible.module_utils.kraft.cluster.leader_watch import LeaderWatch
from ansible.module_utils.kraft.cluster.outcome import Known, Outcome, failed
from ansible.module_utils.kraft.cluster.retry import PAUSE
from ansible.module_utils.kraft.cluster.snapshot import Snapshot
from ansible.module_utils.kraft.cluster.stall_timeout import StallTimeout
from ansible.module_utils.kraft.errors import KraftError, RefusedError, ToolError, UnreachableError, refuse
from ansible.module_utils.kraft.identity import decode
from ansible.module_utils.kraft.operations.quorum.plan import PARTS, Desired, Plan, distance, plan, quorum_refusals

REQUEST_MS = 15_000
#: Another client was faster (a controller that joins by itself, a killed run's last request): observe again.
OVERTAKEN = ("DuplicateVoter", "VoterNotFound")


class QuorumAdmin:
    """`timeout`: seconds without any advance after which waiting is given up."""

    def __init__(self, client: Client, timeout: float, sleep: Callable[[float], None] = time.sleep) -> None:
        self._client, self._timeout, self._sleep = client, timeout, sleep
        self._leader = LeaderWatch()

    def describe_quorum(self) -> Snapshot:
        """Return the quorum and the features. Raises UnreachableError while either is unknown."""
        snapshot = self._leader.seen(observe(self._client, PARTS))
        if snapshot.unanswered:
            raise UnreachableError("; ".join(snapshot.unknown))
        return snapshot

    def planned(self, desired: Desired) -> tuple[Snapshot, Plan]:
        """Return the snapshot and the plan. Raises RefusedError."""
        snapshot = self.describe_quorum()
        refuse(quorum_refusals(desired, snapshot))
        return snapshot, plan(desired, snapshot)

    def ready(self, desired: Desired) -> Plan:
        """Return the plan once it has no open preconditions. Raises RefusedError when nothing advances."""
        stall_timeout = StallTimeout(self._timeout)
        closest: int | None = None
        while True:
            seen = self._try(desired)
            if isinstance(seen, Known) and not seen.value[1].waits:
                return seen.value[1]
            far = distance(desired, seen.value[0] if isinstance(seen, Known) else None)
            closest = far if closest is None or (far is not None and far < closest) else closest
            if not stall_timeout.lasts(closest):
                waits = seen.value[1].waits if isinstance(seen, Known) else (seen.why,)
                raise RefusedError([f"no progress for {self._timeout:g} s: {text}" for text in waits])
            self._sleep(PAUSE)

    def _try(self, desired: Desired) -> Outcome[tuple[Snapshot, Plan]]:
        """Plan now. Raises RefusedError; any other failure may pass, and ends the wait with its message."""
        try:
            return Known(self.planned(desired))
        except RefusedError:
            raise
        except KraftError as error:
            return failed(error)

    def apply(self, made: Plan) -> None:
        """Remove, then add; the quorum has committed each when it answers."""
        node_id = made.desired.node_id
        if made.remove:
            self._ask("RemoveRaftVoter", voter_id=node_id, voter_directory_id=identifier(made.remove))
        if made.add:
            kind = "AddRaftVoterRequest"
            listeners = [
                self._client.struct(kind, "Listener", name=one.name, host=one.host, port=one.port)
                for one in made.desired.listeners
            ]
            voter = {"voter_id": node_id, "voter_directory_id": identifier(made.add)}
            self._ask("AddRaftVoter", timeout_ms=REQUEST_MS, listeners=listeners, ack_when_committed=True, **voter)
        left = self.ready(made.desired).steps()
        if left:
            text = (
                f"the change was made and then reverted (controller.quorum.auto.join.enable?); left: {'; '.join(left)}"
            )
            raise ToolError(f"{text}. Stop the controller before you remove it.")

    def _ask(self, name: str, **fields: Any) -> None:
        request = self._client.request(f"{name}Request", cluster_id=None, **fields)
        answer = self._client.send(self._client.reach(), request, REQUEST_MS / 1000 + 2)
        error = self._client.error(name, answer["error_code"], answer.get("error_message"))
        if error and error.name in OVERTAKEN:
            raise ApiError(name, error.name, error.detail, retriable=True)
        if error:
            raise error


def identifier(directory_id: str) -> uuid.UUID:
    """Parse a directory id of 22 characters as uuid. Raises RefusedError for anything else."""
    raw = decode(directory_id)
    if raw is None:
        raise RefusedError([f"directory_id {directory_id!r} is not 22 characters of base64url"])
    return uuid.UUID(bytes=raw)
