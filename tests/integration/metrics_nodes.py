"""Nodes of a test cluster with the agent of the metrics, and what they publish."""

from __future__ import annotations

import re
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from ansible.module_utils.kraft.monitoring.agent import config_text
from ansible.module_utils.kraft.monitoring.catalogue import NODE, at_level

from dist import __main__ as dist
from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.kafka_node import free_ports

#: A series as the agent writes it, or the type of those that follow.
LINE = re.compile(r"^(?:# TYPE (\w+) (\w+)|(\w+)(?:\{(.*)\})? \S+)$", re.MULTILINE)
TWO_COPIES = {"default.replication.factor": "2", "offsets.topic.replication.factor": "2"}  #: there may be two brokers


@dataclass(frozen=True)
class Series:
    """A series that was scraped; its labels as text."""

    name: str
    labels: str
    type: str


@dataclass
class MeasuredCluster(KafkaCluster):
    """A cluster whose nodes answer to Prometheus; ``agent_config`` is the agent's file."""

    agent_config: Path = Path()
    ports: dict[int, int] = field(default_factory=dict)

    def address(self, node_id: int) -> str:
        """Return the address of the node's agent."""
        return f"127.0.0.1:{self.ports.setdefault(node_id, free_ports(1)[0])}"

    def launch_node(self, node_id: int) -> None:
        node = self.nodes[node_id]
        agent = f"-javaagent:{dist.metrics(dist.CACHE)}={self.address(node_id)}:{self.agent_config}"
        command = node.java(self.heap, "kafka.Kafka", str(node.config))
        java = command.index("java") + 1
        node.process = node.spawn([*command[:java], agent, *command[java:]])


@contextmanager
def measured(directory: Path, roles: Mapping[int, Sequence[str]]) -> Iterator[MeasuredCluster]:
    """A running cluster that publishes what belongs to its nodes."""
    made = MeasuredCluster.create(directory, len(roles), TWO_COPIES, roles)
    made.agent_config = directory / "metrics.yml"
    made.agent_config.write_text(config_text(at_level(NODE)))
    try:
        for node_id in made.nodes:
            made.launch_node(node_id)
        made.wait_ready()
        yield made
    finally:
        made.stop()


def scrape(address: str) -> list[Series]:
    """Every series that an agent publishes."""
    with urllib.request.urlopen(f"http://{address}/metrics", timeout=120) as answer:
        text = answer.read().decode()
    found, kinds = [], dict[str, str]()
    for of, kind, name, labels in LINE.findall(text):
        if of:
            kinds[of] = kind
        else:
            found.append(Series(name, labels, kinds.get(name, "")))
    return found
