"""Data of a Prometheus that watches the cluster: firing alerts, log dirs that fill. Nothing of it is a verdict."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping
from typing import Any

from ansible.module_utils.kraft.control.prometheus import Ask, SilentError
from ansible.module_utils.kraft.wording import printable

WATCHDOG = "KafkaWatchdog"
ORDER = {"page": 0, "ticket": 1}
#: Hours until a log dir is full, by how it filled in the last six; CLUSTER is the name of the cluster.
FULL = 'kafka:log_dir_full:hours6h{cluster="CLUSTER"}'
LONGEST_DAYS = 3650  #: what takes longer does not fill


@dataclasses.dataclass(frozen=True)
class Alert:
    """``since``: when its condition began, as ISO 8601."""

    name: str
    severity: str
    summary: str
    since: str

    def sentence(self) -> str:
        begun = f"{self.since[:19].replace('T', ' ')} UTC"
        return f"{self.severity} {self.name}: {self.summary or 'no summary'} (since {begun})"


@dataclasses.dataclass(frozen=True)
class Filling:
    """A log dir of a node, and ``days`` until it is full at the rate of the last six hours; None: it does not fill."""

    node_id: int
    path: str
    days: float | None


@dataclasses.dataclass(frozen=True)
class Watched:
    """``error``: why nothing is known; ``watches``: whether the watchdog fires, so that alerts can be believed."""

    url: str
    error: str = ""
    watches: bool = False
    alerts: tuple[Alert, ...] = ()
    filling: tuple[Filling, ...] = ()

    def sentences(self) -> list[str]:
        """Describe the alerts, or why there are none."""
        if self.error:
            return [f"not known: Prometheus at {self.url} does not answer: {self.error}"]
        fires = [each.sentence() for each in self.alerts]
        if self.watches:
            return fires or ["none fires"]
        return [
            *fires,
            f"the watchdog does not fire: Prometheus at {self.url} lacks the rules of this cluster, or has just begun",
        ]


def query_prometheus(url: str, cluster: str, ask: Ask) -> Watched:
    """Query alerts, then the log dirs that fill; the first query without an answer is the last one."""
    try:
        firing = list(alerts(ask("alerts", {}), cluster))
        found = filling(ask("query", {"query": FULL.replace("CLUSTER", cluster)}))
    except SilentError as error:
        return Watched(url, error=printable(str(error)))
    except (KeyError, TypeError, ValueError, AttributeError, IndexError):
        return Watched(url, error="its answer is not that of Prometheus")
    told = [one for one in firing if one.name != WATCHDOG]
    told.sort(key=lambda one: (ORDER.get(one.severity, len(ORDER)), one.name, one.summary))
    watches = any(one.name == WATCHDOG for one in firing)
    return Watched(url, "", watches, tuple(told), found)


def alerts(answer: Mapping[str, Any], cluster: str) -> Iterator[Alert]:
    """Yield the firing alerts of a cluster."""
    for one in answer["alerts"]:
        labels = one["labels"]
        if one["state"] == "firing" and labels.get("cluster") == cluster:
            summary = one["annotations"].get("summary", "")
            said = (labels["alertname"], labels.get("severity", ""), summary, one["activeAt"])
            yield Alert(*(printable(str(each)) for each in said))


def filling(answer: Mapping[str, Any]) -> tuple[Filling, ...]:
    """Return the log dirs with a recorded rate."""
    found = []
    for one in answer["result"]:
        days = float(one["value"][1]) / 24
        if math.isnan(days):
            continue
        labels = one["metric"]
        left = max(0.0, days) if days <= LONGEST_DAYS else None
        found.append(Filling(int(labels["node_id"]), str(labels["log_dir"]), left))
    return tuple(sorted(found, key=lambda each: (each.node_id, each.path)))
