"""Run ``kafka-storage format`` of an installed release: as Kafka's user, one at a time, to the end and on the disk."""

from __future__ import annotations

import contextlib
import grp
import os
import pwd
import re
import shlex
import stat
import subprocess
from collections.abc import Sequence
from typing import Any

from ansible.module_utils.kraft.errors import KraftError, ToolError
from ansible.module_utils.kraft.node.files import guarded
from ansible.module_utils.kraft.node.files.apply import write_at
from ansible.module_utils.kraft.node.release.manifest import CLASSPATH, read_text
from ansible.module_utils.kraft.node.run_lock.lock import RUN_VARIABLE
from ansible.module_utils.kraft.node.storage.log_dir import ASIDE, BOOTSTRAP, FIRST_SNAPSHOT, METADATA_LOG
from ansible.module_utils.kraft.node.storage.meta_properties import META

TOOL = "kafka.tools.StorageTool"
JVM_OPTIONS = ("-Xmx256m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-XX:-UsePerfData")
TIMEOUT = 120.0

EXCEPTION = re.compile(r'(?:Exception in thread "\S+" |Caused by: )(?:[\w$]+\.)*([\w$]+)(?:: (.*))?')
HINTS = (
    ("AccessDeniedException", "the directory and what is in it must belong to the user that Kafka runs as"),
    ("No space left on device", "free space on that filesystem and run again"),
    ("ConfigException", "Kafka refuses server.properties"),
)


def tool_command(java: str, release: str, plugins: Sequence[str] = ()) -> list[str]:
    """Return the command line; its arguments come from stdin, so that none shows in a process list.

    `plugins`: further entries of the class path, since the tool loads classes that ``server.properties`` names.
    """
    path = os.path.join(release, CLASSPATH)
    options = ["@" + path]
    if plugins:
        words = shlex.split(read_text(path))
        options = ["-cp", ":".join([words[words.index("-cp") + 1], *plugins])]
    return [java, *JVM_OPTIONS, *options, TOOL, "@/dev/stdin"]


def tool_arguments(config: str, cluster_id: str, flags: Sequence[str]) -> str:
    """Return the tool's arguments, one to a line. ``--name=value``: a cluster id may begin with ``-``."""
    return "\n".join(["format", f"--config={config}", f"--cluster-id={cluster_id}", *flags]) + "\n"


def tool_message(output: str) -> str:
    """Return the tool's error: the innermost exception or its one-line message, and a hint if there is one."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    exceptions = [match for match in map(EXCEPTION.match, lines) if match]
    said = [line for line in lines if not line.startswith(("at ", "usage:", "[", "Bootstrap metadata:", "..."))]
    if exceptions:
        name, text = exceptions[-1].groups()
        message = f"{name}: {text}" if text else name
    else:
        message = said[-1] if said else "it said nothing"
    hint = next((hint for mark, hint in HINTS if mark in message), "")
    return f"{message} ({hint})" if hint else message


def run_as(user: str) -> dict[str, Any]:
    """Return the arguments of `subprocess` that drop to `user`; none if we are that user already."""
    try:
        entry = pwd.getpwnam(user)
    except KeyError:
        raise KraftError(f"user {user} does not exist on this host: role kafka_host creates it") from None
    if entry.pw_uid == os.geteuid():
        return {}
    if os.geteuid() != 0:
        raise KraftError(f"the log dirs are formatted as {user}, which needs root: run with become")
    groups = [group.gr_gid for group in grp.getgrall() if user in group.gr_mem]
    return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": [entry.pw_gid, *groups]}


def arguments_pipe(text: str, uid: int) -> int:
    """Return the reading end of a pipe that holds `text` and that `uid` may open by name."""
    reader, writer = os.pipe()
    try:
        os.write(writer, text.encode())
        if uid != os.geteuid():
            os.fchown(reader, uid, -1)
    finally:
        os.close(writer)
    return reader


def environment() -> dict[str, str]:
    """Return the environment: of the caller's only PATH and the name of the run."""
    run = os.environ.get(RUN_VARIABLE, "")
    return {
        "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
        "LC_ALL": "C.UTF-8",
        **({RUN_VARIABLE: run} if run else {}),
    }


def run_tool(command: Sequence[str], arguments: str, user: str, lock: int) -> str:
    """Run to the end and return the output. It inherits `lock`: a format that outlives us still keeps others out."""
    identity = run_as(user)
    stdin = arguments_pipe(arguments, identity.get("user", os.geteuid()))
    try:
        done: subprocess.CompletedProcess[bytes] = subprocess.run(  # noqa: S603 - a list, no shell; java and release come from the role
            list(command),
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=environment(),
            cwd="/",
            umask=0o027,
            pass_fds=(lock,),
            timeout=TIMEOUT,
            check=False,
            **identity,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ToolError(f"kafka-storage format did not run: {error}") from error
    finally:
        os.close(stdin)
    output = done.stdout.decode(errors="replace")
    if done.returncode != 0:
        raise ToolError(f"kafka-storage format failed (exit code {done.returncode}): {tool_message(output)}")
    return output


def set_aside(directory: str) -> str:
    """Rename a directory's meta.properties to the first free name beside it, and return that; nothing is deleted."""
    taken = set(os.listdir(directory))
    name = next(f"{ASIDE}{number}" for number in range(1, len(taken) + 2) if f"{ASIDE}{number}" not in taken)
    os.rename(os.path.join(directory, META), os.path.join(directory, name))
    return os.path.join(directory, name)


def flush(directory: str) -> None:
    """Flush a formatted directory to the disk: the tool does not flush the files that hold the first records."""
    for below, name in (("", BOOTSTRAP), (METADATA_LOG, FIRST_SNAPSHOT)):
        with (
            contextlib.suppress(FileNotFoundError),
            guarded.directory(directory, below) as at,
            guarded.regular(name, at) as file,
        ):
            os.fsync(file)
    with guarded.directory(directory) as at:
        os.fsync(at)


def rename_directory(directory: str, directory_id: str) -> None:
    """Give a just formatted directory the inventory's id; without voters the tool draws its own.

    The file is replaced whole. Only this line contains the id before the first start.
    """
    wanted = f"directory.id={directory_id}\n"
    with guarded.directory(directory) as at:
        with guarded.regular(META, at) as file:
            status = os.fstat(file)
        lines = guarded.content(META, at).decode().splitlines(keepends=True)
        text = "".join(wanted if line.startswith("directory.id=") else line for line in lines)
        write_at(at, META, text.encode(), (status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode)))
