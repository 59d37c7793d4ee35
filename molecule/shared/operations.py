"""The operations of a scenario's vars/operations.yml, and the cluster that they are applied to."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from sweeps import random_deaths, taken

#: Seconds after which even the fastest run has taken its lock.
LOCKED_SECONDS = 4.0


@dataclass(frozen=True)
class Nodes:
    """The key ``cluster`` there: the nodes that are never renamed, and paths on them.

    ``controllers``: host -> port of those that are no brokers. ``port``: the brokers' listener for clients.
    """

    name: str
    hosts: Sequence[str]
    brokers: Sequence[int]
    voters: Sequence[int]
    controllers: Mapping[str, int] = field(default_factory=dict)
    port: int = 9092
    install: str = "/opt/kafka"
    metadata: str = "/opt/kafka/kraft-logs/kafka-logs1"
    log_dirs: str = "/opt/kafka/kraft-logs/*"


@dataclass(frozen=True)
class Operation:
    """One entry of ``operations``; molecule/day_two/vars/operations.yml explains the fields."""

    name: str
    playbook: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    once: Mapping[str, Any] = field(default_factory=dict)
    beside: str = ""
    adopt: bool = False
    forget: str = ""
    machine: str = ""
    gone: str = ""
    before: Mapping[str, str] = field(default_factory=dict)
    after: Mapping[str, str] = field(default_factory=dict)
    predicted: bool = False
    kill: Mapping[str, Any] = field(default_factory=dict)
    kills: int = 0
    lasts: float = 0
    rerun: Mapping[str, Any] = field(default_factory=dict)
    idle: str = ""
    seen: Mapping[str, str] = field(default_factory=dict)
    told: str = ""
    starts: int | None = 0
    again: bool = False
    together: int = 0
    release: str = ""
    unchanged: bool = False
    hosts: Sequence[str] = ()
    brokers: Sequence[int] = ()
    voters: Sequence[int] = ()
    port: int = 0
    probed: bool = True

    def moments(self, seed: int) -> Iterator[Mapping[str, Any]]:
        """Yield the moments of the runs that die, in order; the same for the same `seed`. A named moment comes first.

        After a random death the work continues, on a host or in Kafka, and a named moment may never come.

        Each run continues where the one before has died. So random points of the operation, which ``lasts`` a number
        of seconds, are as far apart as the deaths: all of them repeat the part before the lock.
        """
        drawn = random.Random(f"{seed} {self.name}")  # noqa: S311 - moments, not secrets
        points = sorted(drawn.uniform(0, self.lasts) for _ in range(random_deaths(self.kills)))
        deaths = [{"after": LOCKED_SECONDS + at - last} for last, at in zip([0.0, *points], points)]
        yield from [self.kill] if self.kill else []
        yield from deaths


def load(scenario: Path) -> tuple[Nodes, list[Operation]]:
    """Return the cluster and the operations of this sweep."""
    content = yaml.safe_load((scenario / "vars/operations.yml").read_text())
    return Nodes(**content["cluster"]), [Operation(**entry) for entry in taken(content["operations"])]


def seed() -> int:
    """Return the seed of the random moments: ``KRAFT_SWEEP_SEED``, else drawn."""
    return int(os.environ.get("KRAFT_SWEEP_SEED") or random.SystemRandom().randrange(1 << 16))
