"""The run lock of the cluster is released by the host that is first then, whichever host took it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A play over k1, k2 and k3 that locks controller c1, which the limit leaves out; k1 falls silent meanwhile."""
    tasks = ROOT / "playbooks/tasks"
    lost = {"name": "Lose k1", "ansible.builtin.ping": {}, "when": "inventory_hostname == 'k1'"}
    away = {"ansible_connection": "ssh", "ansible_host": "127.0.0.1", "ansible_port": 1}
    play = {
        "hosts": "kafka",
        "gather_facts": False,
        "any_errors_fatal": False,
        "module_defaults": {"kafka_lock": {"path": str(tmp_path / "lock")}},
        "tasks": [
            {
                "block": [
                    {
                        "ansible.builtin.import_tasks": str(tasks / "lock_controllers.yml"),
                        "vars": {"lock_controllers": ["c1"], "lock_hosts": ["c1"]},
                    },
                    {**lost, "vars": away},
                ],
                "always": [{"ansible.builtin.import_tasks": str(tasks / "unlock_controllers.yml")}],
            }
        ],
    }
    local = {"ansible_connection": "local", "ansible_python_interpreter": "{{ ansible_playbook_python }}"}
    hosts: dict[str, Any] = {"kafka": {"hosts": {"k1": {}, "k2": {}, "k3": {}}}, "others": {"hosts": {"c1": {}}}}
    inventory = {"all": {"vars": {**local, "ansible_become": False}, "children": hosts}}
    (tmp_path / "inventory.yml").write_text(yaml.safe_dump(inventory))
    (tmp_path / "play.yml").write_text(yaml.safe_dump([play]))
    return tmp_path


def test_the_lock_is_given_back_although_the_host_that_took_it_is_lost(project: Path) -> None:
    command = ["ansible-playbook", "-i", str(project / "inventory.yml"), str(project / "play.yml")]
    environment = {**os.environ, "ANSIBLE_CONFIG": str(ROOT / "ansible.cfg")}
    ran = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=300)
    assert "k1                         : ok=" in ran.stdout, ran.stdout + ran.stderr
    assert "unreachable=1" in ran.stdout, ran.stdout
    assert (project / "lock.guard").exists()  # it was taken
    assert not (project / "lock").exists(), ran.stdout
