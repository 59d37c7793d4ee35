"""Watch one node until its cluster is healthy, and say early and in words why it will not be.

The node is asked at its own client listener once the cluster has told where that is: what others believe of it may be
a session timeout old. A node without one (a dedicated controller) is judged by what the brokers hear from its quorum.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Iterable, Sequence

from ansible.module_utils.kraft.cluster.client import Client
from ansible.module_utils.kraft.cluster.gather import observe
from ansible.module_utils.kraft.cluster.health import Expected, distance, problems
from ansible.module_utils.kraft.cluster.patience import Patience
from ansible.module_utils.kraft.cluster.snapshot import Snapshot
from ansible.module_utils.kraft.errors import KraftError
from ansible.module_utils.kraft.node.diagnosis import Diagnosis, diagnose
from ansible.module_utils.kraft.node.service import ServiceState

PARTS = ("topics", "quorum")
POLL_SECONDS = 0.2
ANSWER_SECONDS = 3.0
SERVICE_SECONDS = 1.0
CRASHES = 2  #: automatic restarts while we watch after which a unit is taken to crash again and again


@dataclasses.dataclass(frozen=True)
class Look:
    """What was seen once. ``snapshot`` is None while nobody answers."""

    snapshot: Snapshot | None
    problems: tuple[str, ...]


class UnhealthyError(KraftError):
    """The cluster is not healthy, with everything that is known about it."""

    def __init__(self, headline: str, look: Look, diagnosis: Diagnosis) -> None:
        self.look, self.diagnosis = look, diagnosis
        lines = (*(f"  - {text}" for text in look.problems), *diagnosis.sentences())
        super().__init__("\n".join((headline, *lines)))


class Node:
    """The process to watch on this host: its unit's state and its last lines, both asked for when needed."""

    def __init__(self, state: Callable[[], ServiceState], lines: Callable[[], Iterable[str]]) -> None:
        self._state, self._lines = state, lines
        self._restarts: int | None = None
        self._next = 0.0

    def diagnosis(self) -> Diagnosis:
        return diagnose(self._lines())

    def given_up(self, now: float, at_once: bool = False) -> str:
        """Why there is nothing to wait for; empty while there is hope, or nothing is known.

        Looked at once a second, unless it must be known `at_once`.
        """
        if now < self._next and not at_once:
            return ""
        self._next = now + SERVICE_SECONDS
        state = self._state()
        return self._hopeless(state) if state.installed else ""

    def _hopeless(self, state: ServiceState) -> str:
        first = self._restarts = state.restarts if self._restarts is None else self._restarts
        how = f"({state.result}, exit status {state.exit_status})"
        if state.state == "failed":
            return f"its unit has failed {how}"
        if not state.active:
            return f"its unit does not run ({state.state})"
        if state.restarts - first >= CRASHES:
            return f"it crashes again and again (restarted {state.restarts - first} times by systemd while waiting)"
        if state.failed and not self.diagnosis().passes:
            return f"it has crashed {how}"
        return ""


class Watch:
    """`node_id` is None when no node in particular is watched; `node` then is too."""

    def __init__(self, client: Client, wanted: Expected, node_id: int | None = None, node: Node | None = None) -> None:
        self._client, self._wanted = client, wanted
        self._node_id, self._node = node_id, node
        self._own = ""

    def look(self) -> Look:
        """What the node itself says or, while it says nothing, what any other broker does."""
        silent: tuple[str, ...] = ()
        if self._own:
            try:
                return self._judged(self._own, ())
            except KraftError as error:
                silent = (f"broker {self._node_id} does not answer: {error}",)
        try:
            seen = self._judged(self._client.reach(), silent)
        except KraftError as error:
            return Look(None, silent or (str(error),))
        before, self._own = self._own, self._address(seen.snapshot)
        return seen if before or not self._own else self.look()

    def wait(self, timeout: float, clock: Callable[[], float] = time.monotonic) -> Look:
        """The first healthy look. Raises UnhealthyError when nothing has advanced for `timeout`, or it is hopeless."""
        patience, started = Patience(timeout, clock), clock()
        closest: int | None = None
        while True:
            seen = self.look()
            hopeless = self._node.given_up(clock(), at_once=not seen.problems) if self._node else ""
            if not seen.problems and not hopeless:
                return seen
            if seen.snapshot:
                closest = min(distance(seen.snapshot, self._wanted), closest if closest is not None else 1 << 31)
            if hopeless or not patience.lasts(closest):
                raise self._unhealthy(seen, hopeless, clock() - started)
            time.sleep(POLL_SECONDS)

    def _judged(self, address: str, also: Sequence[str]) -> Look:
        snapshot = observe(self._client, PARTS, address, ANSWER_SECONDS)
        return Look(snapshot, (*also, *problems(snapshot, self._wanted)))

    def _address(self, snapshot: Snapshot | None) -> str:
        brokers = snapshot.brokers if snapshot else ()
        return next((one.address for one in brokers if one.node_id == self._node_id and not one.fenced), "")

    def _unhealthy(self, seen: Look, hopeless: str, seconds: float) -> UnhealthyError:
        who = "The cluster" if self._node_id is None else f"Node {self._node_id}"
        why = hopeless or "time is up"
        diagnosis = self._node.diagnosis() if self._node else Diagnosis()
        return UnhealthyError(f"{who} is not healthy after {seconds:.0f} s: {why}.", seen, diagnosis)
