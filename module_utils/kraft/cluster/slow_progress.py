"""Progress of a cluster that takes long to become healthy: logs that are loaded, replicas that catch up."""

from __future__ import annotations

from collections.abc import Callable, Container

from ansible.module_utils.kraft.cluster.client import Client
from ansible.module_utils.kraft.cluster.gather import log_dirs
from ansible.module_utils.kraft.cluster.snapshot import Broker, Snapshot
from ansible.module_utils.kraft.errors import KraftError

ANSWER_SECONDS = 3.0
SLOW_SECONDS = 2.0
NOTHING_MEASURED = 1 << 62  #: bytes; more than any measure


class Slow:
    """Progress although nothing becomes healthy for long: recovered logs, replicas that catch up.

    Only a new best counts: a log that was not loaded before, fewer bytes between leaders and their late replicas than
    ever. Under traffic a replica that never catches up grows, too.
    """

    def __init__(self, client: Client, loading: Callable[[], str]) -> None:
        self._client, self._loading = client, loading
        self._next = 0.0
        self._loaded = set[str]()
        self._least = NOTHING_MEASURED

    def measure(self, snapshot: Snapshot | None, now: float) -> tuple[int, int]:
        """Return the number of loaded logs and the least bytes that replicas lacked; measured every few seconds."""
        if now >= self._next:
            self._next = now + SLOW_SECONDS
            self._loaded.add(self._loading())
            self._least = min(self._least, self._lacking(snapshot) if snapshot else NOTHING_MEASURED)
        return len(self._loaded), self._least

    def _lacking(self, snapshot: Snapshot) -> int:
        """Return the bytes that late replicas of serving brokers lack of their leaders' logs."""
        serving = {broker.node_id: broker for broker in snapshot.brokers if not broker.fenced}
        late = {one: out_of_sync(snapshot, one, serving) for one in serving}
        try:
            return sum(
                self._bytes(serving[leader], partitions) - self._bytes(serving[one], partitions)
                for one, led in late.items()
                for leader, partitions in led.items()
            )
        except KraftError:
            return NOTHING_MEASURED

    def _bytes(self, broker: Broker, partitions: dict[str, list[int]]) -> int:
        return sum(one.used_bytes for one in log_dirs(self._client, [broker], ANSWER_SECONDS, partitions))


def out_of_sync(snapshot: Snapshot, node_id: int, serving: Container[int]) -> dict[int, dict[str, list[int]]]:
    """Return serving leader -> topic -> partitions with a replica on the broker that is not in sync."""
    found: dict[int, dict[str, list[int]]] = {}
    for topic in snapshot.topics or ():
        for one in topic.partitions:
            if node_id in set(one.replicas) - set(one.isr) and one.leader in serving:
                found.setdefault(one.leader, {}).setdefault(topic.name, []).append(one.partition)
    return found
