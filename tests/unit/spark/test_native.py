"""The native client's options and complaints."""

from __future__ import annotations

import pytest
from confluent_kafka import KafkaError

from spark_jobs.errors import UnreachableError, UsageError
from spark_jobs.native import Complaints, NativeAdmin, native_options


def test_security_options_have_their_native_names() -> None:
    options = {
        "kafka.security.protocol": "SASL_SSL",
        "kafka.sasl.mechanism": "SCRAM-SHA-512",
        "kafka.sasl.jaas.config": 'x.ScramLoginModule required username="smoke" password="a \\"b";',
        "kafka.ssl.truststore.type": "PEM",
        "kafka.ssl.truststore.location": "/ca.pem",
    }
    assert native_options(options) == {
        "security.protocol": "SASL_SSL",
        "sasl.mechanism": "SCRAM-SHA-512",
        "sasl.username": "smoke",
        "sasl.password": 'a "b',
        "ssl.ca.location": "/ca.pem",
    }


def test_options_of_spark_alone_are_left_out() -> None:
    assert native_options({"kafka.max.poll.records": "5", "kafka.batch.size": "1"}) == {}


@pytest.mark.parametrize("name", ["kafka.sasl.login.callback.handler.class", "kafka.ssl.engine.factory.class"])
def test_a_security_option_without_counterpart_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match=name):
        native_options({name: "x"})


def test_the_last_complaint_of_each_broker_is_kept() -> None:
    complaints = Complaints()
    for reason in ("first", "Connect to ipv4#10.0.0.1:9092 failed: Connection refused"):
        complaints.note(KafkaError(KafkaError._TRANSPORT, f"10.0.0.1:9092/bootstrap: {reason}"))
    complaints.note(KafkaError(KafkaError._ALL_BROKERS_DOWN, "1/1 brokers are down"))
    assert str(complaints) == "10.0.0.1:9092: Connect to ipv4#10.0.0.1:9092 failed: Connection refused"


def test_silence_is_named_as_such() -> None:
    assert str(Complaints()) == "no answer at all"


def test_a_closed_port_is_named_within_the_timeout() -> None:
    with pytest.raises(UnreachableError, match=r"no answer from 127\.0\.0\.1:1 .* Connect to .* refused"):
        NativeAdmin("127.0.0.1:1", {}, 1.0).describe("smoke")
