"""Two workers of pytest-xdist run only tests that both collect in the same order, each with its own hash seed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def collected(seed: int) -> list[str]:
    """Return the names of the integration tests."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", "tests/integration"]
    environment = {**os.environ, "PYTHONHASHSEED": str(seed)}
    ran = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    return [line for line in ran.stdout.splitlines() if "::" in line]


def test_the_names_of_tests_do_not_depend_on_the_hash_seed() -> None:
    assert collected(1) == collected(2) != []
