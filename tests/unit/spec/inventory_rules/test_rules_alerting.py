"""Receivers of alerts: an address of Alertmanager, and receivers."""

from __future__ import annotations

from typing import Any

import pytest
from ansible.module_utils.kraft.spec.inventory.validation import validate
from ansible.module_utils.kraft.spec.inventory_rules.subject import Surroundings

from tests.unit.spec.inventory import SPECS, hosts

TEXT = {"type": "str"}
OWN = ("alertmanager", "page_receiver", "ticket_receiver", "watchdog_receiver")
KNOWN = {**SPECS, **{f"kafka_metrics_{name}": TEXT for name in OWN}}


def found(per_host: dict[str, dict[str, Any]] | None = None, **given: Any) -> set[tuple[str, str, str, Any]]:
    made = hosts(2, per_host, **given)
    problems = validate(made, KNOWN, Surroundings(names=frozenset(KNOWN)))[1]
    own = ("alertmanager", "prometheus_url", "watchdog_receiver", "alerting_differs")
    kept = [each for each in problems if each.rule in own]
    assert all(each.severity == "error" and each.remedy for each in kept)
    return {(each.rule, each.host, each.variable, each.value) for each in kept}


@pytest.mark.parametrize("value", ["http://alerts:9093", "alerts", "alerts:0", "alerts:70000", "a b:9093", ":9093"])
def test_what_is_no_address_of_alertmanager_is_refused(value: str) -> None:
    name = "kafka_metrics_alertmanager"
    assert found(kafka_metrics_alertmanager=value) == {("alertmanager", host, name, value) for host in ("k1", "k2")}


@pytest.mark.parametrize("value", ["alerts:9093", "10.0.0.1:9093", "[fd00::1]:9093", ""])
def test_an_address_is_taken(value: str) -> None:
    assert found(kafka_metrics_alertmanager=value) == set()


@pytest.mark.parametrize(
    "value",
    ["prometheus:9090", "ftp://a:1", "http://", "http://a:0", "http://a:x", "http://a/?q=1", "http://a b", "9090"],
)
def test_what_is_no_url_of_prometheus_is_refused(value: Any) -> None:
    assert found(kafka_prometheus_url=value) == {("prometheus_url", "k1", "kafka_prometheus_url", str(value))}


def test_a_login_in_the_url_is_refused_and_not_shown() -> None:
    assert found(kafka_prometheus_url="http://a:secret@b:1") == {("prometheus_url", "k1", "kafka_prometheus_url", None)}


@pytest.mark.parametrize(
    "value", ["http://127.0.0.1:9090", "https://watch.example.com/prometheus/", "http://[::1]:9090"]
)
def test_a_url_is_taken(value: str) -> None:
    assert found(kafka_prometheus_url=value) == set()


@pytest.mark.parametrize("other", ["page", "ticket"])
def test_the_watchdog_needs_a_receiver_of_its_own(other: str) -> None:
    given: dict[str, Any] = {f"kafka_metrics_{other}_receiver": "team", "kafka_metrics_watchdog_receiver": "team"}
    variable = "kafka_metrics_watchdog_receiver"
    assert found(**given) == {("watchdog_receiver", host, variable, "team") for host in ("k1", "k2")}


def test_pages_and_tickets_may_share_one() -> None:
    assert found(kafka_metrics_page_receiver="team", kafka_metrics_ticket_receiver="team") == set()


def test_hosts_that_say_different_things_are_refused() -> None:
    given = {"k1": {"kafka_metrics_page_receiver": "team"}}
    assert found(given) == {("alerting_differs", "", "kafka_metrics_page_receiver", None)}
