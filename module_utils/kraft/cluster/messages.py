"""Requests that kafka-python 3.0 does not have: voters of the quorum, registrations of brokers, groups of new kinds.

kafka-python makes a message's class from the JSON schema in its package that has the class's name. Another schema would
have to be a file inside that package, and Ansible installs one zip on a host. But before a schema is used, a class's
``json_patch`` may change it, or return a different one. So these classes are made under the name of an existing schema,
with a patch that returns ours, and are named afterwards.

The schemas are Kafka 4.4.0's (clients/src/main/resources/common/message: AddRaftVoter, RemoveRaftVoter,
UnregisterBroker, UnregisterController, ControllerRegistration, BrokerRegistration, ConsumerGroupDescribe,
ShareGroupDescribe, DescribeShareGroupOffsets). Brokers forward the first four to the active controller (KIP-590,
KIP-853, KIP-1312), which takes registrations at its own listener; a group's coordinator serves its requests (KIP-848,
KIP-932).
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

Field = dict[str, Any]
BORN_AS = {"request": "UpdateFeaturesRequest", "response": "UpdateFeaturesResponse"}


def field(name: str, kind: str, since: int = 0, **more: Any) -> Field:
    """Return a field of a schema, there from version `since` on."""
    return {"name": name, "type": kind, "versions": f"{since}+", **more}


CLUSTER = field("ClusterId", "string", nullableVersions="0+", default="null")
VOTER = (field("VoterId", "int32"), field("VoterDirectoryId", "uuid"))
LISTENER = (field("Name", "string", mapKey=True), field("Host", "string"), field("Port", "uint16"))
ANSWER = (
    field("ThrottleTimeMs", "int32"),
    field("ErrorCode", "int16"),
    field("ErrorMessage", "string", nullableVersions="0+", default="null"),
)
REFUSAL = (*ANSWER[:2], field("ErrorMessage", "string", nullableVersions="0+"))
RANGE = (
    field("Name", "string", mapKey=True),
    field("MinSupportedVersion", "int16"),
    field("MaxSupportedVersion", "int16"),
)
GROUP = field("GroupId", "string")
TOPIC = (field("TopicId", "uuid"), field("TopicName", "string"), field("Partitions", "[]int32"))
#: A struct that Kafka's schemas name once (``commonStructs``) is repeated here at each use.
ASSIGNMENT = [field("TopicPartitions", "[]TopicPartitions", fields=list(TOPIC))]
MEMBER = (
    field("RackId", "string", nullableVersions="0+", default="null"),
    field("MemberEpoch", "int32"),
    field("ClientId", "string"),
    field("ClientHost", "string"),
    field("SubscribedTopicNames", "[]string"),
)
CONSUMER = (
    field("MemberId", "string"),
    field("InstanceId", "string", nullableVersions="0+", default="null"),
    *MEMBER,
    field("SubscribedTopicRegex", "string", nullableVersions="0+", default="null"),
    field("Assignment", "Assignment", fields=ASSIGNMENT),
    field("TargetAssignment", "Assignment", fields=ASSIGNMENT),
    field("MemberType", "int8", 1, default="-1"),
)
SHARER = (field("MemberId", "string"), *MEMBER, field("Assignment", "Assignment", fields=ASSIGNMENT))
DESCRIBE = (field("GroupIds", "[]string"), field("IncludeAuthorizedOperations", "bool"))
SHARE_PARTITION = (
    field("PartitionIndex", "int32"),
    field("StartOffset", "int64"),
    field("LeaderEpoch", "int32"),
    field("Lag", "int64", 1, default="-1"),
    *ANSWER[1:],
)
SHARED = "DescribeShareGroupOffsets"
SHARE_TOPIC = (*TOPIC[1::-1], field("Partitions", f"[]{SHARED}ResponsePartition", fields=list(SHARE_PARTITION)))
SHARE_OFFSETS = (GROUP, field("Topics", f"[]{SHARED}ResponseTopic", fields=list(SHARE_TOPIC)), *ANSWER[1:])
ASKED_TOPICS = field("Topics", f"[]{SHARED}RequestTopic", nullableVersions="0+", fields=list(TOPIC[1:]))


def described(member: tuple[Field, ...]) -> tuple[Field, ...]:
    """Return the fields of a coordinator's answer about groups with such members."""
    group = (
        *ANSWER[1:],
        GROUP,
        field("GroupState", "string"),
        field("GroupEpoch", "int32"),
        field("AssignmentEpoch", "int32"),
        field("AssignorName", "string"),
        field("Members", "[]Member", fields=list(member)),
        field("AuthorizedOperations", "int32", default="-2147483648"),
    )
    return (ANSWER[0], field("Groups", "[]DescribedGroup", fields=list(group)))


