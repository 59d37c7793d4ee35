"""Numbers of the proof and of the probe: what these could not work with is refused before any host is touched."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible.module_utils.kraft.spec.desired.numbers import PROBE, SMOKE
from ansible.module_utils.kraft.spec.inventory.validation import validate
from ansible.module_utils.kraft.spec.inventory_rules.proof import LIMITS
from ansible.module_utils.kraft.spec.inventory_rules.subject import Surroundings

from plugins.action.kafka_desired import load_specs
from spark_jobs import config
from spark_jobs.probe import settings
from tests.unit.spec.inventories import example, read_inventory
from tests.unit.spec.inventory import SPECS, Finding, finding, hosts

KNOWN = {**SPECS, **{name: {**option, "required": False} for name, option in load_specs().items() if name in LIMITS}}
RANGES = [(name, least, most) for name, (least, most) in LIMITS.items()]


def found(given: dict[str, Any], smoke: dict[str, Any] | None = None) -> list[Finding]:
    surroundings = Surroundings(names=frozenset(KNOWN), smoke=smoke or {})
    problems = validate(hosts(1, **given), KNOWN, surroundings)[1]
    return [finding(each) for each in problems if each.rule == "limit"]


@pytest.mark.parametrize(("name", "least", "most"), RANGES)
def test_a_number_out_of_range_is_refused(name: str, least: int, most: int) -> None:
    assert found({name: least}) == found({name: most}) == []
    for value in (least - 1, most + 1, -1):
        assert found({name: value}) == [("error", "k1", name, value)]


def test_numbers_that_only_this_machine_has_are_refused_once() -> None:
    name = "kafka_smoke_records"
    assert found({}, {name: 0}) == [("error", "localhost", name, 0)]
    assert found({}, {name: "many"}) == [("error", "localhost", name, "many")]
    assert found({}, {name: "5000"}) == []
    assert found({name: 0}, {name: "0"}) == [("error", "k1", name, 0)]


@pytest.mark.parametrize(
    ("node", "here", "warned"),
    [
        ({"kafka_smoke_records": 5000}, {}, True),
        ({"kafka_smoke_records": 5000}, {"kafka_smoke_records": "5000"}, False),
        ({"kafka_smoke_records": 5000}, {"kafka_smoke_records": 20000}, True),
        ({}, {"kafka_smoke_records": 20000}, False),
    ],
)
def test_what_only_the_nodes_have_is_said_to_have_no_effect(
    node: dict[str, Any], here: dict[str, Any], warned: bool
) -> None:
    problems = validate(hosts(1, **node), KNOWN, Surroundings(names=frozenset(KNOWN), smoke=here))[1]
    said = [finding(each)[:3] for each in problems if each.rule == "smoke_variable"]
    assert said == ([("warning", "k1", "kafka_smoke_records")] if warned else [])


@pytest.mark.parametrize(("file", "warned"), [("group_vars/kafka/proof.yml", True), ("group_vars/all.yml", False)])
def test_the_proof_does_not_read_the_group_of_the_nodes(tmp_path: Path, file: str, warned: bool) -> None:
    source = example(tmp_path)
    (source / file).write_text(yaml.safe_dump({"kafka_smoke_topic": "own"}))
    said = {finding(each)[:3:2] for each in read_inventory(source)[1] if each.rule == "smoke_variable"}
    assert said == ({("warning", "kafka_smoke_topic")} if warned else set())


def test_the_inventory_of_this_machine_is_read(tmp_path: Path) -> None:
    source = example(tmp_path)
    (source / "host_vars").mkdir(exist_ok=True)
    (source / "host_vars/localhost.yml").write_text(yaml.safe_dump({"kafka_smoke_records": "{{ 0 }}"}))
    refused = [finding(each) for each in read_inventory(source)[1] if each.rule == "limit"]
    assert refused == [("error", "localhost", "kafka_smoke_records", 0)]


@pytest.mark.parametrize("name", LIMITS)
def test_ranges_are_those_of_the_clients(name: str) -> None:
    own = {"kafka_probe_longest": "longest_seconds", "kafka_probe_ready_timeout": "ready_seconds"}
    short = own.get(name, name.split("_", 2)[2])
    limits = config.LIMITS if name in SMOKE else settings.LIMITS
    if short != "timeout":
        (least, most), (own_least, own_most) = LIMITS[name], limits[short]
        assert (0 if short == "partitions" else own_least, own_most) == (least, most)


def test_every_number_of_the_two_roles_has_a_range() -> None:
    prefixes = ("kafka_smoke_", "kafka_probe_")
    numbers = {name for name, option in load_specs().items() if option["type"] == "int" and name.startswith(prefixes)}
    assert numbers == {*SMOKE, *PROBE}


@pytest.mark.parametrize(
    ("name", "refused"),
    [
        ("kraftwright-smoke", False),
        ("a b", True),
        ("", True),
        ("x" * 232, False),
        ("x" * 233, True),
        ("__consumer_offsets", False),
        ("orders", False),
        (7, False),
    ],
)
def test_kafka_takes_the_name_of_the_proofs_topic_with_the_runs_id(name: Any, refused: bool) -> None:
    here = Surroundings(names=frozenset(KNOWN), smoke={"kafka_smoke_topic": name})
    problems = validate(hosts(1, kafka_topics=[{"name": "orders"}]), KNOWN, here)[1]
    said = [finding(each) for each in problems if each.rule == "smoke_topic"]
    assert said == ([("error", "localhost", "kafka_smoke_topic", name)] if refused else [])
