"""Names of the topics with separate series: impossible names are refused."""

from __future__ import annotations

from typing import Any

import pytest
from ansible.module_utils.kraft.spec.inventory.validation import validate
from ansible.module_utils.kraft.spec.inventory_rules.subject import Surroundings

from tests.unit.spec.inventory import SPECS, hosts

VARIABLE = "kafka_metrics_topics"
KNOWN = {**SPECS, VARIABLE: {"type": "list", "elements": "str"}}


def found(topics: list[str]) -> set[tuple[str, Any]]:
    """Host and value of each refusal."""
    given: dict[str, Any] = {VARIABLE: topics}
    problems = validate(hosts(2, **given), KNOWN, Surroundings(names=frozenset(KNOWN)))[1]
    kept = [each for each in problems if each.rule == "metrics_topics"]
    assert all(each.severity == "error" and each.remedy and each.variable == VARIABLE for each in kept)
    return {(each.host, each.value) for each in kept}


@pytest.mark.parametrize("value", ["orders topic", "orders,payments", "(unclosed", "", "x" * 250])
def test_what_no_topic_can_be_called_is_refused(value: str) -> None:
    assert found(["orders", value]) == {(host, value or None) for host in ("k1", "k2")}


def test_an_empty_list_is_refused() -> None:
    assert found([]) == {("k1", None), ("k2", None)}


def test_names_of_topics_are_taken() -> None:
    assert found(["orders", "payments-*", "*.audit_log"]) == set()
