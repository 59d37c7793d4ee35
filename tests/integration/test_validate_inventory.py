"""The validating playbook as a user runs it: exit codes, table, JSON, no connection, and hardly any time."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.core.inventories import ROOT, example

BIN = Path(sys.executable).parent
COUNTING = '''
"""A local connection that leaves a line for every time it is opened or used."""
import os
from ansible.plugins.connection.local import Connection as Local

DOCUMENTATION = """
name: counting
short_description: a local connection that is counted
description: For tests.
author: Kraftwright
options: {}
"""


def count(what):
    with open(os.environ["COUNTED"], "a") as file:
        file.write(what + "\\n")


class Connection(Local):
    transport = "counting"

    def _connect(self):
        count("connect")
        return super()._connect()

    def exec_command(self, *args, **kwargs):
        count("exec")
        return super().exec_command(*args, **kwargs)
'''
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
    monkeypatch.setenv("ANSIBLE_CONNECTION_PLUGINS", str(tmp_path / "connections"))
    (tmp_path / "connections").mkdir()
    (tmp_path / "connections/counting.py").write_text(COUNTING)


def run(program: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [str(BIN / program), *arguments]
    return subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False, env={**os.environ, **environment}
    )


def validate(inventory: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    playbook = str(ROOT / "playbooks/validate_inventory.yml")
    return run("ansible-playbook", "-i", str(inventory), playbook, *arguments, **environment)


def counted() -> int:
    path = Path(os.environ["COUNTED"])
    return len(path.read_text().splitlines()) if path.exists() else 0


def test_a_sound_inventory_passes_and_shows_its_warnings(tmp_path: Path) -> None:
    done = validate(example(tmp_path))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "3 hosts: 4 warnings" in done.stdout
    assert "is not encrypted" in done.stdout


def test_every_mistake_is_shown_at_once_and_no_connection_is_opened(tmp_path: Path) -> None:
    inventory = example(tmp_path, BROKEN, kafka_min_insync_replicas=4)
    done = validate(inventory, "-e", "ansible_connection=counting")
    assert done.returncode != 0
    words = " ".join(done.stdout.split())
    for said in (
        "did you mean controller?",
        "did you mean kafka_address?",
        "is the id of a, b",
        "is emptied by the system",
        "is above the replication factor, 3",
    ):
        assert said in words, done.stdout
    assert done.stdout.count("did you mean controller?") == 1
    assert counted() == 0
    run("ansible", "-i", str(inventory), "a", "-m", "ping", "-e", "ansible_connection=counting")
    assert counted() > 0, "the count itself does not count"


def test_a_deployment_stops_before_it_opens_a_connection(tmp_path: Path) -> None:
    inventory = example(tmp_path, BROKEN)
    done = run("ansible-playbook", "-i", str(inventory), "site.yml", "-e", "ansible_connection=counting")
    assert done.returncode != 0
    assert "did you mean kafka_address?" in done.stdout
    assert counted() == 0


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


def test_an_empty_inventory_is_refused(tmp_path: Path) -> None:
    done = validate(example(tmp_path, "other: {hosts: {a: }}"))
    assert done.returncode != 0
    assert "No host to validate" in done.stdout


def test_check_mode_says_the_same(tmp_path: Path) -> None:
    assert validate(example(tmp_path / "a"), "--check", "--diff").returncode == 0
    assert validate(example(tmp_path / "b", BROKEN), "--check", "--diff").returncode != 0


def cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def test_it_costs_hardly_more_than_ansible_itself(tmp_path: Path) -> None:
    inventory = example(tmp_path)
    nothing = tmp_path / "nothing.yml"
    nothing.write_text(NOTHING)
    costs: dict[str, list[float]] = {"nothing": [], "validate": []}
    for _ in range(2):
        before = cpu_seconds()
        run("ansible-playbook", "-i", str(inventory), str(nothing))
        between = cpu_seconds()
        validate(inventory)
        costs["nothing"].append(between - before)
        costs["validate"].append(cpu_seconds() - between)
    assert min(costs["validate"]) - min(costs["nothing"]) < 0.7, costs
