"""A part of the tests: its command, its log, and the reasons that are shown if it fails."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
LOGS = ROOT / ".cache/parts"
MUCH = "seq -f 'line %g' 1000"


@pytest.fixture
def name() -> Iterator[str]:
    made = f"of-test-{os.getpid()}"
    yield made
    (LOGS / f"{made}.log").unlink(missing_ok=True)


def run(name: str, command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    words = [str(ROOT / "scripts/part"), name]
    return subprocess.run(
        words, check=False, env={**os.environ, **environment, "RUN": command}, capture_output=True, text=True
    )


def test_part_that_leaves_a_process_behind_still_ends(name: str) -> None:
    began = time.monotonic()
    told = {"PYTHONDONTWRITEBYTECODE": "1", "MAKEFLAGS": "k"}
    done = run(name, 'sleep 60 & echo "${PYTHONDONTWRITEBYTECODE-none} ${MAKEFLAGS-none}"; false', **told)
    assert done.returncode == 1
    assert time.monotonic() - began < 30
    assert (LOGS / f"{name}.log").read_text() == "none none\n"


def test_unknown_part_is_refused(name: str) -> None:
    assert run(name, "").returncode == 3


@pytest.mark.parametrize(
    "line",
    [
        "fatal: [kafka1]: FAILED! => ",
        "[ERROR]: Task failed: Action failed: exit code 2",
        "FAILED tests/unit/test_x.py::test_y - assert 1 == 2",
        "E   AssertionError: assert 1 == 2",
        "ValueError: not a number",
        "make: *** [Makefile:12: archive] Error 1",
    ],
)
def test_reason_is_shown_from_afar_and_a_retry_is_none(name: str, line: str) -> None:
    waiting = "FAILED - RETRYING: [host1]: Wait (3 retries left)."
    done = run(name, f"for i in {{1..100}}; do echo '{waiting}'; done; echo '{line}'; {MUCH}; exit 4")
    verdict, *shown = done.stdout.splitlines()
    assert (done.returncode, verdict.split()[0]) == (4, "FAILED")
    assert shown.index(line) < shown.index("line 1") < shown.index("line 1000")
    assert waiting not in shown
    assert len(shown) < 150


def test_error_at_the_end_of_a_traceback_comes_first(name: str) -> None:
    done = run(name, f"echo 'fatal: [k1]: FAILED'; {MUCH}; echo '   runs.ClientError: x'; {MUCH}; false")
    assert done.stdout.splitlines()[1:3] == ["runs.ClientError: x", "fatal: [k1]: FAILED"]


def test_each_part_of_a_target_has_a_command(tmp_path: Path) -> None:
    parts = (ROOT / "scripts/tests.mk").read_text().replace("@scripts/part $*", '@echo "$*: $$RUN"')
    (tmp_path / "Makefile").write_text(f"{parts}\nall: part-integration $(CHECK) $(TEST) $(TEST_LONG) $(TEST_ALL)\n")
    made = subprocess.run(["make", "all"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout.splitlines()
    assert len(made) > 20
    assert [line for line in made if line.endswith(": ")] == []
    (day,) = (line for line in made if line.startswith("molecule-day_two-short: "))
    assert "export KRAFT_SWEEP=short; " in day
    assert "molecule test -s day_two " in day
