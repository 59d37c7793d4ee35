"""Log dirs of a running cluster: looked at, replicas moved between them, copies throttled."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ansible.module_utils.kraft.cluster.client import ANSWER_SECONDS, Client, Question
from ansible.module_utils.kraft.cluster.gather import LOG_DIR_ERRORS, checked, described, observe
from ansible.module_utils.kraft.cluster.snapshot import Broker, Snapshot
from ansible.module_utils.kraft.errors import refuse
from ansible.module_utils.kraft.operations.disks.model import BrokerDisks, DiskMove, broker_disks
from ansible.module_utils.kraft.operations.disks.throttle import RATE
from ansible.module_utils.kraft.operations.reassignment.admin import BROKER_RESOURCE, DYNAMIC_BROKER, ReassignmentAdmin
from ansible.module_utils.kraft.operations.reassignment.throttle import Alteration

#: Error codes of a move that mean: the replica is gone from that broker, or its topic is.
GONE = (3, 9)


class DisksAdmin:
    """Log dirs of all brokers. Each broker is queried at its own address: no other has its log dirs."""

    def __init__(self, client: Client, sleep: Callable[[float], None] = time.sleep) -> None:
        self._client, self.sleep = client, sleep
        self._moves = ReassignmentAdmin(client, sleep)

    def observe(self) -> Snapshot:
        return observe(self._client, (), self._client.reach())

    def disks(self, brokers: Iterable[Broker]) -> tuple[BrokerDisks, ...]:
        """Return every log dir of the serving brokers. Raises UnreachableError if one of them does not answer."""
        request = self._client.request("DescribeLogDirsRequest", topics=None)
        return tuple(
            broker_disks(one.node_id, answer, LOG_DIR_ERRORS)
            for one, answer in self._each("DescribeLogDirs", brokers, lambda _: request)
        )

    def rates(self, brokers: Iterable[Broker]) -> dict[int, str]:
        """Return broker -> its own rate for copies between log dirs; none if none is set."""

        def request(broker: Broker) -> Any:
            resources = [(BROKER_RESOURCE, str(broker.node_id), [RATE])]
            return self._client.request("DescribeConfigsRequest", resources=resources)

        return {
            broker.node_id: config["value"]
            for broker, answer in self._each("DescribeConfigs", brokers, request)
            for one in described(self._client, answer)["results"]
            for config in one["configs"]
            if config["name"] == RATE and config["config_source"] == DYNAMIC_BROKER and config["value"]
        }

    def throttle(self, snapshot: Snapshot, changes: Sequence[Alteration]) -> None:
        self._moves.throttle(snapshot, changes)

    def submit(self, snapshot: Snapshot, moves: Sequence[DiskMove]) -> None:
        """Begin the moves; one whose target is where the replica is takes a move back."""
        refused: list[str] = []
        for broker in snapshot.brokers:
            own = [one for one in moves if one.node_id == broker.node_id]
            if not own:
                continue
            request = self._client.request("AlterReplicaLogDirsRequest", dirs=list(_by_dir(own).items()))
            answer = checked(self._client, "AlterReplicaLogDirs", self._client.send(broker.address, request))
            refused += self._refused(broker, answer)
        refuse(refused)

    def _refused(self, broker: Broker, answer: Mapping[str, Any]) -> list[str]:
        found = [
            self._client.error(
                f"broker {broker.node_id}: {topic['topic_name']}-{one['partition_index']}", one["error_code"], ""
            )
            for topic in answer["results"]
            for one in topic["partitions"]
            if one["error_code"] not in GONE
        ]
        passing = [error for error in found if error and error.retriable]
        if passing:
            raise passing[0]
        return [str(error) for error in found if error]

    def _each(
        self, what: str, brokers: Iterable[Broker], request: Callable[[Broker], Any]
    ) -> list[tuple[Broker, dict[str, Any]]]:
        serving = [one for one in brokers if not one.fenced]
        answers = self._client.send_all([Question(one.address, request(one)) for one in serving], ANSWER_SECONDS)
        return [(one, checked(self._client, what, answer)) for one, answer in zip(serving, answers)]


def _by_dir(moves: Sequence[DiskMove]) -> dict[str, list[tuple[str, list[int]]]]:
    """Log dir -> topics with their partitions, as the request takes them."""
    found: dict[str, dict[str, list[int]]] = {}
    for one in moves:
        found.setdefault(one.target, {}).setdefault(one.name[0], []).append(one.name[1])
    return {path: list(topics.items()) for path, topics in found.items()}
