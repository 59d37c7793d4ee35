"""Locks of the cluster's controllers are given back, also where every host of the play has failed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

TASKS = Path(__file__).resolve().parents[3] / "playbooks/tasks/unlock_controllers.yml"
MODULE = """#!/usr/bin/python
from ansible.module_utils.basic import AnsibleModule
module = AnsibleModule(argument_spec={"state": {"type": "str"}})
with open(LOG, "a") as log:
    log.write(module.params["state"] + "\\n")
module.exit_json(changed=False)
"""
PLAY = """
- hosts: HOSTS
  gather_facts: false
  any_errors_fatal: true
  tasks:
    - ansible.builtin.set_fact: {__kafka_locked_cluster: {results: [{granted: true, __kafka_lock_host: c1}]}}
      when: inventory_hostname == ansible_play_hosts[0]
    - block:
        - ansible.builtin.assert: {that: "THAT"}
      always:
        - ansible.builtin.import_tasks: TASKS
"""


@pytest.mark.parametrize(
    ("hosts", "that"),
    [
        pytest.param("localhost", "false", id="the proof, which only this machine does"),
        pytest.param("a,b", "false", id="every host"),
        pytest.param("a,b", "inventory_hostname != 'a'", id="the first host"),
        pytest.param("a,b", "true", id="none"),
    ],
)
def test_locks_are_given_back_once(tmp_path: Path, hosts: str, that: str) -> None:
    (tmp_path / "kafka_lock.py").write_text(MODULE.replace("LOG", repr(str(tmp_path / "log"))))
    (tmp_path / "play.yml").write_text(PLAY.replace("TASKS", str(TASKS)).replace("HOSTS", hosts).replace("THAT", that))
    (tmp_path / "hosts.yml").write_text(
        f"all: {{vars: {{ansible_connection: local, ansible_python_interpreter: {sys.executable}, "
        "ansible_become: false}, hosts: {a: , b: }, children: {kafka: {hosts: {c1: }}}}\n"
    )
    (tmp_path / "ansible.cfg").write_text("[defaults]\nlibrary = .\n")
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ANSIBLE_")}
    done = subprocess.run(
        ["ansible-playbook", "-i", "hosts.yml", "play.yml"],
        cwd=tmp_path,
        env=kept,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (tmp_path / "log").read_text() == "released\n", done.stdout + done.stderr
