"""The commands of a fault: what ends it comes first, and leaves nothing."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from ansible.module_utils.kraft.operations.drill import commands


def test_a_killed_node_is_left_to_systemd() -> None:
    assert commands.killed("kafka") == [["systemctl", "kill", "--signal=KILL", "kafka.service"]]


def test_what_thaws_a_node_is_set_before_it_is_frozen() -> None:
    timer, freeze = commands.frozen("kafka", 30)
    assert timer[0] == "systemd-run"
    assert "--on-active=30s" in timer
    assert timer[-4:] == ["systemctl", "kill", "--signal=CONT", "kafka.service"]
    assert freeze == ["systemctl", "kill", "--signal=STOP", "kafka.service"]


def test_what_gives_a_log_dir_its_rights_back_is_set_before_they_are_taken() -> None:
    timer, take = commands.unreadable("kafka", 12, "/data/of kafka", 0o750)
    assert timer[0] == "systemd-run"
    assert "--on-active=12s" in timer
    assert timer[-1].startswith("chmod 0750 '/data/of kafka'; ")
    assert timer[-1].endswith("systemctl start kafka.service")
    assert take == ["chmod", "0000", "/data/of kafka"]


def test_what_ends_a_cut_is_set_before_it_begins() -> None:
    timer, cut = commands.cut_off("/usr/sbin/nft", 20, ["10.0.0.2"], [9092])
    assert timer[0] == "systemd-run"
    assert "--on-active=20s" in timer
    assert timer[-5:] == ["/usr/sbin/nft", "delete", "table", "inet", "kraftwright_drill"]
    assert cut[0] == "/usr/sbin/nft"


def test_what_empties_a_disk_is_set_before_it_is_filled_and_the_filler_ends_by_itself() -> None:
    timer, fill = commands.full("kafka", 20, "/data/logs", 998, 10**9)
    assert "--on-active=20s" in timer
    assert timer[-1].startswith("systemctl stop kafka-full.service; ")
    assert timer[-1].endswith("systemctl start kafka.service")
    assert {"--property=RuntimeMaxSec=21", "--property=TimeoutStopSec=1"} <= set(fill)
    assert "--uid=998" in fill
    assert fill[-1] == str(10**9 - commands.LEFT_BYTES)


def test_a_disk_with_little_room_is_filled_too() -> None:
    assert commands.full("kafka", 20, "/data/logs", 998, 5)[1][-1] == "1"


def test_a_table_drops_kafka_in_both_directions_for_both_families() -> None:
    said = commands.rules(["10.0.0.3", "10.0.0.2", "fd00::2"], [9093, 9092, 9092])
    assert said.startswith("table inet kraftwright_drill {")
    assert said.count(" drop") == 8
    for end in ("sport", "dport"):
        assert f"ip saddr {{ 10.0.0.2, 10.0.0.3 }} tcp {end} {{ 9092, 9093 }} drop" in said
        assert f"ip6 daddr {{ fd00::2 }} tcp {end} {{ 9092, 9093 }} drop" in said


@pytest.mark.skipif(not shutil.which("nft") or os.geteuid() != 0, reason="needs nft and root")
def test_nft_takes_the_table() -> None:
    given = ["nft", "--check", commands.rules(["10.0.0.2", "fd00::2"], [9092, 9093])]
    done = subprocess.run(given, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_what_fills_a_disk_leaves_no_file_and_no_space(tmp_path: Path) -> None:
    """The real shell text runs, with a `cat` that finds the disk full at once."""
    (tmp_path / "cat").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "cat").chmod(0o755)
    place = tmp_path / "logs"
    place.mkdir()
    environment = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    filler = subprocess.Popen(["/bin/sh", "-c", commands.FILL, "fill", f"{place}/.drill", "65536"], env=environment)
    try:
        held = Path(f"/proc/{filler.pid}/fd/3")
        deadline = time.monotonic() + 60
        while not (held.exists() and held.stat().st_size == 65536) and time.monotonic() < deadline:
            time.sleep(0.02)
        assert held.stat().st_size == 65536
        assert list(place.iterdir()) == []
    finally:
        filler.kill()
        filler.wait()
