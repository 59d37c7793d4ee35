"""Begin of the way back: ends of this cluster at the switch, noted at the former source as a mirror's positions.

All are one transaction: either new records go back from there on, or there is no way back yet.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ansible.module_utils.kraft.client_config import kafka_python
from ansible.module_utils.kraft.cluster.client import ApiError
from ansible.module_utils.kraft.cluster.connections import connections
from ansible.module_utils.kraft.errors import RefusedError, ToolError
from ansible.module_utils.kraft.node.other_services.mirror_service import TARGET
from ansible.module_utils.kraft.operations.mirror import kept, mirror_properties
from ansible.module_utils.kraft.operations.mirror.model import Topic
from ansible.module_utils.kraft.operations.mirror.observe import (
    Seen,
    asked,
    nothing_left,
    observe_mirror,
    source_options,
)
from ansible.module_utils.kraft.operations.mirror.side import SECONDS, Partition, Side
from ansible.module_utils.kraft.spec.desired.mirror import Wanted
from ansible.module_utils.kraft.wording import named

THERE_ALREADY = "TopicAlreadyExists"
Ends = Mapping[str, Mapping[str, Mapping[str, int]]]


def grown(topics: Mapping[str, Topic], proven: Mapping[str, Mapping[str, int]]) -> dict[Partition, int]:
    """Return partition -> its end at the proof, for those with another end now. Pure."""
    return {
        (name, number): proven.get(name, {}).get(str(number), start)
        for name, topic in topics.items()
        for number, (start, end) in topic.partitions.items()
        if end != proven.get(name, {}).get(str(number))
    }


def records(ends: Mapping[str, Mapping[str, int]]) -> list[kept.Record]:
    """Return the positions in the form of a mirror from this cluster. Pure."""
    return [
        kept.position(TARGET, (name, int(number)), end) for name in ends for number, end in sorted(ends[name].items())
    ]


def begin(wanted: Wanted, options: Mapping[str, Any], proven: Ends, replication_factor: int, check_mode: bool) -> bool:
    """Note the positions; False if there was nothing to do. `proven`: both sides' ends when the proof began.

    The copy has ended. Raises RefusedError if a side has other records since, or the login may not write.
    """
    seen = observe_mirror(wanted, options)
    if seen.back:
        return False
    there, where = source_options(wanted, options.get("python_path")), f"kafka_mirror.source {wanted.name}"
    with asked(options) as here, asked(there, where) as side:
        problems = [*_unwritable(wanted, side, seen), *_written(seen, proven, side, here)]
        if problems:
            raise RefusedError(["There is no way back yet.", *problems])
        if not check_mode:
            _create(side, kept.offsets_topic(TARGET), min(replication_factor, len(side.brokers)))
    if not check_mode:
        written = records(proven["target"])
        _write(there, where, kept.offsets_topic(TARGET), written)
        _await(wanted, options, kept.copied(written))
    return True


def _unwritable(wanted: Wanted, side: Side, seen: Seen) -> Iterator[str]:
    for right in side.lacking(seen.source.topics, {4: "WRITE"}):
        yield f"The login at {wanted.name} lacks the right {right}: give it, or switch without the way back"


def _written(seen: Seen, proven: Ends, there: Side, here: Side) -> Iterator[str]:
    sides = (("on the source", seen.source.topics, "source", there), ("here", seen.target.topics, "target", here))
    for words, topics, name, side in sides:
        moved = grown(topics, proven[name])
        topics_written = sorted({topic for topic, _ in moved.keys() - set(nothing_left(side, moved))})
        if topics_written:
            yield (
                f"Records were written {words} since the proof began, to {named(topics_written)}: stop that producer, "
                "run mirror_cluster.yml until it has caught up, then repeat this"
            )


def _create(side: Side, name: str, replicas: int) -> None:
    settings = {"cleanup.policy": "compact", "compression.type": "uncompressed"}
    topic: Any = (name, mirror_properties.OFFSET_PARTITIONS, replicas, [], list(settings.items()))
    request = side.client.request("CreateTopicsRequest", topics=[topic], timeout_ms=int(1000 * SECONDS))
    for one in side.client.send(side.address, request, SECONDS)["topics"]:
        error = side.client.error(f"topic {name}", one["error_code"], one.get("error_message"))
        if error and not (isinstance(error, ApiError) and error.name == THERE_ALREADY):
            raise error


def _write(options: Mapping[str, Any], where: str, topic: str, written: Iterable[kept.Record]) -> None:
    errors = importlib.import_module("kafka.errors")
    producer = importlib.import_module("kafka.producer.kafka").KafkaProducer
    try:
        opened = producer(**kafka_python(connections(options).first), transactional_id=mirror_properties.CLIENT_ID)
        try:
            opened.init_transactions()
            opened.begin_transaction()
            for key, value in written:
                opened.send(topic, key=key, value=value)
            opened.commit_transaction()
        finally:
            opened.close(SECONDS)
    except errors.KafkaError as error:
        raise ToolError(f"{where}: the positions cannot be written to {topic}: {error}. Run this again") from error


def _await(wanted: Wanted, options: Mapping[str, Any], expected: Mapping[Partition, int]) -> None:
    """Returns when a reader sees all of them: the transaction ends a moment after its commit is known."""
    deadline = time.monotonic() + SECONDS
    while not ((seen := observe_mirror(wanted, options)).back and seen.copied == expected):
        if time.monotonic() > deadline:
            raise ToolError(f"the positions at {wanted.name} are not those that were written: {len(seen.copied)}")
        time.sleep(0.2)
