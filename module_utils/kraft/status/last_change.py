"""Changes of the last deployment, from the record that it left on the control machine. Pure."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ansible.module_utils.kraft.wording import printable

FILE = "timeline.jsonl"  #: beside the status page; see the callback plugin kraft_timeline


@dataclasses.dataclass(frozen=True)
class Step:
    """A task with the hosts on which it changed something, or failed."""

    task: str
    hosts: tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class LastChange:
    """``began`` and ``ended``: seconds since 1970. ``changed`` and ``failed`` in the order of the run."""

    began: float
    ended: float
    changed: tuple[Step, ...]
    failed: tuple[Step, ...]


def last_change(lines: Iterable[str]) -> LastChange | None:
    """Parse the record's `lines`, each a JSON object; others are left out. None if nothing is left."""
    found = list(_entries(lines))
    if not found:
        return None
    return LastChange(
        began=min(one["start"] for one in found),
        ended=max(one["end"] for one in found),
        changed=_steps(one for one in found if one["changed"]),
        failed=_steps(one for one in found if not one["ok"]),
    )


def _entries(lines: Iterable[str]) -> Iterator[Mapping[str, Any]]:
    for line in lines:
        try:
            one = json.loads(line)
            yield {
                **{name: printable(str(one[name])) for name in ("host", "task")},
                **{name: float(one[name]) for name in ("start", "end")},
                **{name: bool(one[name]) for name in ("changed", "ok")},
            }
        except (ValueError, KeyError, TypeError):
            continue


def _steps(entries: Iterable[Mapping[str, Any]]) -> tuple[Step, ...]:
    hosts: dict[str, list[str]] = {}
    for one in entries:
        hosts.setdefault(one["task"], []).append(one["host"])
    return tuple(Step(task, tuple(dict.fromkeys(names))) for task, names in hosts.items())
