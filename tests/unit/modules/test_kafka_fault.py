"""How a node is broken: what ends the fault is set before it begins."""

from __future__ import annotations

from pathlib import Path

from kafka_fault import commands, rights


def test_what_thaws_a_node_is_set_before_it_is_frozen() -> None:
    timer, freeze = commands("frozen", "kafka", 30)
    assert timer[0] == "systemd-run"
    assert "--on-active=30s" in timer
    assert timer[-4:] == ["systemctl", "kill", "--signal=CONT", "kafka.service"]
    assert freeze == ["systemctl", "kill", "--signal=STOP", "kafka.service"]


def test_a_killed_node_is_left_to_systemd() -> None:
    assert commands("killed", "kafka", 30) == [["systemctl", "kill", "--signal=KILL", "kafka.service"]]


def test_what_gives_a_log_dir_its_rights_back_is_set_before_they_are_taken() -> None:
    timer, take = commands("unreadable", "kafka", 12, "/data/of kafka", 0o750)
    assert timer[0] == "systemd-run"
    assert "--on-active=12s" in timer
    assert timer[-1].startswith("chmod 0750 '/data/of kafka'; ")
    assert timer[-1].endswith("systemctl start kafka.service")
    assert take == ["chmod", "0000", "/data/of kafka"]


def test_rights_are_those_of_the_directory(tmp_path: Path) -> None:
    tmp_path.chmod(0o2750)
    assert rights(str(tmp_path)) == 0o2750
