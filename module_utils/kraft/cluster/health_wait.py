"""Watch one node until its cluster is healthy, and report early why it will not be.

The node is queried at its own client listener once the cluster has reported it: the state that others report may be a
session timeout old. A node without one (a dedicated controller) is judged by the brokers' reports about its quorum.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ansible.module_utils.kraft.cluster.client import Client
from ansible.module_utils.kraft.cluster.gather import observe
from ansible.module_utils.kraft.cluster.health import Expected, distance, unhealthy_reasons
from ansible.module_utils.kraft.cluster.leader_watch import LeaderWatch
from ansible.module_utils.kraft.cluster.outcome import Known, Outcome, Unknown, Unreachable, failed
from ansible.module_utils.kraft.cluster.shutdown_check import decided
from ansible.module_utils.kraft.cluster.slow_progress import ANSWER_SECONDS, Slow
from ansible.module_utils.kraft.cluster.snapshot import Snapshot
from ansible.module_utils.kraft.cluster.stall_timeout import StallTimeout
from ansible.module_utils.kraft.errors import KraftError, OtherClusterError
from ansible.module_utils.kraft.node.service.diagnosis import Diagnosis, diagnose
from ansible.module_utils.kraft.node.service.unit_state import ServiceState

PARTS = ("topics", "quorum", "reassignments")
POLL_SECONDS = 0.2
SERVICE_SECONDS = 1.0
UNKNOWN_SECONDS = 30.0  #: for an election and, after it, longer than a session
PASSING_SECONDS = 5.0  #: trouble that is over sooner does not end an observation
CRASHES = 2  #: automatic restarts during a watch after which a unit counts as crashing repeatedly


@dataclasses.dataclass(frozen=True)
class Look:
    """One observation. ``snapshot`` is None if ``cluster`` is unknown. ``hopeless``: why a repetition cannot differ."""

    cluster: Outcome[Snapshot]
    problems: tuple[str, ...]
    hopeless: str = ""

    @property
    def snapshot(self) -> Snapshot | None:
        return self.cluster.value if isinstance(self.cluster, Known) else None

    @property
    def answer(self) -> str:
        """Return ``known``, ``unknown`` or ``unreachable``."""
        return type(self.cluster).__name__.lower()

    def all_healthy(self, wanted: Expected) -> bool:
        """Check whether no node has a problem, regardless of ``wanted.only``."""
        everywhere = dataclasses.replace(wanted, only=frozenset())
        return not self.problems and self.snapshot is not None and not unhealthy_reasons(self.snapshot, everywhere)

    def as_dict(self, wanted: Expected) -> dict[str, Any]:
        """Return ``healthy``, ``all_healthy``, ``answer``, ``problems`` and ``snapshot`` (no topics) of modules."""
        return {
            "healthy": not self.problems,
            "all_healthy": self.all_healthy(wanted),
            "answer": self.answer,
            "problems": list(self.problems),
            "snapshot": dataclasses.replace(self.snapshot, topics=None).to_dict() if self.snapshot else None,
        }


def look_once(
    options: Mapping[str, Any],
    wanted: Expected,
    node_id: int | None,
    more: Callable[[Client, Look], Mapping[str, Any]] = lambda *_: {},
    until_known: bool = False,
) -> dict[str, Any]:
    """Observe once without waiting, for a module's result. On an empty host, the result is that nothing answers.

    `more`: further requests with the same client, for the result. `until_known`: see ``Watch.until_known``.
    """
    try:
        with Client(options) as client:
            watch = Watch(client, wanted, node_id)
            seen = watch.until_known() if until_known else watch.observe()
            return {**seen.as_dict(wanted), **more(client, seen)}
    except KraftError as error:
        return Look(failed(error), (str(error),)).as_dict(wanted)


class UnhealthyError(KraftError):
    """The cluster is not healthy, with all known facts about it."""

    def __init__(self, headline: str, look: Look, diagnosis: Diagnosis) -> None:
        self.look, self.diagnosis = look, diagnosis
        lines = (*(f"  - {text}" for text in look.problems), *diagnosis.sentences())
        super().__init__("\n".join((headline, *lines)))


class Node:
    """The process to watch on this host: its unit's state, its last lines, and the log that it loads."""

    def __init__(
        self,
        state: Callable[[], ServiceState],
        lines: Callable[[], Iterable[str]],
        loading: Callable[[], str] = lambda: "",
    ) -> None:
        self._state, self._lines, self._loading = state, lines, loading
        self._restarts: int | None = None
        self._next = 0.0

    def loading(self) -> str:
        return self._loading()

    def diagnosis(self) -> Diagnosis:
        return diagnose(self._lines())

    def given_up(self, now: float, at_once: bool = False) -> str:
        """Return why waiting is useless; empty while there is hope, or nothing is known.

        Checked once a second, unless the answer is needed `at_once`.
        """
        if now < self._next and not at_once:
            return ""
        self._next = now + SERVICE_SECONDS
        try:
            state = self._state()
        except KraftError:  # systemd does not answer
            return ""
        return self._hopeless(state) if state.installed else ""

    def _hopeless(self, state: ServiceState) -> str:
        first = self._restarts = state.restarts if self._restarts is None else self._restarts
        how = f"({state.result}, exit status {state.exit_status})"
        if state.state == "failed":
            return f"its unit has failed {how}"
        if not state.active and not state.job:
            return f"its unit does not run ({state.state})"
        if state.restarts - first >= CRASHES:
            return f"it crashes again and again (restarted {state.restarts - first} times by systemd while waiting)"
        if state.failed and not self.diagnosis().passes:
            return f"it has crashed {how}"
        return ""


