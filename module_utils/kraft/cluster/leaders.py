"""Preferred leader election after a restart, with little effect on clients.

A stop moves a broker's leaders away (controlled shutdown). They do not return for minutes (auto.leader.rebalance).
Until then the brokers that were restarted first lead nothing, and the next stop moves twice as many.

A broker takes over all partitions of one election in one go, and a producer to any of them waits for the last one. A
JVM that has just started takes far longer for each than a warm one. So the first election is of one partition, and the
next is twice as large while the new leader keeps up. Each waits until the new leader of the one before answers as the
leader. Kafka's own topics go first, since fewer clients wait for them; the other topics begin again with one partition.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from ansible.module_utils.kraft.cluster.client import Client, Question
from ansible.module_utils.kraft.cluster.retry import until_answered
from ansible.module_utils.kraft.cluster.snapshot import Snapshot
from ansible.module_utils.kraft.errors import KraftError

PREFERRED, UNCLEAN = 0, 1
#: Kafka's codes for an existing leader and for a missing partition: nothing is left to do.
DONE = {84: "ELECTION_NOT_NEEDED", 3: "UNKNOWN_TOPIC_OR_PARTITION"}
#: For a partition without a serving replica.
NONE_SERVES = 83
#: For a broker that does not lead yet, or is not yet followed by all in sync, for whom acks=all waits (KIP-207).
NOT_YET = {
    5: "LEADER_NOT_AVAILABLE",
    6: "NOT_LEADER_OR_FOLLOWER",
    9: "REPLICA_NOT_AVAILABLE",
    78: "OFFSET_NOT_AVAILABLE",
}
#: Timestamp in ListOffsets for the end of a partition; replica id of a consumer, which only a leader serves.
LATEST, CONSUMER = -1, -1
ELECTION_SECONDS = 20.0
LARGEST = 256  #: partitions of one election
MOST_ELECTIONS = 40  #: about, as far as LARGEST allows; a slow leader is spared, but not without limit
BRISK = 0.2  #: seconds of an election after which a larger one may follow
ELECTION_TIMEOUT = 10.0  #: seconds for a broker to lead the partitions of its election
PAUSE = 0.02


class Displaced(NamedTuple):
    """A partition that does not have its preferred leader `node_id`. ``internal``: of one of Kafka's own topics."""

    topic: str
    partition: int
    node_id: int
    internal: bool = False


def displaced(snapshot: Snapshot, node_ids: Iterable[int]) -> list[Displaced]:
    """Return partitions whose preferred leader is one of `node_ids`, is in sync, and does not lead."""
    wanted = frozenset(node_ids)
    return [
        Displaced(topic.name, one.partition, one.replicas[0], topic.internal)
        for topic in snapshot.topics or ()
        for one in topic.partitions
        if one.replicas and one.replicas[0] in wanted and one.replicas[0] != one.leader and one.replicas[0] in one.isr
    ]


def grouped(partitions: Iterable[Displaced]) -> Mapping[str, list[int]]:
    """Return topic -> partitions."""
    found: dict[str, list[int]] = {}
    for one in partitions:
        found.setdefault(one.topic, []).append(one.partition)
    return found


