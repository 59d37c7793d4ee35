"""A zip of Python code, unpacked beside itself once, so that compiled byte code is kept.

Python keeps no byte code for imports from a zip: kafka-python costs 0.9 s of CPU from a zip and 0.3 s from a directory,
each time a module connects to a cluster. The copy is named after the zip's content and complete before it gets its
name; if it cannot be written, or nothing may be (check mode, read-only modules), the zip is used directly.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import zipfile

PARTIAL = ".partial-"


def unpacked(path: str, make: bool) -> str:
    """Return the path to import from: a directory `path` itself, else its copy, which is made if `make` is set.

    Raises OSError when `path` does not exist.
    """
    if not zipfile.is_zipfile(path):
        os.stat(path)
        return path
    with open(path, "rb") as archive:
        digest = hashlib.sha256(archive.read()).hexdigest()[:12]
    prefix = f".{os.path.basename(path)}-"
    home = os.path.dirname(os.path.abspath(path))
    copy = os.path.join(home, prefix + digest)
    if os.path.isdir(copy):
        return copy if os.access(copy, os.R_OK | os.X_OK) else path
    if not make:
        return path
    try:
        _unpack(path, home, copy)
        _forget_others(home, prefix, copy)
    except OSError:
        return copy if os.path.isdir(copy) else path
    return copy


def _unpack(path: str, home: str, copy: str) -> None:
    """Unpack a copy that all users may read, as the zip: modules of other playbooks do not run as root."""
    made = os.path.join(home, f"{PARTIAL}{os.getpid()}")
    umask = os.umask(0o022)
    try:
        with zipfile.ZipFile(path) as archive:
            archive.extractall(made)
        os.rename(made, copy)
    finally:
        os.umask(umask)
        shutil.rmtree(made, ignore_errors=True)


def _forget_others(home: str, prefix: str, copy: str) -> None:
    """Remove copies of other zips, and halves that killed processes have left."""
    for name in os.listdir(home):
        older = name.startswith(prefix) and name != os.path.basename(copy)
        half = name.startswith(PARTIAL) and not os.path.exists(f"/proc/{name[len(PARTIAL) :]}")
        if older or half:
            shutil.rmtree(os.path.join(home, name), ignore_errors=True)
