"""Eligible leader replicas (ELR, KIP-966) of partitions that lack a leader, or replicas in sync.

With ``eligible.leader.replicas.version`` 1, a replica that leaves the ISR while that is at ``min.insync.replicas`` or
below stays eligible: it has all acknowledged records, and Kafka may elect it. It does not count as in sync.
Metadata does not list these replicas, so they are requested for such partitions alone.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence

from ansible.module_utils.kraft.cluster.client import Client
from ansible.module_utils.kraft.cluster.snapshot import NO_NODE, Partition, Topic
from ansible.module_utils.kraft.errors import KraftError

REQUEST = "DescribeTopicPartitionsRequest"
AT_ONCE = 2000  #: partitions in an answer; Kafka's max.request.partition.size.limit
PAGES = 10  #: answers that are read; beyond them eligible replicas are not known
Ids = tuple[int, ...]


def lacks(partition: Partition, least: int) -> bool:
    """Check that a partition has no leader, or fewer than `least` replicas in sync."""
    return partition.leader == NO_NODE or len(partition.isr) < min(least, len(partition.replicas))


def with_eligible(
    client: Client, address: str, topics: Sequence[Topic], least: Mapping[str, int], seconds: float
) -> tuple[Topic, ...]:
    """Return the topics with the eligible replicas of each partition that `lacks` something; no request without one.

    `least`: topic -> min.insync.replicas. Without an answer they are None, which no check takes for eligible.
    """
    names = [one.name for one in topics if any(lacks(each, least.get(one.name, 0)) for each in one.partitions)]
    try:
        found = read(client, address, names, seconds) if names else {}
    except KraftError:
        found = {}
    return tuple(_with(topic, found, least.get(topic.name, 0)) for topic in topics)


def read(client: Client, address: str, names: Iterable[str], seconds: float) -> dict[tuple[str, int], tuple[Ids, Ids]]:
    """Return (topic, partition) -> eligible replicas, and the last known ones. Raises KraftError."""
    found: dict[tuple[str, int], tuple[Ids, Ids]] = {}
    topics, cursor = [client.struct(REQUEST, "TopicRequest", name=name) for name in names], None
    for _ in range(PAGES):
        request = client.request(REQUEST, topics=topics, response_partition_limit=AT_ONCE, cursor=cursor)
        answer = client.send(address, request, seconds)
        for topic in answer["topics"]:
            for one in topic["partitions"]:
                ids = (tuple(one["eligible_leader_replicas"] or ()), tuple(one["last_known_elr"] or ()))
                found[topic["name"], one["partition_index"]] = ids
        if not (after := answer["next_cursor"]):
            break
        place = {"topic_name": after["topic_name"], "partition_index": after["partition_index"]}
        cursor = client.struct(REQUEST, "Cursor", **place)
    return found


def _with(topic: Topic, found: Mapping[tuple[str, int], tuple[Ids, Ids]], least: int) -> Topic:
    made = []
    for one in topic.partitions:
        unasked: tuple[Ids | None, Ids] = (None if lacks(one, least) else (), ())
        eligible, last_known = found.get((topic.name, one.partition), unasked)
        made.append(dataclasses.replace(one, eligible=eligible, last_known=last_known))
    return dataclasses.replace(topic, partitions=tuple(made))
