"""The validating playbook as a user runs it: exit codes, table, JSON, no connection, and hardly any time."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from tests.integration.matrix import later
from tests.unit.spec.inventories import ROOT, example

BIN = Path(sys.executable).parent
#: Seen by every Python of a run, Ansible's workers among them: each connection that is opened, by whatever code.
HOOK = """
import os, sys

def note(event, arguments):
    if event == "socket.connect":
        with open(os.environ["COUNTED"], "a") as file:
            file.write(f"connect {arguments[1]}\\n")

sys.addaudithook(note)
"""
#: In the place of ssh: leaves a line, and connects to no host.
SSH = """#!/bin/sh
echo "ssh $*" >>"$COUNTED"
exit 255
"""
BROKEN = """
kafka:
  hosts:
    a: {kafka_node_id: 1, kafka_process_roles: [broker, controler]}
    b: {kafka_node_id: 1, kafka_adress: 10.0.0.1}
    c: {kafka_node_id: 3, kafka_log_dirs: [/tmp/kafka]}
"""
NOTHING = "- {hosts: localhost, connection: local, gather_facts: false, tasks: [{debug: {msg: nothing}}]}\n"


@pytest.fixture(autouse=True)
def _plain_output(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "140")
    monkeypatch.setenv("COUNTED", str(tmp_path / "counted"))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "hook"))
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    for place, text in {"hook/sitecustomize.py": HOOK, "bin/ssh": SSH}.items():
        (tmp_path / place).parent.mkdir()
        (tmp_path / place).write_text(text)
        (tmp_path / place).chmod(0o755)


def run(program: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [str(BIN / program), *arguments]
    return subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False, env={**os.environ, **environment}
    )


def validate(inventory: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    playbook = str(ROOT / "playbooks/validate_inventory.yml")
    return run("ansible-playbook", "-i", str(inventory), playbook, *arguments, **environment)


def counted() -> list[str]:
    """Every connection of the runs so far, and every ssh that was started."""
    path = Path(os.environ["COUNTED"])
    return path.read_text().splitlines() if path.exists() else []


def test_a_sound_inventory_passes_and_shows_its_warnings(tmp_path: Path) -> None:
    done = validate(example(tmp_path))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "3 hosts: 3 warnings" in done.stdout
    assert "is not encrypted" in done.stdout


def test_every_mistake_is_shown_at_once_and_no_connection_is_opened(tmp_path: Path) -> None:
    inventory = example(tmp_path, BROKEN, kafka_min_insync_replicas=4)
    done = validate(inventory)
    assert done.returncode != 0
    words = " ".join(done.stdout.split())
    for said in (
        "did you mean controller?",
        "did you mean kafka_address?",
        "The id is used by a, b",
        "is a temporary directory",
        "is above the replication factor, 3",
    ):
        assert said in words, done.stdout
    assert done.stdout.count("did you mean controller?") == 1
    assert counted() == []


def test_a_contribution_is_judged_with_the_inventory(tmp_path: Path) -> None:
    given = {"ports": [9092], "files": [{"name": "other.yml", "content": "{{ nobody_defines_it }}"}]}
    done = validate(example(tmp_path, kafka_contribution_one={"ports": [9092]}, kafka_contribution_two=given))
    assert done.returncode != 0
    words = " ".join(done.stdout.split())
    assert all(said in words for said in ("The port is used by CLIENT, kafka_contribution_one", "nobody_defines_it")), (
        words
    )
    assert counted() == []


EVERY_WAY = ["site", *later("playbooks/deploy_cluster", "playbooks/restart_cluster", "playbooks/verify_cluster")]


@pytest.mark.parametrize("playbook", EVERY_WAY)
def test_reports_of_another_cluster_stop_a_run_before_it_opens_a_connection(tmp_path: Path, playbook: str) -> None:
    reports = tmp_path / "reports" / "example"
    reports.mkdir(parents=True)
    (reports / "report.json").write_text(json.dumps({"cluster": {"cluster_id": "b3RoZXItY2x1c3Rlci1pZA"}}))
    inventory = example(tmp_path, kafka_smoke_report_dir=str(reports.parent))
    done = run("ansible-playbook", "-i", str(inventory), f"{playbook}.yml")
    assert done.returncode != 0
    words = "".join(done.stdout.split())
    for said in ("b3RoZXItY2x1c3Rlci1pZA", "nq3DoF4lQiqcqPnYvYPP7g", "kafka_cluster_name", f"mv{reports}"):
        assert said in words, done.stdout
    assert [path.name for path in reports.iterdir()] == ["report.json"]
    assert counted() == []
    (reports / "report.json").write_text(json.dumps({"cluster": {"cluster_id": "nq3DoF4lQiqcqPnYvYPP7g"}}))
    assert validate(inventory).returncode == 0


@pytest.mark.parametrize("playbook", ["playbooks/verify_cluster", "site"])
def test_a_part_of_a_cluster_is_not_proven(tmp_path: Path, playbook: str) -> None:
    done = run("ansible-playbook", "-i", str(example(tmp_path)), f"{playbook}.yml", "--limit", "node1")
    assert done.returncode == 5
    assert "--limit node1 cannot be used" in " ".join((done.stdout + done.stderr).split())
    assert "PLAY" not in done.stdout
    assert counted() == []


def test_what_counts_connections_counts_them(tmp_path: Path) -> None:
    run(
        "ansible",
        "-i",
        str(example(tmp_path)),
        "node1",
        "-m",
        "ping",
        ANSIBLE_SSH_RETRIES="0",
    )
    assert any(line.startswith("ssh ") for line in counted())
    connect = "import socket; socket.socket().connect_ex(('127.0.0.1', 1))"
    run("python", "-c", connect)
    assert any(line.startswith("connect ") for line in counted())


def test_a_deployment_stops_before_it_opens_a_connection(tmp_path: Path) -> None:
    inventory = example(tmp_path, BROKEN)
    done = run("ansible-playbook", "-i", str(inventory), "site.yml")
    assert done.returncode != 0
    assert "did you mean kafka_address?" in done.stdout
    assert counted() == []


def test_programs_get_json_and_nothing_else(tmp_path: Path) -> None:
    quiet = {"ANSIBLE_STDOUT_CALLBACK": "community.general.null"}
    done = validate(example(tmp_path, BROKEN), "-e", "kafka_report=json", **quiet)
    found = json.loads(done.stdout)
    assert done.returncode != 0
    assert found["errors"] == 4
    assert {(each["host"], each["variable"]) for each in found["problems"] if each["severity"] == "error"} == {
        ("a", "kafka_process_roles[1]"),
        ("a, b", "kafka_node_id"),
        ("b", "kafka_adress"),
        ("c", "kafka_log_dirs[0]"),
    }


LOCKED = """
kafka_heap_size: !vault |
  $ANSIBLE_VAULT;1.1;AES256
  36383938313566316137346537343361616436623866633432343064306338343133323161366566
  3162636130646130633434306661323030373433376535370a313162626264613265633663356235
