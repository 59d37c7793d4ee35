"""The streaming sample's own test, with Delta's jars by their lock."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from dist import locks, maven
from spark_jobs.installation import JARS
from tests.long.lab_hosts import ROOT

DELTA = ROOT / ".cache/delta/jars"
LOCK = "delta-4.4.0"
pytestmark = pytest.mark.timeout(1200)


def test_a_batch_that_is_tried_again_is_in_the_table_once() -> None:
    maven.fetch(locks.read(LOCK), DELTA)
    jars = ",".join(str(jar) for folder in (JARS, DELTA) for jar in sorted(folder.glob("*.jar")))
    given = {"PYSPARK_SUBMIT_ARGS": f"--master local[2] --jars {jars} pyspark-shell", "SPARK_LOCAL_IP": "127.0.0.1"}
    line = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", "/dev/null", "--rootdir", "."]
    environment = {**os.environ, **given, "PYSPARK_PYTHON": sys.executable}
    done = subprocess.run(
        [*line, "test_stream.py"],
        cwd=ROOT / "samples/streaming",
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 passed" in done.stdout
