"""Files of others inside of what a removal deletes: mounted file systems, and what no node made in a log dir."""

from __future__ import annotations

import os
from collections.abc import Iterable

from ansible.module_utils.kraft.node.machine import devices
from ansible.module_utils.kraft.node.storage.log_dir import LOST_AND_FOUND, kind_of
from ansible.module_utils.kraft.node.storage.meta_properties import META

OF_KAFKA = ("format", "lived")


def mounted_below(paths: Iterable[str]) -> list[str]:
    """Return the mount points below the paths, the paths themselves not included. Links are not followed."""
    tops = [os.path.join(os.path.realpath(path), "") for path in paths if not os.path.islink(path)]
    places = devices.mounted_devices(devices.MOUNTS.read_text(encoding="utf-8", errors="surrogateescape"))
    return sorted(place for place in places if any(place.startswith(top) and place != top for top in tops))


def in_log_dir(path: str) -> tuple[str, ...]:
    """Return paths in a log dir that no node has made there. Raises OSError if the disk cannot be read.

    A partition has no ``meta.properties``: a directory with one is a log dir itself.
    """
    with os.scandir(path) as entries:
        found = [(entry.path, kind_of(entry.name, entry.is_dir()), entry.name) for entry in entries]
    return tuple(
        each
        for each, kind, name in sorted(found)
        if name != LOST_AND_FOUND and (kind not in OF_KAFKA or os.path.lexists(os.path.join(each, META)))
    )
