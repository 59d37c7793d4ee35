"""The inventory's own files: each mistake is named with file and line, before Ansible reads them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from ansible.module_utils.kraft.problem import Problem, errors
from ansible.module_utils.kraft.spec.inventory.yaml_files import unreadable_files as yaml_problems
from ansible.parsing.vault import VaultLib, VaultSecret

from tests.unit.spec.inventories import ROOT, example, host_variables, read_inventory

RULES = {"file_unread", "variable_replaced", "setting_beside", "variable_as_group", "layer_replaced"}
HOSTS = """
kafka:
  children:
    controllers:
      hosts: {control1: {ansible_host: 10.0.1.21, kafka_node_id: 101}}
      vars: {kafka_process_roles: [controller], kafka_log_dirs: [/srv/metadata], kafka_host_data_disks: []}
    brokers:
      hosts: {broker1: {ansible_host: 10.0.1.11, kafka_node_id: 1}}
      vars: {kafka_process_roles: [broker]}
"""


def put(inventory: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (inventory / name).parent.mkdir(parents=True, exist_ok=True)
        (inventory / name).write_text(text)
    return inventory


def rows(inventory: Path) -> list[Problem]:
    return [each for each in read_inventory(inventory)[1] if each.rule in RULES]


def ends(place: str, end: str) -> bool:
    return place == end or place.endswith("/" + end)


@pytest.mark.parametrize(
    ("name", "text", "line", "remedy"),
    [
        ("group_vars/kafka/settings.yml", "kafka_config:\n  a: 1\n   num.io.threads: 16\n", 3, "align"),
        ("group_vars/all.yml", "a:\n\tb: 1\n", 2, "not with tabs"),
        ("host_vars/node2.yml", "# one\na: *Sesame\n", 2, "begins with *"),
        ("hosts.yml", "kafka:\n  hosts:\n    a: {kafka_node_id: 1\n", 4, "align"),
        ("group_vars/kafka/users.yml", "kafka_users:\n  - name: %a\n", 2, "begins with a sign"),
        ("group_vars/kafka.json", "{\n", 2, "align"),
    ],
)
def test_a_file_that_is_no_yaml_is_named_with_its_line(
    tmp_path: Path, name: str, text: str, line: int, remedy: str
) -> None:
    inventory = example(tmp_path)
    if name.startswith("group_vars/kafka."):
        (inventory / "group_vars/kafka").rename(inventory / "group_vars/other")
    hostvars = host_variables(put(inventory, {} if name == "hosts.yml" else {name: text}))
    put(inventory, {name: text})
    [problem] = yaml_problems(hostvars._inventory, hostvars._loader)
    assert problem.rule == "yaml"
    assert ends(problem.variable, f"{name}:{line}")
    assert remedy in problem.remedy
    assert "Sesame" not in str(problem)


def test_a_broken_file_of_another_group_stops_nothing(tmp_path: Path) -> None:
    hosts = "web: {hosts: {w1: {}}}\nkafka: {hosts: {node1: {kafka_node_id: 1}}}\n"
    hostvars = host_variables(put(example(tmp_path, hosts), {"group_vars/web.yml": "a: b: c\n"}))
    assert yaml_problems(hostvars._inventory, hostvars._loader) == []


@pytest.mark.parametrize(
    ("given", "said"), [(None, "has no vault password"), (b"wrong", "a different password"), (b"key", "")]
)
def test_a_file_that_is_encrypted_as_a_whole_needs_its_password(tmp_path: Path, given: bytes | None, said: str) -> None:
    secret = VaultSecret(b"key")
    inventory = example(tmp_path)
    text = VaultLib([("default", secret)]).encrypt("kafka_rack: b\n", secret).decode()
    put(inventory, {"group_vars/kafka/secret.yml": text})
    hostvars = host_variables(inventory, [("default", VaultSecret(given))] if given else None)
    found = yaml_problems(hostvars._inventory, hostvars._loader)
    assert [each.rule for each in found] == (["vault_locked"] if said else [])
    assert said in "".join(each.message for each in found)


def test_a_run_says_it_in_one_table_before_its_first_task(tmp_path: Path) -> None:
    inventory = put(example(tmp_path), {"group_vars/kafka/x.yml": "a: b: c\n", "group_vars/all.yml": "- [\n"})
    plain = {name: value for name, value in os.environ.items() if not name.startswith("ANSIBLE_")}
    done = subprocess.run(
        [str(Path(sys.executable).parent / "ansible-playbook"), "-i", str(inventory), "playbooks/cluster_status.yml"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        env={**plain, "NO_COLOR": "1"},
    )
    assert done.returncode == 2
    assert "2 errors. No host was changed." in done.stderr, done.stderr
    assert "PLAY [" not in done.stdout


@pytest.mark.parametrize(
    ("name", "remedy", "error"),
    [
        ("group_vars/kafak/settings.yml", "did you mean group kafka?", True),
        ("group_vars/brokers.yml", "name it after a group", True),
        ("group_vars/webservers.yml", "name it after a group", False),
        ("host_vars/nod1.yml", "did you mean host node1?", True),
        ("group_vars/kafka.yml", "keep one of the two", True),
        ("group_vars/kafka/more.conf", "rename it", True),
        ("group_var/kafka.yml", "did you mean group_vars?", True),
    ],
)
def test_a_file_that_ansible_does_not_read_is_named(tmp_path: Path, name: str, remedy: str, error: bool) -> None:
    text = "a: 1\n" if name == "group_vars/webservers.yml" else "kafka_heap_size: 2g\n"
    [problem] = rows(put(example(tmp_path), {name: text}))
    assert (problem.rule, problem.severity) == ("file_unread", "error" if error else "warning")
    assert ends(problem.variable, "group_var" if name.startswith("group_var/") else name)
    assert remedy in problem.remedy


def test_texts_for_people_and_backups_are_no_variables(tmp_path: Path) -> None:
    files = dict.fromkeys(("group_vars/README.md", "group_vars/kafka/x.yml~", "host_vars/.keep"), "kafka_rack: a\n")
    assert rows(put(example(tmp_path), files)) == []


@pytest.mark.parametrize(
    ("text", "name", "near"),
    [
        ("num.io.threads: 16\n", "num.io.threads", ""),
        ("log.retention.hour: 24\n", "log.retention.hour", "log.retention.hours"),
        ("kafka_config:\nlistener.name.client.ssl.client.auth: required\n", "listener.name.client.ssl.client.auth", ""),
        ("zookeeper.connect: zk:2181\n", "zookeeper.connect", ""),
    ],
)
def test_a_setting_beside_kafka_config_has_no_effect(tmp_path: Path, text: str, name: str, near: str) -> None:
    inventory = put(example(tmp_path), {"group_vars/kafka/zz.yml": text})
    found = [each for each in errors(rows(inventory)) if each.rule == "setting_beside"]
    assert {(each.variable, each.host) for each in found} == {(name, f"node{at}") for at in (1, 2, 3)}
    assert near in found[0].message
    assert "below kafka_config" in found[0].remedy
    assert ends(found[0].source, f"group_vars/kafka/zz.yml:{text.count(chr(10))}")


def test_a_variable_of_another_tool_with_a_dot_is_left_alone(tmp_path: Path) -> None:
    assert rows(put(example(tmp_path), {"group_vars/kafka/zz.yml": "our.own.thing: 1\n"})) == []


def test_what_a_hosts_file_says_of_a_narrower_group_is_not_replaced_in_silence(tmp_path: Path) -> None:
    found = errors(rows(example(tmp_path, HOSTS)))
    assert {(each.variable, each.host) for each in found} == {
        ("kafka_log_dirs", "control1"),
        ("kafka_host_data_disks", "control1"),
    }
    log_dirs = next(each for each in found if each.variable == "kafka_log_dirs")
    assert log_dirs.rule == "variable_replaced"
    assert ends(log_dirs.source, "hosts.yml:6")
    assert "group_vars/kafka/storage.yml" in log_dirs.message
    assert log_dirs.remedy == "move it to group_vars or host_vars of group controllers"


@pytest.mark.parametrize(
    "files",
    [
        {"group_vars/kafka/tuning.yml": "kafka_config: {num.io.threads: 8}\n"},
        {"group_vars/all.yml": "kafka_config: {num.io.threads: 8}\n"},
        {"host_vars/node1.yml": "kafka_config: {num.io.threads: 8}\n"},
    ],
)
def test_a_mapping_that_is_set_twice_is_shown_with_both_places(tmp_path: Path, files: dict[str, str]) -> None:
    found = [each for each in rows(put(example(tmp_path), files)) if each.variable == "kafka_config"]
    assert {each.severity for each in found} == {"warning"}
    said = " ".join(str(each) for each in found)
    assert "settings.yml" in said
    assert next(iter(files)).rpartition("/")[2] in said


@pytest.mark.parametrize(
    "files", [{"host_vars/node1.yml": "kafka_heap_size: 2g\n"}, {"group_vars/all.yml": "kafka_log_dirs: [/data]\n"}]
)
def test_a_narrower_value_in_its_own_place_is_what_was_meant(tmp_path: Path, files: dict[str, Any]) -> None:
    assert rows(put(example(tmp_path), files)) == []


def test_variables_among_the_hosts_files_are_named(tmp_path: Path) -> None:
    inventory = put(example(tmp_path), {"settings.yml": "kafka_config: {hosts: {}}\n"})
    assert [(each.rule, each.variable) for each in rows(inventory)] == [("variable_as_group", "kafka_config")]
