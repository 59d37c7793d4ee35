"""Topics as the inventory writes them: names that Kafka takes, and topics that are its own. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

#: Source: org.apache.kafka.common.internals.Topic of Kafka 4.3.1.
NAME = re.compile(r"(?!\.{1,2}$)[A-Za-z0-9._-]{1,249}")
METADATA = "__cluster_metadata"
INTERNAL = frozenset({"__consumer_offsets", "__transaction_state", "__share_group_state", METADATA})
#: Settings of a topic that a move of replicas writes and takes away.
THROTTLES = frozenset({"leader.replication.throttled.replicas", "follower.replication.throttled.replicas"})
ABSENT = "absent"
TIERED = "remote.log.storage.system.enable"  #: the server's setting without which no topic has remote storage
LOWER = "lower the first or raise the second"
AS_RETENTION = -2  #: local.retention.*: as long as the topic keeps records at all


def metric_name(name: str) -> str:
    """Return the name that two topics must not share: Kafka's metrics write a dot as ``_``."""
    return name.replace(".", "_")


def faults(entry: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the faults of an entry, with remedies."""
    name, partitions = str(entry["name"]), entry.get("partitions")
    if not NAME.fullmatch(name):
        yield "Kafka does not allow this name", "use 1 to 249 letters, digits, dots, _ and -, and not dots alone"
    if name == METADATA or (name in INTERNAL and entry.get("state") == ABSENT):
        yield "The topic is internal to Kafka and cannot be managed", "take it off the list"
    if partitions is not None and partitions < 1:
        yield f"A topic cannot have {partitions} partitions", "ask for 1 or more"
    for key in sorted(THROTTLES & set(map(str, entry.get("config") or {}))):
        yield (
            f"The topic sets {key}, which rebalance.yml writes and removes",
            "leave it out; kafka_move_throttle limits moves",
        )


def conflicts(config: Mapping[str, str], tiered: bool) -> Iterator[tuple[str, str]]:
    """Yield settings of one entry that Kafka refuses together, with remedies.

    `config`: as Kafka writes it, without reset keys; `tiered`: the cluster has remote storage. Settings that an entry
    leaves out may be set on the topic, so that only Kafka can validate them.
    Source: org.apache.kafka.storage.internals.log.LogConfig.validateTopicLogConfigValues of Kafka 4.3.1.
    """
    low, high = (_whole(config.get(f"{end}.compaction.lag.ms")) for end in ("min", "max"))
    if low is not None and high is not None and low > high:
        yield f"The min.compaction.lag.ms {low} is above max.compaction.lag.ms {high}", LOWER
    if not _is_true(config.get("remote.storage.enable")):
        return
    if not tiered:
        message = f"The topic sets remote.storage.enable, but the cluster has no remote storage ({TIERED})"
        yield message, f"remove it, or set {TIERED}"
    if "compact" in [each.strip() for each in config.get("cleanup.policy", "").split(",")]:
        yield (
            "The topic sets remote.storage.enable, but cleanup.policy is not delete alone",
            "use cleanup.policy: delete",
        )
    for unit in ("ms", "bytes"):
        local, whole = _whole(config.get(f"local.retention.{unit}")), _whole(config.get(f"retention.{unit}"))
        if local is not None and whole is not None and local != AS_RETENTION:
            yield from _retention(unit, local, whole, _is_true(config.get("remote.log.copy.disable")))


def _retention(unit: str, local: int, whole: int, uncopied: bool) -> Iterator[tuple[str, str]]:
    """Check the local part of a topic's retention; `uncopied`: nothing more goes to the remote storage."""
    given = f"local.retention.{unit} {local} and retention.{unit} {whole}"
    if uncopied and local != whole:
        remedy = f"give both the same number, or {AS_RETENTION} as local.retention.{unit}"
        yield f"The topic sets remote.log.copy.disable together with {given}", remedy
    elif not uncopied and whole > -1 and (local == -1 or local > whole):
        yield f"The topic sets {given}: brokers would keep more locally than the topic keeps in total", LOWER


def _is_true(text: str | None) -> bool:
    return (text or "").lower() == "true"


def _whole(text: str | None) -> int | None:
    """Parse a number; other faults belong to the rule of values."""
    return int(text) if text and re.fullmatch(r"[+-]?\d{1,19}", text, re.ASCII) else None
