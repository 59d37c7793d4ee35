"""Alertmanager's own tool, and Alertmanager on loopback with the file that `render_monitoring.yml` writes."""

from __future__ import annotations

import json
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scripts import watchers
from tests.integration.kafka_node import LEASH
from tests.integration.patience import until


def amtool(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([watchers.tool("amtool"), *arguments], capture_output=True, text=True, check=False)


@dataclass(frozen=True)
class Alertmanager:
    """Alertmanager's state of the alerts that it received."""

    address: str

    def request(self, path: str, content: Any = None) -> Any:
        data = None if content is None else json.dumps(content).encode()
        url = f"http://{self.address}/{path}"
        request = urllib.request.Request(url, data, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=60) as answer:  # noqa: S310 - on loopback
            return answer.read() if content is not None else json.load(answer)

    def tell(self, alerts: Sequence[Mapping[str, str]]) -> None:
        self.request("api/v2/alerts", [{"labels": labels} for labels in alerts])

    def told(self, wanted: Mapping[str, bool], seconds: float = 120) -> dict[str, bool]:
        """Return each alert by name and host -> whether another one makes it superfluous, once that is as `wanted`.

        An alert that arrives first is active until the one that inhibits it has been processed. After `seconds`:
        the last answer.
        """

        def seen() -> dict[str, bool]:
            told = self.request("api/v2/alerts")
            return {name_of(each["labels"]): bool(each["status"]["inhibitedBy"]) for each in told}

        return until(seen, lambda found: found == wanted, seconds)


def name_of(labels: Mapping[str, str]) -> str:
    return f"{labels['alertname']} {labels.get('host', '')}".strip()


@contextmanager
def alerted(directory: Path, files: Path) -> Iterator[Alertmanager]:
    """Start a separate Alertmanager, without peers."""
    made = Alertmanager(watchers.free_address())
    command = watchers.alertmanager(files, directory / "alerts", made.address)
    with (directory / "alertmanager.log").open("wb") as log:
        process = subprocess.Popen([*LEASH, *command], stdout=log, stderr=log)
    try:
        wait_for(made, directory / "alertmanager.log")
        yield made
    finally:
        process.kill()
        process.wait(10)


def wait_for(started: Alertmanager, log: Path, seconds: float = 120) -> None:
    deadline = time.monotonic() + seconds
    while True:
        try:
            started.request("api/v2/status")
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.1)
        else:
            return
