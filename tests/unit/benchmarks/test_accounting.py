"""Processor time is read from the kernel's accounting of ended processes and from the processes that run."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.accounting import RECORD, VERSION, Spent, by_program, ended, running
from benchmarks.profile import REST, parts, row


def record(number: int, name: str, user: int, system: int, version: int = VERSION) -> bytes:
    return RECORD.pack(0, version, 0, 0, 0, 0, number, 1, 0, 0.0, user, system, 0, 0, 0, 0, 0, 0, name.encode())


def test_a_record_has_hundredths_of_seconds_with_an_exponent() -> None:
    coarse = 1 << 13 | 100  # 100 * 8 hundredths
    content = record(7, "java", 150, 50) + record(8, "ansible-playboo", coarse, 0) + b"not yet whole"
    assert list(ended(content)) == [(7, "java", 2.0), (8, "ansible-playboo", 8.0)]


def test_another_version_of_the_format_is_refused() -> None:
    with pytest.raises(ValueError, match="version 2"):
        list(ended(record(7, "java", 1, 1, version=2)))


def test_a_running_process_is_read_whatever_its_name_holds(tmp_path: Path) -> None:
    for number, name in ((7, "java"), (8, "a) S (b")):
        (tmp_path / str(number)).mkdir()
        (tmp_path / str(number) / "stat").write_text(f"{number} ({name}) S 1 1 1 0 -1 0 0 0 0 0 150 50 9 9 20 0\n")
    assert running(tmp_path) == {(7, "java"): 2.0, (8, "a) S (b"): 2.0}


def test_only_the_time_between_the_two_looks_counts() -> None:
    before = {(1, "java"): 100.0, (2, "java"): 5.0}
    after = {(1, "java"): 103.0, (3, "java"): 4.0, (4, "python3"): 1.0}
    ends = [(2, "java", 6.0), (5, "tar", 0.5)]
    assert by_program(before, after, iter(ends)) == {"java": 8.0, "python3": 1.0, "tar": 0.5}


def test_a_program_is_of_one_part_and_what_has_no_part_is_the_rest() -> None:
    programs = {"java": 10.0, "python3.11": 2.0, "python": 1.0, "ssh": 0.5, "sshd": 0.25, "tar": 3.0}
    spent = Spent(20.0, 25.0, programs)
    assert list(parts(spent).values()) == [10.0, 2.0, 0.5, 1.0, 0.25, 11.25]
    assert list(parts(spent))[-1] == REST
    assert row("cold", spent)[:4] == ["cold", "20.0 s", "25.0 s", "10.0 s (40%)"]
