"""Where the tests find Kafka's jars: the archive that ``python -m dist kafka`` makes, unpacked once."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from functools import lru_cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CACHE = ROOT / ".cache" / "kafka"
RELEASE = "kafka_2.13-4.3.1"


@lru_cache(maxsize=1)
def kafka_home() -> Path:
    """The directory that holds ``libs/``; ``KAFKA_HOME`` names another one."""
    if os.environ.get("KAFKA_HOME"):
        return Path(os.environ["KAFKA_HOME"])
    archive = CACHE / f"{RELEASE}.tgz"
    if not archive.exists():
        subprocess.run([sys.executable, "-m", "dist", "kafka"], cwd=ROOT, check=True)
    return _unpacked(archive)


def _unpacked(archive: Path) -> Path:
    """Unpack beside the archive under the archive's own time, so that a new archive is unpacked anew."""
    home = CACHE / f"unpacked-{archive.stat().st_mtime_ns}"
    if not home.exists():
        for stale in CACHE.glob("unpacked-*"):
            shutil.rmtree(stale)
        partial = CACHE / f"partial-{os.getpid()}"
        partial.mkdir()
        subprocess.run(["tar", "-xzf", archive, "-C", partial], check=True)  # Debian 12's tarfile has no filters yet
        partial.rename(home)
    return next(home.glob("*/libs")).parent
