"""Nodes of a test's own cluster, as the lessons act on them: processes on loopback, without a packet filter."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from dataclasses import dataclass
from typing import Any

from spark_jobs.lessons import on_tmp
from spark_jobs.lessons.lab import Lab, Place
from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.kafka_home import kafka_home


@dataclass
class LocalNodes:
    """Signals to the processes of a cluster."""

    cluster: KafkaCluster

    def freeze(self, node_id: int) -> None:
        self.cluster.pause_node(node_id)

    def thaw(self, node_id: int) -> None:
        if self.cluster.nodes[node_id].running:
            self.cluster.resume_node(node_id)

    def kill(self, node_id: int) -> None:
        self.cluster.kill_node(node_id)

    def revive(self, node_id: int) -> None:
        if not self.cluster.nodes[node_id].running:
            self.cluster.launch_node(node_id)

    def close_controller(self, node_id: int) -> None:
        """Do nothing: the nodes and we are on the same host."""

    def open_controller(self, node_id: int) -> None:
        """Do nothing."""

    def on_tmp(self) -> dict[str, Any]:
        line = [sys.executable, on_tmp.__file__, shutil.which("java") or "java", f"{kafka_home()}/libs/*"]
        done = subprocess.run(line, capture_output=True, text=True, timeout=200, check=False)
        assert done.returncode == 0, done.stderr
        found: dict[str, Any] = json.loads(done.stdout)
        return found


def lab_of(cluster: KafkaCluster, run: str) -> Lab:
    places = {
        node.node_id: Place(f"127.0.0.1:{node.client_port}", f"127.0.0.1:{node.controller_port}")
        for node in cluster.nodes.values()
    }
    return Lab(places, LocalNodes(cluster), {}, run)
