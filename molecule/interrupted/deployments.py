"""Deployments that are ended at the wrong moment."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab import Lab
from runs import PATIENCE, Outcome, Runs, end, with_time


@dataclass(frozen=True)
class Point:
    """The moment at which a run is killed; the fields are explained in vars/points.yml."""

    name: str
    begin: str
    goes_on: bool = False
    signal: str = "KILL"
    task: str = ""
    when: str = ""
    nth: int = 1
    host: str = ""
    until: str = ""
    strike: str = ""
    left: str = ""
    random: bool = False
    power: bool = False

    @classmethod
    def from_entry(cls, entry: Mapping[str, Any]) -> Point:
        return cls(begin=entry["from"], **{key: value for key, value in entry.items() if key != "from"})


class Deployments:
    """Starts ``deploy_cluster.yml`` with a setting that needs a restart: its change is a roll."""

    def __init__(self, lab: Lab, directory: Path) -> None:
        self._lab, self._runs = lab, Runs(lab.project, directory)
        self.requests = 500

    def words(self, *more: str) -> list[str]:
        """Return the words of the command line."""
        inventory = str(self._lab.project / "molecule/interrupted/inventory")
        setting = json.dumps({"kafka_config": {"queued.max.requests": self.requests}})
        return ["-i", inventory, "-e", setting, *more, "playbooks/deploy_cluster.yml"]

    def begun(
        self, moment: Mapping[str, Any] | None = None
    ) -> AbstractContextManager[tuple[subprocess.Popen[bytes], Path]]:
        """Start a deployment; yield it and the file of its output."""
        return self._runs.begun(self.words(), moment)

    def whole(self, *more: str) -> Outcome:
        """Return an undisturbed run."""
        return self._runs.run(self.words(*more))

    def killed(self, point: Point, after: float) -> Outcome:
        """Return a run that meets `point`; `after`: seconds, for a random moment."""
        began = time.monotonic()
        moment = {"task": point.task, "when": point.when, "nth": point.nth, "signal": point.signal}
        with self.begun(moment) as (process, log):
            if point.until:
                self._at(point, process)
            elif point.random:
                with_time(process, after)
                end(process, point.signal)
            code = process.wait(PATIENCE)
            return Outcome(code, log.read_text(), time.monotonic() - began)

    def _at(self, point: Point, process: subprocess.Popen[bytes]) -> None:
        """Wait on the host for the moment, over a separate connection; strike there or here, as the point defines."""
        until = f"until {{ {point.until}; }} >/dev/null 2>&1; do sleep 0.005; done; {point.strike or 'true'}"
        with subprocess.Popen(self._lab.command(point.host, until), stdout=subprocess.DEVNULL) as watcher:  # noqa: S603
            while watcher.poll() is None and process.poll() is None:
                time.sleep(0.005)
            watcher.kill()
        if point.power:
            self._lab.power(point.host, on=False)
        elif not point.strike:
            end(process, point.signal)
