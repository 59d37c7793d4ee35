"""The notebook draws a real run of the probe, in an environment by its lock."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from spark_jobs.probe import process
from tests.integration.kafka_cluster import KafkaCluster
from tests.long.environments import installed
from tests.long.lab_hosts import ROOT

NOTEBOOK = ROOT / "samples/notebook/run.ipynb"
PLOTS = {"Latency", "Leaders", "Faults"}
PNG = b"\x89PNG"


@pytest.fixture(scope="module")
def kafka(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaCluster]:
    cluster = KafkaCluster.start(tmp_path_factory.mktemp("kafka"))
    yield cluster
    cluster.stop()


@pytest.fixture(scope="module")
def run(kafka: KafkaCluster, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A probe's directory; a broker was killed and started again while it worked."""
    home = tmp_path_factory.mktemp("probe")
    wanted = {"bootstrap_servers": kafka.bootstrap_servers, "cluster": "c", "partitions": 6, "rate": 120}
    (home / "wanted.json").write_text(json.dumps(wanted))
    line = [sys.executable, "-m", "spark_jobs.probe", "start", "--home", str(home), "--config"]
    subprocess.run([*line, str(home / "wanted.json")], cwd=ROOT, check=True)
    left = process.find(home)
    assert left is not None
    time.sleep(2)  # something to compare with
    kafka.kill_node(2)
    kafka.start_node(2)
    time.sleep(2)
    assert process.stop(home, 60)
    return left.directory


def test_the_notebook_draws_latency_leaders_and_faults(run: Path, tmp_path: Path) -> None:
    programs = installed(ROOT / "requirements/samples/notebook.lock", tmp_path)
    line = [str(programs / "jupyter"), "execute", str(NOTEBOOK), f"--output={tmp_path / 'drawn'}"]
    environment = {**os.environ, "RUN": str(run), "PATH": f"{programs}:{os.environ['PATH']}"}
    done = subprocess.run(line, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    drawn: dict[str, Any] = json.loads((tmp_path / "drawn.ipynb").read_text())
    titles, pictures, said = set(), 0, ""
    for cell in drawn["cells"]:
        titles |= PLOTS & {"".join(cell["source"]).partition("\n")[0].removeprefix("## ")}
        for output in cell.get("outputs", ()):
            data = output.get("data", {})
            pictures += "image/png" in data and base64.b64decode(data["image/png"]).startswith(PNG)
            said += "".join(data.get("text/plain", ()))
    assert (titles, pictures) == (PLOTS, 3)
    assert "99%" in said  # of the table of latencies
    assert "trouble" in said  # the killed broker
