"""Transfer a large file to a host, into the login user's own directory, whose name is always the same.

Ansible's own directory has another name in each run, so a killed run would leave the file there without end. The next
run overwrites remains of a killed run here. Connections other than ssh transfer the file in their own way.

Ansible's workers survive if the run itself is killed (SIGKILL), to the end of their task. The next run may be at work
on the host by then, so an orphaned worker sends no request to the host after its transfer.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ansible.errors import AnsibleError
from ansible.plugins.action import ActionBase


def directory_for(host: str) -> str:
    """Return the directory below the home of the login user; a separate name for each host of the inventory."""
    return f".kraftwright-{re.sub('[^A-Za-z0-9_.-]', '_', host)}"


def run(connection: Any, command: str) -> str:
    """Return the output of the command, run as the login user. Raises AnsibleError if it fails."""
    rc, out, err = connection.exec_command(command, sudoable=False)
    if rc != 0:
        raise AnsibleError(f"{command}: {err.decode(errors='replace').strip() or f'exit code {rc}'}")
    return str(out.decode().strip())


def is_alone() -> bool:
    """Check that this is a worker whose run was killed."""
    parent = multiprocessing.parent_process()
    return parent is not None and os.getppid() != parent.pid


@contextlib.contextmanager
def transferred_file(action: ActionBase, local: Path, task_vars: Mapping[str, Any]) -> Iterator[str]:
    """Yield the path of a copy on the host, which is removed afterwards. Raises AnsibleError if the transfer fails."""
    connection = action._connection
    if connection.transport != "ssh":
        shell = connection._shell
        directory = shell.tmpdir or action._make_tmp_path()
        yield action._transfer_file(str(local), shell.join_path(directory, local.name))
        return
    name = directory_for(str(task_vars["inventory_hostname"]))
    directory = run(connection, f"umask 077 && mkdir -p {name} && cd {name} && pwd")
    asked = False
    try:
        connection.put_file(str(local), f"{directory}/{local.name}")
        if is_alone():
            raise AnsibleError(f"the run was killed; {directory}/{local.name} is left for the next one")
        asked = True
        yield f"{directory}/{local.name}"
    finally:
        if asked or not is_alone():
            run(connection, f"rm -rf {name}")
