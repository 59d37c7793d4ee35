"""Nodes of a rehearsal, by their files."""

from __future__ import annotations

from pathlib import Path

import pytest
from ansible.module_utils.kraft.errors import RefusedError
from ansible.module_utils.kraft.operations.rehearsal.metadata_files import LOG
from ansible.module_utils.kraft.operations.rehearsal.processes import Process

from tests.unit.node.storage.wire import batch, record

FIRST, SECOND = f"{0:020}.log", f"{2:020}.log"
WHOLE = [batch(record(None, b"a"), first=one) for one in range(4)]
COPY = {FIRST: WHOLE[0] + WHOLE[1], SECOND: WHOLE[2] + WHOLE[3][:-1]}


def node(directory: Path, files: dict[str, bytes]) -> Process:
    log = directory / "data" / LOG
    log.mkdir(parents=True)
    for name, content in files.items():
        (log / name).write_bytes(content)
    return Process(1, directory)


@pytest.mark.parametrize("more", [b"", b"the leader's first records"])
def test_a_node_that_kept_all_whole_batches_goes_on(tmp_path: Path, more: bytes) -> None:
    node(tmp_path, {FIRST: COPY[FIRST], SECOND: WHOLE[2] + more}).refuse_if_cut(COPY)


@pytest.mark.parametrize(
    "kept", [{FIRST: WHOLE[0], SECOND: WHOLE[2]}, {FIRST: COPY[FIRST]}, {FIRST: COPY[FIRST], SECOND: WHOLE[3]}]
)
def test_a_node_that_cut_off_a_damaged_batch_knows_too_little(tmp_path: Path, kept: dict[str, bytes]) -> None:
    with pytest.raises(RefusedError, match="damaged"):
        node(tmp_path, kept).refuse_if_cut(COPY)
