"""A run of the job as people start it: its configuration file, its topic, and the launcher."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spark_jobs.progress import steps
from spark_jobs.report_check import schema_errors
from tests.integration.spark_topic import create

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Job:
    """A configuration file and the topic that it names."""

    bootstrap: str
    topic: str
    config: Path
    output: Path

    @classmethod
    def make(cls, bootstrap: str, topic: str, directory: Path, records: int, replicas: int = 3, **more: Any) -> Job:
        """Make the topic with six partitions, and the file; ``more``: other names of the file."""
        content = {
            "run_id": "submitted",
            "bootstrap_servers": bootstrap,
            "topic": create(bootstrap, topic, 6, replicas=replicas),
            "partitions": 6,
            "records": records,
            "record_bytes": 100,
            "output_dir": str(directory / "out"),
            "versions": {"kafka": "4.4.0"},
            **more,
        }
        path = directory / "smoke.json"
        path.write_text(json.dumps(content))
        return cls(bootstrap, topic, path, directory / "out")

    @property
    def steps(self) -> str:
        """The finished steps of the job, one line each."""
        return steps(self.output)

    def begin(self, *arguments: str, **environment: str) -> subprocess.Popen[str]:
        """Start ``python -m spark_jobs.submit`` and return at once."""
        line = [sys.executable, "-m", "spark_jobs.submit", "--config", str(self.config), "--timeout", "300", *arguments]
        whole, pipe = {**os.environ, **environment}, subprocess.PIPE
        return subprocess.Popen(line, cwd=ROOT, env=whole, stdout=pipe, stderr=subprocess.STDOUT, text=True)

    def submit(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run ``python -m spark_jobs.submit`` in a separate process."""
        line = [sys.executable, "-m", "spark_jobs.submit", "--config", str(self.config), "--timeout", "300", *arguments]
        return self.run(line, **environment)

    def run(self, line: list[str], **environment: str) -> subprocess.CompletedProcess[str]:
        whole = {**os.environ, **environment}
        return subprocess.run(line, cwd=ROOT, env=whole, capture_output=True, text=True, timeout=400, check=False)

    def report(self) -> dict[str, Any]:
        report: dict[str, Any] = json.loads((self.output / "report.json").read_text())
        assert schema_errors(report) == []
        return report
