"""Place of a run's files that belong to the user: authorities, reports, timelines. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

#: The directory below which Ansible installs collections.
COLLECTIONS = "ansible_collections"


def is_installed(root: Path) -> bool:
    """Check that `root` is an installed collection, which the next installation replaces, and no checkout."""
    return COLLECTIONS in root.parts


def home(root: Path, here: Path) -> Path:
    """Return `root` of a checkout. An installed collection keeps nothing: `here`, the folder of the run's start."""
    return here if is_installed(root) else root


def with_places(values: Mapping[str, Any], top: Path, loader: Any) -> dict[str, Any]:
    """Return a host's variables with the places of generated passwords and of the cluster's own authority, if any.

    `top`: each cluster has a directory below it; `loader`: of the run, which resolves relative paths.
    """
    own, tls = top / str(values.get("kafka_cluster_name")), values.get("kafka_tls")
    passwords = _place(values.get("kafka_passwords_file"), own / "passwords.yml", loader)
    found = {**values, "kafka_passwords_file": passwords}
    if tls and isinstance(tls, Mapping):
        found["kafka_tls"] = {**tls, "directory": _place(tls.get("directory"), own / "tls", loader)}
    return found


def _place(given: Any, default: Path, loader: Any) -> Any:
    path = given or str(default)
    return loader.path_dwim(path) if isinstance(path, str) else path
