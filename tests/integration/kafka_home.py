"""Kafka's jars for the tests: the archive that ``python -m dist kafka`` makes, unpacked once.

The AppCDS archive is made beside the jars, once: it halves the processor time of every node and tool of a test.
"""

from __future__ import annotations

import fcntl
import gzip
import hashlib
import json
import os
import shutil
import subprocess
import sys
from functools import lru_cache
from pathlib import Path

from ansible.module_utils.kraft.node.release.appcds_archive import java_home, jvm_identity

from dist.__main__ import VERSION

ROOT = Path(__file__).resolve().parents[2]
CACHE = ROOT / ".cache" / "kafka"
CLASS_LIST = ROOT / f"roles/kafka/files/classes-{VERSION}.gz"
MIRROR_VERSION = "4.3.1"  #: the default of ``kafka_mirror_version``


@lru_cache(maxsize=2)
def kafka_home(version: str = VERSION) -> Path:
    """The directory that holds ``libs/`` of `version`; ``KAFKA_HOME`` names another one for the default release."""
    if version == VERSION and os.environ.get("KAFKA_HOME"):
        return Path(os.environ["KAFKA_HOME"])
    archive = CACHE / f"kafka_2.13-{version}.tgz"
    if not archive.exists():
        subprocess.run([sys.executable, "-m", "dist", "kafka", version], cwd=ROOT, check=True)
    return _unpacked(archive)


@lru_cache(maxsize=2)
def class_path(version: str = VERSION) -> tuple[str, ...]:
    """Options of ``java`` for Kafka's classes: its jars and, of the default release, their AppCDS archive."""
    jars = ":".join(str(jar) for jar in sorted((kafka_home(version) / "libs").glob("*.jar")))
    if os.environ.get("KAFKA_HOME") or version != VERSION:
        return ("-cp", jars)
    return (f"-XX:SharedArchiveFile={_appcds_archive(jars)}", "-cp", jars)


def _appcds_archive(jars: str) -> Path:
    """Made once for this build of Java, by one process at a time."""
    java = shutil.which("java") or "java"
    identity = hashlib.sha256(json.dumps(jvm_identity(java_home(java))).encode()).hexdigest()[:16]
    data = kafka_home() / f"classes-{identity}.jsa"
    with (CACHE / "appcds_archive.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not data.exists():
            listed, partial = data.with_suffix(".list"), data.with_suffix(".partial")
            listed.write_bytes(gzip.decompress(CLASS_LIST.read_bytes()))
            options = [f"-XX:SharedClassListFile={listed}", f"-XX:SharedArchiveFile={partial}"]
            subprocess.run([java, "-Xshare:dump", *options, "-cp", jars], check=True, capture_output=True)
            partial.rename(data)
    return data


def _unpacked(archive: Path) -> Path:
    """Unpack beside the archive under the archive's own time, so that a new archive is unpacked again."""
    home = CACHE / f"unpacked-{archive.stem}-{archive.stat().st_mtime_ns}"
    with (CACHE / "unpacked.lock").open("w") as lock:  # the workers of pytest-xdist come here at the same time
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not home.exists():
            for stale in CACHE.glob(f"unpacked-{archive.stem}-*"):
                shutil.rmtree(stale)
            partial = CACHE / f"partial-{os.getpid()}"
            partial.mkdir()
            # Debian 12's tarfile has no filters yet.
            subprocess.run(["tar", "-xzf", archive, "-C", partial], check=True)
            partial.rename(home)
    return next(home.glob("*/libs")).parent
