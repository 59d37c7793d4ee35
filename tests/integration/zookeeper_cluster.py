"""A Kafka cluster of the time of ZooKeeper on loopback: one ZooKeeper and its brokers, from the locked jars.

Such clusters are no longer installed. Tests copy from one, as users who migrate do.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic, sleep
from typing import Self

from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient

from dist import __main__ as dist
from dist import kafka
from tests.integration.kafka_node import JVM, LEASH, free_ports

START_SECONDS = 120.0
LOG4J = """
log4j.rootLogger=INFO, file
log4j.appender.file=org.apache.log4j.FileAppender
log4j.appender.file.File={path}
log4j.appender.file.layout=org.apache.log4j.PatternLayout
log4j.appender.file.layout.ConversionPattern=[%d] %p %m (%c)%n
"""
ZOOKEEPER = {"admin.enableServer": "false", "clientPortAddress": "127.0.0.1", "tickTime": "500"}
SMALL = {
    "auto.create.topics.enable": "false",
    "group.initial.rebalance.delay.ms": "0",
    "log.cleaner.backoff.ms": "500",
    "log.cleaner.dedupe.buffer.size": "4194304",
    "num.io.threads": "4",
    "num.network.threads": "2",
    "offsets.topic.num.partitions": "3",
    "offsets.topic.replication.factor": "1",
    "transaction.state.log.min.isr": "1",
    "transaction.state.log.num.partitions": "3",
    "transaction.state.log.replication.factor": "1",
    "zookeeper.connection.timeout.ms": "90000",  # ZooKeeper and brokers are started at the same time
}


@dataclass
class ZooKeeperCluster:
    """ZooKeeper, brokers from 1, and their processes. Use ``start`` and, at the end, ``stop``."""

    directory: Path
    version: str
    zookeeper_port: int
    ports: dict[int, int]
    properties: Mapping[str, str] = field(default_factory=dict)
    listeners: str = ""
    processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict, repr=False)

    @classmethod
    def start(
        cls,
        directory: Path,
        version: str,
        brokers: int = 1,
        properties: Mapping[str, str] | None = None,
        listeners: str = "",
    ) -> Self:
        """Return when every broker is listed. Brokers have a configured id: ``broker.id``, as it was.

        `listeners`: those of a single broker beside PLAINTEXT, as ``,LOGIN://127.0.0.1:9094``.
        """
        zookeeper, *ports = free_ports(1 + brokers)
        cluster = cls(directory, version, zookeeper, dict(enumerate(ports, 1)), properties or {}, listeners)
        try:
            cluster.launch_zookeeper()
            for broker in cluster.ports:
                cluster.launch_broker(broker)
            cluster.wait_ready()
        except BaseException:
            cluster.stop()
            raise
        return cluster

    @property
    def bootstrap_servers(self) -> str:
        return ",".join(f"127.0.0.1:{port}" for port in self.ports.values())

    def launch_zookeeper(self) -> None:
        data = {"clientPort": str(self.zookeeper_port), "dataDir": str(self.directory / "zookeeper/data")}
        self._launch("zookeeper", "org.apache.zookeeper.server.quorum.QuorumPeerMain", "96m", {**ZOOKEEPER, **data})

    def launch_broker(self, broker: int) -> None:
        """Start the process of one broker and return at once."""
        listener = f"PLAINTEXT://127.0.0.1:{self.ports[broker]}{self.listeners}"
        own = {
            "broker.id": str(broker),
            "listeners": listener,
            "log.dirs": str(self.directory / f"broker{broker}/data"),
            "zookeeper.connect": f"127.0.0.1:{self.zookeeper_port}",
        }
        self._launch(f"broker{broker}", "kafka.Kafka", "320m", {**SMALL, **own, **self.properties})

    def wait_ready(self) -> None:
        """Wait until brokers list one another."""
        admin, deadline = AdminClient({"bootstrap.servers": self.bootstrap_servers, "log_level": 0}), monotonic()
        deadline += START_SECONDS
        while monotonic() < deadline:
            for name, process in self.processes.items():
                assert process.poll() is None, f"{name} ended:\n{self.last_lines(name)}"
            with suppress(KafkaException):
                if admin.list_topics(timeout=2).brokers.keys() == self.ports.keys():
                    return
            sleep(0.1)
        logs = "\n".join(f"--- {name}:\n{self.last_lines(name)}" for name in self.processes)
        raise TimeoutError(f"not all of {sorted(self.ports)} are listed after {START_SECONDS:.0f} s\n{logs}")

    def last_lines(self, name: str, count: int = 15) -> str:
        files = [self.directory / name / file for file in ("console.log", "server.log")]
        text = "".join(file.read_text(errors="replace") for file in files if file.exists())
        return "\n".join(text.splitlines()[-count:])

    def stop(self) -> None:
        """End every process of this cluster, all at once."""
        for process in self.processes.values():
            process.kill()
        for process in self.processes.values():
            process.wait(10)

    def _launch(self, name: str, main: str, heap: str, properties: Mapping[str, str]) -> None:
        place = self.directory / name
        place.mkdir(parents=True, exist_ok=True)
        config, logging = place / "server.properties", place / "log4j.properties"
        config.write_text("".join(f"{key}={value}\n" for key, value in sorted(properties.items())))
        logging.write_text(LOG4J.format(path=place / "server.log"))
        jars = f"{kafka.jars(self.version, dist.CACHE)}/*"
        java = [shutil.which("java") or "java", f"-Xmx{heap}", *JVM, f"-Dlog4j.configuration=file:{logging}"]
        with (place / "console.log").open("ab") as console:
            self.processes[name] = subprocess.Popen(
                [*LEASH, *java, "-cp", jars, main, str(config)], cwd=place, stdout=console, stderr=subprocess.STDOUT
            )
