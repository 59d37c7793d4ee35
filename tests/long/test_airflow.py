"""The sample DAG, run by Airflow with the connection file of a run. A stand-in takes the place of ansible-playbook."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

from ansible.module_utils.kraft.spec.desired.client_files import client_files
from confluent_kafka import Producer

from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.secured_cluster import ONE_COPY
from tests.integration.spark_topic import create
from tests.long.environments import installed
from tests.long.lab_hosts import ROOT

STAND_IN = '#!/bin/sh\nprintf "%s\\n" "$ANSIBLE_CONFIG" "$@" > "$(dirname "$0")/given"\n'


def orders(cluster: KafkaCluster) -> None:
    """Make a topic with one record."""
    servers = {"bootstrap.servers": cluster.bootstrap_servers}
    create(cluster.bootstrap_servers, "orders", 3, replicas=1)
    producer = Producer(servers)
    producer.produce("orders", b"the first order")
    assert producer.flush(60) == 0


def test_airflow_reads_the_first_record_and_runs_the_proof_of_the_cluster(tmp_path: Path) -> None:
    programs = installed(ROOT / "requirements/samples/airflow.lock", tmp_path)
    stand_in = tmp_path / "checkout/.venv/bin/ansible-playbook"
    stand_in.parent.mkdir(parents=True)
    stand_in.write_text(STAND_IN)
    stand_in.chmod(0o755)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("ANSIBLE_", "PYTHON"))}
    environment = {
        **kept,
        "AIRFLOW_HOME": str(tmp_path / "home"),
        "AIRFLOW__CORE__DAGS_FOLDER": str(ROOT / "samples/airflow"),
        "AIRFLOW__CORE__LOAD_EXAMPLES": "false",
        "KRAFTWRIGHT_HOME": str(tmp_path / "checkout"),
        "KRAFTWRIGHT_INVENTORY": "inventories/mine",
    }

    def airflow(*line: str) -> str:
        command = [str(programs / "airflow"), *line]
        done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr

    cluster = KafkaCluster.start(tmp_path / "cluster", 1, properties=ONE_COPY)
    try:
        orders(cluster)
        listener = {"bootstrap.servers": cluster.bootstrap_servers, "security.protocol": "PLAINTEXT"}
        connections = client_files("demo", {"CLIENT": listener}, {}, lambda _: "")["CLIENT.airflow.json"] or ""
        assert set(json.loads(connections)) == {"kafka_demo_client_producer", "kafka_demo_client_consumer"}
        (tmp_path / "CLIENT.airflow.json").write_text(connections)
        airflow("db", "migrate")
        airflow("connections", "import", str(tmp_path / "CLIENT.airflow.json"))
        said = airflow("dags", "test", "kraftwright_first_record")
    finally:
        cluster.stop()
    assert "the first order" in said
    given = (stand_in.parent / "given").read_text().split()
    config = f"{tmp_path}/checkout/ansible.cfg"
    assert given == [config, "-i", "inventories/mine", "playbooks/verify_cluster.yml"]
