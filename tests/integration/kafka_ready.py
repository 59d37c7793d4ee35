"""Wait until brokers list one another, asked through the client, with a deadline."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Mapping

from kafka import KafkaAdminClient
from kafka.errors import KafkaError


def wait_until_listed(ports: Mapping[int, int], timeout: float, alive: Callable[[], bool]) -> None:
    """Return when each broker of ``ports`` (id → port on loopback) lists exactly these ids as unfenced."""
    deadline = time.monotonic() + timeout
    for node_id, port in ports.items():
        while (listed := _unfenced(port)) != set(ports):
            if not alive():
                raise TimeoutError(f"a node ended while broker {node_id} listed {listed}")
            if time.monotonic() > deadline:
                raise TimeoutError(f"broker {node_id} lists {listed} of {set(ports)} after {timeout:.0f} s")
            time.sleep(0.1)


def _unfenced(port: int) -> set[int]:
    if not _listening(port):
        return set()
    try:
        with KafkaAdminClient(bootstrap_servers=f"127.0.0.1:{port}", bootstrap_timeout_ms=2000) as admin:
            brokers = admin.describe_cluster()["brokers"]
    except (KafkaError, OSError):
        return set()
    return {broker["broker_id"] for broker in brokers if not broker["is_fenced"]}


def _listening(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(0.5)
        return probe.connect_ex(("127.0.0.1", port)) == 0
