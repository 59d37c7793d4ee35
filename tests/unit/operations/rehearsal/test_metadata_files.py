"""Files of the metadata log for a rehearsal."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from ansible.module_utils.kraft.errors import RefusedError, UnreachableError
from ansible.module_utils.kraft.operations.rehearsal.metadata_files import (
    LOG,
    chosen,
    end_offset,
    packed,
    read,
    received,
    unpacked,
)

from tests.unit.node.storage.wire import batch, record

LEFT_OUT = ("quorum-state", f"{0:020}.index", f"{9:020}-{3:010}.checkpoint.part", f"{9:020}-{3:010}.checkpoint.deleted")
SMALL = ("leader-epoch-checkpoint", "partition.metadata")


def segment(offset: int) -> str:
    return f"{offset:020}.log"


def snapshot(offset: int) -> str:
    return f"{offset:020}-{1:010}.checkpoint"


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ([segment(0)], [segment(0)]),
        ([segment(0), segment(5)], [segment(0), segment(5)]),
        ([snapshot(0), segment(0)], [snapshot(0), segment(0)]),
        ([snapshot(3), snapshot(7), segment(0), segment(5), segment(9)], [snapshot(7), segment(5), segment(9)]),
        ([snapshot(7), segment(0), segment(7)], [snapshot(7), segment(7)]),
        ([snapshot(8), segment(0), segment(7)], [snapshot(8), segment(7)]),
    ],
)
def test_the_newest_complete_snapshot_and_all_after_it_is_copied(names: list[str], expected: list[str]) -> None:
    assert chosen([*names, *LEFT_OUT, *SMALL]) == (*expected, *SMALL)


@pytest.mark.parametrize("names", [[], [snapshot(3)], [segment(4)], [snapshot(3), segment(4)]])
def test_a_log_with_a_gap_is_refused(names: list[str]) -> None:
    with pytest.raises(RefusedError, match="no records from offset"):
        chosen(names)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    made = tmp_path / LOG
    made.mkdir()
    (made / segment(0)).write_bytes(batch(record(None, b"a")) + batch(record(None, b"b"), first=1))
    (made / "quorum-state").write_text("{}")
    return made


def test_the_copy_ends_at_the_last_whole_batch(log: Path) -> None:
    files = read(str(log.parent))
    assert set(files) == {segment(0)}
    assert end_offset(files) == 2
    whole = files[segment(0)]
    assert end_offset({segment(0): whole[:-1]}) == 1
    assert end_offset({segment(0): whole, segment(2): b""}) == 2


def test_a_log_above_the_limit_is_refused(log: Path) -> None:
    size = (log / segment(0)).stat().st_size
    assert read(str(log.parent), size)
    with pytest.raises(RefusedError):
        read(str(log.parent), size - 1)
    (log / segment(2)).write_bytes(b"more")
    with pytest.raises(RefusedError, match="the copy has more than"):
        read(str(log.parent), size)


def test_no_link_is_followed(log: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    (log / segment(2)).symlink_to(tmp_path / "secret")
    with pytest.raises(RefusedError):
        read(str(log.parent))


def test_a_file_that_kafka_deletes_meanwhile_is_looked_for_again(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stale = [[segment(0), segment(9)], *[os.listdir(log)] * 2]
    monkeypatch.setattr(os, "listdir", lambda _: stale.pop(0))
    assert set(read(str(log.parent))) == {segment(0)}
    monkeypatch.setattr(os, "listdir", lambda _: [segment(0), segment(9)])
    with pytest.raises(UnreachableError):
        read(str(log.parent))


def test_a_file_travels_whole() -> None:
    assert unpacked(packed(b"abc" * 1000)) == b"abc" * 1000


@pytest.mark.parametrize("sent", ["no base64!", "bm8gemxpYg==", 7, None])
def test_an_answer_that_is_no_file_is_refused(sent: Any) -> None:
    with pytest.raises(ValueError, match=r"base64|unpacked|decod"):
        unpacked(sent)


def test_a_small_answer_that_unpacks_to_a_huge_file_is_refused() -> None:
    bomb = packed(bytes(2 << 20))
    assert len(bomb) < 5000
    with pytest.raises(ValueError, match="more than the 1,048,576 bytes"):
        unpacked(bomb, 1 << 20)


def test_small_answers_that_are_huge_together_are_refused() -> None:
    files = {segment(one): packed(bytes(1 << 20)) for one in range(3)}
    assert len(received(files, 3 << 20)) == 3
    with pytest.raises(ValueError, match="more than"):
        received(files, (3 << 20) - 1)


@pytest.mark.parametrize("name", ["", ".", "nodes", "nodes/a", "../a", "/etc/a", "a\0b", "kafka.zip", "1.log"])
def test_another_file_than_those_of_the_log_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="no file of"):
        received({segment(0): packed(b"a"), name: packed(b"a")})
