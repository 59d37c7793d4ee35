"""How a node is broken: what ends the fault is set before it begins."""

from __future__ import annotations

from kafka_fault import commands


def test_what_thaws_a_node_is_set_before_it_is_frozen() -> None:
    timer, freeze = commands("frozen", "kafka", 30)
    assert timer[0] == "systemd-run"
    assert "--on-active=30s" in timer
    assert timer[-4:] == ["systemctl", "kill", "--signal=CONT", "kafka.service"]
    assert freeze == ["systemctl", "kill", "--signal=STOP", "kafka.service"]


def test_a_killed_node_is_left_to_systemd() -> None:
    assert commands("killed", "kafka", 30) == [["systemctl", "kill", "--signal=KILL", "kafka.service"]]
