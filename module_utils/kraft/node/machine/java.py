"""Java on a machine. It is started only if no file gives its version.

Every function takes the root of the file tree it reads, so that tests can bring their own.
"""

from __future__ import annotations

import glob
import os
import re
import shutil
from pathlib import Path
from typing import Any

from ansible.module_utils.kraft.node.machine.machine import ROOT, assignments, read

#: Java is never started as root: a user who can write to its home would become root.
AS_NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
JAVA_HOMES = ("usr/lib/jvm/*/bin/java", "opt/*/bin/java", "usr/java/*/bin/java")


def java_major(version: str) -> int | None:
    """Parse ``17.0.15`` -> 17, ``1.8.0_402`` -> 8."""
    match = re.match(r"(?:1\.)?(\d+)", version)
    return int(match.group(1)) if match else None


def java_at(path: str, run: Any) -> dict[str, Any] | None:
    """Return the Java at `path`: ``{home, path, version, major}``. It is started only as a last resort."""
    real = os.path.realpath(path)
    if not os.access(real, os.X_OK):
        return None
    home = os.path.dirname(os.path.dirname(real))
    version = assignments(read(Path(home, "release"))).get("JAVA_VERSION", "")
    if not version:
        _, out, err = run([*AS_NOBODY, real, "-version"])
        match = re.search(r'version "([^"]+)"', out + err)
        version = match.group(1) if match else ""
    return {"home": home, "path": path, "version": version, "major": java_major(version)}


def java(java_home: str, run: Any) -> dict[str, Any] | None:
    """Return the Java that Kafka would run with: the given one, or that of the alternatives or the PATH."""
    if java_home:
        return java_at(os.path.join(java_home, "bin", "java"), run)
    found = "/usr/bin/java" if os.path.exists("/usr/bin/java") else shutil.which("java")
    return java_at(found, run) if found else None


def javas(root: Path = ROOT) -> list[dict[str, Any]]:
    """Return every Java at a usual place with a known version, newest first, as ``{home, major}``."""
    found = {}
    for pattern in JAVA_HOMES:
        for path in glob.glob(str(root / pattern)):
            home = os.path.dirname(os.path.dirname(os.path.realpath(path)))
            major = java_major(assignments(read(Path(home, "release"))).get("JAVA_VERSION", ""))
            if major:
                found[home] = major
    return [{"home": home, "major": major} for home, major in sorted(found.items(), key=lambda item: -item[1])]