class Watch:
    """Watch of a cluster. `node_id` is None if no particular node is watched; `node` then is too."""

    def __init__(self, client: Client, wanted: Expected, node_id: int | None = None, node: Node | None = None) -> None:
        self._client, self._wanted = client, wanted
        self._node_id, self._node = node_id, node
        self._own = ""

    def observe(self) -> Look:
        """Observe through the node itself or, while it does not answer, through any other broker."""
        try:
            return self._look()
        except OtherClusterError as error:
            return Look(failed(error), (str(error),), "another cluster answers")

    def _look(self) -> Look:
        silent: list[KraftError] = []
        if self._own:
            try:
                return self._judged(self._own, ())
            except OtherClusterError:
                raise
            except KraftError as error:
                silent.append(error)
        texts = tuple(f"broker {self._node_id} does not answer: {error}" for error in silent)
        try:
            seen = self._judged(self._client.reach(), texts)
        except OtherClusterError:
            raise
        except KraftError as error:
            outcomes: list[Outcome[Snapshot]] = [failed(one) for one in (*silent, error)]
            doubtful = [one for one in outcomes if isinstance(one, Unknown)]
            return Look([*doubtful, *outcomes][0], texts or (str(error),))
        before, self._own = self._own, self._address(seen.snapshot)
        return seen if before or not self._own else self._look()

    def until_known(self, seconds: float = UNKNOWN_SECONDS, clock: Callable[[], float] = time.monotonic) -> Look:
        """Observe until each voter has caught up or is silent; return the last observation after `seconds`.

        A leader that was just elected has heard from no voter. An unreachable cluster is not waited for.
        """
        leader, ends = LeaderWatch(clock), clock() + seconds
        while True:
            seen = self.observe()
            if isinstance(seen.cluster, Known):
                seen = dataclasses.replace(seen, cluster=Known(leader.seen(seen.cluster.value)))
            known = seen.snapshot and decided(seen.snapshot.quorum, self._wanted.largest_delay_ms)
            if known or seen.hopeless or isinstance(seen.cluster, Unreachable) or clock() >= ends:
                return seen
            time.sleep(POLL_SECONDS)

    def wait(self, timeout: float, clock: Callable[[], float] = time.monotonic) -> Look:
        """Return the first healthy observation. Raises UnhealthyError after `timeout` without progress, or if hopeless.

        Even with progress, the wait ends after StallTimeout's day.
        """
        stall_timeout, started = StallTimeout(timeout, clock), clock()
        closest: int | None = None
        slow = Slow(self._client, self._node.loading if self._node else str)
        while True:
            seen = self.observe()
            given_up = self._node.given_up(clock(), at_once=not seen.problems) if self._node else ""
            hopeless = seen.hopeless or given_up
            if not seen.problems and not hopeless:
                return seen
            if seen.snapshot:
                closest = min(distance(seen.snapshot, self._wanted), closest if closest is not None else 1 << 31)
            if hopeless or not stall_timeout.lasts((closest, slow.measure(seen.snapshot, clock()))):
                raise self._unhealthy(seen, hopeless, clock() - started)
            time.sleep(POLL_SECONDS)

    def wait_for_others(self, seconds: float, timeout: float, clock: Callable[[], float] = time.monotonic) -> Look:
        """Do as ``wait``, then observe for at most `seconds` more, until all nodes are healthy.

        Nodes that start at the same moment are healthy one after the other. Raises UnhealthyError as ``wait`` does,
        also if this node is no longer healthy.
        """
        seen, ends = self.wait(timeout, clock), clock() + seconds
        while not seen.all_healthy(self._wanted) and clock() < ends:
            time.sleep(POLL_SECONDS)
            seen = self.observe()
        return self.wait(timeout, clock) if seen.problems else seen

    def stay(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> Look:
        """Return the last observation after `seconds` of health. Raises UnhealthyError for trouble that persists."""
        started = well = clock()
        while True:
            seen, now = self.observe(), clock()
            well = well if seen.problems else now
            hopeless = seen.hopeless or (self._node.given_up(now) if self._node else "")
            if hopeless or now - well > PASSING_SECONDS:
                raise self._unhealthy(seen, hopeless or "it was healthy before", now - started)
            if now - started >= seconds and not seen.problems:
                return seen
            time.sleep(POLL_SECONDS)

    def _judged(self, address: str, also: Sequence[str]) -> Look:
        snapshot = observe(self._client, PARTS, address, ANSWER_SECONDS)
        return Look(Known(snapshot), (*also, *unhealthy_reasons(snapshot, self._wanted)))

    def _address(self, snapshot: Snapshot | None) -> str:
        brokers = snapshot.brokers if snapshot else ()
        return next((one.address for one in brokers if one.node_id == self._node_id and not one.fenced), "")

    def _unhealthy(self, seen: Look, hopeless: str, seconds: float) -> UnhealthyError:
        who = "The cluster" if self._node_id is None else f"Node {self._node_id}"
        why = hopeless or "time is up"
        diagnosis = self._node.diagnosis() if self._node else Diagnosis()
        return UnhealthyError(f"{who} is not healthy after {seconds:.0f} s: {why}.", seen, diagnosis)
