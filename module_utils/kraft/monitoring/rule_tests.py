"""Tests of the alerts for promtool: each fires after its duration, stays quiet before, and resolves. Pure.

The series are normal at first, then there is the fault, then they are normal again. A minute is one sample; for an
alert that waits for days it is an hour, since promtool evaluates all rules for each sample.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ansible.module_utils.kraft.monitoring.rules import Rule, described

#: Samples: normal series before the fault, the fault beyond the alert's duration, and the lag of `rate` and scrapes.
BEFORE, BEYOND, LAG = 10, 5, 6
UNITS = {"m": 1, "h": 60, "d": 1440}
#: The deadline of planned work, and two such moments: after every test, and soon after its beginning.
MARKER, FAR, SOON = "kafka_planned_work_deadline_seconds", 10**7, 60
LASTS = 60  #: minutes of a marker, longer than every test
COUNTERS = re.compile(r"\w+_(total|sum|count)\b")
#: The data's form of the labels of a node, and the values that a template shows.
NODE = re.compile(r"\{(h?\d)")
LABEL = re.compile(r"\{\{ \$labels\.(\w+) \}\}")
VALUE = re.compile(r"\{\{ \$value[^}]*\}\}")


def tests(rules: Rule, cluster: str, rule_file: str, step: str) -> dict[str, Any]:
    """Return a file of tests, of the alerts with this `step`."""
    alerts = [one for one in rules["alerts"] if step_of(one) == step]
    found = [test_of(one, cluster) for one in alerts]
    found += [each for one in alerts if one.get("yields") for each in in_planned_work(one, cluster)]
    found += quiet(rules, cluster) if step == "m" else ()
    return {"rule_files": [rule_file], "evaluation_interval": f"1{step}", "tests": found}


def step_of(one: Rule) -> str:
    """Return the unit of a sample in the test of an alert."""
    return "h" if str(one["for"]).endswith("d") else "m"


def in_planned_work(one: Rule, cluster: str) -> Iterator[dict[str, Any]]:
    """Yield the same fault while work on the node is planned, and when it is on another node, or past its deadline."""
    own = str(one["test"]["who"]).removeprefix("h")
    other = "2" if own == "1" else "1"
    always, over = f"{FAR}+0x{LASTS}", f"{SOON}+0x{LASTS}"
    for title, ends, fires in (
        ("work is planned", {own: always}, False),
        ("work is planned, and the host is away", {own: f"{FAR}+0x{BEFORE} stale"}, False),
        ("work is planned elsewhere, and should be over here", {other: always, own: over}, True),
        ("work is over, and the host is away", {own: f"{FAR} 0+0x{BEFORE} stale"}, True),
    ):
        made = test_of(one, cluster)
        made["name"] = f"{one['alert']}: {title}"
        made["input_series"] += [
            {"series": selector(f"{MARKER}{{h{node}}}", cluster), "values": values} for node, values in ends.items()
        ]
        if not fires:
            for moment in made["alert_rule_test"]:
                moment["exp_alerts"] = []
        yield made


def minutes(duration: str) -> int:
    """Parse ``15m``, ``1h`` and ``7d`` into minutes."""
    return int(duration[:-1]) * UNITS[duration[-1]]


def test_of(one: Rule, cluster: str) -> dict[str, Any]:
    """Return the test of one alert: normal series, fault, and normal series again."""
    step = step_of(one)
    proof, lasts = one["test"], minutes(one["for"]) // UNITS[step]
    before, lag = proof.get("before", BEFORE), proof.get("window", 0) + LAG
    times = (before, lasts + lag + BEYOND, lag + BEYOND)
    expected = {"exp_labels": labels_of(one, cluster), "exp_annotations": shown(one, cluster)}
    moments: list[tuple[int, bool]] = [(before - 1, False), (before + lasts + lag, True), (sum(times) - 1, False)]
    if lasts > 1:
        moments.insert(1, (before + lasts - 1, False))
    if not proof["series"]:
        moments = [(0, True)]
    return {
        "interval": f"1{step}",
        "name": one["alert"],
        "input_series": [
            {"series": selector(name, cluster), "values": values(name, pair, times, proof)}
            for name, pair in proof["series"].items()
        ],
        "alert_rule_test": [
            {"eval_time": f"{at}{step}", "alertname": one["alert"], "exp_alerts": [expected] if fires else []}
            for at, fires in moments
        ],
    }


def quiet(rules: Rule, cluster: str) -> Iterator[dict[str, Any]]:
    """Yield scenes of planned work that raise nothing, at any minute."""
    for scene in rules["quiet"]:
        series = [{"series": selector(name, cluster), "values": each} for name, each in scene["series"].items()]
        yield {
            "interval": "1m",
            "name": scene["name"],
            "input_series": series,
            "alert_rule_test": [
                {"eval_time": f"{at}m", "alertname": alert, "exp_alerts": []}
                for alert in scene["alerts"]
                for at in range(0, 31, 2)
            ],
        }


def node_labels(node: object, cluster: str) -> dict[str, str]:
    number = str(node).removeprefix("h")
    job = "kafka" if number == str(node) else "kafka-host"
    return {"cluster": cluster, "host": f"kafka{number}", "job": job, "node_id": number}


def selector(name: str, cluster: str) -> str:
    """Return a series with the labels of its node."""

    def written(found: re.Match[str]) -> str:
        return "{" + ",".join(f'{key}="{value}"' for key, value in node_labels(found[1], cluster).items())

    return NODE.sub(written, name)


def labels_of(one: Rule, cluster: str) -> dict[str, str]:
    """Return the labels of the expected alert."""
    proof = one["test"]
    whose = {"cluster": {"cluster": cluster}, "job": {"cluster": cluster, "job": "kafka"}}
    found = whose[proof["who"]] if proof["who"] in whose else node_labels(proof["who"], cluster)
    kept = {key: value for key, value in found.items() if key != proof.get("without")}
    return {"severity": one["severity"], **kept, **proof.get("more", {})}


def shown(one: Rule, cluster: str) -> dict[str, str]:
    """Return the annotations as a person reads them."""
    labels, value = labels_of(one, cluster), one["test"].get("shown", "")
    return {
        key: VALUE.sub(value, LABEL.sub(lambda found: labels[found[1]], text)) for key, text in described(one).items()
    }


def values(name: str, pair: list[Any], times: tuple[int, int, int], proof: Rule) -> str:
    """Return a series through normal time, fault, and normal time; for a counter the pair is its growth in a minute."""
    states = (pair[0], pair[1], pair[0])
    grows = COUNTERS.match(name) or "from" in proof
    if proof.get("gauges") or not grows or "_" in pair:
        return " ".join(gauge(state, count) for state, count in zip(states, times, strict=True))
    found, total = [], proof.get("from", 0)
    for growth, count in zip(states, times, strict=True):
        found.append(f"{total}{growth:+}x{count - 1}")
        total += growth * count
    return " ".join(found)


def gauge(state: Any, count: int) -> str:
    """Repeat a value `count` times: promtool's ``x`` is the number of repetitions. None: the target is gone."""
    return f"stale _x{count - 1}" if state == "_" else f"{state}+0x{count - 1}"
