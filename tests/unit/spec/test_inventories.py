"""From inventory files to the desired state: templates, types, groups, and inventories that must be sound."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from ansible.module_utils.kraft.problem import Problem, errors
from ansible.module_utils.kraft.spec.desired.describe import desired_state
from ansible.module_utils.kraft.spec.inventory.hostvars import Inventory, is_fixed, plain
from ansible.parsing.vault import EncryptedString, VaultLib, VaultSecret

from plugins.action import kafka_desired
from tests.unit.spec.inventories import EXAMPLE, ROOT, example, host_variables, read_inventory, variants, written

HOSTS = "kafka: {hosts: {a: {kafka_node_id: 1}, b: {kafka_node_id: 2}, c: {kafka_node_id: 3}}}"


def texts(problems: list[Problem]) -> list[str]:
    return [str(problem) for problem in problems]


def test_the_example_as_it_is_is_refused_for_each_of_its_placeholders(tmp_path: Path) -> None:
    texts_of = {str(file.relative_to(EXAMPLE)): file.read_text() for file in EXAMPLE.rglob("*.yml")}
    _, problems = read_inventory(written(tmp_path, texts_of))
    assert {(each.rule, each.variable) for each in errors(problems)} == {
        ("cluster_id_copied", "kafka_cluster_id"),
        ("address_placeholder", "ansible_host"),
        ("disk_placeholder", "kafka_host_data_disks[0].device"),
        ("disk_placeholder", "kafka_host_data_disks[1].device"),
    }


def test_the_example_is_sound_once_its_placeholders_are_replaced(tmp_path: Path) -> None:
    cluster, problems = read_inventory(example(tmp_path))
    assert {problem.rule for problem in problems} == {"plaintext"}
    assert not errors(problems)
    assert desired_state(cluster)["cluster"]["bootstrap_servers"] == "10.0.1.11:9092,10.0.1.12:9092,10.0.1.13:9092"
    assert desired_state(cluster)["cluster"]["clients"] == {
        "CLIENT": {
            "bootstrap.servers": "10.0.1.11:9092,10.0.1.12:9092,10.0.1.13:9092",
            "security.protocol": "PLAINTEXT",
        }
    }


@pytest.mark.parametrize("variant", variants(), ids=["dedicated", "ports"])
def test_what_the_example_shows_in_comments_is_sound(tmp_path: Path, variant: dict[str, str]) -> None:
    _, problems = read_inventory(example(tmp_path, variant))
    assert {problem.rule for problem in problems} == {"plaintext"}


GONE = "{{ lookup('ansible.builtin.file', '/nowhere.sha256') }}"


@pytest.mark.parametrize(
    "given",
    [
        {"kafka_archive_checksum": GONE},
        {"kafka_archive": "{{ nowhere }}", "kafka_archive_checksum": "md5:0"},
        {"kafka_archive": "/nowhere.zip", "kafka_archive_checksum": None},
    ],
)
def test_an_operation_that_brings_no_release_asks_for_no_archive(tmp_path: Path, given: dict[str, Any]) -> None:
    inventory = example(tmp_path, **given)
    archive = {"kafka_archive", "kafka_archive_checksum"}
    assert {each.variable for each in errors(read_inventory(inventory)[1])} <= archive
    assert errors(read_inventory(inventory)[1])
    cluster, problems = read_inventory(inventory, needs=[])
    assert errors(problems) == []
    assert desired_state(cluster)["cluster"]["archive_checksum"] == ""


def test_the_example_shows_dedicated_roles_and_ports(tmp_path: Path) -> None:
    dedicated, ports = variants()
    cluster, _ = read_inventory(example(tmp_path / "a", dedicated))
    assert (len(cluster.controllers), len(cluster.brokers), len(cluster.nodes)) == (3, 3, 6)
    control = cluster.controllers[0]
    assert (control.host, control.log_dirs, control.heap_size) == ("control1", ("/srv/kafka/metadata",), "2g")
    assert control.variables["kafka_host_data_disks"] == []
    cluster, _ = read_inventory(example(tmp_path / "b", ports, kafka_quorum="static"))
    properties = desired_state(cluster)["nodes"]["node1"]["properties"]
    assert properties["controller.quorum.voters"] == "1@10.0.1.11:19093,2@10.0.1.12:29093,3@10.0.1.13:39093"


def test_the_local_inventory_is_sound(tmp_path: Path) -> None:
    local = ROOT / "inventories/local"
    files = {
        "hosts.yml": (local / "hosts.yml").read_text(),
        "group_vars/kafka.yml": (local / "group_vars/kafka.yml").read_text(),
    }
    assert texts(read_inventory(written(tmp_path, files))[1]) == []


def test_templates_are_resolved_in_the_context_of_their_own_host(tmp_path: Path) -> None:
    given = {
        "kafka_rack": "rack-{{ inventory_hostname }}",
        "kafka_log_dirs": ["{{ kafka_install_dir }}/kraft-logs/one"],
    }
    cluster, _ = read_inventory(example(tmp_path, HOSTS, **given))
    assert [node.rack for node in cluster.nodes] == ["rack-a", "rack-b", "rack-c"]
    assert cluster.nodes[0].log_dirs == ("/opt/kafka/kraft-logs/one",)  # a default of the role, with no role in scope


def test_address_falls_back_on_ansible_host_and_then_on_the_name(tmp_path: Path) -> None:
    hosts = (
        "kafka: {hosts: {a: {kafka_node_id: 1, ansible_host: 10.1.1.1}, b: {kafka_node_id: 2}, c: {kafka_node_id: 3}}}"
    )
    cluster, _ = read_inventory(example(tmp_path, hosts))
    assert [node.address for node in cluster.nodes] == ["10.1.1.1", "b", "c"]


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("{{ nowhere }}", "The value cannot be resolved: 'nowhere' is undefined"),
        (
            "{{ kafka_config.nothing }}",
            "The value cannot be resolved: object of type 'dict' has no attribute 'nothing'",
        ),
        (
            "{{ broken",
            "The value cannot be resolved: Syntax error in template: unexpected end of template",
        ),
        (
            "{{ lookup('ansible.builtin.file', '/nowhere') }}",
            "The value cannot be resolved: The lookup plugin 'ansible.builtin.file' failed: Unable to access",
        ),
    ],
)
def test_what_cannot_be_resolved_is_a_problem_and_not_a_traceback(tmp_path: Path, value: str, reason: str) -> None:
    _, problems = read_inventory(example(tmp_path, HOSTS, kafka_rack=value))
    said = [problem.message.rstrip(".") for problem in errors(problems)]
    assert len(said) == 3
    assert said[0].startswith(reason)


def test_every_mistake_is_found_at_once(tmp_path: Path) -> None:
    hosts = """
