"""Moves on a running cluster: looked at, submitted a few at a time, waited for, cancelled, with throttles."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ansible.module_utils.kraft.cluster import leaders
from ansible.module_utils.kraft.cluster.client import ANSWER_SECONDS, Answer, Client, Question
from ansible.module_utils.kraft.cluster.gather import TOPIC_RESOURCE, checked, described, log_dirs, observe
from ansible.module_utils.kraft.cluster.snapshot import Broker, Reassignment, Snapshot
from ansible.module_utils.kraft.errors import KraftError, RefusedError, UnreachableError, refuse
from ansible.module_utils.kraft.operations.reassignment.model import PARTS, Move, Name
from ansible.module_utils.kraft.operations.reassignment.throttle import LISTS, RATES, Alteration, Throttles

BROKER_RESOURCE = 4
DYNAMIC_BROKER, DYNAMIC_TOPIC = 2, 1  #: DescribeConfigs' sources: an override of this very broker, or of this topic
SET, DELETE = 0, 1
REQUEST_MS = 15_000
BATCH = 500  #: partitions, or topics' settings, in one request
#: Error codes of a cancellation that mean: it is over already, or the topic is gone.
OVER = (85, 3)

BytesHeld = Mapping[Name, Mapping[int, int]]  #: partition → broker → bytes


class ReassignmentAdmin:
    """Requests to whichever broker answers; brokers pass them on to the active controller."""

    def __init__(self, client: Client, sleep: Callable[[float], None] = time.sleep) -> None:
        self._client, self.sleep = client, sleep
        self._address = client.reach()

    def observe(self) -> Snapshot:
        """Return brokers, partitions and reassignments. Raises UnreachableError while a part is unknown."""
        snapshot = observe(self._client, PARTS, self._address)
        if snapshot.unanswered:
            raise UnreachableError("; ".join(snapshot.unknown))
        return snapshot

    def under_way(self) -> tuple[Reassignment, ...]:
        snapshot = observe(self._client, ("reassignments",), self._address)
        if snapshot.reassignments is None:
            raise UnreachableError(snapshot.unanswered["reassignments"])
        return snapshot.reassignments

    def bytes_held(self, brokers: Iterable[Broker], names: Iterable[Name] | None = None) -> BytesHeld:
        """Return the bytes of each partition (of `names`, if given) by broker; silent brokers are left out."""
        topics: dict[str, list[int]] = {}
        for topic, number in names or ():
            topics.setdefault(topic, []).append(number)
        found: dict[Name, dict[int, int]] = {}
        for broker, answer in self._log_dirs(brokers, None if names is None else list(topics.items())):
            if isinstance(answer, KraftError):
                continue
            for directory in answer["results"]:
                for topic in directory["topics"]:
                    for one in topic["partitions"]:
                        if not one["is_future_key"]:
                            held = found.setdefault((topic["name"], one["partition_index"]), {})
                            held[broker.node_id] = one["partition_size"]
        return found

    def on_disk(self, brokers: Iterable[Broker]) -> list[str]:
        """Return the partitions in the log dirs of the serving brokers. Raises KraftError if one does not answer."""
        answers = (checked(self._client, "DescribeLogDirs", answer) for _, answer in self._log_dirs(brokers, None))
        return [
            f"{topic['name']}-{one['partition_index']}"
            for answer in answers
            for directory in answer["results"]
            for topic in directory["topics"]
            for one in topic["partitions"]
            if not one["is_future_key"]
        ]

    def _log_dirs(self, brokers: Iterable[Broker], topics: Any) -> list[tuple[Broker, Answer]]:
        request = self._client.request("DescribeLogDirsRequest", topics=topics)
        asked = [one for one in brokers if not one.fenced]
        return list(zip(asked, self._client.send_all([Question(one.address, request) for one in asked])))

    def room(self, brokers: Iterable[Broker]) -> dict[int, int]:
        """Return the free bytes on the log dirs of each broker that reports them; shared space is counted for each."""
        found: dict[int, int] = {}
        for one in log_dirs(self._client, brokers, ANSWER_SECONDS, {}):
            if one.usable_bytes >= 0:
                found[one.node_id] = found.get(one.node_id, 0) + one.usable_bytes
        return found

    def throttles(self, snapshot: Snapshot) -> Throttles:
        """Return the present throttles, on serving brokers and on topics."""
        serving = [one for one in snapshot.brokers if not one.fenced]
        questions = [
            Question(one.address, self._configs(BROKER_RESOURCE, [str(one.node_id)], RATES)) for one in serving
        ]
        rates: dict[int, Mapping[str, str]] = {}
        for broker, answer in zip(serving, self._client.send_all(questions)):
            values = overrides(described(self._client, answer), DYNAMIC_BROKER)
            rates.update((broker.node_id, one) for one in values.values() if one)
        lists: dict[str, Mapping[str, str]] = {}
        names = [one.name for one in snapshot.topics or ()]
        for start in range(0, len(names), BATCH):
            answer = self._client.send(
                self._address, self._configs(TOPIC_RESOURCE, names[start : start + BATCH], LISTS)
            )
            found = overrides(described(self._client, answer), DYNAMIC_TOPIC)
            lists.update({name: one for name, one in found.items() if one})
        return Throttles(rates, lists)

    def throttle(self, snapshot: Snapshot, changes: Sequence[Alteration]) -> None:
        """Make the changes in their order; a broker's own settings go through that broker."""
        places = {one.node_id: one.address for one in snapshot.brokers}
        for one in changes:
            kind, name = (TOPIC_RESOURCE, one.topic) if one.topic else (BROKER_RESOURCE, str(one.broker))
            steps = [(key, DELETE if value is None else SET, value) for key, value in one.values.items()]
            request = self._client.request(
                "IncrementalAlterConfigsRequest", resources=[(kind, name, steps)], validate_only=False
            )
            answer = self._client.send(places.get(one.broker, self._address), request)
            error = self._client.error(
                name, answer["responses"][0]["error_code"], answer["responses"][0]["error_message"]
            )
            if error and not (one.topic and error.name == "UnknownTopicOrPartition"):
                raise error

    def submit(self, moves: Sequence[Move]) -> None:
        """Begin to move. The number of replicas is not changed by it, whatever Kafka thinks of it by now."""
        self._alter([(one.name, list(one.after)) for one in moves], ())

    def cancel(self, moving: Sequence[Reassignment]) -> None:
        """Cancel moves: partitions go back to their former replicas."""
        self._alter([((one.topic, one.partition), None) for one in moving], OVER)

    def _alter(self, targets: Sequence[tuple[Name, list[int] | None]], let_pass: Sequence[int]) -> None:
        refused: list[str] = []
        for start in range(0, len(targets), BATCH):
            topics: dict[str, list[tuple[int, list[int] | None]]] = {}
            for (topic, number), replicas in targets[start : start + BATCH]:
                topics.setdefault(topic, []).append((number, replicas))
            request = self._client.request(
                "AlterPartitionReassignmentsRequest",
                timeout_ms=REQUEST_MS,
                allow_replication_factor_change=False,
                topics=list(topics.items()),
            )
            answer = checked(
                self._client,
                "AlterPartitionReassignments",
                self._client.send(self._address, request, REQUEST_MS / 1000 + 2),
            )
            refused += self._refused(answer, let_pass)
        refuse(refused)

    def _refused(self, answer: Mapping[str, Any], let_pass: Sequence[int]) -> list[str]:
        found = [
            self._client.error(
                f"partition {topic['name']}-{one['partition_index']}", one["error_code"], one["error_message"]
            )
            for topic in answer["responses"]
            for one in topic["partitions"]
            if one["error_code"] not in let_pass
        ]
        passing = [error for error in found if error and error.retriable]
        if passing:
            raise passing[0]
        return [str(error) for error in found if error]

    def elect(self, snapshot: Snapshot) -> None:
        """Let preferred leaders lead; if Kafka refuses, another replica in sync keeps the lead."""
        leaders.PreferredLeaderElection(self._client, self._address, snapshot).run(
            leaders.displaced(snapshot, snapshot.unfenced)
        )

    def begin_empty(self, names: Iterable[Name], let_pass: Sequence[int] = ()) -> None:
        """Let any replica that serves lead partitions without a leader. Records that it lacks are given up.

        `let_pass`: error codes that do not end the run. Raises RefusedError with the others.
        """
        topics: dict[str, list[int]] = {}
        for topic, number in names:
            topics.setdefault(topic, []).append(number)
        refused = leaders.elect(self._client, self._address, leaders.UNCLEAN, topics, (*leaders.DONE, *let_pass))
        if refused:
            raise RefusedError([f"{topic}-{number}: {failed}" for (topic, number), failed in refused.items()])

    def _configs(self, kind: int, names: Sequence[str], keys: Sequence[str]) -> Any:
        return self._client.request("DescribeConfigsRequest", resources=[(kind, one, list(keys)) for one in names])


def overrides(answer: Mapping[str, Any], source: int) -> dict[str, dict[str, str]]:
    """Return resource → its own settings, by their source; vanished ones are left out."""
    return {
        one["resource_name"]: {
            config["name"]: config["value"]
            for config in one["configs"]
            if config["config_source"] == source and config["value"]
        }
        for one in answer["results"]
        if one["error_code"] == 0
    }
