"""Prometheus' own tool on the rules: each alert fires, stays quiet and resolves, and no inverted comparison passes."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible.module_utils.kraft.monitoring import prometheus, rules

from scripts.watchers import tool

ROOT = Path(__file__).resolve().parents[2]
DATA = rules.data("blue")
ALERTS: dict[str, Any] = {one["alert"]: one for one in DATA["alerts"]}
INVERTED = {" > ": " < ", " < ": " > ", " == ": " != ", " <= ": " > "}
COMPARISON = re.compile("|".join(INVERTED))
FILES = (prometheus.TESTS, prometheus.SLOW_TESTS)
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
    assert promtool(write(directory / alert["alert"], alone(alert)), "test", "rules", *FILES).returncode == 0
    places = (write(directory / f"{alert['alert']}{at}", alone(one)) for at, one in enumerate(changed))
    codes = [promtool(place, "test", "rules", *FILES).returncode for place in places]
    return [one["expr"] for one, code in zip(changed, codes, strict=True) if code == 0]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("rules"), DATA)


def test_rules_have_no_fault(written: Path) -> None:
    checked = promtool(written, "check", "rules", "--lint=all", "--lint-fatal", prometheus.RULES)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert f"SUCCESS: {len(DATA['records']) + len(ALERTS)} rules found" in checked.stdout


def test_every_alert_fires_stays_quiet_and_resolves(written: Path) -> None:
    tested = promtool(written, "test", "rules", *FILES)
    assert tested.returncode == 0, tested.stdout + tested.stderr


@pytest.mark.parametrize(
    ("lifetime", "left", "fires"),
    [
        (400, 15, False),
        (400, 13, True),
        (3, 2.5, False),
        (3, 1.2, False),
        (3, 0.9, True),
        (None, 15, False),
        (None, 13, True),
    ],
)
def test_a_certificate_ends_soon_by_what_it_lasts(
    tmp_path: Path, lifetime: float | None, left: float, fires: bool
) -> None:
    """All in days, when the alert has waited for long enough; None: a collector without the begin."""
    labels, at, day = '{cluster="blue",host="kafka1",node_id="1"}', 65, 86400
    end = left * day + at * 60
    shown = {"end": end} if lifetime is None else {"end": end, "begin": end - lifetime * day}
    series = [
        {"series": f"kafka_certificate_{of}_seconds{labels}", "values": f"{value}+0x70"} for of, value in shown.items()
    ]
    asked = {"expr": 'count(ALERTS{alertname="KafkaCertificateEnds",alertstate="firing"})', "eval_time": f"{at}m"}
    test = {"interval": "1m", "input_series": series}
    test["promql_expr_test"] = [{**asked, "exp_samples": [{"labels": "{}", "value": 1}] if fires else []}]
    place = write(tmp_path / "certificate", DATA)
    (place / "one.yml").write_text(yaml.safe_dump({"rule_files": [prometheus.RULES], "tests": [test]}))
    tested = promtool(place, "test", "rules", "one.yml")
    assert tested.returncode == 0, tested.stdout + tested.stderr


@pytest.mark.later
def test_an_inverted_end_of_planned_work_is_seen(tmp_path: Path) -> None:
    records = [{**one, "expr": one["expr"].replace("> time()", "< time()")} for one in DATA["records"]]
    assert records != DATA["records"]
    yielding = {name: one for name, one in ALERTS.items() if one.get("yields")}
    inverted = write(tmp_path / "inverted", {"records": records, "alerts": list(yielding.values()), "quiet": []})
    tested = promtool(inverted, "test", "rules", *FILES)
    assert {name for name in yielding if f"{name}: work" in tested.stderr} == set(yielding)


@pytest.mark.later
def test_an_inverted_comparison_is_seen(tmp_path: Path) -> None:
    with ThreadPoolExecutor(4) as pool:
        found = [each for one in pool.map(lambda alert: survivors(tmp_path, alert), ALERTS.values()) for each in one]
    assert found == []
