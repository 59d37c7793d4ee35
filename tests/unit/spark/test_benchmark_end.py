"""The benchmark leaves no client behind that calls hosts which are gone."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
#: In a separate process, since it ends the JVM that the other tests share.
PROGRAM = """
import sys
from pathlib import Path
from benchmarks.spark import end_spark, open_session
session = open_session("test")
children = Path("/proc/self/task") / Path("/proc/self").resolve().name / "children"
before = children.read_text().split()
{ending}
sys.stdout.write(f"{{len(before)}} {{len(children.read_text().split())}}")
"""


def children(ending: str) -> str:
    """Return the number of processes before and after the ending."""
    words = [sys.executable, "-c", PROGRAM.format(ending=ending)]
    done = subprocess.run(words, cwd=ROOT, env=os.environ, capture_output=True, text=True, check=True)
    return done.stdout


def test_sparks_jvm_has_ended_before_hosts_are_removed() -> None:
    assert children("end_spark()") == "1 0"
