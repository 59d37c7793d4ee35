"""The heap's limit by the options of the start, and the memory of a process; unknown is None, never 0."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from ansible.module_utils.kraft.node.service.memory import heap_bytes, resident_bytes


@pytest.mark.parametrize(
    ("options", "limit"),
    [
        ("-Xms1g\n-Xmx1g\n-server\n", 1 << 30),
        ('"-Xmx512m"\n', 512 << 20),
        ("-Xmx1g\n-Xmx2048K\n", 2 << 20),
        ("-Xmx1073741824", 1 << 30),
        ("-XX:MaxRAMPercentage=50\n", None),
        ("-Dx=-Xmx1g\n", None),
        ("", None),
    ],
)
def test_the_last_limit_counts(options: str, limit: int | None) -> None:
    assert heap_bytes(options) == limit


def test_the_memory_of_a_process_is_what_the_kernel_says() -> None:
    own = resident_bytes(os.getpid())
    assert own is not None
    assert own > 1 << 20


def test_a_process_that_is_gone_has_no_memory(tmp_path: Path) -> None:
    assert resident_bytes(7, tmp_path) is None
    (tmp_path / "7").mkdir()
    (tmp_path / "7/status").write_text("Name:\tjava\nState:\tZ (zombie)\n")
    assert resident_bytes(7, tmp_path) is None
