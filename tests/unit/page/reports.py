"""Reports for the page: the Spark job's own examples, a large cluster, and names that try to break out."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

EXAMPLES = Path(__file__).resolve().parents[1] / "spark"
OUTCOMES = ("report", "failed", "unreachable")
HOSTILE = "\"'><script>alert(1)</script><img src=http://evil.example/x onerror=alert(1)>{{ 7 * 7 }}"

LARGE_BROKERS = 12
LARGE_PARTITIONS = 60
LARGE_TOPICS = 200
LARGE_SETTINGS = 200


def example(name: str) -> dict[str, Any]:
    """Report of one outcome, one of `OUTCOMES`: the files of the others have only what differs from ``report``."""
    loaded: list[dict[str, Any]] = [
        json.loads((EXAMPLES / f"example_{each}.json").read_text()) for each in ("report", name)
    ]
    return loaded[0] | loaded[1]


def with_listeners(report: dict[str, Any]) -> dict[str, Any]:
    """The report with what a deployed node's settings hold: roles and listeners."""
    made = copy.deepcopy(report)
    for number, settings in enumerate(made["settings"].values(), start=11):
        address = f"10.83.0.{number}"
        listeners = f"CLIENT://{address}:9092,INTERNAL://{address}:19092,CONTROLLER://{address}:9093"
        settings |= {"listeners": listeners, "process.roles": "broker,controller"}
    return made


def large() -> dict[str, Any]:
    """12 brokers in 3 racks, 5 of them voters, 200 topics of 60 partitions, 200 settings on each node."""
    made = example("failed")
    ids = list(range(1, LARGE_BROKERS + 1))
    made["topic"]["partitions"] = LARGE_PARTITIONS
    made["cluster"] = _large_cluster(made, ids)
    made["per_partition"] = [
        made["per_partition"][n % 6] | {"partition": n, "leader": ids[n % LARGE_BROKERS], "holes": n % 5}
        for n in range(LARGE_PARTITIONS)
    ]
    made["per_broker"] = [made["per_broker"][0] | {"node_id": n, "host": _host(n), "partitions": 5} for n in ids]
    made["settings"] = {
        _host(n): {f"some.rather.long.property.name.{s}": f"value-{s if s % 10 else n}" for s in range(LARGE_SETTINGS)}
        | {"node.id": str(n), "listeners": f"CLIENT://{_host(n)}:9092,INTERNAL://{_host(n)}:19092"}
        for n in ids
    }
    first = [entry for entry in made["timeline"] if entry["host"] == "kraft1"]
    made["timeline"] = [
        entry | {"host": _host(n), "task": f"{entry['task']} {k}"} for n in ids for k in range(4) for entry in first
    ]
    made["native_smoke"]["partitions"] *= 10
    return made


def _host(number: int) -> str:
    return f"ip-10-0-{number % 3}-{number}.eu-central-1.compute.internal"


def _large_cluster(report: dict[str, Any], ids: list[int]) -> dict[str, Any]:
    voter = report["cluster"]["quorum"]["voters"][0]

    def partitions(topic: int) -> list[dict[str, Any]]:
        placed = [[ids[(topic + n + k) % LARGE_BROKERS] for k in range(3)] for n in range(LARGE_PARTITIONS)]
        return [
            {"partition": n, "leader": on[0], "replicas": on, "isr": on[: 2 + (n % 7 > 0)], "offline": []}
            for n, on in enumerate(placed)
        ]

    names = [report["topic"]["name"], *(f"orders.of.some.department.{n}" for n in range(1, LARGE_TOPICS))]
    cluster: dict[str, Any] = report["cluster"]
    return cluster | {
        "brokers": [
            {"node_id": n, "host": _host(n), "port": 9092, "rack": f"eu-central-1{'abc'[n % 3]}", "fenced": n == 7}
            for n in ids
        ],
        "topics": [{"name": name, "internal": False, "partitions": partitions(t)} for t, name in enumerate(names)],
        "quorum": cluster["quorum"] | {"voters": [voter | {"node_id": n} for n in ids[:5]]},
    }


def hostile() -> dict[str, Any]:
    """The failed example with every text in it, keys of mappings too, replaced by markup; the outcome stays."""
    made = example("failed")
    outcome, node_ids = made["verdict"]["outcome"], [s["node.id"] for s in made["settings"].values()]
    broken: dict[str, Any] = _broken(made)
    broken["verdict"]["outcome"] = outcome
    broken["settings"] = {f"{HOSTILE}{n}": {"node.id": n, "listeners": f"{HOSTILE}://{HOSTILE}"} for n in node_ids}
    broken["versions"] = {HOSTILE: HOSTILE}
    broken["cluster"]["features"] = {HOSTILE: HOSTILE}
    return broken


def _broken(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _broken(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_broken(item) for item in value]
    return HOSTILE if isinstance(value, str) else value
