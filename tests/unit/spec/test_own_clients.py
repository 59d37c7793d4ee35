"""Options of the smoke test and the probe, and their user: from the inventory as Ansible reads it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible import context
from ansible.module_utils.kraft.spec.desired.listener_protocols import PROBE, PROTOCOL_OPTION, SMOKE
from ansible.module_utils.kraft.spec.desired.own_clients import client_options

from plugins.action import kafka_desired
from tests.unit.spec.inventories import example, host_variables, read_inventory

OPTIONS = {PROTOCOL_OPTION: "{{ 'SASL' }}_SSL"}
SPOKEN = {PROTOCOL_OPTION: "SASL_SSL"}


def options(path: Path, everywhere: dict[str, Any], nodes: dict[str, Any], smoke: bool = True) -> dict[str, Any]:
    source = example(path, **nodes)
    (source / "group_vars/all.yml").write_text(yaml.safe_dump(everywhere))
    hostvars = host_variables(source)
    return client_options(hostvars, hostvars._loader, "node1", smoke)


def test_the_smoke_test_reads_what_is_given_to_this_machine(tmp_path: Path) -> None:
    assert options(tmp_path / "a", {SMOKE: OPTIONS}, {}) == {SMOKE: SPOKEN}
    assert options(tmp_path / "b", {}, {SMOKE: OPTIONS}) == {SMOKE: {}}
    assert options(tmp_path / "c", {SMOKE: OPTIONS}, {}, smoke=False) == {}


@pytest.mark.parametrize(("probed", "asked"), [(True, True), ("yes", True), (False, False), ("false", False)])
def test_the_probe_counts_where_it_is_asked_for(tmp_path: Path, probed: Any, asked: bool) -> None:
    found = options(tmp_path, {}, {PROBE: OPTIONS, "kafka_probe": probed})
    assert found.get(PROBE) == (SPOKEN if asked else None)


@pytest.mark.parametrize("value", ["no mapping", "{{ unknown }}"])
def test_what_is_no_mapping_is_left_to_the_role_that_reads_it(tmp_path: Path, value: str) -> None:
    assert options(tmp_path, {SMOKE: value}, {}).get(SMOKE) in (None, {})


def test_a_secured_first_listener_is_refused_without_the_options(tmp_path: Path) -> None:
    listeners = [
        {"name": "CLIENT", "port": 9092, "protocol": "SSL", "purpose": "client"},
        {"name": "INTERNAL", "port": 19092, "protocol": "PLAINTEXT", "purpose": "inter_broker"},
        {"name": "CONTROLLER", "port": 9093, "protocol": "PLAINTEXT", "purpose": "controller"},
    ]
    keys = {"ssl.keystore.location": "/etc/kafka/node.p12"}
    source = example(tmp_path, kafka_listeners=listeners, kafka_config=keys)
    hostvars = host_variables(source)
    hosts = ["node1", "node2", "node3"]
    _, problems = kafka_desired.read_inventory(hostvars, hostvars._loader, hosts, kafka_desired.Run(["spark"]))
    assert [(each.severity, each.variable) for each in problems if each.rule == "client_options"] == [("error", SMOKE)]
    assert not [each for each in read_inventory(source)[1] if each.rule == "client_options"], (
        "nobody starts the smoke test"
    )


@pytest.mark.parametrize(("everywhere", "refused"), [({}, True), ({SMOKE: OPTIONS}, False), ({SMOKE: {}}, True)])
def test_options_that_this_machine_does_not_read_are_refused(
    tmp_path: Path, everywhere: dict[str, Any], refused: bool
) -> None:
    given: dict[str, Any] = {SMOKE: {**OPTIONS, "kafka.ssl.truststore.location": "/ca.pem"}} if refused else {}
    source = example(tmp_path, **given)
    (source / "group_vars/all.yml").write_text(yaml.safe_dump(everywhere))
    hostvars = host_variables(source)
    _, problems = kafka_desired.read_inventory(
        hostvars, hostvars._loader, ["node1", "node2", "node3"], kafka_desired.Run(["spark"])
    )
    hosts = [each.host for each in problems if each.variable == SMOKE and each.host]
    assert hosts == (["node1", "node2", "node3"] if refused else [])


def test_who_logs_in_is_also_said_by_ansibles_own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(context, "CLIARGS", {"remote_user": "ubuntu"})
    hosts = "kafka: {hosts: {a: {kafka_node_id: 1}, b: {kafka_node_id: 2}, c: {kafka_node_id: 3}}}"
    found = read_inventory(example(tmp_path, hosts, kafka_user="ubuntu"))[1]
    assert {(each.severity, each.variable) for each in found if each.rule == "account"} == {("error", "kafka_user")}
