"""The record of a process's start: root's copies of its files, made by the unit at each start.

The unit makes it with full privileges in a directory of root, which the service can neither write nor replace. A unit,
a release or a file in a directory of the service's user is never accepted as one.
"""

from __future__ import annotations

import os
import stat

from ansible.module_utils.kraft.node.files import guarded

STARTED_DIR = "/run/kafka-started"
#: Maximum bytes of one file; a manifest of a release is the largest by far.
LIMIT = 16 << 20
WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH


def started_files(started_dir: str) -> dict[str, bytes]:
    """Return file name -> content of the inputs of the running process; empty without a record.

    A record that others than root could have written is ignored.
    """
    above, name = os.path.split(started_dir)
    try:
        with guarded.directory(above, name) as at:
            if not guarded.is_of_root(at) or os.fstat(at).st_mode & WRITABLE_BY_OTHERS:
                return {}
            return {each: guarded.content(each, at, LIMIT, of_root=True) for each in sorted(os.listdir(at))}
    except OSError:
        return {}
