"""An experiment leaves no node frozen, down or closed, at whichever command to a node it fails."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable
from typing import Any
from unittest.mock import MagicMock

import pytest

from spark_jobs.lessons import experiments
from spark_jobs.lessons.nodes import Host, SshNodes

UNDO = {"freeze": "thaw", "kill": "revive", "close_controller": "open_controller"}
EXPERIMENTS = [
    (experiments.majority, 2),
    (experiments.failover, 1),
    (experiments.acknowledgements, 3),
    (experiments.ports, 3),
    (experiments.high_watermark, 1),
]


class Nodes:
    """Commands to nodes; number ``fails`` has its effect, and its connection is lost. Undoing never fails."""

    def __init__(self, fails: int) -> None:
        self.begun: list[tuple[str, int]] = []
        self.undone: list[tuple[str, int]] = []
        self._fails = fails

    def __getattr__(self, name: str) -> Callable[[int], None]:
        return lambda node_id: self._command(name, node_id)

    def _command(self, name: str, node_id: int) -> None:
        if name in UNDO:
            self.begun.append((UNDO[name], node_id))
            if len(self.begun) == self._fails:
                raise OSError("connection lost")
        else:
            self.undone.append((name, node_id))


@pytest.mark.parametrize(
    ("experiment", "fails"), [(one, fails) for one, commands in EXPERIMENTS for fails in range(1, commands + 1)]
)
def test_each_change_of_a_node_is_undone_after_a_lost_connection(
    experiment: Callable[[Any], object], fails: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    nodes = Nodes(fails)
    lab = MagicMock(nodes=nodes, places={1: MagicMock(), 2: MagicMock(), 3: MagicMock()})
    lab.controller.return_value = 1
    lab.others.side_effect = lambda node_id: [one for one in (1, 2, 3) if one != node_id]
    lab.served.return_value, lab.held.return_value, lab.stored.return_value = 2, 1, set()
    monkeypatch.setattr(time, "sleep", lambda _: None)
    flow = MagicMock()
    monkeypatch.setattr(experiments, "Flow", lambda *_: flow)
    with pytest.raises(OSError, match="connection lost"):
        experiment(lab)
    assert len(nodes.begun) == fails
    assert sorted(nodes.undone) == sorted(nodes.begun)
    assert flow.stop.call_count == flow.start.call_count


def test_a_host_that_does_not_answer_ends_one_experiment(monkeypatch: pytest.MonkeyPatch) -> None:
    def silent(*_: object, **__: object) -> None:
        raise subprocess.TimeoutExpired("ssh", 1)

    monkeypatch.setattr(subprocess, "run", silent)
    nodes = SshNodes({1: Host(["ssh"], "10.0.0.1", 9093)}, "kafka", "java", "libs")
    with pytest.raises(OSError, match="node 1"):
        nodes.thaw(1)