#: Name -> API key, versions, fields of the request, fields of the answer.
MESSAGES: Mapping[str, tuple[int, str, tuple[Field, ...], tuple[Field, ...]]] = {
    "AddRaftVoter": (
        80,
        "0-1",
        (
            CLUSTER,
            field("TimeoutMs", "int32"),
            *VOTER,
            field("Listeners", "[]Listener", fields=list(LISTENER)),
            field("AckWhenCommitted", "bool", 1, default="true"),
        ),
        ANSWER,
    ),
    "RemoveRaftVoter": (81, "0", (CLUSTER, *VOTER), ANSWER),
    "UnregisterBroker": (64, "0", (field("BrokerId", "int32"),), ANSWER),
    "UnregisterController": (94, "0", (field("ControllerId", "int32"),), REFUSAL),
    "ControllerRegistration": (
        70,
        "0",
        (
            field("ControllerId", "int32"),
            field("IncarnationId", "uuid"),
            field("ZkMigrationReady", "bool"),
            field("Listeners", "[]Listener", fields=[*LISTENER, field("SecurityProtocol", "int16")]),
            field("Features", "[]Feature", fields=list(RANGE)),
        ),
        REFUSAL,
    ),
    "BrokerRegistration": (
        62,
        "0-4",
        (
            field("BrokerId", "int32"),
            field("ClusterId", "string"),
            field("IncarnationId", "uuid"),
            field("Listeners", "[]Listener", fields=[*LISTENER, field("SecurityProtocol", "int16")]),
            field("Features", "[]Feature", fields=list(RANGE)),
            field("Rack", "string", nullableVersions="0+"),
            field("IsMigratingZkBroker", "bool", 1, default="false"),
            field("LogDirs", "[]uuid", 2),
            field("PreviousBrokerEpoch", "int64", 3, default="-1"),
        ),
        (*ANSWER[:2], field("BrokerEpoch", "int64", default="-1")),
    ),
    "ConsumerGroupDescribe": (69, "0-1", DESCRIBE, described(CONSUMER)),
    "ShareGroupDescribe": (77, "1", DESCRIBE, described(SHARER)),
    SHARED: (
        90,
        "0-1",
        (field("Groups", f"[]{SHARED}RequestGroup", fields=[GROUP, ASKED_TOPICS]),),
        (ANSWER[0], field("Groups", f"[]{SHARED}ResponseGroup", fields=list(SHARE_OFFSETS))),
    ),
}


@lru_cache(maxsize=1)
def kinds() -> Mapping[str, Any]:
    """Return ``AddRaftVoterRequest`` and its like -> class. Needs kafka-python to be importable (``library.load``)."""
    base = importlib.import_module("kafka.protocol.api_message").ApiMessage
    made = {}
    for name, (key, versions, request, answer) in MESSAGES.items():
        made[f"{name}Request"] = kind(base, schema(f"{name}Request", "request", key, versions, request))
        made[f"{name}Response"] = kind(base, schema(f"{name}Response", "response", key, versions, answer))
    return made


def schema(name: str, direction: str, key: int, versions: str, fields: tuple[Field, ...]) -> dict[str, Any]:
    """Return a schema as kafka-python reads it, flexible (KIP-482) in all versions."""
    return {
        "apiKey": key,
        "type": direction,
        "name": name,
        "validVersions": versions,
        "flexibleVersions": "0+",
        "fields": [dict(one) for one in fields],
    }


def kind(base: Any, ours: dict[str, Any]) -> Any:
    """Return the class of a message, made as described above."""

    def json_patch(_: Any, __: Any) -> dict[str, Any]:
        return ours

    made = type(base)(BORN_AS[ours["type"]], (base,), {"json_patch": classmethod(json_patch)})
    made.__name__ = made.__qualname__ = ours["name"]
    return made
