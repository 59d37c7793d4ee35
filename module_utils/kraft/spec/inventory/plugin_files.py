"""Files of ``kafka_plugins`` on the control machine, and the classes of Kafka's own archive."""

from __future__ import annotations

import io
import tarfile
import zipfile
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import IO, Any

from ansible.module_utils.kraft.node.plugins import digest_of, jars
from ansible.module_utils.kraft.spec.desired.plugins import VARIABLE, PluginFile
from ansible.module_utils.kraft.spec.inventory.archive_file import local_path

CLASS = ".class"
UNREADABLE = (ValueError, OSError, EOFError, tarfile.TarError, zipfile.BadZipFile)


def find(values: Mapping[str, Any], loader: Any) -> dict[str, PluginFile]:
    """Return source -> file of a host's plugins; `loader`: of the run, which resolves relative paths."""
    given = values.get(VARIABLE)
    entries = [each.get("source") for each in given if isinstance(each, Mapping)] if isinstance(given, list) else []
    found = {source: local_path(source, loader.path_dwim) for source in entries if isinstance(source, str)}
    nowhere = PluginFile(fault="The path is not one of the control machine")
    return {source: inspect(path) if path else nowhere for source, path in found.items()}


@lru_cache(maxsize=64)
def inspect(path: Path) -> PluginFile:
    """Return what is known of a file; it is read once a run."""
    try:
        with path.open("rb") as file:
            digest = digest_of(file)
    except OSError as error:
        return PluginFile(fault=f"The file cannot be read on this machine: {(error.strerror or str(error)).lower()}")
    try:
        return PluginFile(digest, classes_of(file for _, file in jars(str(path))))
    except UNREADABLE as error:
        return PluginFile(digest, fault=f"The file {error}")


@lru_cache(maxsize=2)
def archive_classes(path: Path | None) -> frozenset[str] | None:
    """Return all classes of Kafka's archive (two seconds); None if it is not on this machine, or cannot be read."""
    try:
        return classes_of(file for _, file in jars(str(path))) if path and path.is_file() else None
    except UNREADABLE:
        return None


def classes_of(files: Iterable[IO[bytes]]) -> frozenset[str]:
    """Return the full names of all classes in jars."""
    return frozenset(
        name.removesuffix(CLASS).replace("/", ".") for file in files for name in _names(file) if name.endswith(CLASS)
    )


def _names(file: IO[bytes]) -> list[str]:
    with zipfile.ZipFile(io.BytesIO(file.read())) as jar:  # a compressed archive cannot go back in a file
        return jar.namelist()
