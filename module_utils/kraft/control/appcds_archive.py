"""AppCDS archives that the control machine keeps, one file for each key."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any


def kept_at(cache_dir: str | None, key: str) -> Path | None:
    """Where the AppCDS archive with this key is kept, or would be; None where nothing is kept."""
    return Path(cache_dir) / f"{key}.jsa.gz" if cache_dir and key else None


def is_first(task_vars: Mapping[str, Any]) -> bool:
    """One host is enough to fetch from."""
    return task_vars.get("inventory_hostname") in list(task_vars.get("ansible_play_hosts_all", ()))[:1]


def is_wanted(cache_dir: str | None, key: str, task_vars: Mapping[str, Any]) -> bool:
    """Whether this host's AppCDS archive is to be fetched."""
    kept = kept_at(cache_dir, key)
    return kept is not None and not kept.is_file() and is_first(task_vars)
