"""Registrations and settings in a copied metadata log; the integration test reads what Kafka writes."""

from __future__ import annotations

import struct
import uuid

import pytest
from ansible.module_utils.kraft.errors import RefusedError
from ansible.module_utils.kraft.operations.rehearsal.records import Registration, metadata
from ansible.module_utils.kraft.operations.rehearsal.settings import unknown

from tests.unit.node.storage.wire import batch, record, varint

INCARNATION, LOG_DIR, TOPIC = (uuid.UUID(int=one) for one in (1, 2, 3))
SEGMENT, SNAPSHOT = "{:020}.log".format, f"{{:020}}-{1:010}.checkpoint".format


def text(value: str) -> bytes:
    return varint(len(value) + 1) + value.encode()


def framed(kind: int, version: int, body: bytes) -> bytes:
    return record(None, bytes([1, kind, version]) + body)


def array(*parts: bytes) -> bytes:
    return varint(len(parts) + 1) + b"".join(part + b"\0" for part in parts)


ENDPOINTS = array(text("CLIENT") + text("k1") + struct.pack(">Hh", 9092, 0))
FEATURES = array(text("metadata.version") + struct.pack(">hh", 7, 29), text("kraft.version") + struct.pack(">hh", 0, 1))


def broker(node_id: int, version: int = 4, rack: str | None = "a") -> bytes:
    migrating = b"\0" if version >= 2 else b""
    tags = varint(1) + varint(0) + varint(17) + varint(2) + LOG_DIR.bytes if version >= 3 else b"\0"
    return framed(
        0,
        version,
        struct.pack(">i", node_id) + migrating + INCARNATION.bytes + struct.pack(">q", 5) + ENDPOINTS + FEATURES
        + (text(rack) if rack is not None else b"\0") + b"\1" + (b"\0" if version >= 1 else b"") + tags,
    )  # fmt: skip


def config(kind: int, name: str, key: str, value: str | None) -> bytes:
    return framed(4, 0, bytes([kind]) + text(name) + text(key) + (b"\0" if value is None else text(value)) + b"\0")


def controller(node_id: int) -> bytes:
    return framed(27, 0, struct.pack(">i", node_id) + INCARNATION.bytes + b"\0" + ENDPOINTS + FEATURES + b"\0")


def test_a_registration_is_read_in_each_version() -> None:
    expected = {"metadata.version": (7, 29), "kraft.version": (0, 1)}
    for version in range(5):
        found = metadata({SEGMENT(0): batch(broker(4, version))}).brokers
        log_dirs = (LOG_DIR,) if version >= 3 else ()
        assert found == {4: Registration(INCARNATION, 5, (("CLIENT", "k1", 9092, 0),), expected, "a", log_dirs)}
    assert metadata({SEGMENT(0): batch(broker(4, rack=None))}).brokers[4].rack is None


def test_what_was_removed_is_not_there() -> None:
    made = [broker(1), broker(2), controller(3), controller(4), framed(2, 0, text("orders") + TOPIC.bytes + b"\0")]
    made += [config(2, "orders", "a", "1"), config(2, "kept", "b", "secret"), config(4, "", "c", "1")]
    removed = [framed(1, 0, struct.pack(">iq", 1, 5) + b"\0"), framed(29, 0, struct.pack(">i", 4) + b"\0")]
    removed += [framed(9, 0, TOPIC.bytes + b"\0"), config(4, "", "c", None)]
    found = metadata({SNAPSHOT(8): batch(*made), SEGMENT(0): b"", SEGMENT(8): batch(*removed, first=8)})
    assert set(found.brokers) == {2}
    assert set(found.controllers) == {3}
    assert found.topics == {}
    assert found.settings == {("topic", "kept"): {"b"}, ("broker", ""): set()}
    assert "secret" not in repr(found)


def test_a_segment_is_applied_from_the_end_of_the_snapshot_on_up_to_its_last_whole_batch() -> None:
    levels = [batch(framed(12, 0, text("a") + struct.pack(">h", one) + b"\0"), first=one) for one in (1, 2, 3)]
    assert metadata({SNAPSHOT(2): levels[0], SEGMENT(1): levels[0] + levels[1]}).features == {"a": 2}
    assert metadata({SNAPSHOT(3): levels[2], SEGMENT(1): levels[0] + levels[1]}).features == {"a": 3}
    assert metadata({SEGMENT(1): b"".join(levels)[:-1]}).features == {"a": 2}
    control = batch(framed(12, 0, text("a") + struct.pack(">h", 9) + b"\0"), first=4, attributes=0b10_0000)
    assert metadata({SEGMENT(1): levels[0] + control}).features == {"a": 1}


@pytest.mark.parametrize("name", ["../a", "/a", "a/b", ".", "..", "", "a" * 250, "a\n"])
def test_a_topic_whose_directory_would_lead_elsewhere_is_refused(name: str) -> None:
    with pytest.raises(RefusedError, match="no name of a topic"):
        metadata({SEGMENT(0): batch(framed(2, 0, text(name) + TOPIC.bytes + b"\0"))})


def test_a_whole_batch_that_cannot_be_read_is_refused() -> None:
    """Kafka reads compressed ones: the page would lack what they change."""
    whole = batch(broker(1))
    for unread in (batch(broker(2), first=1, attributes=1), batch(b"\x7f", first=1)):
        with pytest.raises(RefusedError, match="cannot be read"):
            metadata({SEGMENT(0): whole + unread})
        with pytest.raises(RefusedError, match="cannot be read"):
            metadata({SEGMENT(0): whole[:-1], SEGMENT(1): whole})


def test_unknown_settings_are_those_without_a_definition() -> None:
    known = {"topic": ["retention.ms"], "broker": ["log.cleaner.threads", "ssl.keystore.location"]}
    settings = {
        ("topic", "orders"): {"retention.ms", "gone.ms"},
        ("topic", "clean"): {"retention.ms"},
        ("broker", ""): {"log.cleaner.threads", "retention.ms"},
        ("broker", "1"): {"listener.name.client.ssl.keystore.location", "listener.name.client.scram-sha-256.gone"},
    }
    assert unknown(settings, known) == {
        ("broker", ""): ["retention.ms"],
        ("broker", "1"): ["listener.name.client.scram-sha-256.gone"],
        ("topic", "orders"): ["gone.ms"],
    }
