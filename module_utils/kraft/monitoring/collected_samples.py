"""One broker's part of the figures that the agent lacks: lag of groups, bytes of topics and log dirs."""

from __future__ import annotations

import fnmatch
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ansible.module_utils.kraft.cluster import responses
from ansible.module_utils.kraft.cluster.client import Client
from ansible.module_utils.kraft.cluster.gather import LOG_DIR_ERRORS
from ansible.module_utils.kraft.monitoring.exposition import Sample
from ansible.module_utils.kraft.monitoring.groups import DESCRIBED_BY, Asked, Group, Partition, groups, log_ends
from ansible.module_utils.kraft.monitoring.lag import History, noted, seconds_behind


class Collection:
    """Keeps the growth of the groups' logs from one collection to the next."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, topics: Sequence[str] = ("*",)) -> None:
        self._clock, self._topics = clock, topics
        self._histories: dict[Partition, History] = {}

    def collect(self, client: Client, address: str) -> tuple[list[Sample], list[str]]:
        """Return the samples of the broker at `address`, and messages about failed requests."""
        asked = Asked(client, address)
        listing = client.request("ListGroupsRequest", types_filter=list(DESCRIBED_BY))
        listed, dirs = asked.broker(listing, client.request("DescribeLogDirsRequest", topics=None))
        found = groups(asked, listed.get("groups", ()))
        ends = log_ends(asked, (one for group in found for one in group.offsets))
        now = self._clock()
        self._histories = {where: noted(self._histories.get(where, ()), now, end) for where, end in ends.items()}
        samples = [*of_dirs(dirs, self._topics), *(one for group in found for one in self._of_group(group, ends, now))]
        return samples, asked.failed

    def _of_group(self, group: Group, ends: Mapping[Partition, int], now: float) -> Iterator[Sample]:
        labels = {"group": group.name, "type": group.type}
        if group.members is not None:
            yield Sample("kafka_group_members", group.members, labels)
        lags = {
            where: group.lags.get(where, ends[where] - offset)
            for where, offset in group.offsets.items()
            if where in ends
        }
        if lags:
            behind = (self._behind(where, group.offsets[where], now) for where, lag in lags.items() if lag > 0)
            yield Sample("kafka_group_lag_records", sum(max(0, lag) for lag in lags.values()), labels)
            yield Sample("kafka_group_lag_seconds", round(max(behind, default=0.0), 3), labels)

    def _behind(self, where: Partition, offset: int, now: float) -> float:
        return seconds_behind(self._histories[where], offset, now)


def of_dirs(answer: Mapping[str, Any], topics: Sequence[str]) -> Iterator[Sample]:
    """Yield bytes of each log dir and its volume, and of this broker's replicas of each topic whose name matches."""
    for one in responses.log_dirs(0, {"results": answer.get("results", ())}, LOG_DIR_ERRORS):
        if not one.error:
            labels = {"log_dir": one.path}
            yield Sample("kafka_log_dir_volume_bytes", one.total_bytes, labels)
            yield Sample("kafka_log_dir_free_bytes", one.usable_bytes, labels)
            yield Sample("kafka_log_dir_used_bytes", one.used_bytes, labels)
    sizes: dict[str, int] = {}
    for topic in (topic for one in answer.get("results", ()) for topic in one["topics"]):
        sizes[topic["name"]] = sizes.get(topic["name"], 0) + sum(one["partition_size"] for one in topic["partitions"])
    yield from (
        Sample("kafka_topic_log_bytes", size, {"topic": name}) for name, size in sizes.items() if matches(name, topics)
    )


def matches(name: str, topics: Sequence[str]) -> bool:
    """Check that one of `topics` matches the name; ``*`` is any characters."""
    return any(fnmatch.fnmatchcase(name, each) for each in topics)
