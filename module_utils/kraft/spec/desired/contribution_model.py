"""Contributions of other roles to a node, as values. ``contributions.py`` makes and reads them."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any


@dataclasses.dataclass(frozen=True)
class Agent:
    """A jar that the JVM loads beside Kafka: its name on the host, and where it is on the control machine."""

    name: str
    source: str
    sha256: str


@dataclasses.dataclass(frozen=True)
class Contribution:
    """Contribution of another role to a node by its ``variable``. ``files``: their names.

    ``process``: the process that listens on the ports, if it is not Kafka. ``collector``: settings of the collector.
    ``proxy``: the user that the TLS proxy in front of it admits; empty without a proxy.
    """

    variable: str
    jvm_options: tuple[str, ...] = ()
    ports: tuple[int, ...] = ()
    files: tuple[str, ...] = ()
    unit_lines: tuple[str, ...] = ()
    addresses: tuple[str, ...] = ()
    agents: tuple[Agent, ...] = ()
    process: str = ""
    collector: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    proxy: Mapping[str, Any] = dataclasses.field(default_factory=dict)
