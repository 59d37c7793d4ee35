"""Leaders back where they belong after a restart, so that their clients hardly notice.

A stop moves a broker's leaders away by itself (controlled shutdown). They do not come back by themselves for minutes
(auto.leader.rebalance). Until then the brokers that were rolled first lead nothing, and the next stop moves twice as
many.

A broker takes over all partitions of one election in one go, and whoever writes to any of them waits for the last one.
A JVM that has just started takes far longer for each than one that is warm. So the first
election is of one partition, and the next is twice as large while the new leader keeps up. Each waits until the new
leader of the one before answers as the leader. Kafka's own topics go first, for fewer clients wait for them, and then
it begins again with one.
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
#: Kafka's codes for "is leader already" and "no longer there": nothing is left to do.
DONE = {84: "ELECTION_NOT_NEEDED", 3: "UNKNOWN_TOPIC_OR_PARTITION"}
#: And for a partition of which no replica serves.
NONE_SERVES = 83
#: And for a broker that does not lead yet, or is not yet followed by all in sync, for whom acks=all waits (KIP-207).
NOT_YET = {
    5: "LEADER_NOT_AVAILABLE",
    6: "NOT_LEADER_OR_FOLLOWER",
    9: "REPLICA_NOT_AVAILABLE",
    78: "OFFSET_NOT_AVAILABLE",
}
#: What ListOffsets takes for the end of a partition, and for an ordinary consumer, who may only ask a leader.
LATEST, CONSUMER = -1, -1
ELECTION_SECONDS = 20.0
LARGEST = 256  #: partitions of one election
MOST_ELECTIONS = 40  #: about, where the largest allow it; a slow leader is spared, but not for ever
BRISK = 0.2  #: seconds of an election after which a larger one may follow
ELECTION_TIMEOUT = 10.0  #: seconds for a broker to lead what it was elected for
PAUSE = 0.02


class Displaced(NamedTuple):
    """A partition, and the broker that should lead it and does not. ``internal``: of a topic of Kafka's own."""

    topic: str
    partition: int
    node_id: int
    internal: bool = False


def displaced(snapshot: Snapshot, node_ids: Iterable[int]) -> list[Displaced]:
    """What one of `node_ids` should lead, being its preferred leader and in sync, and does not."""
    wanted = frozenset(node_ids)
    return [
        Displaced(topic.name, one.partition, one.replicas[0], topic.internal)
        for topic in snapshot.topics or ()
        for one in topic.partitions
        if one.replicas and one.replicas[0] in wanted and one.replicas[0] != one.leader and one.replicas[0] in one.isr
    ]


def grouped(partitions: Iterable[Displaced]) -> Mapping[str, list[int]]:
    """Topic -> partitions."""
    found: dict[str, list[int]] = {}
    for one in partitions:
        found.setdefault(one.topic, []).append(one.partition)
    return found


def next_size(size: int, seconds: float, total: int) -> int:
    """How many partitions the next election has, after one of `size` that took so long."""
    least = max(1, -(-total // MOST_ELECTIONS))
    return min(LARGEST, max(least, size * 2 if seconds < BRISK else size // 2))


class PreferredLeaderElection:
    """Lets preferred leaders lead again, a few at first."""

    def __init__(
        self, client: Client, address: str, snapshot: Snapshot, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._client, self._address, self._clock = client, address, clock
        self._addresses = {broker.node_id: broker.address for broker in snapshot.brokers}
        self._election_timeout = ELECTION_TIMEOUT
        self.refused: list[str] = []  #: what Kafka refused, in words

    def run(self, partitions: Sequence[Displaced]) -> None:
        """Kafka's own topics, then the others. Raises KraftError where nobody holds elections."""
        for own in (True, False):
            self._run([one for one in partitions if one.internal == own])

    def _run(self, partitions: Sequence[Displaced]) -> None:
        start, size = 0, 1
        while start < len(partitions):
            step, began = partitions[start : start + size], self._clock()
            self._wait_until_led(self._elect(step))
            start, size = start + size, next_size(size, self._clock() - began, len(partitions))

    def _elect(self, step: Sequence[Displaced]) -> list[Displaced]:
        """Gives those that Kafka did not refuse."""
        refused = elect(self._client, self._address, PREFERRED, grouped(step), DONE)
        self.refused += [f"{topic}-{number}: {failed}" for (topic, number), failed in refused.items()]
        return [one for one in step if (one.topic, one.partition) not in refused]

    def _wait_until_led(self, step: Sequence[Displaced]) -> None:
        """The elections that follow wait no more once one has waited in vain: somebody in sync leads all the same."""
        try:
            ask = partial(ask_leaders, self._client, self._addresses, step)
            until_answered(ask, self._election_timeout, self._clock, pause=PAUSE)
        except KraftError:
            self._election_timeout = 0.0


def elect(
    client: Client, address: str, kind: int, partitions: Mapping[str, list[int]], let_pass: Container[int]
) -> dict[tuple[str, int], KraftError]:
    """Hold an election; gives what Kafka refused, but for the codes that `let_pass` holds.

    `kind`: PREFERRED, or UNCLEAN, in which any replica that serves may win, without the records that it does not have.
    `partitions`: topic -> numbers. Raises KraftError where nobody holds elections.
    """
    request = client.request(
        "ElectLeadersRequest",
        election_type=kind,
        topic_partitions=list(partitions.items()),
        timeout_ms=int(ELECTION_SECONDS * 1000),
    )
    answer = client.ask(address, request, ELECTION_SECONDS)
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
    """Asks each broker for the ends of the partitions that it should lead. Raises KraftError while one does not lead.

    DescribeProducers would not do: any replica answers it. `addresses`: node id -> ``host:port``; a broker without one
    is not asked.
    """
    questions = []
    wanted = [one for one in partitions if one.node_id in addresses]
    for node_id in sorted({one.node_id for one in wanted}):
        asked = grouped(one for one in wanted if one.node_id == node_id)
        topics = [ends(client, topic, numbers) for topic, numbers in asked.items()]
        request = client.request("ListOffsetsRequest", replica_id=CONSUMER, topics=topics)
        questions.append(Question(addresses[node_id], request))
    for answer in client.ask_all(questions):
        if isinstance(answer, KraftError):
            raise answer
        for topic, one in each(answer["topics"], "name", "partitions"):
            error = client.error(f"{topic}-{one['partition_index']}", one["error_code"], None)
            if error and one["error_code"] in NOT_YET:
                raise error


def ends(client: Client, topic: str, numbers: Iterable[int]) -> Any:
    """The part of ListOffsets that asks for the ends of a topic's partitions."""
    kind, name = "ListOffsetsRequest", "ListOffsetsTopic"
    partition = f"{name}.ListOffsetsPartition"
    asked = [client.struct(kind, partition, partition_index=one, timestamp=LATEST) for one in numbers]
    return client.struct(kind, name, name=topic, partitions=asked)


def each(topics: Iterable[Mapping[str, Any]], name: str, partitions: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """(topic, what is said of a partition) of an answer."""
    for topic in topics:
        for one in topic[partitions]:
            yield topic[name], one
