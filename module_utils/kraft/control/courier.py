"""Brings a large file to a host over ssh itself, whatever carries the tasks.

mitogen hands a file over in small messages between Python processes, ssh as one stream. So the file goes by Ansible's
own ssh connection, as the user that logs in, to a directory of that user's; a killed run's remains are overwritten by
the next one. Connections other than ssh bring it their own way.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ansible.errors import AnsibleError
from ansible.plugins.action import ActionBase
from ansible.plugins.loader import connection_loader

#: A name that mitogen does not know, so that it leaves the connection to Ansible.
NOT_CARRIED = "direct"


def directory_for(host: str) -> str:
    """Below the home of the user that logs in; a name of its own for each host of the inventory."""
    return f".kraftwright-{re.sub('[^A-Za-z0-9_.-]', '_', host)}"


def direct_connection(action: ActionBase, task_vars: Mapping[str, Any]) -> Any:
    """Ansible's ssh connection to the task's host, with the options that the host's variables give."""
    context = action._play_context.copy()
    context.connection = NOT_CARRIED
    connection = connection_loader.get("ssh", context)
    keys = {**action._task.dump_attrs(), "timeout": context.timeout}
    if context.password:
        keys["password"] = context.password
    keys.pop("retries", None)
    variables = connection._resolve_option_variables(task_vars, action._templar)
    connection.set_options(task_keys=keys, var_options=variables)
    return connection


def run(connection: Any, command: str) -> str:
    rc, out, err = connection.exec_command(command, sudoable=False)
    if rc != 0:
        raise AnsibleError(f"{command}: {err.decode(errors='replace').strip() or f'exit code {rc}'}")
    return str(out.decode().strip())


@contextlib.contextmanager
def brought(action: ActionBase, local: Path, task_vars: Mapping[str, Any]) -> Iterator[str]:
    """The path of a copy on the host, which is gone afterwards. Raises AnsibleError where it cannot be brought."""
    if action._connection.transport != "ssh":
        shell = action._connection._shell
        directory = shell.tmpdir or action._make_tmp_path()
        yield action._transfer_file(str(local), shell.join_path(directory, local.name))
        return
    connection = direct_connection(action, task_vars)
    name = directory_for(str(task_vars["inventory_hostname"]))
    directory = run(connection, f"umask 077 && mkdir -p {name} && cd {name} && pwd")
    try:
        connection.put_file(str(local), f"{directory}/{local.name}")
        yield f"{directory}/{local.name}"
    finally:
        run(connection, f"rm -rf {name}")
        connection.close()
