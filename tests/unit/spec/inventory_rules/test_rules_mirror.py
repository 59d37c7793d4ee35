"""Invalid values of ``kafka_mirror``, each with its rule and its place."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.spec.inventory import hosts, problems_of

SOURCE: dict[str, Any] = {"name": "old", "bootstrap_servers": ["old1:9092", "[fd00::1]:9092"]}
LOGIN = {
    "security.protocol": "SASL_SSL",
    "ssl.truststore.type": "PEM",
    "ssl.truststore.location": "/etc/ca.pem",
    "sasl.mechanism": "SCRAM-SHA-512",
    "sasl.jaas.config": 'o.a.ScramLoginModule required username="u" password="c4n4ry";',
}


def found(source: dict[str, Any] | None = None, **more: Any) -> list[tuple[str, str, str, Any]]:
    made = problems_of(hosts(1, kafka_mirror={"source": {**SOURCE, **(source or {})}, **more}))
    return [
        (str(one.severity), one.rule, one.variable, one.value)
        for one in made
        if one.variable.startswith("kafka_mirror")
    ]


def test_a_mirror_without_a_fault_is_none() -> None:
    assert found() == []
    assert found({"client": LOGIN}, topics=["orders", r"payments\..*"], groups=[".*"], acls=False) == []
    assert found(throttle_bytes_per_second=1000, exclude_topics=["scratch-[0-9]+"]) == []


@pytest.mark.parametrize(
    ("source", "more", "rule", "variable", "value"),
    [
        ({"name": "Old"}, {}, "mirror_name", "source.name", "Old"),
        ({"name": "target"}, {}, "mirror_name", "source.name", "target"),
        ({"bootstrap_servers": ["old1"]}, {}, "mirror_servers", "source.bootstrap_servers", "old1"),
        ({"bootstrap_servers": ["old1:99999"]}, {}, "mirror_servers", "source.bootstrap_servers", "old1:99999"),
        ({"bootstrap_servers": []}, {}, "mirror_servers", "source.bootstrap_servers", None),
        ({"client": {"bootstrap.servers": "a:1"}}, {}, "mirror_client", "source.client", None),
        ({"client": {"ssl.provider": "x"}}, {}, "mirror_client", "source.client", None),
        ({"client": {"ssl.truststore.type": "JKS"}}, {}, "mirror_client", "source.client", None),
        ({}, {"topics": ["("]}, "mirror_pattern", "topics", "("),
        ({}, {"topics": []}, "mirror_pattern", "topics", None),
        ({}, {"groups": ["a{1,2}"]}, "mirror_pattern", "groups", "a{1,2}"),
        ({}, {"exclude_topics": [" a"]}, "mirror_pattern", "exclude_topics", " a"),
        ({}, {"throttle_bytes_per_second": 0}, "mirror_throttle", "throttle_bytes_per_second", 0),
    ],
)
def test_a_fault_is_refused_in_its_place(
    source: dict[str, Any], more: dict[str, Any], rule: str, variable: str, value: Any
) -> None:
    assert found(source, **more) == [("error", rule, f"kafka_mirror.{variable}", value)]


@pytest.mark.parametrize(
    "pattern",
    [
        *("(?P<x>a)", "(?<x>a)", "(?i)a", "(?i:a)", "(a)\\1", "a\\Z", "\\Aa", "a\\b", "(?>a)", "(?#a)b", "(?(1)a)"),
        *("a++", "a*+", "a?+", "a{2}+", "[a-z&&[^b]]", "[[a]]", "[]a]", "[\\h]", "\\u0041", "\\x41", "a}", "a]"),
    ],
)
def test_what_java_reads_otherwise_is_refused(pattern: str) -> None:
    assert found(topics=[pattern]) == [("error", "mirror_pattern", "kafka_mirror.topics", pattern)]


@pytest.mark.parametrize(
    "pattern",
    [
        *(
            ".*",
            "orders.v1",
            "a|b",
            "(a|b)-.+?",
            "(?:a)*",
            "a(?!b).*",
            "(?<!x)a",
            "[^a-c.]+",
            "[\\w.-]{3}",
            "\\d{2}?",
            "^a$",
        ),
        *("a\\.b", "[a^]", "a\\-b", "(a)(b)?"),
    ],
)
def test_what_both_read_alike_is_taken(pattern: str) -> None:
    assert found(topics=[pattern], groups=[pattern]) == []


def test_there_is_one_copy_of_a_cluster() -> None:
    other = {"k2": {"kafka_mirror": {"source": {**SOURCE, "name": "older"}}}}
    made = problems_of(hosts(3, other, kafka_mirror={"source": SOURCE}))
    assert [(one.rule, one.variable) for one in made if "mirror" in one.rule] == [("mirror_differs", "kafka_mirror")]


def test_no_password_is_shown() -> None:
    made = problems_of(hosts(1, kafka_mirror={"source": {**SOURCE, "client": {**LOGIN, "ssl.provider": "x"}}}))
    assert "c4n4ry" not in str([(one, one.value) for one in made])
