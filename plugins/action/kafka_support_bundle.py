"""Writes what hosts have collected into folders of this machine, and packs them into one archive."""

from __future__ import annotations

import io
import json
import platform
import shutil
import sys
import tarfile
from collections.abc import Mapping
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import ansible.module_utils
from ansible.plugins.action import ActionBase
from ansible.release import __version__ as ansible_version
from ansible.utils.display import Display

ROOT = Path(__file__).resolve().parents[2]
ansible.module_utils.__path__.append(str(ROOT / "module_utils"))
if str(ROOT) not in sys.path:
    sys.path.append(str(ROOT))

from ansible.module_utils.kraft.status.evidence import unread

from spark_jobs import private_file

DISPLAY = Display()
ARGUMENT_SPEC: dict[str, Any] = {
    "cluster": {"type": "dict"},
    "directory": {"type": "path", "required": True},
    "install_dir": {"type": "path", "default": "/opt/kafka"},
    "log4j_dir": {"type": "path", "default": "/var/log/kafka"},
    "log_dirs": {"type": "list", "elements": "path"},
    "java": {"type": "path", "default": "/usr/bin/java"},
    "unit": {"type": "str", "default": "kafka"},
    "sysctl_file": {"type": "path", "default": "/etc/sysctl.d/90-kafka.conf"},
    "beside": {"type": "list", "elements": "path", "default": []},
    "collected": {"type": "dict", "default": {}},
}
MODE = 0o600
OF_HOST = ("install_dir", "log4j_dir", "log_dirs", "java", "unit", "sysctl_file")


class ActionModule(ActionBase):
    """Collects from a host, or packs the files. The module hides secrets on the host; its texts are no result."""

    _supports_check_mode = True

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        super().run(tmp, task_vars)
        _, given = self.validate_argument_spec(
            ARGUMENT_SPEC, mutually_exclusive=[("cluster", "log_dirs")], required_one_of=[("cluster", "log_dirs")]
        )
        return self._collected(given, task_vars or {}) if given["log_dirs"] else packed(given)

    def _collected(self, given: dict[str, Any], task_vars: dict[str, Any]) -> dict[str, Any]:
        """Write the files of one host. A host that gives a path outside its folder is refused."""
        try:
            directory = private_file.of_run(given["directory"])
            directory = private_file.below(directory, str(task_vars["inventory_hostname"]))
        except ValueError as error:
            return {"failed": True, "msg": f"{error}. Nothing was written"}
        asked = {name: given[name] for name in OF_HOST}
        answer: dict[str, Any] = self._execute_module(module_args=asked, task_vars=task_vars)
        files = answer.pop("files", {})
        try:
            paths = {name: private_file.below(directory, name) for name in files}
        except ValueError as error:
            return {**answer, "failed": True, "msg": f"the host returned a file that was not requested: {error}"}
        for name, text in files.items():
            path = paths[name]
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            private_file.write(path, text)
        return {**answer, "collected": sorted(files)}


def packed(given: dict[str, Any]) -> dict[str, Any]:
    """Pack the directory and the files of ``beside`` into the archive, and return the module's result."""
    now = datetime.now(timezone.utc)
    try:
        directory = private_file.of_run(given["directory"])
        name = f"support-{given['cluster']['name']}-{now:%Y%m%dT%H%M%SZ}.tar.gz"
        bundle = private_file.below(directory.parent, name)
    except ValueError as error:
        return {"failed": True, "msg": f"{error}. Nothing was written"}
    files = {path.relative_to(directory).as_posix(): path for path in directory.rglob("*") if path.is_file()}
    files |= {path.name: path for path in map(Path, given["beside"]) if path.is_file()}
    made = {"ansible": ansible_version, "python": platform.python_version(), "control_machine": platform.platform()}
    about = {"made": now.isoformat(timespec="seconds"), **made, "cluster": given["cluster"], "files": len(files)}
    away = {host: unread(one or None) for host, one in given["collected"].items()}
    about["not_collected"] = {host: reason for host, reason in away.items() if reason}
    pack(bundle, files, json.dumps(about, indent=2) + "\n")
    shutil.rmtree(directory, ignore_errors=True)
    size = f"{len(files)} files, {bundle.stat().st_size / 1e6:.1f} MB"
    DISPLAY.display(f"\n  {bundle}\n  {size}. Secrets are hidden. Review it before you send it.\n")
    return {"changed": False, "bundle": str(bundle), "bytes": bundle.stat().st_size, "files": sorted(files)}


def pack(bundle: Path, files: Mapping[str, Path], about: str) -> None:
    """Pack one folder into the archive, named like it; for its owner alone."""
    top = bundle.name.split(".")[0]
    private_file.directory(bundle.parent)
    beside = bundle.with_name(f".{bundle.name}")
    with tarfile.open(beside, "w:gz") as archive:
        entry = tarfile.TarInfo(f"{top}/about.json")
        entry.size = len(about.encode())
        archive.addfile(entry, io.BytesIO(about.encode()))
        for name, path in sorted(files.items()):
            archive.add(path, f"{top}/{name}", filter=without_owner)
    beside.chmod(MODE)
    beside.replace(bundle)


def without_owner(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    return entry
