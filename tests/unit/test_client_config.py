"""One client in three dialects: the options of each, and their agreement."""

from __future__ import annotations

from typing import Any

import pytest
from ansible.module_utils.kraft.client_config import (
    PKCS12,
    ClientConfig,
    from_java,
    java,
    kafka_python,
    librdkafka,
    normal_host_port,
    spark,
    tuning,
)
from ansible.module_utils.kraft.errors import RefusedError
from ansible.module_utils.kraft.kafka_terms import MECHANISMS, PROTOCOLS
from hypothesis import given
from hypothesis import strategies as st

SERVERS = ("k1:9092", "k2:9092")
FULL: dict[str, Any] = {
    "bootstrap_servers": SERVERS,
    "ca_file": "/ca.pem",
    "keystore_file": "/me.pem",
    "key_password": "k",
    "sasl_mechanism": "SCRAM-SHA-512",
    "username": "smoke",
    "password": 'a "b\\',
}
#: Field -> its name in Java, librdkafka and kafka-python.
NAMES = {
    "security_protocol": ("security.protocol", "security.protocol", "security_protocol"),
    "ca_file": ("ssl.truststore.location", "ssl.ca.location", "ssl_cafile"),
    "keystore_file": ("ssl.keystore.location", "ssl.certificate.location", "ssl_certfile"),
    "key_password": ("ssl.key.password", "ssl.key.password", "ssl_password"),
    "sasl_mechanism": ("sasl.mechanism", "sasl.mechanism", "sasl_mechanism"),
    "username": ("sasl.jaas.config", "sasl.username", "sasl_plain_username"),
}
TLS = {"ca_file", "keystore_file", "key_password"}
LOGIN = {"sasl_mechanism", "username"}
TEXT = st.text(st.characters(min_codepoint=32, max_codepoint=0x2FF), min_size=1)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_each_dialect_gives_the_same_fields(protocol: str) -> None:
    config = ClientConfig(security_protocol=protocol, **FULL)
    needed = {"security_protocol", *(TLS if "SSL" in protocol else ()), *(LOGIN if "SASL" in protocol else ())}
    for at, rendered in enumerate((java(config), librdkafka(config), kafka_python(config))):
        assert {field for field, names in NAMES.items() if names[at] in rendered} == needed
        values = {field: rendered[NAMES[field][at]] for field in needed - {"username"}}
        assert values == {field: getattr(config, field) for field in values}


def test_a_client_without_tls_and_login_needs_two_options() -> None:
    config = ClientConfig(("k1:9092", "k2:9092"))
    assert java(config) == librdkafka(config)
    assert java(config) == {"bootstrap.servers": "k1:9092,k2:9092", "security.protocol": "PLAINTEXT"}
    assert kafka_python(config) == {"bootstrap_servers": list(SERVERS), "security_protocol": "PLAINTEXT"}


@given(username=TEXT, password=TEXT, mechanism=st.sampled_from(MECHANISMS), protocol=st.sampled_from(PROTOCOLS[2:]))
def test_java_says_what_it_was_made_from(username: str, password: str, mechanism: str, protocol: str) -> None:
    config = ClientConfig(SERVERS, protocol, sasl_mechanism=mechanism, username=username, password=password)
    assert from_java(java(config), config.servers) == config
    assert from_java(spark(config), config.servers) == config


def test_security_options_of_spark_have_their_native_names() -> None:
    options = {
        "kafka.security.protocol": "SASL_SSL",
        "kafka.sasl.mechanism": "SCRAM-SHA-512",
        "kafka.sasl.jaas.config": 'x.ScramLoginModule required username="smoke" password="a \\"b";',
        "kafka.ssl.truststore.type": "PEM",
        "kafka.ssl.truststore.location": "/ca.pem",
    }
    assert librdkafka(from_java(options, "k1:9092")) == {
        "bootstrap.servers": "k1:9092",
        "security.protocol": "SASL_SSL",
        "sasl.mechanism": "SCRAM-SHA-512",
        "sasl.username": "smoke",
        "sasl.password": 'a "b',
        "ssl.ca.location": "/ca.pem",
    }


def test_options_that_tune_are_kept_apart() -> None:
    options = {"kafka.max.poll.records": "5", "kafka.batch.size": "1", "kafka.security.protocol": "SSL"}
    assert from_java(options) == ClientConfig(security_protocol="SSL")
    assert tuning(options) == {"kafka.max.poll.records": "5", "kafka.batch.size": "1"}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("kafka.sasl.login.callback.handler.class", "x"),
        ("ssl.engine.factory.class", "x"),
        ("kafka.ssl.truststore.type", "JKS"),
        ("kafka.ssl.keystore.type", "JKS"),
    ],
)
def test_what_another_client_lacks_is_refused(name: str, value: str) -> None:
    with pytest.raises(RefusedError) as refused:
        from_java({name: value, "kafka.ssl.protocol": "TLS"})
    assert len(refused.value.problems) == 2
    assert name in str(refused.value)


def test_a_keystore_of_another_kind_is_not_for_kafka_python() -> None:
    options = {"security.protocol": "SSL", "ssl.keystore.location": "/me.p12", "ssl.keystore.password": "s"}
    config = from_java(options)
    assert config.keystore_type == PKCS12
    native = librdkafka(config)
    assert (native["ssl.keystore.location"], native["ssl.keystore.password"]) == ("/me.p12", "s")
    assert "ssl.certificate.location" not in native
    with pytest.raises(RefusedError, match=r"/me\.p12"):
        kafka_python(config)


def test_names_of_hosts_can_go_unchecked_in_each_dialect() -> None:
    config = from_java({"security.protocol": "SSL", "ssl.endpoint.identification.algorithm": ""})
    name = "ssl.endpoint.identification.algorithm"
    assert (java(config)[name], librdkafka(config)[name]) == ("", "none")
    assert kafka_python(config)["ssl_check_hostname"] is False


def test_no_secret_is_printed_or_public() -> None:
    secrets = {"keystore_password": "s3cret1", "password": "s3cret2"}
    config = ClientConfig(security_protocol="SASL_SSL", **{**FULL, **secrets})
    assert "s3cret" not in repr(config)
    shown = [java(config.public), librdkafka(config.public), kafka_python(config.public)]
    assert not {"s3cret1", "s3cret2", "smoke", "/me.pem", "k"}.intersection(*(map(str, one.values()) for one in shown))
    assert "sasl.jaas.config" not in shown[0]


@pytest.mark.parametrize(
    ("one", "other"),
    [("[fd00::11]:9093", "[fd00:0:0:0:0:0:0:11]:9093"), ("Kafka1.example.org:9093", "kafka1.example.org:9093")],
)
def test_two_ways_to_write_an_address_are_one(one: str, other: str) -> None:
    assert normal_host_port(one) == normal_host_port(other)
    assert normal_host_port(one) != normal_host_port(other.replace("9093", "9094"))
