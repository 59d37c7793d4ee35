"""The page of supported tools agrees with the locks, names tests that are there, and misses no tool of the samples."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/support.md").read_text()
ROW = re.compile(
    r"^\| (?P<tool>[\w.-]+)[^|]* \| (?P<version>[\w.]+) \| `(?P<lock>[^`]+\.lock)` \| `(?P<test>[^`]+)` \|$", re.M
)
ROWS = [found.groups() for found in ROW.finditer(PAGE)]
LOCKED = re.compile(r"^(?:[\w.-]+:)?(?P<tool>[\w.-]+?)(?:==|:)(?P<version>\S+)", re.M)
#: Packages of samples that are no tools of a reader, or are there under another name.
NO_TOOLS = {"pyarrow", "delta-spark"}


def test_each_row_of_the_first_table_is_read() -> None:
    table = PAGE.partition("## Run by a test")[2].partition("## ")[0]
    assert len(ROWS) == len(re.findall(r"^\| ", table, re.M)) - 1


@pytest.mark.parametrize(("tool", "version", "lock", "test"), ROWS, ids=[row[0] for row in ROWS])
def test_the_version_is_that_of_the_lock_and_the_test_is_there(tool: str, version: str, lock: str, test: str) -> None:
    locked = {found["tool"]: found["version"] for found in LOCKED.finditer((ROOT / lock).read_text())}
    assert locked[tool] == version
    assert (ROOT / test).is_file()


def test_each_package_of_a_sample_has_a_row() -> None:
    texts = [path.read_text() for path in (ROOT / "requirements/samples").glob("*.txt")]
    asked = {found for text in texts for found in re.findall(r"^[\w-]+", text, re.M)}
    assert asked - NO_TOOLS <= {row[0] for row in ROWS}
