"""Prometheus on loopback, with the files that `render_monitoring.yml` writes, but a scrape each second."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import time
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ansible.module_utils.kraft.monitoring import prometheus

from tests.integration.kafka_node import LEASH, free_ports
from tests.integration.metrics_nodes import MeasuredCluster

ROOT = Path(__file__).resolve().parents[2]


def tool(name: str) -> str:
    """Of the distribution, or unpacked by ``scripts/bootstrap``."""
    return shutil.which(name) or str(ROOT / ".cache/tools" / name)


@dataclass(frozen=True)
class Prometheus:
    """What it knows; waiting has a deadline."""

    address: str

    def ask(self, path: str, **parameters: str) -> Any:
        url = f"http://{self.address}/api/v1/{path}?{urllib.parse.urlencode(parameters)}"
        with urllib.request.urlopen(url, timeout=10) as answer:
            return json.load(answer)["data"]

    def series(self, expression: str) -> list[dict[str, str]]:
        """The labels of what an expression finds now."""
        return [each["metric"] for each in self.ask("query", query=expression)["result"]]

    def rules(self) -> list[dict[str, Any]]:
        return [rule for group in self.ask("rules")["groups"] for rule in group["rules"]]

    def alerts(self, state: str) -> set[tuple[str, str]]:
        """Name and node id of every alert in a state."""
        found = self.ask("alerts")["alerts"]
        labels = [each["labels"] for each in found if each["state"] == state]
        return {(one["alertname"], one.get("node_id", "")) for one in labels}

    def wait_until(self, reached: Callable[[], bool], seconds: float = 60) -> None:
        deadline = time.monotonic() + seconds
        while not reached():
            assert time.monotonic() < deadline, (self.alerts("firing"), self.alerts("pending"))
            time.sleep(0.3)


def desired(cluster: MeasuredCluster) -> dict[str, Any]:
    """The test's nodes as `kafka_desired` describes nodes."""
    nodes: dict[str, Any] = {}
    for node_id, node in cluster.nodes.items():
        host, port = cluster.address(node_id).split(":")
        contributed = {
            "contributed_addresses": {prometheus.GIVER: [host]},
            "contributed_ports": {prometheus.GIVER: [int(port)]},
        }
        nodes[f"kafka{node_id}"] = {"node_id": node_id, "rack": None, "roles": list(node.roles), **contributed}
    return {"cluster": {"name": "watched"}, "nodes": nodes}


@contextmanager
def watching(cluster: MeasuredCluster, directory: Path) -> Iterator[Prometheus]:
    """A Prometheus that scrapes the cluster's nodes."""
    for name, text in prometheus.files(desired(cluster)).items():
        (directory / name).write_text(re.sub(r"interval: \d+s", "interval: 1s", text))
    made = Prometheus(f"127.0.0.1:{free_ports(1)[0]}")
    places = [f"--config.file={directory / 'prometheus.yml'}", f"--storage.tsdb.path={directory / 'data'}"]
    with (directory / "prometheus.log").open("wb") as log:
        command = [*LEASH, tool("prometheus"), *places, f"--web.listen-address={made.address}"]
        process = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        yield made
    finally:
        process.kill()
        process.wait(10)
