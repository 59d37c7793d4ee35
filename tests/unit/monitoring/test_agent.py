"""The agent's configuration follows from the catalogue."""

from __future__ import annotations

import re
from typing import Any

import pytest
import yaml
from ansible.module_utils.kraft.monitoring.agent import config_text, percentile
from ansible.module_utils.kraft.monitoring.catalogue import (
    AGENT,
    COLLECTOR,
    LEVELS,
    MARKER,
    NODE,
    TOPIC,
    Metric,
    at_level,
    catalogue,
)
from ansible.module_utils.kraft.node import planned_work

from plugins.filter.kraft_monitoring import kraft_agent_config

ENTRY: dict[str, Any] = {"type": "gauge", "unit": "seconds", "help": "Time.", "role": "both", "level": "node"}


def test_a_plain_metric_is_one_mbean_and_one_rule() -> None:
    made = Metric(name="kafka_lag", mbean="kafka.server:type=A,name=B", attribute="Value", scale=0.001, **ENTRY)
    rule = {
        "pattern": r"kafka\.server<type=A, name=B><>Value:",
        "name": "kafka_lag",
        "type": "GAUGE",
        "help": "Time.",
        "cache": True,
        "valueFactor": 0.001,
    }
    assert yaml.safe_load(config_text([made])) == {
        "includeObjectNames": ["kafka.server:type=A,name=B"],
        "rules": [rule],
    }


def test_each_label_names_its_mbeans_and_each_quantile_is_a_rule() -> None:
    mbean = "k:type=R,request={request}"
    made = Metric(name="kafka_t", mbean=mbean, labels={"request": ["A", "B"]}, quantiles=(0.5, 0.999), **ENTRY)
    config = yaml.safe_load(config_text([made]))
    assert config["includeObjectNames"] == ["k:type=R,request=A", "k:type=R,request=B"]
    assert [(each["pattern"], each["labels"]) for each in config["rules"]] == [
        ("k<type=R, request=([^,>]+)><>50thPercentile:", {"request": "$1", "quantile": "0.5"}),
        ("k<type=R, request=([^,>]+)><>999thPercentile:", {"request": "$1", "quantile": "0.999"}),
    ]


def test_a_value_that_is_a_text_becomes_a_label_and_is_read_each_time() -> None:
    made = Metric(name="kafka_v", mbean="k:id={id}", attribute="V", labels={"id": "*"}, text="version", **ENTRY)
    config = yaml.safe_load(config_text([made]))
    assert config["includeObjectNames"] == ["k:id=*"]
    (rule,) = config["rules"]
    assert (rule["pattern"], rule["labels"], rule["value"]) == ("k<id=([^,>]+)><>V: (.+)", {"version": "$2"}, 1)
    assert "cache" not in rule


def test_what_the_agent_has_by_itself_needs_no_rule() -> None:
    assert yaml.safe_load(config_text([Metric(name="jvm_a", **ENTRY)])) == {"includeObjectNames": [], "rules": []}


@pytest.mark.parametrize(("quantile", "attribute"), [(0.5, "50th"), (0.99, "99th"), (0.999, "999th"), (0.75, "75th")])
def test_a_quantile_is_an_attribute_of_kafkas_histograms(quantile: float, attribute: str) -> None:
    assert percentile(quantile) == f"{attribute}Percentile"


def test_topics_come_beside_the_node() -> None:
    assert {each.level for each in at_level(NODE)} == {NODE}
    assert {each.level for each in at_level(TOPIC)} == {NODE, TOPIC}


def test_each_entry_is_published_by_the_agent_the_collector_or_an_operation() -> None:
    found = [each for by in (AGENT, COLLECTOR, MARKER) for each in at_level(TOPIC, by)]
    assert sorted(found, key=catalogue().index) == list(catalogue())
    assert not any(each.mbean for by in (COLLECTOR, MARKER) for each in at_level(TOPIC, by))
    assert [each.name for each in at_level(TOPIC, MARKER)] == [planned_work.NAME]


def groups(rule: dict[str, str]) -> int:
    return re.compile(rule["pattern"]).groups


def test_every_pattern_of_the_catalogue_is_a_regular_expression_and_tells_its_mbean_from_the_others() -> None:
    config = yaml.safe_load(config_text(catalogue()))
    for rule in config["rules"]:
        assert {int(at) for at in re.findall(r"\$(\d)", str(rule.get("labels", {})))} <= {*range(1, groups(rule) + 1)}
    patterns = [rule["pattern"] for rule in config["rules"]]
    assert len(set(patterns)) == len(patterns)


def test_every_entry_keeps_the_rules_of_names() -> None:
    names = [each.name for each in catalogue()]
    assert len(set(names)) == len(names)
    for each in catalogue():
        assert re.fullmatch(r"[a-z][a-z0-9_]+", each.name)
        assert (each.type, each.role, each.level) in {
            (kind, role, level)
            for kind in ("gauge", "counter")
            for role in ("broker", "controller", "both")
            for level in LEVELS
        }
        assert each.help.endswith(".")
        assert (each.type == "counter") == each.name.endswith(("_total", "_sum", "_count"))
        assert bool(each.mbean) == bool(each.attribute or each.quantiles)
        assert each.unit not in ("ms", "percent", "ns")
        assert each.of != "cluster" or each.role == "controller"


def test_only_topics_that_are_asked_for_are_read() -> None:
    entry = next(each for each in catalogue() if each.name == "kafka_topic_bytes_in_total")
    config = yaml.safe_load(config_text([entry], ["orders", "payments-*"]))
    begin = "kafka.server:type=BrokerTopicMetrics,name=BytesInPerSec,topic="
    assert config["includeObjectNames"] == [f"{begin}orders", f"{begin}payments-*"]


def test_a_topic_that_yaml_takes_for_a_number_is_a_name() -> None:
    topics: list[Any] = [2026]
    found = yaml.safe_load(kraft_agent_config(TOPIC, topics))["includeObjectNames"]
    assert "kafka.server:type=BrokerTopicMetrics,name=BytesInPerSec,topic=2026" in found
