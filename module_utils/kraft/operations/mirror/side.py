"""One side of a copy, queried over the client: its topics with their ends, sizes and settings.

Kafka 2.1 supports these requests, too; kafka-python negotiates the version.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from ansible.module_utils.kraft.client_config import host_port
from ansible.module_utils.kraft.cluster.client import Answer, Client, Question
from ansible.module_utils.kraft.cluster.leaders import CONSUMER, LATEST, each
from ansible.module_utils.kraft.errors import KraftError, ToolError, UnreachableError

EARLIEST = -2
TOPIC_RESOURCE, BROKER_RESOURCE, OVERRIDE = 2, 4, 1
FETCH, NEEDED_FETCH = 1, 10  #: API key of Fetch, and its version since Kafka 2.1
SECONDS = 15.0
#: Number of an operation -> its name.
RIGHTS = {3: "READ", 8: "DESCRIBE", 10: "DESCRIBE_CONFIGS"}
DENIED = {29, 30, 31}  #: authorization of a topic, a group, the cluster failed
NO_AUTHORIZER = 54
WITHOUT_TIMESTAMPS = 43  #: the topic is in a format of before Kafka 0.10
STAMPLESS = -2  #: stands for the offset that such a topic has at a time

Partition = tuple[str, int]


class Configs(NamedTuple):
    """A topic's own settings; and all that count for it, its brokers' included."""

    own: dict[str, str]
    effective: dict[str, str]


class Side:
    """The metadata of a cluster, and questions that go to the right brokers. Raises KraftError without metadata."""

    def __init__(self, client: Client) -> None:
        self.client, self.address = client, client.reach()
        fields: dict[str, Any] = {"topics": None, "allow_auto_topic_creation": False}
        asked = client.request("MetadataRequest", include_topic_authorized_operations=True, max_version=12, **fields)
        seen = client.send(self.address, asked, SECONDS)
        self.cluster_id: str = seen["cluster_id"] or ""
        self.brokers = {one["node_id"]: host_port(one["host"], one["port"]) for one in seen["brokers"]}
        self.topics = {one["name"]: one for one in seen["topics"] if one["error_code"] == 0}
        self.refused = sorted(str(one["name"]) for one in seen["topics"] if one["error_code"] in DENIED)

    def is_old(self) -> bool:
        """Check whether it is older than Kafka 2.1."""
        answer = self._ask("ApiVersionsRequest", max_version=2)
        return not any(one["api_key"] == FETCH and one["max_version"] >= NEEDED_FETCH for one in answer["api_keys"])

    def partitions(self, names: Iterable[str]) -> dict[Partition, int]:
        """Return (topic, number) -> node id of the leader."""
        return {
            (name, one["partition_index"]): one["leader_id"]
            for name in names
            for one in self.topics[name]["partitions"]
        }

    def ids(self, names: Iterable[str]) -> dict[str, str]:
        """Return topic -> its id, if the brokers have ids (Kafka 2.8 and later)."""
        found = {name: str(self.topics[name].get("topic_id") or "") for name in names}
        return {name: one for name, one in found.items() if set(one) - set("0-")}  # all 0 if a broker has none

    def lacking(self, names: Iterable[str], rights: Mapping[int, str] = RIGHTS) -> Iterator[str]:
        """Yield those of `rights` that the login lacks at topics, as far as the broker reports them."""
        for name in names:
            permitted = self.topics[name].get("authorized_operations")  # numbers, as kafka-python has them
            if permitted is not None:
                yield from (f"{right} of topic {name}" for number, right in rights.items() if number not in permitted)

    def ends(self, names: Iterable[str]) -> dict[Partition, tuple[int, int]]:
        """Return (topic, number) -> first offset, end. Raises UnreachableError for a partition without a leader."""
        leaders = self.partitions(names)
        lost = [f"{topic}-{number}" for (topic, number), leader in leaders.items() if leader not in self.brokers]
        if lost:
            raise UnreachableError(f"no leader: {', '.join(sorted(lost)[:5])}. Start its broker, then run this again")
        starts, ends = (self._listed(leaders, at) for at in (EARLIEST, LATEST))
        return {where: (starts[where], ends[where]) for where in leaders}

    def offsets_at(self, names: Iterable[str], timestamp: int) -> dict[Partition, int]:
        """Return (topic, number) -> offset of the first record at this time in ms or later; -1 if there is none.

        That of a format without timestamps is STAMPLESS. A partition is missing if no answer names it.
        """
        return self._listed(self.partitions(names), timestamp, {WITHOUT_TIMESTAMPS: STAMPLESS})

    def _listed(
        self, leaders: Mapping[Partition, int], timestamp: int, accepted: Mapping[int, int] = MappingProxyType({})
    ) -> dict[Partition, int]:
        """Return (topic, number) -> offset. `accepted`: error code -> what stands for the offset."""
        kind, part = "ListOffsetsRequest", "ListOffsetsTopic"
        by_broker: dict[int, dict[str, list[int]]] = {}
        for (topic, number), leader in leaders.items():
            by_broker.setdefault(leader, {}).setdefault(topic, []).append(number)
        questions = []
        for leader, topics in by_broker.items():
            asked = [
                self.client.struct(
                    kind,
                    part,
                    name=topic,
                    partitions=[
                        self.client.struct(
                            kind, f"{part}.ListOffsetsPartition", partition_index=one, timestamp=timestamp
                        )
                        for one in numbers
                    ],
                )
                for topic, numbers in topics.items()
            ]
            request = self.client.request(kind, replica_id=CONSUMER, topics=asked)
            questions.append(Question(self.brokers[leader], request))
        found: dict[Partition, int] = {}
        for answer in self.client.send_all(questions, SECONDS):
            for topic, one in each(good(answer)["topics"], "name", "partitions"):
                number, code = one["partition_index"], one["error_code"]
                if code not in accepted:
                    self._raise(f"{topic}-{number}", code)
                found[topic, number] = accepted.get(code, one["offset"])
        return found

    def configs(self, names: Iterable[str]) -> tuple[dict[str, Configs], list[str]]:
        """Return the topics' settings, and rights that the login lacks for them."""
        resources = [(TOPIC_RESOURCE, name, None) for name in names]
        if not resources:
            return {}, []
        answer = self._ask("DescribeConfigsRequest", resources=resources)
        found: dict[str, Configs] = {}
        missing = []
        for one in answer["results"]:
            if one["error_code"] in DENIED:
                missing.append(f"DESCRIBE_CONFIGS of topic {one['resource_name']}")
            else:
                self._raise(f"settings of topic {one['resource_name']}", one["error_code"])
            given = [entry for entry in one["configs"] if entry["value"] is not None]
            own, all_of_them = (
                {entry["name"]: str(entry["value"]) for entry in some}
                for some in ([entry for entry in given if entry["config_source"] == OVERRIDE], given)
            )
            found[one["resource_name"]] = Configs(own, all_of_them)
        return found, missing

    def broker_settings(self) -> dict[str, str | None]:
        """Return the settings that one of its brokers runs with."""
        node = min(self.brokers)
        request = self.client.request("DescribeConfigsRequest", resources=[(BROKER_RESOURCE, str(node), None)])
        (one,) = self.client.send(self.brokers[node], request, SECONDS)["results"]
        self._raise(f"settings of broker {node}", one["error_code"])
        return {entry["name"]: entry["value"] for entry in one["configs"]}

    def sizes(self, names: Iterable[str]) -> tuple[dict[str, int], list[str]]:
        """Return bytes of each topic's leaders, and rights that the login lacks for them.

        Raises UnreachableError for a leader that does not report its replica: another one may lead by now.
        """
        leaders = self.partitions(names)
        asked = self.client.request("DescribeLogDirsRequest", topics=None)
        brokers = list(self.brokers.items())
        answers = self.client.send_all([Question(address, asked) for _, address in brokers], SECONDS)
        sizes = dict.fromkeys((topic for topic, _ in leaders), 0)
        silent = {where for where, node in leaders.items() if node in self.brokers}
        for (node, _), answer in zip(brokers, answers):
            given = good(answer)
            if given.get("error_code") in DENIED or any(one["error_code"] in DENIED for one in given["results"]):
                return {}, ["DESCRIBE of the cluster (for the sizes of log dirs)"]
            held = (pair for one in given["results"] for pair in each(one["topics"], "name", "partitions"))
            for topic, one in held:
                where = topic, one["partition_index"]
                if leaders.get(where) == node:
                    sizes[topic] += one["partition_size"]
                    silent.discard(where)
        if silent:
            topic, number = min(silent)
            raise UnreachableError(f"the size of {topic}-{number} is not known. Run this again")
        return sizes, []

    def listed_groups(self) -> dict[str, list[str]]:
        """Return a broker's address -> the groups that it coordinates and the login may see."""
        asked = [Question(address, self.client.request("ListGroupsRequest")) for address in self.brokers.values()]
        found = {}
        for address, answer in zip(self.brokers.values(), self.client.send_all(asked, SECONDS)):
            given = good(answer)
            self._raise("ListGroups", 0 if given["error_code"] in DENIED else given["error_code"])
            found[address] = [one["group_id"] for one in given["groups"] if one["protocol_type"] in ("consumer", "")]
        return found

    def committed(self, groups: Mapping[str, Iterable[str]]) -> dict[str, dict[Partition, int]]:
        """Group -> (topic, partition) -> the offset that it reads next. `groups`: as `listed_groups` has them."""
        wanted = [(address, name) for address, names in groups.items() for name in names]
        questions = [
            Question(address, self.client.request("OffsetFetchRequest", group_id=name, topics=None, max_version=7))
            for address, name in wanted
        ]
        found: dict[str, dict[Partition, int]] = {}
        for (_, name), answer in zip(wanted, self.client.send_all(questions, SECONDS)):
            given = good(answer)
            self._raise(f"group {name}", given["error_code"])
            found[name] = {
                (topic, one["partition_index"]): one["committed_offset"]
                for topic, one in each(given["topics"], "name", "partitions")
                if one["committed_offset"] >= 0
            }
        return found

    def lacks_acls(self) -> list[str]:
        """Return the right to read ACLs, if there are any and the login lacks it."""
        anything = dict.fromkeys(("resource_type_filter", "pattern_type_filter", "operation", "permission_type"), 1)
        anybody = dict.fromkeys(("resource_name_filter", "principal_filter", "host_filter"))
        answer = self._ask("DescribeAclsRequest", **anything, **anybody)
        if answer["error_code"] in DENIED:
            return ["DESCRIBE of the cluster (for ACLs; or set kafka_mirror.acls: false)"]
        self._raise("DescribeAcls", 0 if answer["error_code"] == NO_AUTHORIZER else answer["error_code"])
        return []

    def _ask(self, kind: str, **fields: Any) -> dict[str, Any]:
        return self.client.send(self.address, self.client.request(kind, **fields), SECONDS)

    def _raise(self, what: str, code: int) -> None:
        error = self.client.error(what, code, None)
        if error:
            raise error


def older_than(partitions: Mapping[int, tuple[int, int]], first: Mapping[int, int | None]) -> int | None:
    """Return the number of records before an age; None if a partition with records has no answer.

    `first`: number -> the offset of the first younger record, as `Side.offsets_at` gives it; None without one.
    """
    older = 0
    for number, (start, end) in partitions.items():
        at = first.get(number)
        if at is None and end > start:
            return None
        # A record without a timestamp gets one at the copy: none is older.
        if at is not None and at != STAMPLESS:
            older += (min(at, end) if at >= 0 else end) - start
    return older


def good(answer: Answer) -> dict[str, Any]:
    if isinstance(answer, KraftError):
        raise answer
    if not isinstance(answer, dict):
        raise ToolError(f"no answer: {answer}")
    return answer
