"""The groups that one broker coordinates, and the ends of the logs that they read.

A broker lists only the groups that it coordinates, so no request covers the whole cluster. Failures are in
``Asked.failed`` and do not spoil the rest: a group that moves meanwhile is left to its next coordinator.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ansible.module_utils.kraft.client_config import host_port
from ansible.module_utils.kraft.cluster.client import ANSWER_SECONDS, Answer, Client, Question
from ansible.module_utils.kraft.cluster.leaders import CONSUMER, each, ends
from ansible.module_utils.kraft.errors import KraftError

Partition = tuple[str, int]
SHARE = "share"
#: Type of a group -> the request that lists its members, and the request's field for groups.
DESCRIBED_BY = {
    "classic": ("DescribeGroupsRequest", "groups"),
    "consumer": ("ConsumerGroupDescribeRequest", "group_ids"),
    SHARE: ("ShareGroupDescribeRequest", "group_ids"),
}
WITH_NAMES = 9  #: version of OffsetFetch; the next one names topics by id


@dataclasses.dataclass(frozen=True)
class Group:
    """A group. ``offsets``: the next to be read of each partition; ``lags``: those from the coordinator itself."""

    name: str
    type: str
    members: int | None = None
    offsets: Mapping[Partition, int] = dataclasses.field(default_factory=dict)
    lags: Mapping[Partition, int] = dataclasses.field(default_factory=dict)


class Asked:
    """A client and its broker; ``failed``: messages about failed requests."""

    def __init__(self, client: Client, address: str, seconds: float = ANSWER_SECONDS) -> None:
        """`seconds`: for each answer."""
        self.client, self._address, self._seconds = client, address, seconds
        self.failed: list[str] = []

    def broker(self, *requests: Any) -> list[Mapping[str, Any]]:
        """Return its answers; an empty one means a failure."""
        return self.all([Question(self._address, one) for one in requests])

    def all(self, questions: list[Question]) -> list[Mapping[str, Any]]:
        return [self._good(answer) for answer in self.client.send_all(questions, self._seconds)]

    def _good(self, answer: Answer) -> Mapping[str, Any]:
        if isinstance(answer, KraftError):
            self.failed.append(str(answer))
            return {}
        return {} if self.error("a question", answer.get("error_code", 0)) else answer

    def error(self, what: str, code: int) -> bool:
        """Check whether a part of an answer is an error, and note it."""
        failure = self.client.error(what, code, None)
        if failure:
            self.failed.append(str(failure))
        return failure is not None


def groups(asked: Asked, listed: Iterable[Mapping[str, Any]]) -> list[Group]:
    """Return members and offsets of the `listed` groups, all requested at once."""
    types = {one["group_id"]: one["group_type"].lower() for one in listed}
    named = {kind: [name for name, each_kind in types.items() if each_kind == kind] for kind in DESCRIBED_BY}
    requests = [
        asked.client.request(request, **{field: named[kind]})
        for kind, (request, field) in DESCRIBED_BY.items()
        if named[kind]
    ]
    readers = [name for kind, names in named.items() if kind != SHARE for name in names]
    answers = asked.broker(*requests, *offset_requests(asked.client, readers, named[SHARE]))
    members: dict[str, int] = {}
    offsets: dict[str, dict[Partition, int]] = {}
    lags: dict[str, dict[Partition, int]] = {}
    for one in (one for answer in answers for one in answer.get("groups", ())):
        name = one["group_id"]
        if asked.error(f"group {name}", one["error_code"]):
            types.pop(name, None)  # it has another coordinator by now
        elif "members" in one:
            members[name] = len(one["members"])
        else:
            offsets[name], lags[name] = read_offsets(one)
    return [
        Group(name, kind, members.get(name), offsets.get(name, {}), lags.get(name, {})) for name, kind in types.items()
    ]


def offset_requests(client: Client, readers: list[str], sharers: list[str]) -> Iterator[Any]:
    """Yield requests for committed offsets of groups, and for start offsets of share groups."""
    if readers:
        kind = "OffsetFetchRequest"
        asked = [client.struct(kind, "OffsetFetchRequestGroup", group_id=name, topics=None) for name in readers]
        yield client.request(kind, groups=asked, max_version=WITH_NAMES)
    if sharers:
        kind = "DescribeShareGroupOffsetsRequest"
        asked = [client.struct(kind, f"{kind}Group", group_id=name, topics=None) for name in sharers]
        yield client.request(kind, groups=asked)


def read_offsets(group: Mapping[str, Any]) -> tuple[dict[Partition, int], dict[Partition, int]]:
    """Return offsets, and lags if the answer has them. An offset below 0 means none."""
    offsets: dict[Partition, int] = {}
    lags: dict[Partition, int] = {}
    for topic in group["topics"]:
        for one in topic["partitions"]:
            where = (topic.get("name") or topic.get("topic_name"), one["partition_index"])
            offset = one.get("committed_offset", one.get("start_offset"))
            if not one["error_code"] and offset >= 0:
                offsets[where] = offset
                if one.get("lag", -1) >= 0:
                    lags[where] = one["lag"]
    return offsets, lags


def log_ends(asked: Asked, partitions: Iterable[Partition]) -> dict[Partition, int]:
    """Return the end of each partition's log, as its leader has it; without those that have no leader or are gone."""
    wanted = set(partitions)
    if not wanted:
        return {}
    client = asked.client
    named = [
        client.struct("MetadataRequest", "MetadataRequestTopic", name=name)
        for name in sorted({one for one, _ in wanted})
    ]
    (seen,) = asked.broker(client.request("MetadataRequest", topics=named, allow_auto_topic_creation=False))
    addresses = {one["node_id"]: host_port(one["host"], one["port"]) for one in seen.get("brokers", ())}
    led: dict[int, dict[str, list[int]]] = {}
    for topic, one in each(seen.get("topics", ()), "name", "partitions"):
        if (topic, one["partition_index"]) in wanted and one["leader_id"] in addresses:
            led.setdefault(one["leader_id"], {}).setdefault(topic, []).append(one["partition_index"])
    return ends_at(asked, {addresses[leader]: topics for leader, topics in led.items()})


def ends_at(asked: Asked, led: Mapping[str, Mapping[str, list[int]]]) -> dict[Partition, int]:
    """Return the same for partitions by their leader's address and topic; without those with an error."""
    client = asked.client
    questions = [
        Question(
            address,
            client.request(
                "ListOffsetsRequest", replica_id=CONSUMER, topics=[ends(client, *one) for one in topics.items()]
            ),
        )
        for address, topics in led.items()
    ]
    found: dict[Partition, int] = {}
    for answer in asked.all(questions):
        for topic, one in each(answer.get("topics", ()), "name", "partitions"):
            where = (topic, one["partition_index"])
            if not asked.error(f"{where[0]}-{where[1]}", one["error_code"]):
                found[where] = one["offset"]
    return found