"""


def test_a_secret_without_its_key_is_a_mistake_like_others(tmp_path: Path) -> None:
    inventory = example(tmp_path, kafka_min_insync_replicas=4)
    (inventory / "group_vars/kafka/zzz.yml").write_text(LOCKED)
    done = validate(inventory, COLUMNS="400")
    words = " ".join(done.stdout.split())
    assert done.returncode != 0
    for said in ("is above the replication factor, 3", "no vault secrets found", "give the vault's password"):
        assert said in words, done.stdout


def test_an_empty_inventory_is_refused(tmp_path: Path) -> None:
    inventory = example(tmp_path, "other: {hosts: {a: }}")
    done = validate(inventory)
    assert done.returncode != 0
    assert "No host to validate" in done.stdout
    done = validate(inventory, "-e", "kafka_report=json", ANSIBLE_STDOUT_CALLBACK="community.general.null")
    assert [each["rule"] for each in json.loads(done.stdout)["problems"]] == ["no_host"]


def test_facts_that_outlive_a_run_are_refused(tmp_path: Path) -> None:
    cache = {"ANSIBLE_CACHE_PLUGIN": "ansible.builtin.jsonfile", "ANSIBLE_CACHE_PLUGIN_CONNECTION": str(tmp_path / "c")}
    done = validate(example(tmp_path), COLUMNS="400", **cache)
    assert done.returncode != 0
    assert "run with ANSIBLE_CACHE_PLUGIN=memory" in " ".join(done.stdout.split())


def test_check_mode_says_the_same(tmp_path: Path) -> None:
    assert validate(example(tmp_path / "a"), "--check", "--diff").returncode == 0
    assert validate(example(tmp_path / "b", BROKEN), "--check", "--diff").returncode != 0


def cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@pytest.mark.later
def test_it_costs_hardly_more_than_ansible_itself(tmp_path: Path) -> None:
    inventory = example(tmp_path)
    nothing = tmp_path / "nothing.yml"
    nothing.write_text(NOTHING)
    costs: dict[str, list[float]] = {"nothing": [], "validate": []}
    for _ in range(3):
        before = cpu_seconds()
        run("ansible-playbook", "-i", str(inventory), str(nothing))
        between = cpu_seconds()
        validate(inventory)
        costs["nothing"].append(between - before)
        costs["validate"].append(cpu_seconds() - between)
    # A share of the same minute's cost: seconds of a processor grow with what else runs. It is 1.5 to 1.8.
    assert min(costs["validate"]) < 2.5 * min(costs["nothing"]), costs
