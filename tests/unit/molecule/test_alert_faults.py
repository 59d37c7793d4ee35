"""The faster pace of rules, and what a fault makes of the alerts that were seen."""

from __future__ import annotations

import copy
import dataclasses
import re

import alarms
import pytest
from ansible.module_utils.kraft.monitoring import rules
from hastened import hastened, shortened
from observer import FASTER, Alert

SHIPPED = rules.groups(rules.data("blue"))
FAULT = alarms.Fault("a fault", ("kafka1",), fires="KafkaNodeDown", also=("KafkaQuorumAtRisk",))


def one_rule(**rule: str) -> dict[str, str]:
    found: dict[str, str] = hastened({"groups": [{"name": "one", "rules": [rule]}]}, 5, "5s")["groups"][0]["rules"][0]
    return found


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("rate(kafka_bytes_total[5m])", "rate(kafka_bytes_total[60s])"),
        ("a:rate5m == 0 and a:rate5m offset 1h > 0", "a:rate5m == 0 and a:rate5m offset 720s > 0"),
        ("last_over_time(deadline[30m]) > time()", "last_over_time(deadline[360s]) > time()"),
        ('a > 60 and b{job="kafka"} < 4', 'a > 60 and b{job="kafka"} < 4'),
    ],
)
def test_what_an_expression_looks_back_is_divided_and_nothing_else(expression: str, expected: str) -> None:
    assert one_rule(expr=expression)["expr"] == expected


def test_how_long_an_alert_waits_is_divided() -> None:
    assert [one_rule(expr="a", **{"for": each})["for"] for each in ("0m", "3m", "1h")] == ["0s", "36s", "720s"]
    assert "for" not in one_rule(record="a", expr="b")


def test_a_duration_that_cannot_be_divided_is_refused() -> None:
    with pytest.raises(ValueError, match="7s"):
        shortened("7s", 5)


def test_every_shipped_rule_is_divided_and_evaluated_at_the_faster_pace() -> None:
    before = copy.deepcopy(SHIPPED)
    made = hastened(SHIPPED, FASTER, "5s")
    assert before == SHIPPED
    assert {group["interval"] for group in made["groups"]} == {"5s"}
    texts = [rule["expr"] for group in made["groups"] for rule in group["rules"]]
    assert not [text for text in texts if re.search(r"(\[|offset )\d+[mhd]", text)]
    assert {len(group["rules"]) for group in made["groups"]} == {len(group["rules"]) for group in SHIPPED["groups"]}


def test_the_alert_of_another_node_is_not_that_of_the_fault() -> None:
    assert FAULT.expected([Alert("KafkaNodeDown", "page", "kafka1")], ["kafka1"])
    assert not FAULT.expected([Alert("KafkaNodeDown", "page", "kafka2")], ["kafka1"])
    everywhere = dataclasses.replace(FAULT, everywhere=True)
    assert everywhere.expected([Alert("KafkaNodeDown", "page", "kafka2")], [])


def test_a_page_that_does_not_belong_to_the_fault_is_named_and_a_ticket_is_not() -> None:
    seen = [
        Alert("KafkaNodeDown", "page", "kafka1"),
        Alert("KafkaQuorumAtRisk", "page"),
        Alert("KafkaNoActiveController", "page"),
        Alert("KafkaBrokerFenced", "ticket"),
    ]
    assert FAULT.unrelated(seen) == ["KafkaNoActiveController"]


def test_every_fault_names_alerts_that_there_are() -> None:
    severities = {one["alert"]: one["severity"] for one in rules.data("blue")["alerts"]}
    every = alarms.load(alarms.PLACE, "all")
    assert len({one.name for one in every}) == len(every) >= 12
    assert {name for one in every for name in (one.fires, *one.also)} <= severities.keys()
    assert all(severities[name] == "page" for one in every for name in one.also)
    killed = next(one for one in every if "active controller is killed" in one.name)
    assert "KafkaNoActiveController" not in {killed.fires, *killed.also}


def test_the_short_sweep_has_three_faults() -> None:
    assert len(alarms.load(alarms.PLACE, "short")) == 3
