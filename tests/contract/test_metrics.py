"""The catalogue of metrics, its page, the role and the lock agree."""

from __future__ import annotations

from pathlib import Path

import yaml

from dist import __main__ as dist
from dist import locks
from scripts import render_metrics

ROOT = Path(__file__).resolve().parents[2]


def test_the_page_is_that_of_the_catalogue() -> None:
    assert render_metrics.PAGE.read_text() == render_metrics.page(), "run scripts/render_metrics.py"


def test_the_role_takes_the_agent_that_is_locked() -> None:
    (agent,) = locks.read(dist.METRICS_LOCK)
    role = ROOT / "roles/kafka_metrics"
    contribution = (role / "meta/contribution.yml").read_text()
    assert agent.sha256 in contribution
    assert contribution.count(f"metrics-{agent.version}.jar") == 2
    assert yaml.safe_load((role / "defaults/main.yml").read_text())["kafka_metrics_agent"].endswith(f"/{agent.jar}")
