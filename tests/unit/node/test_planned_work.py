"""The marker of planned work: its content, and its end without any run."""

from __future__ import annotations

from pathlib import Path

from ansible.module_utils.kraft.monitoring import rules
from ansible.module_utils.kraft.node import planned_work


def test_the_marker_has_an_end_and_ends_earlier(tmp_path: Path) -> None:
    planned_work.begin(str(tmp_path), now=1000.4)
    [file] = tmp_path.iterdir()
    assert file.read_text().splitlines()[-1] == f"{planned_work.NAME} {1000 + planned_work.LASTS}"
    assert file.suffix == ".prom"
    assert file.stat().st_mode & 0o777 == 0o644
    planned_work.begin(str(tmp_path), now=2000)
    assert file.read_text().endswith(f" {2000 + planned_work.LASTS}\n")
    planned_work.end(str(tmp_path))
    assert file.read_text().endswith(f"{planned_work.NAME} 0\n")
    assert list(tmp_path.iterdir()) == [file]


def test_the_end_is_said_where_a_reboot_has_emptied_the_directory(tmp_path: Path) -> None:
    """Its last value before the reboot would count otherwise."""
    planned_work.end(str(tmp_path))
    assert (tmp_path / planned_work.FILE).read_text().endswith(f"{planned_work.NAME} 0\n")


def test_alerts_look_back_as_long_as_a_marker_lasts() -> None:
    [record] = [one for one in rules.data("c")["records"] if one["record"] == "kafka:planned_work"]
    assert f"{planned_work.NAME}[{planned_work.LASTS // 60}m]" in record["expr"]


def test_without_a_collector_nothing_is_left(tmp_path: Path) -> None:
    planned_work.begin(str(tmp_path / "none"))
    planned_work.end(str(tmp_path / "none"))
    assert not list(tmp_path.iterdir())
