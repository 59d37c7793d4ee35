"""Time for which a leader has been observed: a voter that it has not heard from in that time is silent, not late."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable

from ansible.module_utils.kraft.cluster.snapshot import Snapshot


class LeaderWatch:
    """Observation over several snapshots. A leader that was just elected has heard from no voter yet, dead or alive."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._leader: tuple[int, int] | None = None
        self._since = 0.0

    def seen(self, snapshot: Snapshot) -> Snapshot:
        """Return the snapshot with ``watched_ms`` in its quorum: 0 if its leader or epoch is a new one."""
        quorum, now = snapshot.quorum, self._clock()
        if quorum is None:
            return snapshot
        leader = (quorum.leader_id, quorum.leader_epoch)
        if leader != self._leader:
            self._leader, self._since = leader, now
        watched = dataclasses.replace(quorum, watched_ms=int(1000 * (now - self._since)))
        return dataclasses.replace(snapshot, quorum=watched)
