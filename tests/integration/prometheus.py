"""Prometheus on loopback, with the files that `render_monitoring.yml` writes, but a scrape each second."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import types
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from ansible.module_utils.kraft.monitoring import prometheus
from ansible.module_utils.kraft.monitoring.catalogue import COLLECTOR, TOPIC, at_level

from scripts import watchers
from tests.integration.kafka_node import LEASH, free_ports
from tests.integration.metrics_nodes import MeasuredCluster
from tests.integration.patience import until

ROOT = Path(__file__).resolve().parents[2]
DEFAULTS = yaml.safe_load((ROOT / "roles/kafka_metrics/defaults/main.yml").read_text())


@dataclass(frozen=True)
class Prometheus:
    """Prometheus' data; waiting has a deadline."""

    address: str

    def query(self, path: str, **parameters: str) -> Any:
        url = f"http://{self.address}/api/v1/{path}?{urllib.parse.urlencode(parameters)}"
        with urllib.request.urlopen(url, timeout=60) as answer:
            return json.load(answer)["data"]

    def series(self, expression: str) -> list[dict[str, str]]:
        """The labels of what an expression finds now."""
        return [each["metric"] for each in self.query("query", query=expression)["result"]]

    def rules(self) -> list[dict[str, Any]]:
        return [rule for group in self.query("rules")["groups"] for rule in group["rules"]]

    def alerts(self, state: str) -> set[tuple[str, str]]:
        """Name and node id of every alert in a state."""
        found = self.query("alerts")["alerts"]
        labels = [each["labels"] for each in found if each["state"] == state]
        return {(one["alertname"], one.get("node_id", "")) for one in labels}

    def wait_until(self, reached: Callable[[], bool], seconds: float = 240) -> None:
        assert until(reached, seconds=seconds, pause=0.3), (self.alerts("firing"), self.alerts("pending"))


def desired(cluster: MeasuredCluster, beside: Mapping[int, int]) -> dict[str, Any]:
    """The test's nodes as `kafka_desired` describes nodes; `beside`: node id -> port of its node_exporter."""
    nodes: dict[str, Any] = {}
    for node_id, node in cluster.nodes.items():
        host, port = cluster.address(node_id).split(":")
        contributed: dict[str, dict[str, Any]] = {
            "contributed_addresses": {prometheus.GIVER: [host]},
            "contributed_ports": {prometheus.GIVER: [int(port)]},
        }
        if node_id in beside:
            contributed["contributed_addresses"][prometheus.HOST_GIVER] = ["127.0.0.1"]
            contributed["contributed_ports"][prometheus.HOST_GIVER] = [beside[node_id]]
        nodes[f"kafka{node_id}"] = {"node_id": node_id, "rack": None, "roles": list(node.roles), **contributed}
    return {"cluster": {"name": "watched"}, "nodes": nodes}


@contextmanager
def collecting(cluster: MeasuredCluster, directory: Path) -> Iterator[dict[int, int]]:
    """Run collector and node_exporter of each broker as separate processes; node id -> port of node_exporter."""
    metrics = {each.name: [each.type, each.help] for each in at_level(TOPIC, COLLECTOR)}
    launch = "import sys, ansible.module_utils as m; m.__path__.append('module_utils'); "
    launch += "from ansible.module_utils.kraft.monitoring.collector import main; main(sys.argv[1])"
    ports, processes = dict[int, int](), []
    for node_id, node in cluster.nodes.items():
        if "broker" in node.roles:
            place = directory / f"collector{node_id}"
            place.mkdir()
            client = {"bootstrap_servers": [f"127.0.0.1:{node.internal_port}"]}
            given = {"client": client, "directory": str(place), "interval": 1, "metrics": metrics}
            settings = directory / f"collector{node_id}.json"
            settings.write_text(json.dumps(given))
            (ports[node_id],) = free_ports(1)
            listen = [f"--web.listen-address=127.0.0.1:{ports[node_id]}", f"--collector.textfile.directory={place}"]
            for command in (
                [sys.executable, "-c", launch, str(settings)],
                [watchers.tool("prometheus-node-exporter"), *listen],
            ):
                quiet = subprocess.DEVNULL
                processes.append(subprocess.Popen([*LEASH, *command], cwd=ROOT, stdout=quiet, stderr=quiet))
    try:
        yield ports
    finally:
        for process in processes:
            process.kill()
            process.wait(10)


@contextmanager
def watching(
    cluster: MeasuredCluster, directory: Path, beside: Mapping[int, int] = types.MappingProxyType({})
) -> Iterator[Prometheus]:
    """A Prometheus that scrapes the cluster's nodes."""
    for name, text in prometheus.files(desired(cluster, beside), DEFAULTS).items():
        (directory / name).write_text(re.sub(r"interval: \d+s", "interval: 1s", text))
    made = Prometheus(watchers.free_address())
    with (directory / "prometheus.log").open("wb") as log:
        command = [*LEASH, *watchers.prometheus(directory, directory / "data", made.address)]
        process = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        yield made
    finally:
        process.kill()
        process.wait(10)