def next_size(size: int, seconds: float, total: int) -> int:
    """Return the number of partitions of the next election, after one of `size` partitions took `seconds`."""
    least = max(1, -(-total // MOST_ELECTIONS))
    return min(LARGEST, max(least, size * 2 if seconds < BRISK else size // 2))


class PreferredLeaderElection:
    """Restore preferred leaders, a few at first."""

    def __init__(
        self, client: Client, address: str, snapshot: Snapshot, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._client, self._address, self._clock = client, address, clock
        self._addresses = {broker.node_id: broker.address for broker in snapshot.brokers}
        self._election_timeout = ELECTION_TIMEOUT
        self.refused: list[str] = []  #: what Kafka refused, in words

    def run(self, partitions: Sequence[Displaced]) -> None:
        """Elect for Kafka's own topics, then for the others. Raises KraftError if no controller holds elections."""
        for own in (True, False):
            self._run([one for one in partitions if one.internal == own])

    def _run(self, partitions: Sequence[Displaced]) -> None:
        start, size = 0, 1
        while start < len(partitions):
            step, began = partitions[start : start + size], self._clock()
            self._wait_until_led(self._elect(step))
            start, size = start + size, next_size(size, self._clock() - began, len(partitions))

    def _elect(self, step: Sequence[Displaced]) -> list[Displaced]:
        """Hold an election and return the partitions that Kafka did not refuse."""
        refused = elect(self._client, self._address, PREFERRED, grouped(step), DONE)
        self.refused += [f"{topic}-{number}: {failed}" for (topic, number), failed in refused.items()]
        return [one for one in step if (one.topic, one.partition) not in refused]

    def _wait_until_led(self, step: Sequence[Displaced]) -> None:
        """Wait for the new leaders. After one timeout later elections do not wait: a replica in sync leads anyway."""
        try:
            ask = partial(ask_leaders, self._client, self._addresses, step)
            until_answered(ask, self._election_timeout, self._clock, pause=PAUSE)
        except KraftError:
            self._election_timeout = 0.0


def elect(
    client: Client, address: str, kind: int, partitions: Mapping[str, list[int]], let_pass: Container[int]
) -> dict[tuple[str, int], KraftError]:
    """Hold an election; return Kafka's refusals, without the codes in `let_pass`.

    `kind`: PREFERRED, or UNCLEAN, in which any serving replica may win, without the records that it lacks.
    `partitions`: topic -> numbers. Raises KraftError if no controller holds elections.
    """
    request = client.request(
        "ElectLeadersRequest",
        election_type=kind,
        topic_partitions=list(partitions.items()),
        timeout_ms=int(ELECTION_SECONDS * 1000),
    )
    answer = client.send(address, request, ELECTION_SECONDS)
    error = client.error("ElectLeaders", answer["error_code"], None)
    if error:
        raise error
    found = {
        (topic, one["partition_id"]): client.error("ElectLeaders", one["error_code"], one["error_message"])
        for topic, one in each(answer["replica_election_results"], "topic", "partition_result")
        if one["error_code"] not in let_pass
    }
    return {name: failed for name, failed in found.items() if failed}


def ask_leaders(client: Client, addresses: Mapping[int, str], partitions: Iterable[Displaced]) -> None:
    """Request the ends of partitions from the brokers that should lead them. Raises KraftError while one does not lead.

    DescribeProducers would not do: any replica answers it. `addresses`: node id -> ``host:port``; a broker without one
    gets no request.
    """
    questions = []
    wanted = [one for one in partitions if one.node_id in addresses]
    for node_id in sorted({one.node_id for one in wanted}):
        asked = grouped(one for one in wanted if one.node_id == node_id)
        topics = [ends(client, topic, numbers) for topic, numbers in asked.items()]
        request = client.request("ListOffsetsRequest", replica_id=CONSUMER, topics=topics)
        questions.append(Question(addresses[node_id], request))
    for answer in client.send_all(questions):
        if isinstance(answer, KraftError):
            raise answer
        for topic, one in each(answer["topics"], "name", "partitions"):
            error = client.error(f"{topic}-{one['partition_index']}", one["error_code"], None)
            if error and one["error_code"] in NOT_YET:
                raise error


def ends(client: Client, topic: str, numbers: Iterable[int]) -> Any:
    """Return the part of ListOffsets for the ends of a topic's partitions."""
    kind, name = "ListOffsetsRequest", "ListOffsetsTopic"
    partition = f"{name}.ListOffsetsPartition"
    asked = [client.struct(kind, partition, partition_index=one, timestamp=LATEST) for one in numbers]
    return client.struct(kind, name, name=topic, partitions=asked)


def each(topics: Iterable[Mapping[str, Any]], name: str, partitions: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield (topic, data of a partition) of an answer."""
    for topic in topics:
        for one in topic[partitions]:
            yield topic[name], one
