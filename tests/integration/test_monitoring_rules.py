"""Prometheus' own tool on the rules: each alert fires, stays quiet and resolves, and no inverted comparison passes."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from ansible.module_utils.kraft.monitoring import prometheus, rules

from scripts.watchers import tool

ROOT = Path(__file__).resolve().parents[2]
DATA = rules.data("blue")
ALERTS: dict[str, Any] = {one["alert"]: one for one in DATA["alerts"]}
INVERTED = {" > ": " < ", " < ": " > ", " == ": " != ", " <= ": " > "}
COMPARISON = re.compile("|".join(INVERTED))
#: An alert that has nothing to compare.
WITHOUT = {"KafkaWatchdog", "KafkaClusterNotScraped", "KafkaCollectorMissing"}


def promtool(directory: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([tool("promtool"), *arguments], cwd=directory, capture_output=True, text=True, check=False)


def write(directory: Path, data: dict[str, Any]) -> Path:
    directory.mkdir(exist_ok=True)
    for name, text in prometheus.rule_files(data, "blue").items():
        (directory / name).write_text(text)
    return directory


def alone(alert: dict[str, Any]) -> dict[str, Any]:
    """The rules with one alert, and what must not raise it."""
    scenes = [{**each, "alerts": [alert["alert"]]} for each in DATA["quiet"] if alert["alert"] in each["alerts"]]
    return {"records": DATA["records"], "alerts": [alert], "quiet": scenes}


def mutants(alert: dict[str, Any]) -> Iterable[dict[str, Any]]:
    """The alert with each of its comparisons inverted."""
    for found in COMPARISON.finditer(alert["expr"]):
        text = alert["expr"]
        yield {**alert, "expr": text[: found.start()] + INVERTED[found[0]] + text[found.end() :]}


def survivors(directory: Path, alert: dict[str, Any]) -> list[str]:
    changed = list(mutants(alert))
    assert changed or alert["alert"] in WITHOUT
    assert promtool(write(directory / alert["alert"], alone(alert)), "test", "rules", prometheus.TESTS).returncode == 0
    places = (write(directory / f"{alert['alert']}{at}", alone(one)) for at, one in enumerate(changed))
    codes = [promtool(place, "test", "rules", prometheus.TESTS).returncode for place in places]
    return [one["expr"] for one, code in zip(changed, codes, strict=True) if code == 0]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("rules"), DATA)


def test_rules_have_no_fault(written: Path) -> None:
    checked = promtool(written, "check", "rules", "--lint=all", "--lint-fatal", prometheus.RULES)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert f"SUCCESS: {len(DATA['records']) + len(ALERTS)} rules found" in checked.stdout


def test_every_alert_fires_stays_quiet_and_resolves(written: Path) -> None:
    tested = promtool(written, "test", "rules", prometheus.TESTS)
    assert tested.returncode == 0, tested.stdout + tested.stderr


def test_an_inverted_end_of_planned_work_is_seen(tmp_path: Path) -> None:
    records = [{**one, "expr": one["expr"].replace("> time()", "< time()")} for one in DATA["records"]]
    assert records != DATA["records"]
    yielding = {name: one for name, one in ALERTS.items() if one.get("yields")}
    inverted = write(tmp_path / "inverted", {"records": records, "alerts": list(yielding.values()), "quiet": []})
    tested = promtool(inverted, "test", "rules", prometheus.TESTS)
    assert {name for name in yielding if f"{name}: work" in tested.stderr} == set(yielding)


def test_an_inverted_comparison_is_seen(tmp_path: Path) -> None:
    with ThreadPoolExecutor(4) as pool:
        found = [each for one in pool.map(lambda alert: survivors(tmp_path, alert), ALERTS.values()) for each in one]
    assert found == []
