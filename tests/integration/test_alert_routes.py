"""Alertmanager on the file that is written for it: who hears of each alert, and what another one makes superfluous."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible.module_utils.kraft.monitoring import alertmanager, prometheus, rule_tests, rules

from tests.integration.alertmanager import alerted, amtool

RECEIVERS = {"page": "on call", "ticket": "team: kafka", "watchdog": "dead man's switch"}
#: Severity -> who hears of it.
HEARS = {"page": RECEIVERS["page"], "ticket": RECEIVERS["ticket"], "none": RECEIVERS["watchdog"]}
ALERTS: dict[str, dict[str, str]] = {
    one["alert"]: {"alertname": one["alert"], **rule_tests.labels_of(one, "blue")}
    for one in rules.data("blue")["alerts"]
}


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("alerts") / "alertmanager.yml"
    path.write_text(prometheus.text(alertmanager.config("blue", RECEIVERS)))
    return path


def heard_by(config: Path, labels: dict[str, str]) -> str:
    given = [f"{key}={value}" for key, value in labels.items()]
    found = amtool("config", "routes", "test", f"--config.file={config}", *given)
    assert found.returncode == 0, found.stderr
    return found.stdout.strip()


def test_alertmanager_takes_the_file(config: Path) -> None:
    checked = amtool("check-config", str(config))
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert " - 2 inhibit rules" in checked.stdout
    assert " - 3 receivers" in checked.stdout


def test_each_alert_reaches_who_its_severity_names(config: Path) -> None:
    assert {name: heard_by(config, labels) for name, labels in ALERTS.items()} == {
        name: HEARS[labels["severity"]] for name, labels in ALERTS.items()
    }
    assert {labels["severity"] for labels in ALERTS.values()} == HEARS.keys()


def test_an_alert_of_an_unknown_severity_becomes_a_ticket(config: Path) -> None:
    assert heard_by(config, {"alertname": "KafkaNew", "cluster": "blue"}) == RECEIVERS["ticket"]


def test_one_receiver_may_have_pages_and_tickets(tmp_path: Path) -> None:
    both = tmp_path / "alertmanager.yml"
    both.write_text(prometheus.text(alertmanager.config("blue", {**RECEIVERS, "ticket": "on call"})))
    assert amtool("check-config", str(both)).returncode == 0
    assert [each["name"] for each in yaml.safe_load(both.read_text())["receivers"]] == ["on call", "dead man's switch"]


def labels_of(alert: str, **labels: str) -> dict[str, str]:
    return {**ALERTS[alert], **labels}


def test_a_node_that_is_down_makes_its_other_alerts_superfluous(tmp_path: Path, config: Path) -> None:
    cases: list[tuple[dict[str, str], bool]] = [
        (labels_of("KafkaNodeDown", host="kafka1"), False),
        (labels_of("KafkaCollectorStale", host="kafka1"), True),
        (labels_of("KafkaThreadsDeadlocked", host="kafka1"), True),
        (labels_of("KafkaThreadsDeadlocked", host="kafka2"), False),
        (labels_of("KafkaThreadsDeadlocked", host="kafka1", cluster="green", alertname="KafkaOther"), False),
        (labels_of("KafkaPartitionsOffline"), False),
        (labels_of("KafkaWatchdog"), False),
        (labels_of("KafkaLogDirNearlyFull", host="kafka1", log_dir="/data1"), False),
        (labels_of("KafkaLogDirFullWithinDays", host="kafka1", log_dir="/data1"), True),
        (labels_of("KafkaLogDirFullWithinDays", host="kafka3", log_dir="/data1"), False),
    ]
    named: dict[str, Any] = {f"{each['alertname']} {each.get('host', '')}".strip(): quiet for each, quiet in cases}
    with alerted(tmp_path, config.parent) as made:
        made.tell([labels for labels, _ in cases])
        found = made.told(named)
    assert found == named
