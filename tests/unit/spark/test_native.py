"""The native client's options and complaints."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from confluent_kafka import KafkaError
from confluent_kafka.admin import AdminClient

from spark_jobs.errors import UnreachableError, UsageError
from spark_jobs.native import Complaints, NativeAdmin, native_options


@pytest.mark.parametrize("name", ["kafka.sasl.login.callback.handler.class", "kafka.ssl.engine.factory.class"])
def test_a_security_option_without_counterpart_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match=f"client_options: .*{name}"):
        native_options("k1:9092", {name: "x"}, Complaints())


def test_the_last_complaint_of_each_broker_is_kept() -> None:
    complaints = Complaints()
    for reason in ("first", "Connect to ipv4#10.0.0.1:9092 failed: Connection refused"):
        complaints.note(KafkaError(KafkaError._TRANSPORT, f"10.0.0.1:9092/bootstrap: {reason}"))
    complaints.note(KafkaError(KafkaError._ALL_BROKERS_DOWN, "1/1 brokers are down"))
    assert str(complaints) == "10.0.0.1:9092: Connect to ipv4#10.0.0.1:9092 failed: Connection refused"


def test_silence_is_named_as_such() -> None:
    assert str(Complaints()) == "no answer at all"


def test_a_topic_that_is_not_seen_may_be_missing_or_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(AdminClient, "list_topics", lambda *_, **__: SimpleNamespace(topics={}, brokers={}))
    with pytest.raises(UsageError, match=r"orders does not exist on k1:9092, .* create the topic, or .* DESCRIBE"):
        NativeAdmin("k1:9092", {}, 1.0).describe_topic("orders")


def test_a_topic_of_another_cluster_is_not_described(monkeypatch: pytest.MonkeyPatch) -> None:
    given = SimpleNamespace(topics={"orders": SimpleNamespace(partitions={})}, brokers={}, cluster_id="theirs")
    monkeypatch.setattr(AdminClient, "list_topics", lambda *_, **__: given)
    with pytest.raises(UsageError, match="k1:9092 belong to cluster theirs, and ours is expected"):
        NativeAdmin("k1:9092", {}, 1.0, "ours").describe_topic("orders")


def test_an_offset_that_a_broker_does_not_give_is_not_read_as_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """A partition's own error is no answer: a group would seem to have no offset there."""
    hidden = KafkaError(KafkaError.TOPIC_AUTHORIZATION_FAILED)
    partitions = [
        SimpleNamespace(topic="orders", partition=0, offset=7, error=None),
        SimpleNamespace(topic="orders", partition=1, offset=-1, error=hidden),
    ]
    answer = SimpleNamespace(result=lambda: SimpleNamespace(topic_partitions=partitions))
    monkeypatch.setattr(AdminClient, "list_consumer_group_offsets", lambda *_, **__: {"late": answer})
    admin = NativeAdmin("k1:9092", {}, 1.0)
    with pytest.raises(UnreachableError, match=r"Topic authorization failed"):
        admin.committed("late", [("orders", 0), ("orders", 1)])
    del partitions[1]
    assert admin.committed("late", [("orders", 0)]) == {("orders", 0): 7}


def test_a_closed_port_is_named_within_the_timeout() -> None:
    with pytest.raises(UnreachableError, match=r"no answer from 127\.0\.0\.1:1 .* Connect to .* refused"):
        NativeAdmin("127.0.0.1:1", {}, 3.0).describe_topic("smoke")
