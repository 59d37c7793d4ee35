"""Role kafka_smoke against the test cluster: proves it without a change, and keeps away from topics of others."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible.module_utils.kraft.spec.desired.node_client import client_parameter
from confluent_kafka.admin import AdminClient

from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.patience import until
from tests.integration.spark_topic import create

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Control:
    """A control machine with the desired state of the test cluster, whose hosts are all this machine, too.

    The state is given as a fact: an inventory of one machine with three nodes would be refused.
    """

    directory: Path
    cluster: KafkaCluster

    def write(self) -> None:
        (self.directory / "client").mkdir()
        (self.directory / "client/kafka_python.zip").symlink_to(ROOT / ".cache/client/kafka_python.zip")
        host = {
            "ansible_connection": "local",
            "ansible_python_interpreter": sys.executable,
            "kafka_install_dir": str(self.directory),
        }
        hosts = {f"node{node_id}": host for node_id in self.cluster.nodes}
        (self.directory / "hosts.yml").write_text(yaml.safe_dump({"kafka": {"hosts": hosts}}))
        (self.directory / "play.yml").write_text(yaml.safe_dump([self.play()]))

    def play(self) -> dict[str, Any]:
        role = {"name": "kafka_smoke"}
        return {
            "name": "Write, read and compare the records",
            "hosts": "localhost",
            "tasks": [
                {"ansible.builtin.set_fact": {"kafka_desired": self.desired(), "cacheable": True}},
                {"ansible.builtin.import_role": role, "vars": {"kafka_smoke_broker": "node1"}},
            ],
        }

    def desired(self) -> dict[str, Any]:
        cluster = {
            "name": "role",
            "cluster_id": self.cluster.cluster_id,
            "version": "4.4.0",
            "bootstrap_servers": self.cluster.bootstrap_servers,
            "node_client": client_parameter(
                [
                    {"name": "CLIENT", "address": address, "protocol": "PLAINTEXT", "purpose": "inter_broker"}
                    for address in self.cluster.bootstrap_servers.split(",")
                ],
                str(self.directory),
                self.cluster.cluster_id,
            ),
            "client_options": {},
            "passwords_file": "",
            "clients": {
                "CLIENT": {"bootstrap.servers": self.cluster.bootstrap_servers, "security.protocol": "PLAINTEXT"}
            },
            "broker_ids": sorted(self.cluster.nodes),
            "default_replication_factor": 3,
        }
        nodes = {
            f"node{node_id}": {"properties": {"node.id": str(node_id)}, "certificate": {}}
            for node_id in self.cluster.nodes
        }
        return {"cluster": cluster, "nodes": nodes}

    def run(self, *arguments: str, **variables: Any) -> subprocess.CompletedProcess[str]:
        more = {"kafka_smoke_report_dir": str(self.directory), "kafka_smoke_records": 5000, **variables}
        command = ROOT / ".venv/bin/ansible-playbook"
        line = [str(command), "-i", "hosts.yml", "play.yml", "-e", json.dumps(more), *arguments]
        environment = {**os.environ, "ANSIBLE_CONFIG": str(ROOT / "ansible.cfg"), "ANSIBLE_FORCE_COLOR": "0"}
        return subprocess.run(
            line, cwd=self.directory, env=environment, capture_output=True, text=True, timeout=400, check=False
        )

    def smoke_topics(self) -> set[str]:
        """Those of this role; brokers hear of a removal one after the other."""
        return until(
            lambda: {one for one in self.topics() if one.startswith("kraftwright-smoke")}, lambda found: not found, 30
        )

    def topics(self) -> set[str]:
        return set(AdminClient({"bootstrap.servers": self.cluster.bootstrap_servers}).list_topics(timeout=10).topics)


@pytest.fixture
def control(kafka_cluster: KafkaCluster, tmp_path: Path) -> Control:
    made = Control(tmp_path, kafka_cluster)
    made.write()
    return made


def changed(done: subprocess.CompletedProcess[str]) -> int:
    counted = re.findall(r"changed=(\d+)", done.stdout)
    assert counted, done.stdout + done.stderr
    return sum(map(int, counted))


def test_a_run_proves_the_cluster_changes_nothing_and_leaves_a_page(control: Control) -> None:
    done = control.run()
    assert done.returncode == 0, done.stdout + done.stderr
    assert changed(done) == 0
    report = json.loads((control.directory / "role/report.json").read_text())
    assert report["verdict"]["outcome"] == "proven"
    assert report["counts"]["read"] == 5000
    assert len(report["per_broker"]) == 3
    assert report["settings"].keys() == {"node1", "node2", "node3"}
    assert (control.directory / "role/page.html").stat().st_size > 10_000
    assert (control.directory / "role/CLIENT.properties").read_text().splitlines() == [
        f"bootstrap.servers={control.cluster.bootstrap_servers}",
        "security.protocol=PLAINTEXT",
    ]
    kinds = {"producer.properties", "kcat.conf", "librdkafka.json", "kafka_python.json", "spark.json", "airflow.json"}
    first = control.cluster.bootstrap_servers.split(",")[0]
    assert not [kind for kind in kinds if first not in (control.directory / f"role/CLIENT.{kind}").read_text()]
    assert control.smoke_topics() == set()


def test_a_wrong_setting_is_named_and_the_runs_own_topic_alone_is_removed(control: Control) -> None:
    """A topic of the very name, and that of another run, are there before and after."""
    others = {"kraftwright-proof", "kraftwright-proof-261127T1422abcde"}
    for name in others:
        create(control.cluster.bootstrap_servers, name, 2)
    done = control.run(kafka_smoke_topic="kraftwright-proof", kafka_smoke_record_bytes=10)
    assert "record_bytes: 10 must be a number from 85" in done.stdout
    assert {name for name in control.topics() if name.startswith("kraftwright-proof")} == others
    done = control.run(kafka_smoke_record_bytes=10)
    assert done.returncode != 0
    assert "record_bytes: 10 must be a number from 85" in done.stdout
    assert control.smoke_topics() == set()


def test_settings_reach_spark_submit_and_one_that_is_a_secret_is_refused(control: Control) -> None:
    done = control.run(kafka_smoke_spark_settings={"spark.executor.memory": "512m", "spark.ssl.keyPassword": "x"})
    assert done.returncode != 0
    assert "spark.ssl.keyPassword is a secret" in done.stdout, done.stdout
    assert control.smoke_topics() == set()


def test_check_mode_writes_nothing(control: Control) -> None:
    done = control.run("--check")
    assert done.returncode == 0, done.stdout + done.stderr
    assert changed(done) == 0
    assert control.smoke_topics() == set()
    assert not (control.directory / "role/report.json").exists()