kafka:
  hosts:
    a: {kafka_node_id: 1, kafka_process_roles: [broker, controler]}
    b: {kafka_node_id: 1, kafka_adress: 10.0.0.1}
    c: {kafka_log_dirs: [/tmp/kafka], kafka_heap_size: much}
"""
    wrong = {
        "kafka_cluster_id": "not-a-uuid",
        "kafka_min_insync_replicas": 4,
        "kafka_config": {"zookeeper.connect": "zk:2181", "num.io.thread": 3, "log.segment.bytes": 1},
        "kafka_archive_checksum": "md5:0",
    }
    _, problems = read_inventory(example(tmp_path, hosts, **wrong))
    assert {problem.rule for problem in errors(problems)} == {
        "type",
        "missing",
        "node_id_shared",
        "unknown_variable",
        "cluster_id",
        "min_isr",
        "setting_removed",
        "setting_unknown",
        "setting_value",
        "directory",
        "heap_form",
        "checksum",
    }


def test_a_registered_result_is_no_unknown_variable(tmp_path: Path) -> None:
    hostvars = host_variables(example(tmp_path, kafka_typo=1))
    hostvars._variable_manager.set_nonpersistent_facts("node1", {"kafka_result_of_mine": {"rc": 0}})
    used = Inventory(hostvars, hostvars._loader, {}).used("node1")
    assert "kafka_typo" in used
    assert "kafka_result_of_mine" not in used
    assert "kafka_result_of_mine" in hostvars.raw_get("node1")


def test_what_a_play_says_of_nodes_is_refused_since_no_check_sees_it(tmp_path: Path) -> None:
    hostvars, extra = host_variables(example(tmp_path)), {"kafka_heap_size": "2g"}
    variables = {"kafka_heap_size": "4g", "kafka_config": {}, "kafka_smoke_records": 1, "other": 1}
    play = SimpleNamespace(get_vars=lambda: variables)
    given = kafka_desired.of_play(SimpleNamespace(get_play=lambda: play), extra)
    run = kafka_desired.Run(of_play=given)
    _, problems = kafka_desired.read_inventory(hostvars, hostvars._loader, ["node1", "node2", "node3"], run)
    assert [(each.rule, each.variable) for each in errors(problems)] == [("play_variable", "kafka_config")]


def test_a_value_may_refer_to_variables_of_any_host(tmp_path: Path) -> None:
    given = {
        "kafka_address": "{{ hostvars[inventory_hostname]['ansible_host'] }}",
        "kafka_cluster_name": "{{ 'of-' ~ hostvars['node2']['kafka_node_id'] }}",
    }
    cluster, problems = read_inventory(example(tmp_path, **given))
    assert errors(problems) == []
    assert cluster.name == "of-2"
    assert [node.address for node in cluster.nodes] == [node.connection["ansible_host"] for node in cluster.nodes]


def test_facts_that_no_one_gathers_are_named_as_the_reason(tmp_path: Path) -> None:
    _, problems = read_inventory(example(tmp_path, HOSTS, kafka_address="{{ ansible_facts.default_ipv4.address }}"))
    assert "(facts of the hosts are not gathered: give the value itself)" in errors(problems)[0].message


SECRETS = {
    "ssl.keystore.password": "a-long-and-random-one",
    "ssl.keystore.certificate.chain": "PEM",
    "num.io.threads": 9,
}


def test_a_secret_in_the_open_is_found_and_an_encrypted_one_is_not(tmp_path: Path) -> None:
    settings = {**SECRETS, "ssl.key.password": "{{ lookup('env', 'X') }}"}
    opened = example(tmp_path / "a", kafka_config=settings, kafka_tls={"passphrase": "a-long-and-random-one"})
    hostvars = host_variables(opened)
    inventory = Inventory(hostvars, hostvars._loader, {})
    assert inventory.readable("node1") == {"kafka_config[ssl.keystore.password]", "kafka_tls[passphrase]"}
    secret = VaultSecret(b"key")
    vault = VaultLib([("default", secret)])
    closed = example(tmp_path / "b")
    text = yaml.safe_dump({"kafka_config": SECRETS})
    (closed / "group_vars/kafka/zz.yml").write_bytes(vault.encrypt(text, secret))
    hostvars = host_variables(closed, [("default", secret)])
    assert hostvars["node1"]["kafka_config"]["num.io.threads"] == 9
    assert Inventory(hostvars, hostvars._loader, {}).readable("node1") == frozenset()


def test_what_a_group_sets_is_resolved_once_unless_it_holds_a_template(tmp_path: Path) -> None:
    topics = [{"name": "orders", "config": {"retention.ms": 1}}]
    users = [{"name": "team-{{ inventory_hostname }}"}]
    hostvars = host_variables(example(tmp_path, kafka_topics=topics, kafka_users=users))
    inventory = Inventory(hostvars, hostvars._loader, {"kafka_topics": {}, "kafka_users": {}})
    first, second = (inventory.read(host, ["node1", "node2"]).values for host in ("node1", "node2"))
    assert first["kafka_topics"] is second["kafka_topics"]
    assert first["kafka_topics"] == topics
    assert [one["kafka_users"] for one in (first, second)] == [[{"name": "team-node1"}], [{"name": "team-node2"}]]


@pytest.mark.parametrize(
    ("value", "fixed"),
    [
        ([{"name": "a", "partitions": 3, "config": {"x": None, "y": True}}], True),
        ([{"name": "{{ a }}"}], False),
        ({"{% if a %}b{% endif %}": 1}, False),
        ("{# nothing #}", False),
        (EncryptedString(ciphertext="of a vault"), False),
    ],
)
def test_a_value_is_fixed_that_holds_nothing_to_resolve(value: Any, fixed: bool) -> None:
    assert is_fixed(value) == fixed


def test_facts_of_the_host_size_the_node(tmp_path: Path) -> None:
    hostvars = host_variables(example(tmp_path))
    for host in ("node1", "node2", "node3"):
        hostvars._variable_manager.set_host_facts(host, {"kafka_host": {"cpus": 16, "memory_mb": 8192}})
    cluster, _ = kafka_desired.read_inventory(hostvars, hostvars._loader, ["node1", "node2", "node3"])
    node = desired_state(cluster)["nodes"]["node1"]
    assert node["heap_mb"] == 4096
    assert node["properties"]["num.io.threads"] == "16"


def test_values_lose_ansibles_own_types(tmp_path: Path) -> None:
    cluster, _ = read_inventory(
        example(tmp_path, kafka_config={"num.io.threads": "{{ 4 + 4 }}", "delete.topic.enable": True})
    )

    def kinds(value: Any) -> set[type]:
        if isinstance(value, dict):
            return {dict}.union(*(kinds(each) for pair in value.items() for each in pair))
        return {list}.union(*map(kinds, value)) if isinstance(value, list) else {type(value)}

    assert kinds(desired_state(cluster)) <= {dict, list, str, int, bool, type(None)}
    assert yaml.safe_load(yaml.safe_dump(desired_state(cluster))) == desired_state(cluster)
    assert plain({1: (True, 1.5, None, {"a"})}) == {"1": [True, 1.5, None, ["a"]]}
