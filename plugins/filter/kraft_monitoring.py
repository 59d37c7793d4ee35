"""Filters of role kafka_metrics: thin names for pure functions of ``module_utils/kraft/monitoring``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import ansible.module_utils

ansible.module_utils.__path__.append(str(Path(__file__).resolve().parents[2] / "module_utils"))

from ansible.module_utils.kraft.monitoring import prometheus
from ansible.module_utils.kraft.monitoring.agent import config_text
from ansible.module_utils.kraft.monitoring.catalogue import at_level


def kraft_agent_config(level: str) -> str:
    """The agent's configuration: what the catalogue has at this level."""
    return config_text(at_level(level))


class FilterModule:
    """Ansible's entry point."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        return {"kraft_agent_config": kraft_agent_config, "kraft_monitoring_files": prometheus.files}
