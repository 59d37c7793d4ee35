"""What a Prometheus that watches the cluster has seen: firing alerts, and the last hour. Nothing of it is a verdict."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping
from typing import Any

from ansible.module_utils.kraft.control.prometheus import Ask, SilentError
from ansible.module_utils.kraft.wording import printable

HOUR, STEP = 3600, 30  #: seconds
WATCHDOG = "KafkaWatchdog"
ORDER = {"page": 0, "ticket": 1}
#: Title, unit and expression of what is drawn; CLUSTER is the name of the cluster.
DRAWN = (
    ("Written", "bytes", 'kafka:bytes_in:rate5m{cluster="CLUSTER"}'),
    ("Read", "bytes", 'kafka:bytes_out:rate5m{cluster="CLUSTER"}'),
    ("Produce requests, p99 of the slowest node", "seconds", 'max(kafka:produce_p99_seconds{cluster="CLUSTER"})'),
    ("Produce requests that failed", "ratio", 'kafka:produce_error_ratio:rate5m{cluster="CLUSTER"}'),
    ("Under-replicated partitions", "count", 'kafka:partitions_under_replicated:sum{cluster="CLUSTER"}'),
    ("Controllers that could still be lost", "count", 'kafka:quorum_spare_voters{cluster="CLUSTER"}'),
)


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
class Line:
    """``points``: (seconds since 1970, value), in the order of time, none where nothing was recorded."""

    title: str
    unit: str
    points: tuple[tuple[float, float], ...]


@dataclasses.dataclass(frozen=True)
class Watched:
    """``error``: why nothing is known; ``watches``: whether the watchdog fires, so that alerts can be believed."""

    url: str
    error: str = ""
    watches: bool = False
    alerts: tuple[Alert, ...] = ()
    begin: float = 0
    lines: tuple[Line, ...] = ()

    def sentences(self) -> list[str]:
        """The alerts in words, or why there are none."""
        if self.error:
            return [f"not known: Prometheus at {self.url} does not answer: {self.error}"]
        fires = [each.sentence() for each in self.alerts]
        if self.watches:
            return fires or ["none fires"]
        return [
            *fires,
            f"the watchdog does not fire: Prometheus at {self.url} lacks the rules of this cluster, or has just begun",
        ]


def look(url: str, cluster: str, now: float, ask: Ask) -> Watched:
    """Asks for alerts, then for the last hour; the first question without an answer is the last one."""
    try:
        firing = list(alerts(ask("alerts", {}), cluster))
        lines = [line(ask, now, title, unit, text.replace("CLUSTER", cluster)) for title, unit, text in DRAWN]
    except SilentError as error:
        return Watched(url, error=printable(str(error)))
    except (KeyError, TypeError, ValueError, AttributeError, IndexError):
        return Watched(url, error="its answer is not that of Prometheus")
    told = [one for one in firing if one.name != WATCHDOG]
    told.sort(key=lambda one: (ORDER.get(one.severity, len(ORDER)), one.name, one.summary))
    watches = any(one.name == WATCHDOG for one in firing)
    return Watched(url, "", watches, tuple(told), now - HOUR, tuple(lines))


def alerts(answer: Mapping[str, Any], cluster: str) -> Iterator[Alert]:
    """The firing ones of a cluster."""
    for one in answer["alerts"]:
        labels = one["labels"]
        if one["state"] == "firing" and labels.get("cluster") == cluster:
            summary = one["annotations"].get("summary", "")
            said = (labels["alertname"], labels.get("severity", ""), summary, one["activeAt"])
            yield Alert(*(printable(str(each)) for each in said))


def line(ask: Ask, now: float, title: str, unit: str, expression: str) -> Line:
    """The first series of an expression; one without a point where there is none."""
    times = {"start": f"{now - HOUR:.0f}", "end": f"{now:.0f}", "step": str(STEP)}
    series = ask("query_range", {"query": expression, **times})["result"]
    values = [(float(at), float(value)) for at, value in series[0]["values"]] if series else []
    return Line(title, unit, tuple(each for each in values if math.isfinite(each[1])))
