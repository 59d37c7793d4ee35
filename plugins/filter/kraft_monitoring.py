"""Filters of role kafka_metrics: thin names for pure functions of ``module_utils/kraft/monitoring``."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ansible.module_utils

ansible.module_utils.__path__.append(str(Path(__file__).resolve().parents[2] / "module_utils"))

from ansible.module_utils.kraft.monitoring import prometheus
from ansible.module_utils.kraft.monitoring.agent import config_text
from ansible.module_utils.kraft.monitoring.catalogue import COLLECTOR, at_level
from ansible.module_utils.kraft.node.collector import OF_DISTRIBUTION

CORE = Path(prometheus.__file__).resolve().parents[1]
#: The collector's code; these files import the rest of its program.
PROGRAM = ("*.py", "cluster/*.py", "node/**/*.py", "monitoring/*.py")


def kraft_agent_config(level: str, topics: list[str]) -> str:
    """Return the agent's configuration: the catalogue at this level, with the matching topics."""
    return config_text(at_level(level), list(map(str, topics)))  # YAML makes a number of 2026


def kraft_collected(level: str) -> dict[str, list[str]]:
    """Return the metrics that the collector publishes at this level: name -> type and help."""
    return {metric.name: [metric.type, metric.help] for metric in at_level(level, COLLECTOR)}


@functools.lru_cache(maxsize=1)
def kraft_collector_program(_: str) -> str:
    """Return a digest of the collector's code: another digest is another program."""
    paths = sorted(path for pattern in PROGRAM for path in CORE.glob(pattern))
    return hashlib.sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()[:16]


def kraft_exporter(wanted: str, install_dir: str, checksum: str = "") -> dict[str, str]:
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
            "kraft_collected": kraft_collected,
            "kraft_collector_program": kraft_collector_program,
            "kraft_exporter": kraft_exporter,
            "kraft_monitoring_files": prometheus.files,
            "kraft_scraper_files": prometheus.credentials,
        }
