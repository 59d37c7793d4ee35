"""The run lock of the cluster is released by the host that is then the first, whichever host took it or failed."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
TASKS = ROOT / "playbooks/tasks"
#: By ansible.cfg alone, Ansible would ask a lost host again for a minute.
SETTINGS = {"ANSIBLE_CONFIG": str(ROOT / "ansible.cfg"), "ANSIBLE_SSH_RETRIES": "1"}
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
        pytest.param("kafka", True, failing("true"), id="every host fails", marks=pytest.mark.later),
        pytest.param(
            *("localhost", True, failing("true")),
            id="the proof fails, which runs on this machine alone",
            marks=pytest.mark.later,
        ),
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
    environment = {**os.environ, **SETTINGS}
    ran = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=300)
    assert (tmp_path / "lock.guard").exists(), ran.stdout + ran.stderr  # it was taken
    assert not (tmp_path / "lock").exists(), ran.stdout
    assert ("unreachable=1" in ran.stdout) == (task is LOST), ran.stdout
    assert ("failed=1" in ran.stdout) == (ran.returncode == 2), ran.stdout


def test_a_run_that_a_controller_refuses_does_not_go_on_with_its_other_hosts(tmp_path: Path) -> None:
    """The host with the refused request is out of the play then."""
    other = {
        "run": "pc-1-1f6c2d90",
        "who": "ann@pc",
        "machine": "pc",
        "place": "boot pid",
        "process": "1 1",
        "since": "",
    }
    (tmp_path / "lock").write_text(json.dumps(other))
    acquire = {
        "ansible.builtin.import_tasks": str(TASKS / "lock_controllers.yml"),
        "vars": {"lock_controllers": ["c1", "k1", "k2"], "lock_hosts": ["c1"]},
    }
    change = {"ansible.builtin.file": {"path": str(tmp_path / "changed"), "state": "touch"}}
    release = {"ansible.builtin.import_tasks": str(TASKS / "unlock_controllers.yml")}
    play = {"hosts": "k1,k2", "gather_facts": False, "any_errors_fatal": True, "vars": LOCAL}
    play["module_defaults"] = {"kafka_lock": {"path": str(tmp_path / "lock")}}
    play["tasks"] = [{"block": [acquire, change], "always": [release]}]
    (tmp_path / "inventory.yml").write_text(yaml.safe_dump(INVENTORY))
    (tmp_path / "play.yml").write_text(yaml.safe_dump([play]))
    command = ["ansible-playbook", "-i", str(tmp_path / "inventory.yml"), str(tmp_path / "play.yml")]
    environment = {**os.environ, **SETTINGS}
    ran = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert "c1 is being changed by another run" in ran.stdout + ran.stderr, ran.stdout + ran.stderr
    assert "did not answer" not in ran.stdout + ran.stderr
    assert ran.returncode == 2
    assert not (tmp_path / "changed").exists()
    assert json.loads((tmp_path / "lock").read_text()) == other


def with_paths(tasks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return tasks of a playbook, which import those of a file, for another playbook."""
    key = "ansible.builtin.import_tasks"
    return [{**task, key: str(TASKS.parent / task[key])} for task in tasks]


@pytest.mark.parametrize(
    ("away", "said"),
    [
        pytest.param(["k4", "k5"], "", id="k4", marks=pytest.mark.later),
        pytest.param(["k3", "k4"], "", id="k3"),
        pytest.param(["k3", "k4", "k5"], "No answer from k3, k4, k5", id="k3-k5"),
        pytest.param(["k1", "k2", "k5"], "No answer from k1, k2, k5", id="k1-k5", marks=pytest.mark.later),
    ],
)
def test_a_run_on_some_controllers_needs_the_lock_of_most_of_all(tmp_path: Path, away: list[str], said: str) -> None:
    """Two runs with parts of the controllers do not both apply topics. The one that is refused keeps no host's lock."""
    [play] = yaml.safe_load((ROOT / "playbooks/apply_resources.yml").read_text())
    [envelope] = [task for task in play["tasks"] if "block" in task]
    names = ["k1", "k2", "k3", "k4", "k5"]
    desired = {"kafka_desired": {"cluster": {"controller_hosts": names}}, "cacheable": True}
    locking = {"block": with_paths(envelope["block"][:2]), "always": with_paths(envelope["always"])}
    play["tasks"] = [{"ansible.builtin.set_fact": desired}, locking]
    place = f"{tmp_path}/{{{{ __kafka_lock_host | default(inventory_hostname) }}}}.lock"
    play |= {"become": False, "module_defaults": {"kafka_lock": {"path": place}}}
    hosts = {host: AWAY if host in away else {} for host in names}
    (tmp_path / "inventory.yml").write_text(
        yaml.safe_dump({"all": {"vars": LOCAL, "children": {"kafka": {"hosts": hosts}}}})
    )
    (tmp_path / "play.yml").write_text(yaml.safe_dump([play]))
    command = ["ansible-playbook", "-i", str(tmp_path / "inventory.yml"), str(tmp_path / "play.yml")]
    environment = {**os.environ, **SETTINGS}
    ran = subprocess.run(
        [*command, "--limit", "k1,k2,k3"], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert said in ran.stdout + ran.stderr, ran.stdout + ran.stderr
    assert (ran.returncode == 0) == (not said), ran.stdout + ran.stderr
    assert {path.name for path in tmp_path.glob("*.guard")} == {f"{host}.lock.guard" for host in {*names} - {*away}}
    assert list(tmp_path.glob("*.lock")) == []
