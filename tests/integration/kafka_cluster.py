"""A real Kafka cluster on loopback for tests: small JVMs, no containers, nothing left behind.

``KafkaCluster.start(directory, nodes=3)`` formats and starts combined nodes in parallel and returns when every
broker is listed by every other. Nodes are numbered from 1. All waiting has a deadline and shows the nodes' logs.
"""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Self

from ansible.module_utils.kraft.cluster.client import Client
from ansible.module_utils.kraft.cluster.gather import quorum_at

from dist.__main__ import VERSION
from tests.integration.kafka_node import KafkaNode, free_ports, random_id
from tests.integration.kafka_ready import wait_until_listed

START_TIMEOUT = FORMAT_TIMEOUT = 240.0  #: a busy machine needs minutes

SMALL: dict[str, str] = {
    "default.replication.factor": "3",
    "min.insync.replicas": "2",
    "auto.create.topics.enable": "false",
    "auto.leader.rebalance.enable": "false",  # each five minutes it would undo what a test has just seen
    "offsets.topic.num.partitions": "3",
    "offsets.topic.replication.factor": "3",
    "transaction.state.log.num.partitions": "3",
    "transaction.state.log.replication.factor": "3",
    "transaction.state.log.min.isr": "2",
    "transaction.abort.timed.out.transaction.cleanup.interval.ms": "1000",
    "share.coordinator.state.topic.num.partitions": "3",
    "group.initial.rebalance.delay.ms": "0",
    "log.cleaner.dedupe.buffer.size": "4194304",
    "request.timeout.ms": "8000",
    "num.network.threads": "2",
    "num.io.threads": "4",
}


