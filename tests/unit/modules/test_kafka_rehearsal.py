"""The metadata log as a host hands it over."""

from __future__ import annotations

import base64
import zlib
from pathlib import Path

import pytest

from tests.unit.modules.module_runner import RunModule
from tests.unit.node.storage.wire import batch, record

SEGMENT = f"{0:020}.log"
COPIED = {"state": "copied", "directory": "copy"}


@pytest.fixture
def content(tmp_path: Path) -> bytes:
    made = batch(record(None, b"a"), record(None, b"b"))
    (tmp_path / "__cluster_metadata-0").mkdir()
    (tmp_path / "__cluster_metadata-0" / SEGMENT).write_bytes(made)
    return made


def test_the_files_are_returned_and_nothing_changes(run_module: RunModule, tmp_path: Path, content: bytes) -> None:
    found = run_module("kafka_rehearsal", **COPIED, metadata_dir=str(tmp_path), known_offset=2)
    assert not found["changed"]
    assert found["names"] == [SEGMENT]
    assert found["bytes"] == len(content)
    assert zlib.decompress(base64.b64decode(found["files"][SEGMENT])) == content
    assert [path.name for path in (tmp_path / "__cluster_metadata-0").iterdir()] == [SEGMENT]


def test_check_mode_returns_no_content(run_module: RunModule, tmp_path: Path, content: bytes) -> None:
    found = run_module("kafka_rehearsal", **COPIED, check_mode=True, metadata_dir=str(tmp_path))
    assert found["names"] == [SEGMENT]
    assert content
    assert "files" not in found


@pytest.mark.usefixtures("content")
def test_a_log_that_is_behind_is_refused(run_module: RunModule, tmp_path: Path) -> None:
    found = run_module("kafka_rehearsal", **COPIED, metadata_dir=str(tmp_path), known_offset=3)
    assert found["failed"]
    assert {"2", "3"} <= set(found["msg"].replace(",", "").replace(":", "").split())


def test_a_host_without_such_a_log_is_refused(run_module: RunModule, tmp_path: Path) -> None:
    found = run_module("kafka_rehearsal", **COPIED, metadata_dir=str(tmp_path))
    assert found["failed"]
    assert str(tmp_path) in found["msg"]
