"""kafka_rehearsal: files that a host sent, on the control machine."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import pytest
from ansible.module_utils.kraft.operations.rehearsal.metadata_files import packed

from plugins.action import kafka_rehearsal

SEGMENT = f"{0:020}.log"


def acted(directory: Path, files: Any, check_mode: bool = False) -> dict[str, Any]:
    """Return the action's result for a host that answers with `files`."""
    given = {"state": "copied", "metadata_dir": "/data", "directory": str(directory)}
    task: Any = SimpleNamespace(args=given, check_mode=check_mode, async_val=0, diff=False, environment=[], action="x")
    plugin: Any = kafka_rehearsal
    made = plugin.ActionModule(task, *[MagicMock()] * 5)
    made._execute_module = lambda **_: {"files": files}
    answer: dict[str, Any] = made.run(task_vars={})
    return answer


def test_the_files_are_written_for_this_user_alone(tmp_path: Path) -> None:
    assert not acted(tmp_path / "copy", {SEGMENT: packed(b"a")}).get("failed")
    assert (tmp_path / "copy" / SEGMENT).read_bytes() == b"a"
    assert [one.stat().st_mode & 0o777 for one in (tmp_path / "copy", tmp_path / "copy" / SEGMENT)] == [0o700, 0o600]


def test_check_mode_writes_nothing_whatever_the_host_sends(tmp_path: Path) -> None:
    assert not acted(tmp_path / "copy", {SEGMENT: packed(b"a")}, check_mode=True).get("failed")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("files", [[], "a", {SEGMENT: 7}, {SEGMENT: packed(b"a"), "nodes": packed(b"a")}])
def test_an_answer_that_is_no_log_is_refused_as_a_whole(tmp_path: Path, files: Any) -> None:
    assert acted(tmp_path / "copy", files)["failed"]
    assert list(tmp_path.iterdir()) == []
