"""Result of a drill: for each fault the leaders, the longest stall, and whether it kept the promise of the settings.

The source is the probe's account (``audit.json``): its steps show the times and hosts of faults, its views the leaders,
its stalls the effect on clients. Pure.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ansible.module_utils.kraft.operations.drill import faults

#: The tasks of ``roles/kafka/tasks/steps/drill_fault.yml`` by which a fault is found among the steps.
CHOSEN, WHOLE = "Select the nodes for the fault", "Wait until each node serves"
BROKEN = ("Inject the fault", "Reboot the host")
SECOND_US = 1e6


@dataclasses.dataclass(frozen=True)
class Window:
    """Time in which a fault lasted (microseconds of the epoch), and its hosts."""

    hosts: tuple[str, ...]
    begin_us: float
    end_us: float


@dataclasses.dataclass(frozen=True)
class Row:
    """A fault's outcome, in seconds; ``leaders`` is None if no move was seen, ``bound`` without a promise."""

    fault: str
    hosts: tuple[str, ...]
    leaders: float | None
    stall: float
    bound: float | None
    whole: float

    @property
    def kept(self) -> bool:
        return self.bound is None or self.stall <= self.bound

    def as_dict(self) -> dict[str, Any]:
        return {**dataclasses.asdict(self), "hosts": list(self.hosts), "kept": self.kept}


def windows(steps: Iterable[Mapping[str, Any]]) -> list[Window]:
    """Return the drill's faults in order, by its steps (``task``, ``host``, ``start`` and ``end`` in seconds)."""
    found: list[dict[str, Any]] = []
    for step in sorted(steps, key=lambda one: float(one["start"])):
        if step["task"] == CHOSEN:
            found.append({"hosts": [], "begin": None, "end": None})
        elif found and step["task"] in BROKEN:
            found[-1]["hosts"].append(step["host"])
            found[-1]["begin"] = min(found[-1]["begin"] or step["start"], step["start"])
        elif found and found[-1]["begin"] and step["task"] == WHOLE:
            found[-1]["end"] = max(found[-1]["end"] or step["end"], step["end"])
    return [
        Window(tuple(sorted(set(one["hosts"]))), one["begin"] * SECOND_US, one["end"] * SECOND_US)
        for one in found
        if one["begin"] and one["end"]
    ]


def leaders_after(window: Window, views: Iterable[Mapping[str, Any]], node_ids: Iterable[int]) -> float | None:
    """Return the seconds from the fault until a client saw none of these nodes lead; None if it never did."""
    broken = {str(node_id) for node_id in node_ids}
    seen = (view for view in views if window.begin_us <= view["at_us"] <= window.end_us)
    moved = next((view["at_us"] for view in seen if broken.isdisjoint(view["led"])), None)
    return None if moved is None else round((moved - window.begin_us) / SECOND_US, 1)


def longest_stall(window: Window, stalls: Iterable[Mapping[str, Any]]) -> float:
    """Return the longest time in seconds without acknowledgement by a partition that began in the window."""
    lengths = [
        one["length_us"] for one in stalls if window.begin_us <= one["to_us"] and one["from_us"] <= window.end_us
    ]
    return round(max(lengths, default=0) / SECOND_US, 2)


def rows(
    audit: Mapping[str, Any], names: Sequence[str], nodes: Mapping[str, Mapping[str, Any]], seconds: float
) -> list[Row]:
    """Return one row for each fault that was rehearsed.

    `nodes`: host -> node of ``kafka_desired`` (``node_id``, ``properties``); `seconds`: for which a node was frozen.
    """
    found = windows(audit["steps"])
    stalls = [*audit["stalls"], *audit["long_stalls"]]
    properties = [node["properties"] for node in nodes.values()]
    return [
        Row(
            fault=name,
            hosts=window.hosts,
            leaders=leaders_after(window, audit["views"], (nodes[host]["node_id"] for host in window.hosts)),
            stall=longest_stall(window, stalls),
            bound=faults.bound_seconds(name, properties, seconds),
            whole=round((window.end_us - window.begin_us) / SECOND_US, 1),
        )
        for name, window in zip(names, found)
    ]


def lines(found: Iterable[Row]) -> list[str]:
    """Format the rows as a table for a screen."""
    head = ("fault", "host", "others lead after", "longest stall", "bound", "healthy after", "")
    body = [
        (
            row.fault,
            ", ".join(row.hosts),
            "-" if row.leaders is None else f"{row.leaders:.1f} s",
            f"{row.stall:.2f} s",
            "-" if row.bound is None else f"{row.bound:.1f} s",
            f"{row.whole:.1f} s",
            "kept" if row.kept else "MISSED",
        )
        for row in found
    ]
    widths = [max(len(line[at]) for line in (head, *body)) for at in range(len(head))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in (head, *body)]
