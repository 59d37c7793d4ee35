"""The floor: a bare shell script on all hosts at once, until three brokers answer."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient

from benchmarks.lab import ARCHIVE, SETTINGS, FailedError, Lab

SCRIPT = Path(__file__).with_name("floor.sh")
DEADLINE = 120.0
DIRECTORY_IDS = ("Zmxvb3ItZGlyZWN0b3J5LQ", "Zmxvb3ItZGlyZWN0b3J5Lg", "Zmxvb3ItZGlyZWN0b3J5Lw")
PROPERTIES = """
node.id={node_id}
process.roles=broker,controller
listeners=CLIENT://{address}:9092,INTERNAL://{address}:19092,CONTROLLER://{address}:9093
listener.security.protocol.map=CLIENT:PLAINTEXT,INTERNAL:PLAINTEXT,CONTROLLER:PLAINTEXT
inter.broker.listener.name=INTERNAL
controller.listener.names=CONTROLLER
controller.quorum.bootstrap.servers={bootstrap}
log.dirs=/opt/floor/data
"""


def controllers(addresses: list[str]) -> str:
    """Return ``1@10.0.0.1:9093:<directory id>,…``."""
    found = zip(enumerate(addresses, 1), DIRECTORY_IDS, strict=False)
    return ",".join(f"{node_id}@{address}:9093:{directory}" for (node_id, address), directory in found)


def properties(node_id: int, addresses: list[str]) -> str:
    bootstrap = ",".join(f"{address}:9093" for address in addresses)
    return PROPERTIES.format(node_id=node_id, address=addresses[node_id - 1], bootstrap=bootstrap)


def command(lab: Lab, node_id: int, variables: Mapping[str, Any], addresses: list[str]) -> list[str]:
    path = lab.directory / f"floor-{node_id}.properties"
    path.write_text(properties(node_id, addresses))
    known = str(lab.directory / "lab/known_hosts")
    words = [variables["ansible_host"], variables["ansible_ssh_private_key_file"], known, ARCHIVE, path]
    return [str(word) for word in (SCRIPT, *words, SETTINGS["kafka_cluster_id"], controllers(addresses))]


def wait_for(addresses: list[str]) -> None:
    """Wait until a metadata answer lists as many brokers as there are addresses."""
    admin = AdminClient({"bootstrap.servers": ",".join(f"{each}:9092" for each in addresses), "log_level": 0})
    deadline = time.monotonic() + DEADLINE
    while time.monotonic() < deadline:
        try:
            if len(admin.list_topics(timeout=1).brokers) == len(addresses):
                return
        except KafkaException:
            time.sleep(0.05)
        time.sleep(0.05)
    raise FailedError("the floor's brokers did not answer")


def measured(lab: Lab) -> float:
    """Measure the wall seconds from booted hosts until every broker is listed."""
    hosts = list(lab.addresses().values())
    addresses = [str(each["ansible_host"]) for each in hosts]
    commands = [command(lab, node_id, each, addresses) for node_id, each in enumerate(hosts, 1)]
    began = time.monotonic()
    running = [subprocess.Popen(words) for words in commands]  # noqa: S603
    codes = [process.wait(DEADLINE) for process in running]
    if any(codes):
        raise FailedError("the floor's script failed; see above")
    wait_for(addresses)
    return time.monotonic() - began
