"""A Prometheus that scrapes the scenario's hosts every five seconds, by the rendered files, and its alerts."""

from __future__ import annotations

import re
import shutil
import subprocess
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from hastened import hastened, seconds

from scripts import watchers

#: Durations are divided by FASTER; scrapes and evaluations come every EVERY seconds.
FASTER, EVERY = 5, 5
PAGE = "page"
#: The watchdog, and alerts about the machine's disk, which all hosts share with other work.
NOT_JUDGED = ("KafkaWatchdog", "KafkaLogDirFullWithinHours", "KafkaLogDirFullWithinDays")


@dataclass(frozen=True, order=True)
class Alert:
    """`host`: of a node's alert; empty if it is the cluster's."""

    name: str
    severity: str
    host: str = ""

    @classmethod
    def from_labels(cls, labels: Mapping[str, str]) -> Alert:
        return cls(labels["alertname"], labels["severity"], labels.get("host", ""))

    def __str__(self) -> str:
        return f"{self.name} {self.host}".strip()


def judged(labels: Iterable[Mapping[str, str]]) -> set[Alert]:
    """Return the alerts that are relevant here."""
    return {Alert.from_labels(one) for one in labels if one["alertname"] not in NOT_JUDGED}


class Observer:
    """Queries to Prometheus; `lasting`: how many seconds each alert waits before it fires."""

    def __init__(self, address: str, lasting: Mapping[str, int]) -> None:
        self.address, self.lasting = address, lasting
        self._ask = watchers.asking(f"http://{address}")

    def query(self, path: str, **parameters: str) -> Any:
        return self._ask(path, parameters)

    def alerts(self, state: str = "firing") -> set[Alert]:
        """Return every alert that fires now, or is pending."""
        return judged(one["labels"] for one in self.query("alerts")["alerts"] if one["state"] == state)

    def fired(self, begin: float, end: float) -> set[Alert]:
        """Return every alert that fired at some time between two moments."""
        times = {"start": f"{begin:.0f}", "end": f"{end:.0f}", "step": str(EVERY)}
        found = self.query("query_range", query='ALERTS{alertstate="firing"}', **times)["result"]
        return judged(one["metric"] for one in found)

    def value(self, expression: str) -> list[tuple[Mapping[str, str], float]]:
        """Return labels and value of each series of an expression now."""
        return [(one["metric"], float(one["value"][1])) for one in self.query("query", query=expression)["result"]]

    def watches(self, targets: int) -> bool:
        """Check that every target answers, and that the rules were evaluated."""
        try:
            answering = [value for _, value in self.value("up")]
            return answering == [1.0] * targets and bool(self.value("ALERTS"))
        except watchers.SilentError:
            return False  # it starts


def prepare(rendered: Path, directory: Path) -> dict[str, int]:
    """Copy the files of ``render_monitoring.yml``, at the faster pace; return how long each alert waits."""
    shutil.rmtree(directory, ignore_errors=True)
    shutil.copytree(rendered, directory)
    rules = hastened(yaml.safe_load((rendered / "rules.yml").read_text()), FASTER, f"{EVERY}s")
    (directory / "rules.yml").write_text(yaml.safe_dump(rules, sort_keys=False))
    config = directory / "prometheus.yml"
    config.write_text(re.sub(r"interval: \d+s", f"interval: {EVERY}s", config.read_text()))
    alerts = [rule for group in rules["groups"] for rule in group["rules"] if "alert" in rule]
    return {rule["alert"]: seconds(rule["for"]) for rule in alerts}


@contextmanager
def observing(rendered: Path, directory: Path, targets: int) -> Iterator[Observer]:
    """Run Prometheus on loopback until the driver ends. Waits until all targets answer."""
    made = Observer(watchers.free_address(), prepare(rendered, directory))
    command = watchers.prometheus(directory, directory / "data", made.address)
    with (directory / "prometheus.log").open("wb") as log:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)  # noqa: S603
    try:
        deadline = time.monotonic() + 120
        while not made.watches(targets):
            if time.monotonic() > deadline or process.poll() is not None:
                said = (directory / "prometheus.log").read_text()
                raise AssertionError(f"Prometheus does not watch:\n{said[-3000:]}")
            time.sleep(0.5)
        yield made
    finally:
        process.kill()
        process.wait()
