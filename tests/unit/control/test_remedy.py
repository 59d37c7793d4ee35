"""The last line of a run that failed on the nodes."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from plugins.callback.kraft_remedy import CallbackModule


def failed(action: str) -> Any:
    return SimpleNamespace(task=SimpleNamespace(action=action), result={"msg": "two brokers are missing"})


def said(monkeypatch: pytest.MonkeyPatch, action: str, ignored: bool = False, failures: int = 1) -> list[str]:
    callback, lines = CallbackModule(), list[str]()
    monkeypatch.setattr(callback, "_display", SimpleNamespace(display=lines.append))
    callback.v2_runner_on_failed(failed(action), ignored)
    callback.v2_playbook_on_stats(SimpleNamespace(failures={"kafka1": failures}))
    return lines


def test_a_run_that_failed_on_the_nodes_says_how_to_collect_what_helps(monkeypatch: pytest.MonkeyPatch) -> None:
    (line,) = said(monkeypatch, "kafka_health")
    assert "playbooks/support_bundle.yml" in line


@pytest.mark.parametrize(
    ("action", "ignored", "failures"),
    [("kafka_desired", False, 1), ("kafka_health", True, 1), ("kafka_health", False, 0)],
)
def test_a_refusal_and_what_was_rescued_say_nothing_more(
    monkeypatch: pytest.MonkeyPatch, action: str, ignored: bool, failures: int
) -> None:
    assert said(monkeypatch, action, ignored, failures) == []
