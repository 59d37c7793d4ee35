"""The tasks of a maintenance, read as Ansible reads them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ansible.inventory.manager import InventoryManager
from ansible.module_utils.kraft.control.maintenance import faults
from ansible.parsing.dataloader import DataLoader
from ansible.plugins.loader import init_plugin_loader
from ansible.utils.collection_loader import AnsibleCollectionConfig
from ansible.vars.manager import VariableManager

REBOOT, TASKS = "kafka_reboot", "kafka_maintenance_tasks"
SOUND = """
- name: Patch
  ansible.builtin.apt: {name: "*", state: "{{ wanted }}"}
- name: Look at what was printed
  block: [{ansible.builtin.import_tasks: more.yml}]
  when: later
"""


def faulty(values: dict[str, Any]) -> dict[str, str]:
    if AnsibleCollectionConfig.collection_finder is None:
        init_plugin_loader()
    loader = DataLoader()
    inventory = InventoryManager(loader=loader, sources=["localhost,"])
    return faults(values, loader, VariableManager(loader=loader, inventory=inventory))


def test_sound_tasks_or_a_reboot_are_taken(tmp_path: Path) -> None:
    file = tmp_path / "patch.yml"
    file.write_text(SOUND)
    (tmp_path / "more.yml").write_text("- ansible.builtin.debug: {msg: more}\n")
    assert faulty({TASKS: str(file), REBOOT: False}) == {}
    for reboot in (True, "true", "yes"):
        assert faulty({TASKS: "", REBOOT: reboot}) == {}


def test_tasks_are_found_from_the_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "patch.yml").write_text("- ansible.builtin.debug: {msg: more}\n")
    monkeypatch.chdir(tmp_path)
    assert faulty({TASKS: "patch.yml"}) == {}


@pytest.mark.parametrize("reboot", [False, "false", "no", None])
def test_nothing_to_do_is_refused(reboot: object) -> None:
    assert set(faulty({TASKS: "", REBOOT: reboot})) == {TASKS}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "no list of tasks"),
        ("[]", "no list of tasks"),
        ("name: Patch", "no list of tasks"),
        ("- Patch", "no list of tasks"),
        ("- hosts: all\n  tasks: []", "playbook"),
        ("- a: [", "cannot be run"),
        ("- ansible.builtin.aptt: {name: x}", "ansible.builtin.aptt"),
        ("- ansible.builtin.import_tasks: missing.yml", "missing.yml"),
        ("- name: Patch\n  whenn: true\n  ansible.builtin.debug: {msg: x}", "cannot be run"),
        ("- name: two\n  ansible.builtin.debug: {msg: x}\n  ansible.builtin.apt: {name: x}", "cannot be run"),
        ("- 5: x", "cannot be run"),
        ("- ansible.builtin.import_tasks: patch.yml", "cannot be run"),
    ],
)
def test_what_ansible_could_not_run_is_refused(content: str, said: str, tmp_path: Path) -> None:
    file = tmp_path / "patch.yml"
    file.write_text(content)
    assert said in faulty({TASKS: str(file), REBOOT: True})[TASKS]


@pytest.mark.parametrize(
    ("task", "said"),
    [
        ("meta: end_play", "end_play"),
        ("ansible.builtin.meta: end_host", "end_host"),
        ("block: [{meta: end_batch, when: later}]", "end_batch"),
        ("{rescue: [{ansible.builtin.meta: end_role}], block: [{ansible.builtin.command: a}]}", "end_role"),
        ("{block: [{meta: clear_facts}]}", "clear_facts"),
        ("{ansible.builtin.command: a, notify: Restart it}", "Restart it"),
        ("{block: [{ansible.builtin.command: a}], notify: [Restart it, and more]}", "Restart it"),
    ],
)
def test_what_would_end_the_run_while_the_node_is_down_is_refused(task: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "patch.yml").write_text(f"- {task}\n")
    assert said in faulty({TASKS: str(tmp_path / "patch.yml"), REBOOT: True})[TASKS]


@pytest.mark.parametrize("role", ["import_role", "include_role"])
def test_a_handler_may_be_of_a_role_that_the_tasks_bring(role: str, tmp_path: Path) -> None:
    (tmp_path / "roles/patches/tasks").mkdir(parents=True)
    (tmp_path / "roles/patches/tasks/main.yml").write_text("- ansible.builtin.command: a\n  notify: Restart it\n")
    brought = f"- ansible.builtin.{role}: {{name: {tmp_path}/roles/patches}}\n"
    for more in ("", "- {ansible.builtin.command: b, notify: Restart it}\n", "- ansible.builtin.meta: noop\n"):
        (tmp_path / "patch.yml").write_text(brought + more)
        assert faulty({TASKS: str(tmp_path / "patch.yml")}) == {}


@pytest.mark.parametrize("given", ["~nobody-of-this-name/patch.yml", "a\0b", "a" * 300])
def test_a_path_that_cannot_be_is_refused(given: str) -> None:
    assert "is no file" in faulty({TASKS: given})[TASKS]


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    assert "is no file" in faulty({TASKS: str(tmp_path / "gone.yml")})[TASKS]
    assert "is no file" in faulty({TASKS: str(tmp_path)})[TASKS]
