"""Runs that must not begin, as a user starts them: one sentence, no task, no connection, an exit code other than 0."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.integration.matrix import later

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = str(Path(sys.executable).parent / "ansible-playbook")
INVENTORY = str(ROOT / "inventories/example")
THREE_REPLICAS = {"name": "orders", "partitions": 3, "replication_factor": 3}
OWN_SETTINGS = "[defaults]\ninject_facts_as_vars = false\n"


def run(*words: str, folder: Path = ROOT, example: bool = True, **environment: str) -> subprocess.CompletedProcess[str]:
    plain = {name: value for name, value in os.environ.items() if not name.startswith("ANSIBLE_")}
    return subprocess.run(
        [PROGRAM, *(["-i", INVENTORY] if example else []), *words],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={**plain, "NO_COLOR": "1", **environment},
    )


def is_refused(done: subprocess.CompletedProcess[str], said: str) -> bool:
    """Refused in one line, before the first play."""
    lines = [line for line in done.stderr.splitlines() if line]
    return done.returncode == 5 and "PLAY [" not in done.stdout and len(lines) == 1 and said in lines[0]


@pytest.mark.parametrize(
    ("playbook", "options", "said"),
    [
        ("site.yml", ["--tags", "config"], "--tags config cannot be used"),
        ("playbooks/restart_cluster.yml", ["--start-at-task", "Restart node by node"], "--start-at-task 'Restart"),
        ("playbooks/destroy_ec2.yml", ["--skip-tags", "always"], "--skip-tags always cannot be used"),
    ],
)
def test_a_part_of_a_playbook_is_refused(playbook: str, options: list[str], said: str) -> None:
    done = run(playbook, *options)
    assert is_refused(done, said), done.stdout + done.stderr


def test_a_call_from_another_folder_names_the_right_one(tmp_path: Path) -> None:
    done = run(str(ROOT / "site.yml"), folder=tmp_path)
    assert is_refused(done, f"Run it from {ROOT}"), done.stdout + done.stderr


def test_an_ansible_cfg_of_ones_own_finds_roles_and_modules_and_is_held_to_the_same(tmp_path: Path) -> None:
    (tmp_path / "ansible.cfg").write_text(OWN_SETTINGS)
    playbook = str(ROOT / "playbooks/validate_inventory.yml")
    done = run(playbook, folder=tmp_path)
    assert "Validate the inventory of every host" in done.stdout, done.stdout + done.stderr
    assert "kafka_cluster_id" in done.stdout
    assert is_refused(run(playbook, "--tags", "x", folder=tmp_path), "--tags x cannot be used")


def test_a_playbook_of_ones_own_may_use_tags(tmp_path: Path) -> None:
    own = tmp_path / "own.yml"
    own.write_text("- {hosts: localhost, gather_facts: false, tasks: [{debug: {msg: done}, tags: [mine]}]}\n")
    done = run(str(own), "--tags", "mine")
    assert done.returncode == 0, done.stderr
    assert "done" in done.stdout


@pytest.mark.parametrize("playbook", ["deploy_cluster", *later("restart_cluster", "rebalance", "support_bundle")])
def test_a_refused_inventory_is_the_one_thing_that_an_operation_says(playbook: str) -> None:
    done = run(f"playbooks/{playbook}.yml", "-e", '{"kafka_probe": true, "kafka_cluster_name": "no good"}')
    assert "Inventory validation failed" in done.stdout + done.stderr, done.stdout + done.stderr
    assert "kafka_desired'" not in done.stdout + done.stderr
    assert (done.returncode, done.stdout.count("failed=1")) == (2, 1), done.stdout


@pytest.mark.parametrize(
    "given",
    [["kafka_destroy=demo", "kafka_destroy_data=demo"], *later([], ["kafka_destroy=dem"], ["kafka_destroy_data=demo"])],
)
def test_a_cluster_is_destroyed_only_by_its_name_and_its_data_by_their_id(given: list[str]) -> None:
    words = [word for one in given for word in ("-e", one)]
    done = run("-i", str(ROOT / "inventories/local"), "playbooks/destroy_cluster.yml", *words, example=False)
    assert "Give -e kafka_destroy=demo." in done.stdout + done.stderr, done.stdout + done.stderr
    assert "Acquire the run lock" not in done.stdout
    assert done.returncode == 2


def test_a_part_of_a_cluster_is_not_destroyed() -> None:
    words = ["playbooks/destroy_cluster.yml", "-e", "kafka_destroy=demo", "--limit", "kraft1,localhost"]
    done = run("-i", str(ROOT / "inventories/local"), *words, example=False)
    assert "A cluster ends as a whole" in done.stdout + done.stderr, done.stdout + done.stderr
    assert (done.returncode, "Acquire the run lock" in done.stdout) == (2, False)


def test_a_part_of_the_machines_of_a_cluster_is_not_removed(tmp_path: Path) -> None:
    (tmp_path / "hosts.yml").write_text("ec2: {hosts: {k1: {}, k2: {}}}\n")
    words = ["playbooks/destroy_ec2.yml", "--limit", "k1"]
    done = run("-i", str(tmp_path / "hosts.yml"), *words, example=False)
    assert "Leave --limit out" in done.stdout + done.stderr, done.stdout + done.stderr
    assert (done.returncode, "Find all resources" in done.stdout) == (2, False)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "Give -e kafka_add_nodes=<new inventory names> -e kafka_remove_nodes=<old inventory names>"),
        *later(
            ({"kafka_add_nodes": "kraft3", "kafka_remove_nodes": "kraft1,kraft3"}, "no node in both"),
            ({"kafka_add_nodes": "kraft3", "kafka_remove_nodes": "kraft9"}, "kafka_remove_nodes: 'kraft9' is no node"),
            (
                {"kafka_add_nodes": "kraft3", "kafka_remove_nodes": "kraft1", "kafka_topics": [THREE_REPLICAS]},
                "must be from 1 to 2, the number of brokers",
            ),
            (
                {"kafka_add_nodes": "kraft3", "kafka_remove_nodes": "kraft1", "kafka_quorum": "static"},
                "migrate_quorum.yml",
            ),
        ),
    ],
)
def test_a_move_that_cannot_end_well_is_refused(given: dict[str, object], said: str) -> None:
    words = ["playbooks/move_cluster.yml", "-e", json.dumps(given)]
    done = run("-i", str(ROOT / "inventories/local"), *words, example=False)
    assert said in " ".join((done.stdout + done.stderr).split()), done.stdout + done.stderr
    assert "Inspect every host" not in done.stdout
    assert done.returncode == 2


@pytest.mark.parametrize(
    ("playbook", "given", "said"),
    [
        ("drill", {}, "Give -e kafka_drill=demo, and no --limit"),
        *later(
            (
                "drill",
                {"kafka_drill": "demo", "kafka_drill_faults": ["disk_full"], "kafka_drill_seconds": 5},
                "5 is less than 10",
            ),
            ("drill", {"kafka_drill": "demo", "kafka_drill_faults": ["disk_ful"]}, "kafka_drill_faults"),
        ),
        ("maintain_hosts", {}, "names no tasks, and there is no reboot either"),
    ],
)
def test_an_operation_without_what_it_needs_touches_no_host(playbook: str, given: dict[str, object], said: str) -> None:
    words = [f"playbooks/{playbook}.yml", "-e", json.dumps(given)]
    done = run("-i", str(ROOT / "inventories/local"), *words, example=False)
    assert said in " ".join((done.stdout + done.stderr).split()), done.stdout + done.stderr
    assert "Inspect every host" not in done.stdout
    assert done.returncode == 2


def test_tasks_of_a_maintenance_are_read_before_a_node_stops_although_a_limit_leaves_out_this_machine() -> None:
    words = ["playbooks/maintain_hosts.yml", "--limit", "kafka", "-e", "kafka_maintenance_tasks=gone.yml"]
    done = run("-i", str(ROOT / "inventories/local"), *words, example=False)
    assert "gone.yml" in done.stdout + done.stderr, done.stdout + done.stderr
    assert "Acquire the run lock" not in done.stdout
    assert done.returncode == 2


LOST = """
kafka:
  hosts:
    k1: {kafka_node_id: 1, ansible_port: 1, kafka_address: 10.255.0.1}
    k2: {kafka_node_id: 2, ansible_port: 2, kafka_address: 10.255.0.2}
    k3: {kafka_node_id: 3, ansible_port: 3, kafka_address: 10.255.0.3}
  vars:
    ansible_host: 127.0.0.1
    kafka_cluster_name: lost
    kafka_cluster_id: YmVuY2htYXJrLWNsdXN0ZQ
    kafka_profile: test
