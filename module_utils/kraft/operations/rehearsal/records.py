"""Registrations, finalised features and names of settings in a copy of the metadata log. Pure.

Values of settings are not kept: they may be secrets. Sources: Kafka's ``MetadataRecordSerde``, and the schemas
RegisterBrokerRecord, UnregisterBrokerRecord, ConfigRecord, FeatureLevelRecord, RegisterControllerRecord,
UnregisterControllerRecord and RemoveTopicRecord's TopicRecord of 4.4.0 (all flexible).
"""

from __future__ import annotations

import dataclasses
import re
import struct
import uuid
from collections.abc import Callable, Mapping
from typing import TypeVar

from ansible.module_utils.kraft.errors import RefusedError
from ansible.module_utils.kraft.node.storage.record_batches import Batch, Reader, batches
from ansible.module_utils.kraft.node.storage.scram import SNAPSHOT, offset
from ansible.module_utils.kraft.operations.rehearsal.metadata_files import segments

BROKER, FORGOTTEN_BROKER, TOPIC, CONFIG, REMOVED_TOPIC = 0, 1, 2, 4, 9
FEATURE, CONTROLLER, FORGOTTEN_CONTROLLER = 12, 27, 29
TOPIC_RESOURCE, BROKER_RESOURCE = 2, 4
RESOURCES = {TOPIC_RESOURCE: "topic", BROKER_RESOURCE: "broker"}
#: Kafka's names of topics. A node makes a directory of that name: another name could lead out of the rehearsal's.
TOPIC_NAME = re.compile(r"(?!\.{1,2}$)[a-zA-Z0-9._-]{1,249}")
LOG_DIRS = 0  #: tag of the field
SINCE_SHUTDOWN, SINCE_MIGRATION = 1, 2  #: versions of RegisterBrokerRecord that add a field

T = TypeVar("T")
Ranges = dict[str, "tuple[int, int]"]


@dataclasses.dataclass(frozen=True)
class Registration:
    """A broker's registration. ``listeners``: name, host, port and number of the protocol of each."""

    incarnation_id: uuid.UUID
    epoch: int
    listeners: tuple[tuple[str, str, int, int], ...]
    features: Ranges
    rack: str | None
    log_dirs: tuple[uuid.UUID, ...]


@dataclasses.dataclass
class Metadata:
    """State at the end of the copy. ``settings``: kind of resource and its name -> names of its settings."""

    brokers: dict[int, Registration] = dataclasses.field(default_factory=dict)
    controllers: dict[int, Ranges] = dataclasses.field(default_factory=dict)
    features: dict[str, int] = dataclasses.field(default_factory=dict)
    settings: dict[tuple[str, str], set[str]] = dataclasses.field(default_factory=dict)
    topics: dict[uuid.UUID, str] = dataclasses.field(default_factory=dict)


def metadata(files: Mapping[str, bytes]) -> Metadata:
    """Return the state at the end of the copied `files`; a record that was half written at the end is not in it.

    Raises RefusedError for any other record that cannot be read: Kafka could read it otherwise.
    """
    found = Metadata()
    snapshot = max(filter(SNAPSHOT.fullmatch, files), default="")
    try:
        for batch in batches(files[snapshot]) if snapshot else ():
            apply(found, batch)
        at = offset(snapshot) if snapshot else 0
        for content in segments(files).values():
            for batch in batches(content):
                if batch.first >= at:
                    apply(found, batch)
                    at = batch.end
    except (ValueError, struct.error) as error:
        raise RefusedError([f"the copied metadata log cannot be read: {error} -> copy it again"]) from error
    return found


def apply(found: Metadata, batch: Batch) -> None:
    """Apply the records of one batch."""
    for _, value in () if batch.is_control else batch.records():
        reader = Reader(value)
        reader.unsigned()  # version of the frame
        kind, version = reader.unsigned(), reader.unsigned()
        if kind == BROKER:
            node_id, registration = broker(reader, version)
            found.brokers[node_id] = registration
        elif kind in HANDLERS:
            HANDLERS[kind](found, reader)


def broker(reader: Reader, version: int) -> tuple[int, Registration]:
    """Return id and registration of a RegisterBrokerRecord."""
    node_id = reader.number("i")
    if version >= SINCE_MIGRATION:
        reader.take(1)
    incarnation_id, epoch = uuid.UUID(bytes=reader.take(16)), reader.number("q")
    listeners = tuple(array(reader, endpoint))
    features = dict(array(reader, feature_range))
    rack = optional(reader)
    reader.take(1 + (version >= SINCE_SHUTDOWN))
    return node_id, Registration(incarnation_id, epoch, listeners, features, rack, log_dirs(reader))


def log_dirs(reader: Reader) -> tuple[uuid.UUID, ...]:
    found: tuple[uuid.UUID, ...] = ()
    for _ in range(reader.unsigned()):
        tag, content = reader.unsigned(), Reader(reader.take(reader.unsigned()))
        if tag == LOG_DIRS:
            found = tuple(uuid.UUID(bytes=content.take(16)) for _ in range(content.unsigned() - 1))
    return found


def array(reader: Reader, one: Callable[[Reader], T]) -> list[T]:
    """Read an array of structs. Each ends with tags."""
    found = []
    for _ in range(reader.unsigned() - 1):
        found.append(one(reader))
        reader.skip_tags()
    return found


def endpoint(reader: Reader) -> tuple[str, str, int, int]:
    return reader.string(), reader.string(), reader.number("H"), reader.number("h")


def feature_range(reader: Reader) -> tuple[str, tuple[int, int]]:
    return reader.string(), (reader.number("h"), reader.number("h"))


def optional(reader: Reader) -> str | None:
    length = reader.unsigned()
    return reader.take(length - 1).decode() if length else None


def _config(found: Metadata, reader: Reader) -> None:
    kind, resource, name = reader.number("b"), reader.string(), reader.string()
    if kind in RESOURCES:
        names = found.settings.setdefault((RESOURCES[kind], resource), set())
        (names.add if reader.unsigned() else names.discard)(name)


def _topic(found: Metadata, reader: Reader) -> None:
    name = reader.string()
    if not TOPIC_NAME.fullmatch(name):
        raise RefusedError([f"the metadata log has a topic {name!r}, which is no name of a topic -> inspect its host"])
    found.topics[uuid.UUID(bytes=reader.take(16))] = name


def _removed_topic(found: Metadata, reader: Reader) -> None:
    name = found.topics.pop(uuid.UUID(bytes=reader.take(16)), "")
    found.settings.pop(("topic", name), None)


def _feature(found: Metadata, reader: Reader) -> None:
    name = reader.string()
    found.features[name] = reader.number("h")


def _controller(found: Metadata, reader: Reader) -> None:
    node_id = reader.number("i")
    reader.take(16 + 1)  # incarnation, ready for a migration
    array(reader, endpoint)
    found.controllers[node_id] = dict(array(reader, feature_range))


HANDLERS: Mapping[int, Callable[[Metadata, Reader], None]] = {
    FORGOTTEN_BROKER: lambda found, reader: void(found.brokers.pop(reader.number("i"), None)),
    FORGOTTEN_CONTROLLER: lambda found, reader: void(found.controllers.pop(reader.number("i"), None)),
    TOPIC: _topic,
    CONFIG: _config,
    REMOVED_TOPIC: _removed_topic,
    FEATURE: _feature,
    CONTROLLER: _controller,
}


def void(_: object) -> None:
    """Return nothing."""
