"""Role kafka_smoke against a cluster that gives no answer: its end is complete although the topic cannot be removed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import yaml
from ansible.module_utils.kraft.spec.desired.node_client import client_parameter

ROOT = Path(__file__).resolve().parents[2]
NOWHERE = "127.0.0.1:1"
CLUSTER_ID = "YmVuY2htYXJrLWNsdXN0ZQ"
LOCAL = {"ansible_connection": "local", "ansible_python_interpreter": sys.executable, "ansible_become": False}


def test_a_proof_without_an_answer_is_reported_and_gives_the_directory_of_reports_back(tmp_path: Path) -> None:
    (tmp_path / "client").mkdir()
    (tmp_path / "client/kafka_python.zip").symlink_to(ROOT / ".cache/client/kafka_python.zip")
    listener = {"name": "CLIENT", "address": NOWHERE, "protocol": "PLAINTEXT", "purpose": "inter_broker"}
    cluster = {
        "name": "silent",
        "cluster_id": CLUSTER_ID,
        "version": "4.4.0",
        "bootstrap_servers": NOWHERE,
        "node_client": client_parameter([listener], str(tmp_path), CLUSTER_ID),
        "broker_ids": [1],
        "default_replication_factor": 1,
    }
    desired = {"kafka_desired": {"cluster": cluster, "nodes": {}}, "cacheable": True}
    role = {"ansible.builtin.import_role": {"name": "kafka_smoke"}, "vars": {"kafka_smoke_broker": "node1"}}
    play = {"hosts": "localhost", "gather_facts": False, "module_defaults": {"kafka_topic": {"timeout": 1}}}
    play["tasks"] = [{"ansible.builtin.set_fact": desired}, role]
    (tmp_path / "hosts.yml").write_text(yaml.safe_dump({"kafka": {"hosts": {"node1": LOCAL}}}))
    (tmp_path / "play.yml").write_text(yaml.safe_dump([play]))
    command = [str(ROOT / ".venv/bin/ansible-playbook"), "-i", "hosts.yml", "play.yml"]
    done = subprocess.run(
        [*command, "-e", f"kafka_smoke_report_dir={tmp_path}"],
        cwd=tmp_path,
        env={**os.environ, "ANSIBLE_CONFIG": str(ROOT / "ansible.cfg")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2, done.stdout + done.stderr
    assert "Cluster silent: not verified in this run." in done.stdout, done.stdout + done.stderr
    assert json.loads((tmp_path / "silent/run.lock").read_text() or "null") is None
