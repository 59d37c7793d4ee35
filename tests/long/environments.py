"""Separate environments with the packages of a lock."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.long.lab_hosts import ANSIBLE, ROOT


def installed(lock: Path, home: Path, version: str = "3.11") -> Path:
    """The ``bin`` of a new environment with the packages of a lock, for this version of Python."""
    known = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))
    python = str(known[-1]) if known else shutil.which(f"python{version}")
    if python is None:
        pytest.skip(f"there is no Python {version} on this machine")
    uv, place = str(ANSIBLE / "uv"), home / lock.stem
    subprocess.run([uv, "venv", "--quiet", "--python", python, str(place)], check=True)
    build = ["--build-constraints", str(ROOT / "requirements/build.lock")]
    line = [uv, "pip", "sync", "--quiet", "--python", str(place / "bin/python"), "--require-hashes", *build]
    subprocess.run([*line, str(lock)], check=True)
    return place / "bin"
