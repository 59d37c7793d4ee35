"""The rules use metrics that nodes publish, as these can be used, and each alert has a remedy."""

from __future__ import annotations

import re
from typing import Any

import pytest
from ansible.module_utils.kraft.monitoring import rule_tests, rules
from ansible.module_utils.kraft.monitoring.catalogue import catalogue

from scripts import render_metrics
from tests.promql import names

DATA = rules.data("blue")
RECORDS = {one["record"]: one["expr"] for one in DATA["records"]}
ALERTS: dict[str, Any] = {one["alert"]: one for one in DATA["alerts"]}
EXPRESSIONS = {**RECORDS, **{name: one["expr"] for name, one in ALERTS.items()}}
#: Series that Prometheus itself records of each target.
OF_PROMETHEUS = {"up", "scrape_duration_seconds"}


@pytest.mark.parametrize("rule", EXPRESSIONS)
def test_a_rule_uses_only_names_that_there_are(rule: str) -> None:
    known = {each.name for each in catalogue()} | RECORDS.keys() | OF_PROMETHEUS
    used = names(EXPRESSIONS[rule])
    assert used - known == set()
    assert used or rule == "KafkaWatchdog"


def test_an_unknown_name_is_seen() -> None:
    found = names(
        'sum by (cluster) (rate(kafka_old_total{request="a"}[5m])) / on (host) kafka:new > 5 and up offset 1h'
    )
    assert found == {"kafka_old_total", "kafka:new", "up"}


def test_what_every_controller_publishes_is_put_together_by_max() -> None:
    for metric in (each.name for each in catalogue() if each.of == "cluster"):
        for rule, expression in EXPRESSIONS.items():
            used = [found.start() for found in re.finditer(rf"\b{metric}\b", expression)]
            by_max = rf"max by \(cluster\) \((?:increase\(|rate\()?{metric}\b"
            # who answers, whatever the value
            counted = rf"count by \(cluster\) \({metric}(?: unless on \([^)]*\) [^)]*)?\)"
            assert len(used) == len(re.findall(f"{by_max}|{counted}", expression)), rule


def test_percentiles_are_not_averaged() -> None:
    percentiles = [each.name for each in catalogue() if each.quantiles]
    using = [text for text in EXPRESSIONS.values() if any(name in text for name in percentiles)]
    assert using
    assert [text for text in using if re.search(r"\b(avg|sum|rate|quantile)\b[^(]*\([^)]*_time_seconds", text)] == []


def test_an_alert_about_a_rate_waits_longer_than_it_looks_back() -> None:
    """Else what is over pages when its time has come."""
    found: dict[str, tuple[list[int], int]] = {}
    for name, one in ALERTS.items():
        used = [one["expr"], *(RECORDS[each] for each in names(one["expr"]) & RECORDS.keys())]
        windows = re.findall(r"rate\([^\[]*\[(\d+[mh])\]", " ".join(used))
        if windows:
            found[name] = ([rule_tests.minutes(each) for each in windows], rule_tests.minutes(one["for"]))
    assert {"KafkaProduceErrors", "KafkaFetchErrors", "KafkaGarbageCollection"} <= found.keys()
    assert [name for name, (windows, waits) in found.items() if max(windows) >= waits] == []


@pytest.mark.parametrize("alert", ALERTS)
def test_an_alert_says_what_it_is_and_what_to_do(alert: str) -> None:
    one = rules.alert(ALERTS[alert])
    assert re.fullmatch(r"Kafka\w+", alert)
    assert one["labels"]["severity"] in rules.SEVERITIES
    assert set(one["annotations"]) == {"summary", "description", "runbook_url"}
    page, _, anchor = one["annotations"]["runbook_url"].partition("#")
    assert f"\n### {alert}\n" in (render_metrics.ROOT / page).read_text()
    assert anchor == alert.lower()


def test_there_are_enough_alerts_and_few_that_wake_someone() -> None:
    assert len(ALERTS) >= 26
    assert len([one for one in ALERTS.values() if one["severity"] == "page"]) < len(ALERTS) / 2


def test_the_page_of_the_alerts_is_that_of_the_rules() -> None:
    assert render_metrics.ALERTS.read_text() == render_metrics.alerts_page(), "run scripts/render_metrics.py"
