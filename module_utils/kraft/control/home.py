"""Where a run keeps what belongs to the user: authorities, reports, timelines. Pure."""

from __future__ import annotations

from pathlib import Path

#: The directory below which Ansible installs collections.
COLLECTIONS = "ansible_collections"


def is_installed(root: Path) -> bool:
    """Whether `root` is an installed collection, which the next installation replaces, and no checkout."""
    return COLLECTIONS in root.parts


def home(root: Path, here: Path) -> Path:
    """`root` of a checkout. An installed collection keeps nothing: `here`, the folder where the run was started."""
    return here if is_installed(root) else root
