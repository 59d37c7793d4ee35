"""Observes a cluster from outside during an operation: nodes that are down, and replicas in sync."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from kafka import KafkaAdminClient
from kafka.errors import KafkaError

STEP_SECONDS = 0.1
ANSWER_SECONDS = 1.0
#: Replicas that must have a record before it is acknowledged, by every inventory of these scenarios.
MIN_IN_SYNC = 2


@dataclass
class Seen:
    """``down``: sets of nodes that were down at the same time. ``short``: partition -> fewest replicas in sync.

    ``looks`` at partitions; ``errors`` of a client that happened to query a node that went down.
    """

    down: set[frozenset[str]] = field(default_factory=set)
    short: dict[str, int] = field(default_factory=dict)
    looks: int = 0
    errors: int = 0

    @property
    def most_down(self) -> int:
        return max(map(len, self.down), default=0)


@contextmanager
def watching(addresses: Mapping[str, tuple[str, int]], bootstrap: list[str]) -> Iterator[Seen]:
    """Watch those ``addresses`` (host, port) that answer now, and partitions through ``bootstrap``, meanwhile."""
    seen, over = Seen(), threading.Event()
    nodes = {name: address for name, address in addresses.items() if _listens(address)}
    watchers = [
        threading.Thread(target=_watch_nodes, args=(nodes, seen, over)),
        threading.Thread(target=_watch_partitions, args=(bootstrap, seen, over)),
    ]
    for watcher in watchers:
        watcher.start()
    try:
        yield seen
    finally:
        over.set()
        for watcher in watchers:
            watcher.join()


def _watch_nodes(addresses: Mapping[str, tuple[str, int]], seen: Seen, over: threading.Event) -> None:
    while not over.wait(STEP_SECONDS):
        seen.down.add(frozenset(name for name, address in addresses.items() if not _listens(address)))


def _listens(address: tuple[str, int]) -> bool:
    try:
        with socket.create_connection(address, timeout=ANSWER_SECONDS):
            return True
    except OSError:
        return False


def _watch_partitions(bootstrap: list[str], seen: Seen, over: threading.Event) -> None:
    while not over.is_set():
        try:
            with KafkaAdminClient(bootstrap_servers=bootstrap, request_timeout_ms=5000) as admin:
                while not over.wait(STEP_SECONDS):
                    _look(admin.describe_topics(), seen)
        except (KafkaError, OSError):
            seen.errors += 1
            time.sleep(STEP_SECONDS)


def _look(topics: list[dict[str, Any]], seen: Seen) -> None:
    """Note partitions that have too few replicas in sync."""
    seen.looks += 1
    for topic in topics:
        for partition in topic["partitions"]:
            in_sync = len(partition["isr_nodes"])
            if in_sync < min(MIN_IN_SYNC, len(partition["replica_nodes"])):
                name = f"{topic['name']}-{partition['partition_index']}"
                seen.short[name] = min(in_sync, seen.short.get(name, in_sync))
