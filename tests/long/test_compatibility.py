"""Other versions of ansible-core, and tools around Ansible, each in a separate environment by its lock."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import zlib
from pathlib import Path

import pytest
import yaml

from tests.long import environments
from tests.long.lab_hosts import ROOT, LabHosts, name_of

LOCKS = ROOT / "requirements/compatibility"
PLAYBOOKS = sorted(str(path.relative_to(ROOT)) for path in ROOT.glob("playbooks/*.yml"))
LOCAL = ("-i", str(ROOT / "inventories/local"))
SECRET = "c4n4ry-compatibility"  # noqa: S105 - it is planted to be looked for
#: Version of Python for each lock, as `make lock` has it.
PYTHON = {"oldest": "3.11", "newest": "3.12", "navigator": "3.11", "ara": "3.11"}


def installed(name: str, home: Path) -> Path:
    return environments.installed(LOCKS / f"{name}.lock", home, PYTHON[name])


def run(programs: Path, *line: str, **more: str) -> str:
    """Return the output of a program of an environment, run in the checkout."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ANSIBLE_")}
    environment = {**kept, "PATH": f"{programs}:{os.environ['PATH']}", "NO_COLOR": "1", **more}
    done = subprocess.run(
        [str(programs / line[0]), *line[1:]], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> LabHosts:
    return LabHosts(tmp_path_factory.mktemp("versions"), name_of("core"), ("core1",))


@pytest.mark.parametrize("name", ["oldest", "newest"])
def test_a_version_of_ansible_core_validates_and_deploys(name: str, tmp_path: Path, lab: LabHosts) -> None:
    programs = installed(name, tmp_path)
    wanted = next(line for line in (LOCKS / f"{name}.txt").read_text().splitlines() if "ansible-core==" in line)
    assert f"[core {wanted.partition('==')[2]}]" in run(programs, "ansible", "--version")
    run(programs, "ansible-playbook", *LOCAL, "--syntax-check", "site.yml", *PLAYBOOKS)
    assert "nothing wrong" in run(programs, "ansible-playbook", *LOCAL, "playbooks/validate_inventory.yml")
    try:
        lab.play("main")
        own = lab.inventory(lab.name, lab.hosts, kafka_cluster_id="dmVyc2lvbnMtb2YtY29yZQ")
        program = str(programs / "ansible-playbook")
        for playbook in ("deploy_cluster.yml", "cluster_status.yml"):
            done = lab.run("-i", str(own), f"playbooks/{playbook}", program=program)
            assert done.returncode == 0, done.stdout + done.stderr
        again = lab.run("-i", str(own), "playbooks/deploy_cluster.yml", program=program)
        assert "core1" in again.stdout
        assert "changed=0" in next(line for line in again.stdout.splitlines() if line.startswith("core1 "))
    finally:
        lab.play("destroy")
        shutil.rmtree(ROOT / ".kraftwright" / lab.name, ignore_errors=True)


def test_navigator_runs_a_playbook_without_an_execution_environment(tmp_path: Path) -> None:
    programs = installed("navigator", tmp_path)
    options = ("--execution-environment", "false", "--mode", "stdout", "--playbook-artifact-enable", "false")
    logs = ("--log-file", str(tmp_path / "navigator.log"))
    shown = run(programs, "ansible-navigator", "run", "playbooks/validate_inventory.yml", *LOCAL, *options, *logs)
    assert "3 hosts: nothing wrong" in shown


def test_ara_records_a_run_and_no_secret(tmp_path: Path) -> None:
    """Secrets are in the inventory, as those of users and of the authority are; the run is inspected afterwards."""
    programs = installed("ara", tmp_path)
    own = tmp_path / "inventory"
    shutil.copytree(ROOT / "inventories/local", own)
    variables = own / "group_vars/kafka.yml"
    said = yaml.safe_load(variables.read_text()) | {
        "kafka_archive": str(ROOT / ".cache/kafka/kafka_2.13-4.4.0.tgz"),
        "kafka_security": "tls_scram",
        "kafka_tls": {"passphrase": f"{SECRET}-authority"},
        "kafka_users": [{"name": "verifier", "password": f"{SECRET}-user"}],
        "kafka_client_user": "verifier",
        "kafka_topics": [],
    }
    variables.write_text(yaml.safe_dump(said))
    callbacks = run(programs, "python", "-m", "ara.setup.callback_plugins").strip()
    base = {"ANSIBLE_CALLBACK_PLUGINS": callbacks, "ARA_BASE_DIR": str(tmp_path / "ara")}
    shown = run(programs, "ansible-playbook", "-i", str(own), "playbooks/validate_inventory.yml", **base)
    assert "nothing wrong" in shown
    (play,) = json.loads(run(programs, "ara", "play", "list", "-f", "json", **base))
    assert (play["name"], play["status"]) == ("Validate the inventory", "completed")
    seen = recorded(tmp_path / "ara/ansible.sqlite")
    assert "Validate the inventory of every host" in seen
    assert "SCRAM-SHA-512" in seen, "the desired state, where the secrets would be"
    assert SECRET not in seen


def recorded(path: Path) -> str:
    """All texts of ARA's database; it compresses those that may be long."""
    with sqlite3.connect(path) as database:
        tables = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        rows = [row for name in tables for row in database.execute(f'SELECT * FROM "{name}"')]  # noqa: S608
    return "\n".join(text(value) for row in rows for value in row)


def text(value: object) -> str:
    if not isinstance(value, bytes):
        return str(value)
    return (zlib.decompress(value) if value[:1] == b"x" else value).decode(errors="replace")
