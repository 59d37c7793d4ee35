"""A client that works beside all operations, from before the first until after the last, and Spark's account of it.

Playbooks have a separate probe (``-e kafka_probe=true``); one that outlives killed runs is the driver's.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

RATE = 30  #: records a second; the nodes have most of two cores


class Workload:
    """`home` takes its log and the account; `project` is the tested clone."""

    def __init__(self, project: Path, home: Path, cluster: str, bootstrap: list[str]) -> None:
        self._project, self._home = project, home
        self._settings = {
            "cluster": cluster,
            "bootstrap_servers": ",".join(bootstrap),
            "partitions": 6,
            "rate": RATE,
            "ready_seconds": 600,
        }

    def start(self) -> None:
        """Start, after removing the logs of earlier workloads."""
        self._command("stop", check=False)
        shutil.rmtree(self._home, ignore_errors=True)
        self._home.mkdir(parents=True)
        config = self._home / "wanted.json"
        config.write_text(json.dumps(self._settings))
        self._command("start", "--config", str(config))

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Note an operation that begins and ends meanwhile, as the explanation of a stall."""
        began = time.time()
        try:
            yield
        finally:
            step = {"host": "all", "phase": "other", "task": name, "start": began, "end": time.time()}
            for directory in (path for path in self._home.iterdir() if path.is_dir()):
                with (directory / "steps.jsonl").open("a") as steps:
                    steps.write(json.dumps({**step, "changed": True, "ok": True}) + "\n")

    def audit(self) -> dict[str, Any]:
        """End it. Raises AssertionError unless each of its records was kept, once and in order."""
        said = self._command("stop", check=False)
        audits = [json.loads(path.read_text()) for path in self._home.glob("*/audit.json")]
        if said.returncode or [audit["outcome"] for audit in audits] != ["proven"]:
            raise AssertionError(f"the records of the client beside all operations:\n{said.stdout}{said.stderr}")
        found: dict[str, Any] = audits[0]
        return found

    def _command(self, *words: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "spark_jobs.probe", *words, "--home", str(self._home)]
        done = subprocess.run(  # noqa: S603 - our own module, its arguments in a list
            command,
            cwd=self._project,
            env={**os.environ, "PYTHONPATH": str(self._project)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        if check and done.returncode:
            raise AssertionError(f"{' '.join(words)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
        return done
