"""Wait until brokers list one another, asked through the client, with a deadline."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from ansible.module_utils.kraft.cluster.client import Client
from ansible.module_utils.kraft.cluster.gather import observe
from ansible.module_utils.kraft.errors import KraftError


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
    address = f"127.0.0.1:{port}"
    try:
        with Client({"bootstrap_servers": [address]}) as client:
            brokers = observe(client, (), address, 2.0).brokers
    except KraftError:
        return set()
    return {broker.node_id for broker in brokers if not broker.fenced}
