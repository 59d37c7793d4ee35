"""The figures that collectors publish, as the tests read them."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ansible.module_utils.kraft.monitoring.catalogue import COLLECTOR, TOPIC, at_level
from ansible.module_utils.kraft.monitoring.collector import NAME

from tests.integration.patience import until

METRICS = {each.name: [each.type, each.help] for each in at_level(TOPIC, COLLECTOR)}
LINE = re.compile(r'^(\w+)(?:\{(?:group|log_dir|topic)="([^"]+)".*\})? (\S+)$', re.MULTILINE)
Values = dict[tuple[str, str], float]


def settings(directory: Path, client: dict[str, Any]) -> dict[str, Any]:
    directory.mkdir(exist_ok=True)
    return {"client": client, "directory": str(directory), "interval": 1, "metrics": METRICS}


def published(directory: Path) -> Values:
    return {(name, label): float(value) for name, label, value in LINE.findall((directory / NAME).read_text())}


def answered(collectors: Callable[[], dict[int, Values]], seconds: float = 60) -> dict[int, Values]:
    """Return what they publish once each question is answered; a busy broker may leave one unanswered."""
    found = until(collectors, lambda seen: not unanswered(seen), seconds)
    assert not unanswered(found), unanswered(found)
    return found


def unanswered(found: dict[int, Values]) -> list[int]:
    return [node_id for node_id, values in found.items() if values["kafka_collector_unanswered", ""]]
