"""Nothing that YAML can write into a variable ends in a traceback, and what is refused is refused with a remedy."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from typing import Any

import pytest
from ansible.module_utils.kraft.problem import Problem
from ansible.module_utils.kraft.spec.inventory import report
from ansible.module_utils.kraft.spec.inventory.spec import BROKEN, convert

from tests.unit.spec.inventory import LISTENERS, SPECS, hosts, problems_of

HOSTILE: tuple[Any, ...] = (
    *("", " ", "x", "ü", "\0", "a\nb", "٣", "1e3", "1g", "010", "null", "{{ x }}", "${env:X}", "::1", "/", "//", ".."),
    *(0, -1, 2**31, 2**64, 1.5, float("nan"), float("inf"), True, False, datetime.date(2026, 1, 1), b"bytes"),
    *([], [None], [[]], [{}], [{"name": None}], [1, True], {}, {None: None}, {1: 2}, {"a": {"b": [1]}}),
)
SETTINGS = (
    *("num.io.threads", "log.retention.ms", "log.cleaner.min.cleanable.ratio", "compression.type"),
    *("log.cleanup.policy", "super.users", "ssl.keystore.password", "sasl.jaas.config", "authorizer.class.name"),
    *("config.providers", "listener.name.client.ssl.client.auth", "zookeeper.connect", "retention.ms", "node.id", ""),
)


def told(found: list[Problem]) -> list[Problem]:
    """All forms in which problems are shown can show them."""
    assert report.table(found, 3, 80) or not found
    assert report.as_json(found)
    assert len(report.sentences(found, 3)) <= len(found)
    assert all(problem.message and problem.remedy for problem in found)
    return found


def listeners(key: str, value: Any) -> Iterator[list[dict[str, Any]]]:
    """The usual listeners with `value` in each of them in turn, and without the key."""
    for at in range(len(LISTENERS)):
        yield [{**each, key: value} if where == at else each for where, each in enumerate(LISTENERS)]
        yield [{k: v for k, v in each.items() if k != key} for each in LISTENERS]


@pytest.mark.parametrize("name", SPECS)
def test_any_value_of_a_variable_is_taken_or_refused(name: str) -> None:
    for value in HOSTILE:
        told(problems_of(hosts(per_host={"k2": {name: value}})))


@pytest.mark.parametrize("key", ["name", "port", "protocol", "purpose", "bind", "advertised"])
def test_any_value_in_a_listener_is_taken_or_refused(key: str) -> None:
    for value in HOSTILE:
        for given in listeners(key, value):
            told(problems_of(hosts(1, kafka_listeners=given)))


@pytest.mark.parametrize(("kind", "value"), [("float", 10**400), ("int", "9" * 5000)])
def test_a_number_that_python_cannot_hold_is_refused(kind: str, value: Any) -> None:
    converted, faults = convert(value, {"type": kind})
    assert converted is BROKEN
    assert len(faults) == 1


@pytest.mark.parametrize("key", SETTINGS)
def test_any_value_of_a_setting_is_taken_or_refused(key: str) -> None:
    for value in HOSTILE:
        told(problems_of(hosts(1, kafka_config={key: value})))


def test_keys_that_are_no_text_are_refused_like_unknown_ones() -> None:
    found = told(problems_of(hosts(1, kafka_config={None: 1, 7: 1, datetime.date(2026, 1, 1): 1})))
    names = [problem.variable for problem in found if problem.rule == "setting_unknown"]
    assert names == ["kafka_config[None]", "kafka_config[7]", "kafka_config[2026-01-01]"]


@pytest.mark.parametrize("name", [name for name, option in SPECS.items() if option.get("default") not in (None, "")])
def test_a_variable_with_a_default_may_not_be_written_empty(name: str) -> None:
    found = told(problems_of(hosts(1, {"k1": {name: ""}})))
    assert [problem.rule for problem in found if problem.variable == name] == ["empty"]