"""


def test_a_proof_without_an_answer_of_the_nodes_ends_before_spark_and_leaves_no_older_proof(tmp_path: Path) -> None:
    """A host that is lost while its health is awaited has a result of that task, too."""
    (tmp_path / "hosts.yml").write_text(LOST)
    reports = tmp_path / "reports/lost"
    reports.mkdir(parents=True)
    (reports / "cluster_id").write_text("YmVuY2htYXJrLWNsdXN0ZQ")
    for name in ("report.json", "page.html"):
        (reports / name).write_text("{}")
    options = ["-e", "ansible_ssh_retries=0", "-e", f"kafka_smoke_report_dir={reports.parent}"]
    done = run("-i", str(tmp_path / "hosts.yml"), "playbooks/verify_cluster.yml", *options, example=False)
    assert done.returncode != 0
    assert "No answer from k1, k2, k3: nothing is proven" in done.stdout + done.stderr, done.stdout + done.stderr
    assert not (reports / "report.json").exists()
    assert not (reports / "page.html").exists()


def test_features_are_not_finalised_without_a_release(tmp_path: Path) -> None:
    """As with `-e kafka_finalize=$RELEASE` in a shell without that variable."""
    role = {"name": "kafka", "tasks_from": "finalize", "rolespec_validate": False}
    play = {"hosts": "localhost", "gather_facts": False, "tasks": [{"ansible.builtin.include_role": role}]}
    (tmp_path / "play.yml").write_text(json.dumps([play]))
    done = run(str(tmp_path / "play.yml"), "-e", "kafka_finalize=", example=False)
    assert "Give -e kafka_finalize=<release>" in done.stdout + done.stderr, done.stdout + done.stderr
    assert "Wait until each node serves" not in done.stdout
