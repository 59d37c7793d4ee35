"""Limit of a partition's records under way: no more than librdkafka takes.

A thread of librdkafka that holds a record of a partition with five unacknowledged ones does not sleep until one of
these is acknowledged. It calls `poll` again and again, without a pause, and takes a core. So records wait
here instead.

The first record of a partition is sent alone. A broker accepts any first number of a producer that is new there
(KIP-360, Kafka's `ProducerAppendInfo`). A leader that begins between two requests refuses the first and accepts the
second. The first is sent again, taken for a copy, and acknowledged without an offset, although no broker has it.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable

#: RD_KAFKA_IDEMP_MAX_INFLIGHT of librdkafka: messages of an idempotent producer, of each partition.
UNDER_WAY = 5
#: Limit for each partition; librdkafka's own queue has room for as many.
MOST_WAITING = 100_000


class Window:
    """Hands over records in their order, each as a function that sends it."""

    def __init__(self, partitions: int) -> None:
        self._waiting: list[deque[Callable[[], bool]]] = [deque() for _ in range(partitions)]
        self._under_way = [0] * partitions
        self._known = [False] * partitions  # the leader has answered once
        self._change = threading.Condition(threading.RLock())

    def add(self, partition: int, send: Callable[[], bool]) -> bool:
        """Return True if there is room. `send` returns whether there will be an answer."""
        with self._change:
            if len(self._waiting[partition]) >= MOST_WAITING:
                return False
            self._waiting[partition].append(send)
            self._hand_over(partition)
            return True

    def answered(self, partition: int) -> None:
        """Note the answer of one of the records under way."""
        with self._change:
            self._under_way[partition] -= 1
            self._known[partition] = True
            self._hand_over(partition)
            self._change.notify_all()

    def emptied(self, seconds: float) -> int:
        """Wait until nothing waits; how many records do after `seconds`."""
        with self._change:
            self._change.wait_for(lambda: not any(self._waiting), seconds)
            return sum(map(len, self._waiting))

    def _hand_over(self, partition: int) -> None:
        """Send waiting records, with the lock held: only one thread sends, so the order stays."""
        waiting, most = self._waiting[partition], UNDER_WAY if self._known[partition] else 1
        while waiting and self._under_way[partition] < most:
            self._under_way[partition] += waiting.popleft()()
