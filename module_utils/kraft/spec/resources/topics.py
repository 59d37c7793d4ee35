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


def metric_name(name: str) -> str:
    """What two topics must not share: Kafka's metrics write a dot as ``_``."""
    return name.replace(".", "_")


def faults(entry: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What is wrong with an entry, and what to do."""
    name, partitions = str(entry["name"]), entry.get("partitions")
    if not NAME.fullmatch(name):
        yield "is not a name that Kafka allows", "use 1 to 249 letters, digits, dots, _ and -, and not dots alone"
    if name == METADATA or (name in INTERNAL and entry.get("state") == ABSENT):
        yield "is one of Kafka's own and stays as it is", "take it off the list"
    if partitions is not None and partitions < 1:
        yield f"cannot have {partitions} partitions", "ask for 1 or more"
    for key in sorted(THROTTLES & set(map(str, entry.get("config") or {}))):
        yield f"has {key}, which rebalance.yml writes and removes", "leave it out; kafka_move_throttle limits moves"
