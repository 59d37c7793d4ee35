"""kafka-python as one zip that a node imports directly."""

from __future__ import annotations

import importlib.metadata
from pathlib import Path

from dist import archive, locks

LEFT_OUT = ("/benchmarks/", "/cli/")


def build(cache: Path) -> Path:
    """Return the zip, made from the installed package and the same for the same version."""
    target = cache / "client" / "kafka_python.zip"
    package = importlib.metadata.distribution("kafka-python")
    files = [f for f in package.files or [] if f.parts[0] == "kafka" and f.suffix != ".pyc"]
    if not files:
        raise locks.LockError("kafka-python is not installed in this environment; run `make setup`")
    members = {str(f): Path(str(f.locate())).read_bytes() for f in files if not any(p in f"/{f}" for p in LEFT_OUT)}
    archive.zip_file(target, members)
    return target
