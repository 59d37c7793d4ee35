"""Writes the files with the connection settings of clients, on this machine."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import ansible.module_utils
from ansible.errors import AnsibleAction
from ansible.plugins.action import ActionBase

ROOT = Path(__file__).resolve().parents[2]
ansible.module_utils.__path__.append(str(ROOT / "module_utils"))
if str(ROOT) not in sys.path:
    sys.path.append(str(ROOT))

from ansible.module_utils.kraft.control.files import text_of as read
from ansible.module_utils.kraft.errors import KraftError
from ansible.module_utils.kraft.node.files import apply as file_io
from ansible.module_utils.kraft.spec.desired import client_files, java_properties

from spark_jobs import private_file

ARGUMENT_SPEC: dict[str, Any] = {
    "path": {"type": "path", "required": True},
    "files": {"type": "dict", "default": {}},
    "desired": {"type": "dict"},
    "client_options": {"type": "dict"},
    "users": {"type": "list", "elements": "dict", "default": [], "no_log": True},
    "mode": {"type": "str", "default": "0600"},
}


class ActionModule(ActionBase):
    """Opens no connection. A content is never part of the result."""

    _supports_check_mode = True
    _requires_connection = False

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        super().run(tmp, task_vars)
        _, given = self.validate_argument_spec(ARGUMENT_SPEC)
        changed: list[str] = []
        try:
            top, mode = private_file.of_run(given["path"]), int(given["mode"], 8)
            contents = {**given["files"], **derived(given)}
            files = {private_file.below(top, name): text_of(each) for name, each in contents.items()}
        except ValueError as error:
            return {"failed": True, "msg": f"{error}. Nothing was written"}
        left = {top / name: None for name in left_behind(top, contents)}
        for path, content in {**files, **left}.items():
            if differs(path, content, mode):
                changed.append(str(path))
                if not self._task.check_mode:
                    put(path, content, mode)
        return {"changed": bool(changed), "changed_paths": changed}


def derived(given: Mapping[str, Any]) -> Mapping[str, str | None]:
    """Return the files for clients of the cluster ``desired``, name -> content; None for one that must not be there.

    ``client_options`` of the smoke test: files for everybody. ``users`` with their passwords: ``<user>/<file>``.
    """
    if not given.get("desired"):
        return {}
    cluster, options = given["desired"]["cluster"], given.get("client_options")
    try:
        own = {} if options is None else client_files.client_files(cluster["name"], cluster["clients"], options, read)
        return {**own, **client_files.user_files(given["desired"], given.get("users") or (), read)}
    except KraftError as error:
        raise AnsibleAction(f"kafka_smoke_client_options: {error}") from error


def text_of(content: Any) -> str | None:
    """Return a file's content; settings of a client, Spark's too, become a file of Kafka's Java client."""
    if not isinstance(content, Mapping):
        return None if content is None else str(content)
    settings = {name.removeprefix("kafka."): java_properties.value_text(value) for name, value in content.items()}
    return java_properties.text_of(settings, "")


def left_behind(top: Path, names: Iterable[str]) -> dict[str, None]:
    """Return files of the same kinds as those of `names`, beside them, but with other names.

    A kind is what follows the first dot. A listener that was renamed or removed leaves such files, with passwords. In
    the directory of the run itself there are other files: there a file counts only with a name of a listener's files.
    """
    own = {Path(name) for name in names}
    kinds = {kind(path) for path in own}
    found = [each / name for each in {path.parent for path in own} for name in files_in(top / each) if "." in name]
    gone = [path for path in found if path not in own and kind(path) in kinds]
    listeners = {(path.parent, stem(path)) for path in gone if "." in kind(path)}
    kept = (path for path in gone if path.parent != Path() or (path.parent, stem(path)) in listeners)
    return {str(path): None for path in sorted(kept)}


def files_in(directory: Path) -> list[str]:
    """Return names of the files there; none if the directory is still to be made."""
    try:
        with os.scandir(directory) as entries:
            return [entry.name for entry in entries if entry.is_file()]
    except FileNotFoundError:
        return []


def kind(path: Path) -> str:
    return path.name.partition(".")[2]


def stem(path: Path) -> str:
    return path.name.partition(".")[0]


def differs(path: Path, content: str | None, mode: int) -> bool:
    """Check whether a file differs from the desired one; without a `content` it should not exist."""
    if content is None or not path.is_file():
        return path.is_file() != (content is not None)
    return path.read_bytes() != content.encode() or path.stat().st_mode & 0o777 != mode


def put(path: Path, content: str | None, mode: int) -> None:
    """Write a file in one step, or remove it, and its directory with the last one."""
    if content is None:
        path.unlink()
        if not any(path.parent.iterdir()):
            path.parent.rmdir()
        return
    path.parent.mkdir(mode=0o750, parents=True, exist_ok=True)
    file_io.write_file(str(path), content.encode(), os.getuid(), os.getgid(), mode)
