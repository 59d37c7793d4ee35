"""Topics on a running cluster: what they are now, and a plan carried out, waited for and checked.

Kafka is asked to validate everything before anything is changed, so that all that it refuses is known at once.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ansible.module_utils.kraft.cluster.client import ApiError, Client, Pick, Question
from ansible.module_utils.kraft.cluster.gather import MIN_INSYNC, TOPIC_RESOURCE, checked, log_dirs, observe
from ansible.module_utils.kraft.cluster.portions import each_one, portions
from ansible.module_utils.kraft.cluster.snapshot import Reassignment, Snapshot
from ansible.module_utils.kraft.cluster.stall_timeout import StallTimeout
from ansible.module_utils.kraft.errors import KraftError, ToolError, UnreachableError, refuse
from ansible.module_utils.kraft.operations.topics.plan import Plan, find, plan

TOPIC_OVERRIDE = 1  #: DescribeConfigs' source of a topic's own setting
SET, DELETE = 0, 1
UNKNOWN_TOPIC, UNKNOWN_TOPIC_CODE = "UnknownTopicOrPartition", 3  #: retriable to Kafka; here it means: not there
REQUEST_MS = 15_000
POLL_SECONDS = 0.2
UNTOLD_PARTITIONS = 50  #: assumed for a topic that gets the cluster's default number
Overrides = Mapping[str, Mapping[str, str]]


class TopicAdmin:
    """`timeout`: seconds without any advance after which waiting is given up."""

    def __init__(self, client: Client, timeout: float, sleep: Callable[[float], None] = time.sleep) -> None:
        self._client, self._timeout, self._sleep = client, timeout, sleep
        self._address = client.reach()
        self.resolved: dict[str, tuple[int, int]] = {}  #: new topic → partitions and replicas that Kafka gives it

    def describe_topics(self, names: Sequence[str]) -> tuple[Snapshot, Overrides]:
        """Return topics, brokers and reassignments, and the named topics' own settings and effective min.insync."""
        snapshot = observe(self._client, ("topics", "reassignments"), self._address)
        if snapshot.unanswered:
            raise UnreachableError("; ".join(snapshot.unknown))
        resources = [(TOPIC_RESOURCE, name, None) for name in names if find(snapshot, name)]
        answer = self._ask("DescribeConfigsRequest", pick=_read_settings, resources=resources) if resources else {}
        results = answer.get("results", ())
        described = {one["resource_name"]: one["configs"] for one in results if one["error_code"] == 0}
        overrides = {
            name: {one["name"]: one["value"] for one in configs if one["config_source"] == TOPIC_OVERRIDE}
            for name, configs in described.items()
        }
        least = {
            name: int(one["value"])
            for name, configs in described.items()
            for one in configs
            if one["name"] == MIN_INSYNC
        }
        return dataclasses.replace(snapshot, min_insync=least), overrides

    def validate(self, plans: Sequence[Plan]) -> list[str]:
        """Return Kafka's objections to these plans; nothing is changed."""
        found = self._create(plans, validate_only=True) + self._add_partitions(plans, validate_only=True)
        return found + self._configure([one for one in plans if not one.create], validate_only=True)

    def apply(self, plans: Sequence[Plan]) -> None:
        """Carry the plans out, in an order in which no topic is ever unwritable for the sake of the change.

        min.insync.replicas goes down before replicas are taken away and up after they were added.
        """
        existing = [one for one in plans if not one.create]
        self._must(self._create(plans))
        self._must(self._delete(plans))
        self._must(self._add_partitions(plans))
        self._must(self._configure([one for one in existing if not one.grows]))
        self._await_seen([one for one in plans if one.create or one.add_to or one.delete])
        self._move([one for one in plans if one.desired.present and one.desired.replication_factor is not None])
        self._must(self._configure([one for one in existing if one.grows]))

    def _move(self, plans: Sequence[Plan]) -> None:
        """Start what the plans move, the partitions that were just added included, and wait for all of it."""
        if not plans:
            return
        names = [one.desired.name for one in plans]
        snapshot, overrides = self.describe_topics(names)
        now = [plan(one.desired, snapshot, overrides.get(one.desired.name, {})) for one in plans]
        asked: list[Any] = [
            (one.desired.name, [(number, list(nodes)) for number, nodes in one.moves.items()])
            for one in now
            if one.moves
        ]
        if asked:
            answer = self._ask("AlterPartitionReassignmentsRequest", timeout_ms=REQUEST_MS, topics=asked)
            self._must(
                self._refusal(f"partition {topic['name']}-{one['partition_index']}", one)
                for topic in answer["responses"]
                for one in topic["partitions"]
            )
        self._await_moves(frozenset(names))
        self._await_seen([one for one in now if one.moves or one.awaited], settled=True)

    def _await_moves(self, names: frozenset[str]) -> None:
        """Wait until no partition of these topics is moving; give up when nothing advances."""
        stall_timeout = StallTimeout(self._timeout)
        while True:
            snapshot = observe(self._client, ("reassignments",), self._address)
            moving = [one for one in snapshot.reassignments or () if one.topic in names]
            if "reassignments" not in snapshot.unanswered and not moving:
                return
            bytes_there = self._bytes(snapshot, moving)
            if not stall_timeout.lasts((len(moving), bytes_there)):
                named = ", ".join(f"{one.topic}-{one.partition}" for one in moving[:5])
                raise ToolError(
                    f"{len(moving)} partitions are still being moved and no progress for {self._timeout:g} s: "
                    f"{named}. The move goes on by itself once its brokers do; run again to wait for it."
                )
            self._sleep(POLL_SECONDS)

    def _bytes(self, snapshot: Snapshot, moving: Sequence[Reassignment]) -> int:
        """Return the bytes of the moving partitions on all brokers together: while this grows, the move advances."""
        partitions: dict[str, list[int]] = {}
        for one in moving:
            partitions.setdefault(one.topic, []).append(one.partition)
        try:
            return sum(one.used_bytes for one in log_dirs(self._client, snapshot.brokers, 5.0, partitions))
        except KraftError:
            return -1

    def _await_seen(self, plans: Sequence[Plan], settled: bool = False) -> None:
        """Wait until every broker that answers shows the plan; `settled`: the new number of replicas too."""
        wanted = {one.desired.name: one for one in plans}
        stall_timeout = StallTimeout(self._timeout)
        while wanted:
            missing = self._unseen(wanted, settled)
            if not missing:
                return
            if not stall_timeout.lasts(tuple(missing)):
                raise ToolError(f"not every broker knows after {self._timeout:g} s: {'; '.join(missing[:5])}")
            self._sleep(POLL_SECONDS / 4)

    def _unseen(self, wanted: Mapping[str, Plan], settled: bool) -> list[str]:
        brokers = [one for one in observe(self._client, (), self._address).brokers if not one.fenced]
        topics = [self._client.struct("MetadataRequest", "MetadataRequestTopic", name=name) for name in wanted]
        asked: dict[str, Any] = {"topics": topics, "allow_auto_topic_creation": False}
        questions = [Question(one.address, self._client.request("MetadataRequest", **asked)) for one in brokers]
        found = []
        for broker, answer in zip(brokers, self._client.send_all(questions)):
            if isinstance(answer, KraftError):
                continue
            seen = {one["name"]: one for one in answer["topics"] if one["error_code"] == 0}
            late = (name for name, one in wanted.items() if not _as_planned(one, seen.get(name), settled))
            found += [f"broker {broker.node_id} has not caught up with topic {name}" for name in late]
        return found

    def _create(self, plans: Sequence[Plan], validate_only: bool = False) -> list[str]:
        made = [one for one in plans if one.create]
        found: list[str] = []
        for some in portions([(one, records_of(one)) for one in made]):
            topics: list[Any] = [
                (
                    one.desired.name,
                    one.desired.partitions or -1,
                    one.desired.replication_factor or -1,
                    [],
                    list(one.settings.items()),
                )
                for one in some
            ]
            answer = self._ask("CreateTopicsRequest", topics=topics, timeout_ms=REQUEST_MS, validate_only=validate_only)
            self.resolved.update(
                {one["name"]: (one["num_partitions"], one["replication_factor"]) for one in answer["topics"]}
            )
            found += [text for one in answer["topics"] if (text := self._refusal(f"topic {one['name']}", one))]
        return found

    def _delete(self, plans: Sequence[Plan]) -> list[str]:
        found: list[str] = []
        for some in each_one((one.desired.name, None) for one in plans if one.delete):
            answer = self._ask("DeleteTopicsRequest", topics=some, timeout_ms=REQUEST_MS)
            there = [one for one in answer["responses"] if one["error_code"] != UNKNOWN_TOPIC_CODE]
            found += [text for one in there if (text := self._refusal(f"topic {one['name']}", one))]
        return found

    def _add_partitions(self, plans: Sequence[Plan], validate_only: bool = False) -> list[str]:
        found: list[str] = []
        for some in portions([(one, one.add_to) for one in plans if one.add_to]):
            more = [(one.desired.name, one.add_to, None) for one in some]
            asked: dict[str, Any] = {"topics": more, "timeout_ms": REQUEST_MS, "validate_only": validate_only}
            answer = self._ask("CreatePartitionsRequest", **asked)
            found += [text for one in answer["results"] if (text := self._refusal(f"topic {one['name']}", one))]
        return found

    def _configure(self, plans: Sequence[Plan], validate_only: bool = False) -> list[str]:
        found: list[str] = []
        changed = [(one, len(one.settings) + len(one.resets)) for one in plans if one.settings or one.resets]
        for some in portions(changed):
            changes = [(TOPIC_RESOURCE, one.desired.name, _changes(one)) for one in some]
            answer = self._ask("IncrementalAlterConfigsRequest", resources=changes, validate_only=validate_only)
            found += [
                text for one in answer["responses"] if (text := self._refusal(f"topic {one['resource_name']}", one))
            ]
        return found

    def _ask(self, name: str, pick: Pick | None = None, **fields: Any) -> dict[str, Any]:
        answer = self._client.send(self._address, self._client.request(name, **fields), REQUEST_MS / 1000 + 2, pick)
        return checked(self._client, name, answer)

    def _refusal(self, what: str, answer: Mapping[str, Any]) -> str:
        """Return Kafka's refusal; a retriable error is raised, so that the whole is tried again.

        A topic that exists although the queried broker did not show it is retriable too: the broker heard of it late.
        """
        error = self._client.error(what, answer["error_code"], answer.get("error_message"))
        if error is None:
            return ""
        if error.name == "TopicAlreadyExists" or (error.retriable and error.name != UNKNOWN_TOPIC):
            raise ApiError(what, error.name, error.detail, retriable=True)
        return str(error)

    @staticmethod
    def _must(refusals: Iterable[str]) -> None:
        refuse([text for text in refusals if text])