@dataclass
class KafkaCluster:
    """The nodes and what they share. Use ``start`` and, at the end, ``stop``."""

    directory: Path
    cluster_id: str
    nodes: dict[int, KafkaNode]
    properties: dict[str, str] = field(default_factory=dict)
    heap: str = "320m"
    format_options: ClassVar[Sequence[str]] = ()  #: of a subclass: more options for the format tool
    version: ClassVar[str] = VERSION  #: the release of Kafka; a subclass may have another one

    @classmethod
    def start(
        cls,
        directory: Path,
        nodes: int = 3,
        properties: Mapping[str, str] | None = None,
        roles: Mapping[int, Sequence[str]] | None = None,
        heap: str = "320m",
    ) -> Self:
        """Format and start ``nodes`` nodes (all combined unless ``roles`` is given) and wait until ready."""
        cluster = cls.create(directory, nodes, properties, roles, heap)
        try:
            for node_id in cluster.nodes:
                cluster.launch_node(node_id)
            cluster.wait_ready()
        except BaseException:
            cluster.stop()
            raise
        return cluster

    @classmethod
    def create(
        cls,
        directory: Path,
        nodes: int = 3,
        properties: Mapping[str, str] | None = None,
        roles: Mapping[int, Sequence[str]] | None = None,
        heap: str = "320m",
    ) -> Self:
        """Write the files and format every node; start nothing."""
        ports = iter(free_ports(3 * nodes))
        made = {
            node_id: KafkaNode(
                node_id,
                directory / f"node{node_id}",
                next(ports),
                next(ports),
                next(ports),
                random_id(),
                tuple((roles or {}).get(node_id, ("broker", "controller"))),
                version=cls.version,
            )
            for node_id in range(1, nodes + 1)
        }
        cluster = cls(directory, random_id(), made, dict(properties or {}), heap)
        for node in made.values():
            node.write_files(cluster.server_properties(node))
        cluster._format_all()
        return cluster

    @property
    def bootstrap_servers(self) -> str:
        return ",".join(f"127.0.0.1:{n.client_port}" for n in self.nodes.values() if "broker" in n.roles)

    @property
    def controllers(self) -> list[KafkaNode]:
        return [node for node in self.nodes.values() if "controller" in node.roles]

    @property
    def controller_bootstrap(self) -> str:
        return ",".join(f"127.0.0.1:{node.controller_port}" for node in self.controllers)

    @property
    def active_controller(self) -> int:
        """The id of the active controller; each broker has it."""
        with Client({"bootstrap_servers": self.bootstrap_servers.split(",")}) as client:
            return quorum_at(client, client.reach()).leader_id

    @property
    def initial_controllers(self) -> str:
        return ",".join(f"{n.node_id}@127.0.0.1:{n.controller_port}:{n.directory_id}" for n in self.controllers)

    def server_properties(self, node: KafkaNode) -> dict[str, str]:
        """Every property of one node, the test's own last."""
        ours = {"CLIENT": node.client_port, "INTERNAL": node.internal_port} if "broker" in node.roles else {}
        controller = {"CONTROLLER": node.controller_port} if "controller" in node.roles else {}
        listeners = {name: f"{name}://127.0.0.1:{port}" for name, port in {**ours, **controller}.items()}
        broker = {"inter.broker.listener.name": "INTERNAL"} if ours else {}
        return {
            **SMALL,
            **broker,
            "node.id": str(node.node_id),
            "process.roles": ",".join(node.roles),
            "listeners": ",".join(listeners.values()),
            "advertised.listeners": ",".join(listeners[name] for name in (ours or controller)),
            "listener.security.protocol.map": "CLIENT:PLAINTEXT,INTERNAL:PLAINTEXT,CONTROLLER:PLAINTEXT",
            "controller.listener.names": "CONTROLLER",
            "controller.quorum.bootstrap.servers": self.controller_bootstrap,
            "log.dirs": str(node.directory / "data"),
            **self.properties,
        }

    def format_command(self, node: KafkaNode, *form: str) -> list[str]:
        if not form and "controller" in node.roles:
            form = ("--initial-controllers", self.initial_controllers)
        ids = ["--cluster-id", self.cluster_id, "--config", str(node.config), *self.format_options]
        return node.java("96m", "kafka.tools.StorageTool", "format", *ids, *form)

    def _format_all(self) -> None:
        started = [node.spawn(self.format_command(node)) for node in self.nodes.values()]
        for node, process in zip(self.nodes.values(), started):
            if process.wait(timeout=FORMAT_TIMEOUT) != 0:
                raise RuntimeError(f"format of node {node.node_id} failed:\n{node.last_lines()}")

    def launch_node(self, node_id: int) -> None:
        """Start the process of one node and return at once."""
        node = self.nodes[node_id]
        if node.running:
            raise RuntimeError(f"node {node_id} is running already")
        node.process = node.spawn(node.java(self.heap, "kafka.Kafka", str(node.config)))

    def start_node(self, node_id: int) -> None:
        """Start one node and wait until the cluster lists it."""
        self.launch_node(node_id)
        self.wait_ready()

    def stop_node(self, node_id: int, timeout: float = 60.0) -> None:
        """Stop one node in good order (SIGTERM) and wait for it."""
        self._signal(node_id, signal.SIGTERM).wait(timeout)

    def kill_node(self, node_id: int) -> None:
        """Kill one node (SIGKILL), as a power cut does."""
        self._signal(node_id, signal.SIGKILL).wait(10)

    def pause_node(self, node_id: int) -> None:
        """Freeze one node (SIGSTOP): its sockets stay open and do not answer."""
        self._signal(node_id, signal.SIGSTOP)

    def resume_node(self, node_id: int) -> None:
        self._signal(node_id, signal.SIGCONT)

    def wait_ready(self, timeout: float = START_TIMEOUT) -> None:
        """Wait until every running broker lists exactly the running brokers as unfenced."""
        running = [node for node in self.nodes.values() if node.running and "broker" in node.roles]
        ports = {node.node_id: node.client_port for node in running}
        try:
            wait_until_listed(ports, timeout, alive=lambda: all(node.running for node in running))
        except TimeoutError as error:
            logs = "\n".join(f"--- node {n.node_id}:\n{n.last_lines()}" for n in self.nodes.values())
            raise TimeoutError(f"{error}\n{logs}") from None

    def stop(self) -> None:
        """End every process of this cluster, all at once; those that hesitate are killed."""
        alive = [node.process for node in self.nodes.values() if node.process and node.running]
        for process in alive:
            process.send_signal(signal.SIGCONT)
            process.kill()
        for process in alive:
            process.wait(10)

    def _signal(self, node_id: int, number: signal.Signals) -> subprocess.Popen[bytes]:
        process = self.nodes[node_id].process
        if process is None or process.poll() is not None:
            raise RuntimeError(f"node {node_id} does not run")
        process.send_signal(number)
        return process
