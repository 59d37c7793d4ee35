"""Filters of the contributions of roles kafka_metrics and kafka_collector: names for functions of ``monitoring``."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import ansible.module_utils

ansible.module_utils.__path__.append(str(Path(__file__).resolve().parents[2] / "module_utils"))

from ansible.module_utils.kraft.monitoring import catalogue
from ansible.module_utils.kraft.monitoring.agent import config_text
from ansible.module_utils.kraft.monitoring.catalogue import COLLECTOR, at_level
from ansible.module_utils.kraft.node.other_services.collector_service import OF_DISTRIBUTION

CORE = Path(catalogue.__file__).resolve().parents[1]
#: The collector's code; these files import the rest of its program.
PROGRAM = ("*.py", "cluster/*.py", "node/**/*.py", "monitoring/*.py")


def kraft_agent_config(level: str, topics: list[str]) -> str:
    """Return the agent's configuration: the catalogue at this level, with the matching topics."""
    return config_text(at_level(level), list(map(str, topics)))  # YAML makes a number of 2026


def kraft_collector(level: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the collector's part of a contribution: its metrics at this level, a digest of its code, the exporter.

    `options`: ``interval``, ``topics``, ``exporter`` with its ``checksum``, and ``install_dir``.
    """
    return {
        "interval": options["interval"],
        "metrics": {metric.name: [metric.type, metric.help] for metric in at_level(level, COLLECTOR)},
        "program": _program(),
        "topics": options["topics"],
        **_exporter(str(options["exporter"]), options["install_dir"], options["checksum"]),
    }


@functools.lru_cache(maxsize=1)
def _program() -> str:
    """Return a digest of the collector's code: another digest is another program."""
    paths = sorted(path for pattern in PROGRAM for path in CORE.glob(pattern))
    return hashlib.sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()[:16]


def _exporter(wanted: str, install_dir: str, checksum: str) -> dict[str, str]:
    """Return the program of node_exporter, and its archive; nothing if one runs already."""
    if wanted == "present":
        return {}
    if wanted == "distribution":
        return {"exporter": OF_DISTRIBUTION}
    home = f"{install_dir}/node_exporter/{Path(wanted).name.removesuffix('.tar.gz')}"
    return {"exporter": f"{home}/node_exporter", "archive": wanted, "checksum": checksum}


class FilterModule:
    """Ansible's entry point."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        return {
            "kraft_agent_config": kraft_agent_config,
            "kraft_collector": kraft_collector,
        }
