"""The run lock of the cluster is released by the host that is then the first, whichever host took it or failed."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
TASKS = ROOT / "playbooks/tasks"
LOCAL = {
    "ansible_connection": "local",
    "ansible_python_interpreter": "{{ ansible_playbook_python }}",
    "ansible_become": False,
}
AWAY = {"ansible_connection": "ssh", "ansible_host": "127.0.0.1", "ansible_port": 1}
INVENTORY = {
    "all": {
        "vars": LOCAL,
        "children": {"kafka": {"hosts": {"k1": {}, "k2": {}, "k3": {}}}, "others": {"hosts": {"c1": {}}}},
    }
}


def failing(condition: str) -> dict[str, Any]:
    """Return a task that fails on the hosts for which the condition is true."""
    return {"name": "Fail", "ansible.builtin.assert": {"that": f"not ({condition})"}}


LOST = {"name": "Lose k1", "ansible.builtin.ping": {}, "when": "inventory_hostname == 'k1'", "vars": AWAY}


@pytest.mark.parametrize(
    ("hosts", "fatal", "task"),
    [
        pytest.param("kafka", False, LOST, id="the host that took it is lost"),
        pytest.param("kafka", True, failing("inventory_hostname == 'k1'"), id="the host that took it fails"),
        pytest.param("kafka", True, failing("true"), id="every host fails"),
        pytest.param("localhost", True, failing("true"), id="the proof fails, which runs on this machine alone"),
        pytest.param("kafka", True, failing("false"), id="no host fails"),
    ],
)
def test_the_lock_of_a_controller_outside_of_the_play_is_released(
    tmp_path: Path, hosts: str, fatal: bool, task: dict[str, Any]
) -> None:
    play = {
        "hosts": hosts,
        "gather_facts": False,
        "any_errors_fatal": fatal,
        "module_defaults": {"kafka_lock": {"path": str(tmp_path / "lock")}},
        "vars": LOCAL,
        "tasks": [
            {
                "block": [
                    {
                        "ansible.builtin.import_tasks": str(TASKS / "lock_controllers.yml"),
                        "vars": {"lock_controllers": ["c1"], "lock_hosts": ["c1"]},
                    },
                    task,
                ],
                "always": [{"ansible.builtin.import_tasks": str(TASKS / "unlock_controllers.yml")}],
            }
        ],
    }
    (tmp_path / "inventory.yml").write_text(yaml.safe_dump(INVENTORY))
    (tmp_path / "play.yml").write_text(yaml.safe_dump([play]))
    command = ["ansible-playbook", "-v", "-i", str(tmp_path / "inventory.yml"), str(tmp_path / "play.yml")]
    environment = {**os.environ, "ANSIBLE_CONFIG": str(ROOT / "ansible.cfg")}
    ran = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=300)
    assert (tmp_path / "lock.guard").exists(), ran.stdout + ran.stderr  # it was taken
    assert not (tmp_path / "lock").exists(), ran.stdout
    assert ("unreachable=1" in ran.stdout) == (task is LOST), ran.stdout
    assert ("failed=1" in ran.stdout) == (ran.returncode == 2), ran.stdout
