"""The account of a producer's records, from its log and from what its topic holds."""

from __future__ import annotations

from pathlib import Path

import pytest

from samples.clients.account import Account, Row, reconcile, table
from samples.clients.job import from_command_line, number_of, record


@pytest.mark.parametrize(
    ("log", "stored", "expected"),
    [
        (["acked 0\n", "acked 1\n"], [0, 1], Account(2, 2, 0, 0, 0, 0)),
        (["acked 0\n", "acked 1\n"], [0], Account(2, 2, 1, 0, 0, 0)),
        (["acked 0\n", "acked 1\n"], [0, 1, 1, 1], Account(2, 2, 0, 1, 0, 0)),
        (["acked 0\n", "failed 1 timed out\n"], [0, 1], Account(2, 1, 0, 0, 1, 0)),
        (["acked 0\n"], [0], Account(2, 1, 0, 0, 0, 1)),
        (["acked 0\n", "acked 1"], [0], Account(2, 1, 0, 0, 0, 1)),
        ([], [], Account(2, 0, 0, 0, 0, 2)),
    ],
    ids=["kept", "lost", "twice", "failed", "silent", "torn line", "nothing"],
)
def test_account_counts_each_outcome(log: list[str], stored: list[int], expected: Account) -> None:
    assert reconcile(["sent 0\n", "sent 1\n", *log], stored) == expected


def test_a_record_carries_its_number() -> None:
    assert [number_of(record(number)) for number in (0, 7, 123456)] == [0, 7, 123456]
    assert len(record(7)) == 200


def test_records_are_due_until_the_end(tmp_path: Path) -> None:
    end = tmp_path / "end"
    line = ["--bootstrap", "a:1", "--topic", "t", "--rate", "1000", "--end", str(end), "--log", "x"]
    due = from_command_line(line).due()
    assert [next(due) for _ in range(3)] == [0, 1, 2]
    end.touch()
    assert list(due) == []


def test_table_has_a_line_for_each_client_and_a_column_for_each_fault() -> None:
    rows = [
        Row("Java", "1", "leader killed", Account(4000, 3990, 12, 3, 0, 10)),
        Row("Java", "1", "rolled", Account(9, 9, 0, 0, 0, 0)),
        Row("Java", "all", "rolled", Account(9, 8, 0, 0, 1, 0)),
    ]
    assert table(rows).splitlines() == [
        "| client | acks | leader killed | rolled |",
        "| --- | --- | --- | --- |",
        "| Java | 1 | 12 of 3,990, 3 stored twice, 10 without an answer | 0 of 9 |",
        "| Java | all | - | 0 of 8, 1 failed |",
    ]
