"""A small project whose playbooks run on this machine, to see the timeline callback in real runs."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]

FILES = {
    "ansible.cfg": f"""
[defaults]
action_plugins = action
roles_path = roles
callback_plugins = {ROOT}/plugins/callback
callbacks_enabled = kraft_timeline
localhost_warning = false
""",
    "inventory": """
[kafka]
kraft1 ansible_connection=local
kraft2 ansible_connection=local
[gone]
kraft9 ansible_connection=local
""",
    "action/kafka_desired.py": """
from ansible.plugins.action import ActionBase
class ActionModule(ActionBase):
    def run(self, tmp=None, task_vars=None):
        cluster = {"name": self._task.args["name"], "cluster_id": "id-of-the-test"}
        return {"ansible_facts": {"kafka_desired": {"cluster": cluster}}}
""",
    "action/kafka_pause.py": """
import time
from ansible.plugins.action import ActionBase
class ActionModule(ActionBase):
    def run(self, tmp=None, task_vars=None):
        time.sleep(0.1)
        gone = task_vars["inventory_hostname"] == "kraft9"
        return {"changed": self._task.args.get("changed", False), "unreachable": gone}
""",
    "action/kafka_probe.py": """
from ansible.plugins.action import ActionBase
class ActionModule(ActionBase):
    def run(self, tmp=None, task_vars=None):
        return {"directory": self._task.args["directory"]}
""",
    "roles/kafka/tasks/validate.yml": """
- {name: Work out the desired state, kafka_desired: {name: blue}, run_once: true}
""",
    "roles/kafka/tasks/install.yml": """
- {name: Unpack the release, kafka_pause: {changed: true}}
- {name: Never run, kafka_pause: {}, when: false}
""",
    "roles/kafka/tasks/roll.yml": """
- {name: Roll, ansible.builtin.include_tasks: restart_batch.yml, loop: [kraft2], run_once: true}
""",
    "roles/kafka/tasks/restart_batch.yml": """
- {name: Restart the node, kafka_pause: {}, delegate_to: "{{ item }}"}
""",
    "roles/kafka_smoke/tasks/main.yml": """
- {name: Prove, kafka_pause: {}}
""",
    "playbooks/deploy_cluster.yml": """
- hosts: kafka
  gather_facts: false
  tasks:
    - {import_role: {name: kafka, tasks_from: validate}}
    - {import_role: {name: kafka, tasks_from: install}}
    - {import_role: {name: kafka, tasks_from: roll}}
    - {import_role: {name: kafka_smoke}}
""",
    "playbooks/verify_cluster.yml": """
- hosts: kafka
  gather_facts: false
  tasks:
    - {import_role: {name: kafka, tasks_from: validate}}
    - {import_role: {name: kafka_smoke}}
""",
    "playbooks/probed.yml": """
- hosts: kafka
  gather_facts: false
  tasks:
    - {name: Before, kafka_pause: {}, run_once: true}
    - {name: Start, kafka_probe: {directory: "{{ probed }}"}, run_once: true}
    - {name: Loop, kafka_pause: {}, loop: [kraft2, kraft1], delegate_to: "{{ item }}", run_once: true}
    - {name: Loop over one, kafka_pause: {}, loop: [kraft2], delegate_to: "{{ item }}", run_once: true}
    - {name: Stop, kafka_probe: {directory: "{{ probed }}", state: stopped}, run_once: true}
    - {name: After, kafka_pause: {}, run_once: true}
""",
    "playbooks/break.yml": """
- hosts: kraft1:kraft9
  gather_facts: false
  tasks:
    - {name: Say something, kafka_pause: {}}
    - {name: Fail here, ansible.builtin.fail: {msg: broken}}
""",
}


def make_project(root: Path) -> Path:
    """Writes the project's files below ``root``."""
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def play(project: Path, playbook: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("ANSIBLE_", "KRAFTWRIGHT_"))}
    return subprocess.run(
        [ROOT / ".venv/bin/ansible-playbook", "-i", "inventory", f"playbooks/{playbook}.yml", *arguments],
        cwd=project,
        env={**clean, "ANSIBLE_CONFIG": str(project / "ansible.cfg"), "NO_COLOR": "1", **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]
