"""Observations of a run in which every sentence holds, and for each sentence changes by which it is wrong."""

from __future__ import annotations

from typing import Any

GOOD: dict[str, dict[str, Any]] = {
    "majority": {
        "changes": [
            {"running": 3, "answered": True, "seconds": 0.2},
            {"running": 2, "answered": True, "seconds": 0.3},
            {"running": 1, "answered": False, "seconds": 8.0},
        ]
    },
    "failover": {
        "killed": 1,
        "elected": 2,
        "seconds": 2.4,
        "window": 2.4,
        "acked": 119,
        "read": 118,
        "gap": 0.2,
        "gap_with": 10.1,
        "lost": 0,
        "course": {
            "from": -2.0,
            "width": 0.25,
            "counts": {
                "beside, acknowledged": [12] * 60,
                "beside, read": [12] * 60,
                "with it, acknowledged": [12, 0] * 30,
            },
        },
    },
    "acknowledgements": {"one": {"acked": 201, "lost": 200}, "all": {"acked": 201, "lost": 0, "before_the_kill": 1}},
    "high_watermark": {"acked": 200, "held": 20_000, "served": 0, "served_later": 200},
    "ports": {
        "before": {"1": True, "2": True, "3": True},
        "closed": {"1": False, "2": False, "3": False},
        "served": True,
    },
    "on_tmp": {"before": 100, "after": 0, "emptied": True, "rule": "tmpfs", "started": False, "message": "No readable"},
    "auto_creation": {
        "wanted": {"partitions": 6, "replicas": 3},
        "made": {"partitions": 1, "replicas": 1},
        "here": False,
    },
}


def changed(experiment: str, **values: Any) -> dict[str, dict[str, Any]]:
    """Return the good run with other observations of one experiment."""
    return {**GOOD, experiment: {**GOOD[experiment], **values}}


def changes(*answered: bool) -> list[dict[str, Any]]:
    return [{"running": 3 - place, "answered": one, "seconds": 1.0} for place, one in enumerate(answered)]


ONE, ALL = GOOD["acknowledgements"]["one"], GOOD["acknowledgements"]["all"]
#: Name of a sentence → runs in which it is wrong.
WRONG_RUNS: dict[str, list[dict[str, dict[str, Any]]]] = {
    "majority": [
        changed("majority", changes=changes(True, True, True)),
        changed("majority", changes=changes(True, False, False)),
    ],
    "new_controller": [
        changed("failover", elected=None, seconds=40.0),
        changed("failover", elected=1),
        changed("failover", seconds=10.1),
    ],
    "meanwhile": [
        changed("failover", acked=0),
        changed("failover", read=0),
        changed("failover", gap=2.1),
        changed("failover", lost=1),
    ],
    "acks_one": [changed("acknowledgements", one={"acked": 201, "lost": 0})],
    "acks_all": [changed("acknowledgements", all={"acked": 201, "lost": 1, "before_the_kill": 1})],
    "tmp": [changed("on_tmp", after=100, started=True), changed("on_tmp", after=100, started=True, emptied=False)],
    "controller_port": [
        changed("ports", closed={"1": False, "2": True, "3": False}),
        changed("ports", served=False),
    ],
    "auto_creation": [
        changed("auto_creation", made={"partitions": 6, "replicas": 3}),
        changed("auto_creation", here=True),
    ],
    "high_watermark": [changed("high_watermark", served=1)],
}
#: Name of a sentence → runs that show nothing about it.
EMPTY_RUNS: dict[str, list[dict[str, dict[str, Any]]]] = {
    "majority": [changed("majority", changes=changes(False, False, False))],
    "new_controller": [],
    "meanwhile": [changed("failover", window=0.0)],
    "acks_one": [changed("acknowledgements", one={"acked": 0, "lost": 0})],
    "acks_all": [
        changed("acknowledgements", one={"acked": 201, "lost": 0}),
        changed("acknowledgements", all={"acked": 0, "lost": 0, "before_the_kill": 0}),
    ],
    "tmp": [changed("on_tmp", before=0)],
    "controller_port": [],
    "auto_creation": [],
    "high_watermark": [
        changed("high_watermark", acked=0, served_later=0),
        changed("high_watermark", held=0),
        changed("high_watermark", served_later=0),
    ],
}


def report(observations: dict[str, dict[str, Any]], found: list[dict[str, Any]], summary: str) -> dict[str, Any]:
    """Return a report as ``spark_jobs.lessons.run`` writes it."""
    return {
        "cluster": "demo",
        "begun": "2026-11-28T02:20:00+00:00",
        "seconds": 147.2,
        "summary": summary,
        "lessons": found,
        "course": observations.get("failover", {}).get("course"),
        "window": observations.get("failover", {}).get("window"),
        "observations": observations,
    }
