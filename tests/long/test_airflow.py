"""The sample DAG against a running cluster, from a fresh clone: a first record, then the proof, in five minutes."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml
from confluent_kafka import Producer

from tests.integration.spark_topic import create
from tests.long.environments import installed
from tests.long.lab_hosts import ROOT, LabHosts, temporary

pytestmark = pytest.mark.timeout(1800)
HOSTS = ("airflow1", "airflow2", "airflow3")
MOST_SECONDS = 300


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabHosts]:
    yield from temporary("airflow", HOSTS, tmp_path_factory)


@pytest.fixture(scope="module")
def inventory(lab: LabHosts) -> Path:
    """The running cluster, with its client files, and a topic of one record."""
    own = lab.inventory(lab.name, HOSTS, kafka_cluster_id="YWlyZmxvdy1vZi1sYWItMQ")
    done = lab.run("-i", str(own), "site.yml", "-e", "kafka_smoke_records=5000")
    assert done.returncode == 0, done.stdout + done.stderr
    known = yaml.safe_load((lab.home / "hosts.yml").read_text())["all"]["hosts"]
    servers = ",".join(f"{known[host]['ansible_host']}:9092" for host in HOSTS)
    producer = Producer({"bootstrap.servers": servers})
    producer.produce(create(servers, "orders", 3), b"the first order")
    assert producer.flush(60) == 0
    return own


def cloned(home: Path) -> Path:
    """A clone of this checkout with all that a run from it needs."""
    clone = home / "clone"
    for line in (["git", "clone", "--quiet", str(ROOT), str(clone)], ["make", "--directory", str(clone), "client"]):
        done = subprocess.run(line, env=environment({}), capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    return clone


def environment(more: dict[str, str]) -> dict[str, str]:
    """Return the environment of a shell outside of this checkout, with these variables."""
    strange = ("ANSIBLE_", "PYTHON", "VIRTUAL_ENV", "MAKE", "MFLAGS")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(strange)}
    path = [one for one in kept["PATH"].split(os.pathsep) if not one.startswith(str(ROOT))]
    return {**kept, "PATH": os.pathsep.join(path), **more}


def airflow_of(home: Path, clone: Path, inventory: Path, connection: str) -> Callable[..., str]:
    """Airflow's command, installed from its lock; it returns the output."""
    program = installed(clone / "requirements/samples/airflow.lock", home) / "airflow"
    given = environment(
        {
            "AIRFLOW_HOME": str(home / "airflow-home"),
            "AIRFLOW__CORE__DAGS_FOLDER": str(clone / "samples/airflow"),
            "AIRFLOW__CORE__LOAD_EXAMPLES": "false",
            "KRAFTWRIGHT_HOME": str(clone),
            "KRAFTWRIGHT_INVENTORY": str(inventory),
            "KRAFTWRIGHT_CONNECTION": connection,
        }
    )

    def airflow(*line: str) -> str:
        done = subprocess.run([str(program), *line], env=given, cwd=home, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr

    return airflow


def test_five_minutes_after_the_clone_airflow_has_read_a_record_and_proven_the_cluster(
    lab: LabHosts, inventory: Path, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    connections = ROOT / ".kraftwright" / lab.name / "CLIENT.airflow.json"
    (connection,) = (name for name in json.loads(connections.read_text()) if name.endswith("_consumer"))
    began = time.monotonic()
    clone = cloned(tmp_path)
    airflow = airflow_of(tmp_path, clone, inventory, connection)
    airflow("db", "migrate")
    airflow("connections", "import", str(connections))
    said = airflow("dags", "test", "kraftwright_first_record")
    seconds = time.monotonic() - began
    record_property("seconds_after_the_clone", round(seconds))
    assert "the first order" in said
    report = json.loads((clone / ".kraftwright" / lab.name / "report.json").read_text())
    assert (report["verdict"]["outcome"], report["counts"]["read"]) == ("proven", 200_000)
    assert seconds <= MOST_SECONDS, f"{seconds:.0f} s"
