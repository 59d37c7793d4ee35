"""Services beside Kafka that earlier versions set up and this one has not: what is left of them is removed."""

from __future__ import annotations

import os
import shutil

from ansible.module_utils.kraft.node.other_services.unit_files import is_ours, systemctl, unit_path
from ansible.module_utils.kraft.node.service.unit_state import Run

#: They shipped log files. Their user and /var/lib/kafka-logs stay: lines that were never delivered are there.
SERVICES = ("kafka-logs", "kafka-logs-proxy")


def left(install_dir: str) -> list[str]:
    """Paths that are there and ours: unit files, then the directory of their configurations."""
    home = f"{install_dir}/log_shipping"
    return [*filter(is_ours, map(unit_path, SERVICES)), *([home] if os.path.isdir(home) else [])]


def remove(run: Run, install_dir: str) -> None:
    """Stop them first. Raises ToolError if systemd cannot."""
    units = [name for name in SERVICES if is_ours(unit_path(name))]
    if units:
        systemctl(run, "disable", "--now", *units)
    for path in left(install_dir):
        shutil.rmtree(path) if os.path.isdir(path) else os.unlink(path)
    if units:
        systemctl(run, "daemon-reload")