def _read_settings(answer: Any) -> dict[str, Any]:
    """Convert the parts of an answer that `describe_topics` reads: a dict of some 35 settings a topic takes long."""
    results = [
        {
            "error_code": one.error_code,
            "resource_name": one.resource_name,
            "configs": [
                {"name": each.name, "value": each.value, "config_source": each.config_source}
                for each in one.configs
                if each.config_source == TOPIC_OVERRIDE or each.name == MIN_INSYNC
            ],
        }
        for one in answer.results
    ]
    return {"results": results}


def records_of(one: Plan) -> int:
    """Return the number of Kafka's records for a new topic: one for itself, for each partition and for each setting."""
    return 1 + (one.desired.partitions or UNTOLD_PARTITIONS) + len(one.settings)


def _changes(one: Plan) -> list[tuple[str, int, str | None]]:
    """Return the requested changes of a topic's settings, in the order of the protocol's fields."""
    resets: list[tuple[str, int, str | None]] = [(key, DELETE, None) for key in one.resets]
    return [*((key, SET, value) for key, value in one.settings.items()), *resets]


def _as_planned(one: Plan, seen: Mapping[str, Any] | None, settled: bool) -> bool:
    """Check that a broker's metadata of a topic (None: it has none) match the plan."""
    if one.delete:
        return seen is None
    if seen is None or any(part["leader_id"] < 0 for part in seen["partitions"]):
        return False
    factor = one.desired.replication_factor
    if settled and any(len(part["replica_nodes"]) != factor for part in seen["partitions"]):
        return False
    return len(seen["partitions"]) >= (one.add_to or one.desired.partitions or 1)
