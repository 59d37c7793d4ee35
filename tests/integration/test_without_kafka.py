"""A host without a deployment: status and bundle name the cause, with the real modules and without a change."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = str(Path(sys.executable).parent / "ansible-playbook")
NAME = "never-deployed"
NOWHERE = "/srv/kraftwright-never-deployed"


@pytest.fixture(scope="module")
def inventory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """This machine as the only node, at an address that it does not have: no run gets past the preflight."""
    folder = tmp_path_factory.mktemp("never")
    variables = {
        "ansible_connection": "local",
        "ansible_python_interpreter": sys.executable,
        "kafka_cluster_name": NAME,
        "kafka_cluster_id": "bmV2ZXItZGVwbG95ZWQtMA",
        "kafka_profile": "test",
        "kafka_accepted_risks": ["single_controller", "single_replica"],
        "kafka_install_dir": f"{NOWHERE}/kafka",
        "kafka_log4j_dir": f"{NOWHERE}/log",
        "kafka_log_dirs": [f"{NOWHERE}/data"],
    }
    content = {"kafka": {"hosts": {"n1": {"kafka_node_id": 1, "kafka_address": "10.77.0.1"}}, "vars": variables}}
    (folder / "hosts.yml").write_text(yaml.safe_dump(content))
    return folder


def run(inventory: Path, playbook: str, code: int) -> str:
    plain = {name: value for name, value in os.environ.items() if not name.startswith("ANSIBLE_")}
    command = [PROGRAM, "-i", str(inventory / "hosts.yml"), f"playbooks/{playbook}.yml"]
    environment = {**plain, "NO_COLOR": "1"}
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, env=environment)
    assert (done.returncode, "Traceback" in done.stdout + done.stderr) == (code, False), done.stdout + done.stderr
    assert not Path(NOWHERE).exists()
    return done.stdout


def test_the_status_names_the_cause_and_the_command_that_deploys(inventory: Path) -> None:
    text = run(inventory, "cluster_status", 2)
    found = json.loads((ROOT / f".kraftwright/{NAME}/status.json").read_text())
    assert [one["rule"] for one in found["causes"]] == ["not_deployed"]
    step = f"ansible-playbook -i {inventory}/hosts.yml site.yml"
    assert [one["command"] for one in found["causes"][0]["steps"]] == [step]
    assert (found["drifted"], found["compared"]) == (False, True)
    assert step in text
    assert "journalctl" not in text


@pytest.mark.later
def test_the_bundle_is_made_without_kafka(inventory: Path) -> None:
    run(inventory, "support_bundle", 0)
    assert list((ROOT / f".kraftwright/{NAME}").glob(f"support-{NAME}-*.tar.gz"))
