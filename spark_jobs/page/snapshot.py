"""The cluster's snapshot inside a report, with the shape that the page needs; what does not fit is left out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypedDict

from spark_jobs.page.report_loader import fitting
from spark_jobs.report_schema import Report


class Broker(TypedDict):
    node_id: int
    host: str | None
    port: int | None
    rack: str | None
    fenced: bool | None


class Voter(TypedDict):
    node_id: int
    directory_id: str | None
    log_end_offset: int | None
    lag: int | None
    last_caught_up_ms: float | None
    behind_ms: float | None


class Partition(TypedDict):
    partition: int
    leader: int | None
    replicas: list[int]
    isr: list[int]


class Topic(TypedDict):
    name: str
    internal: bool | None
    partitions: list[Partition]


@dataclass(frozen=True)
class Snapshot:
    """``topics`` is null when they were not asked for; ids are null if there is none."""

    cluster_id: str
    brokers: list[Broker]
    voters: list[Voter]
    topics: list[Topic] | None
    leader_id: int | None
    leader_epoch: int | None
    high_watermark: int | None
    features: dict[str, str]

    @property
    def partitions(self) -> list[Partition]:
        """Return the partitions of all topics."""
        return [partition for topic in self.topics or [] for partition in topic["partitions"]]


def snapshot(report: Report) -> Snapshot:
    """Return the report's cluster section."""
    found = report["cluster"]
    quorum = found.get("quorum")
    quorum = quorum if isinstance(quorum, dict) else {}
    return Snapshot(
        cluster_id=str(found.get("cluster_id") or ""),
        brokers=fitting(found.get("brokers"), Broker),
        voters=sorted(fitting(quorum.get("voters"), Voter), key=lambda voter: voter["node_id"]),
        topics=fitting(found["topics"], Topic) if isinstance(found.get("topics"), list) else None,
        leader_id=_natural(quorum.get("leader_id")),
        leader_epoch=_natural(quorum.get("leader_epoch")),
        high_watermark=_natural(quorum.get("high_watermark")),
        features=_features(found.get("features")),
    )


def _features(found: object) -> dict[str, str]:
    """Return feature name -> finalised level, from a mapping or from a list of features."""
    if isinstance(found, dict):
        return {str(name): str(level) for name, level in found.items()}
    entries = found if isinstance(found, list) else []
    return {str(f.get("name")): str(f.get("level")) for f in entries if isinstance(f, dict) and f.get("level")}


def _natural(value: object) -> int | None:
    """Return a number of Kafka's for an existing thing: it writes -1 for a missing one."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
