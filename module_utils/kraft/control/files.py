"""Checks of files on the control machine that a run needs. Read-only."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

JARS = ".cache/spark/jars"
LOCKS = "dist/spark-*.lock"
KEY = "ansible_ssh_private_key_file"


def text_of(path: str) -> str:
    """A file's text; empty if it cannot be read, as in check mode before it is made."""
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, ValueError):
        return ""


def json_of(path: Path) -> dict[str, Any]:
    """Return a JSON file's object; empty if there is none that can be read."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def jar(line: str) -> str:
    """Return the file of a lock's line, ``group:artifact:version sha256``."""
    _, name, version = line.split(maxsplit=1)[0].split(":")
    return f"{name}-{version}.jar"


def spark_lacks(root: Path, environment: Mapping[str, str]) -> str:
    """Return what Spark lacks for a start, as a sentence; empty if it lacks nothing.

    Java is searched as spark-submit does it, and not started: that would cost more than all other checks.
    """
    wanted = [jar(line) for lock in root.glob(LOCKS) for line in lock.read_text(encoding="utf-8").splitlines() if line]
    missing = [name for name in wanted if not (root / JARS / name).is_file()]
    if missing:
        return f"{root / JARS} lacks {', '.join(missing)}"
    home = environment.get("JAVA_HOME")
    java = f"{home}/bin/java" if home else "java"
    return "" if shutil.which(java, path=environment.get("PATH")) else f"there is no {java}"


def key_fault(path: str) -> str:
    """Return why ssh cannot use a private key, as a sentence; empty if it can. ssh requires 0600 for its own user."""
    if not path:
        return ""
    key = Path(os.path.expanduser(path))
    try:
        found = key.stat()
    except OSError as error:
        return f"The key cannot be read: {error.strerror}"
    if not key.is_file() or not os.access(key, os.R_OK):
        return "The key is not a file that this user can read"
    mine = found.st_uid == os.getuid()
    return "Others can read the key, so ssh ignores it" if mine and found.st_mode & 0o077 else ""


def key_faults(connections: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """Return host -> fault of the private key that its variables name; hosts without a fault are left out."""
    faults = {host: key_fault(str(connection.get(KEY) or "")) for host, connection in connections.items()}
    return {host: fault for host, fault in faults.items() if fault}
