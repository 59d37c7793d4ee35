"""Runs the module on the host, with the source's secrets apart and Kafka's definitions of MirrorMaker's settings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ansible.module_utils
from ansible.plugins.action import ActionBase

ansible.module_utils.__path__.append(str(Path(__file__).resolve().parents[2] / "module_utils"))

from ansible.module_utils.kraft.spec.desired.mirror import parted
from ansible.module_utils.kraft.spec.inventory.definitions import load, nearest_version, of_mirror


class ActionModule(ActionBase):
    """Adds the definitions, which do not travel to the hosts otherwise, and takes the secrets out of ``mirror``.

    With ``state: present`` the service gets its secrets by their whole names, and nothing else of ``mirror``.
    """

    _supports_check_mode = True

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        super().run(tmp, task_vars)
        given = dict(self._task.args)
        if given.get("state", "present") == "present":
            release = str(given.get("release", ""))
            topic = sorted(load(nearest_version(release)).topic)
            given["definitions"] = {"mirror": of_mirror(release), "topic": topic}
            if mirror := given.pop("mirror", None):
                given["secrets"] = parted(mirror, f"{mirror['source']['name']}.")["secrets"]
        elif given.get("mirror"):
            given.update(parted(given["mirror"]))
        answer: dict[str, Any] = self._execute_module(module_args=given, task_vars=task_vars)
        return answer
