"""Errors that MirrorMaker's service has written to the journal of its host, each in one line.

Not every fault shows in the topics that MirrorMaker keeps: a connector that could not be made is in one journal alone.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from ansible.module_utils.kraft.node.other_services.mirror_service import SERVICE
from ansible.module_utils.kraft.node.service.unit_state import Run
from ansible.module_utils.kraft.wording import printable

SECONDS = 120  #: so far back it looks if the service ends and is started again every few seconds
LINES = 2000
LEVEL = re.compile(r"(TRACE|DEBUG|INFO|WARN|ERROR|FATAL) ")
#: Errors that Connect retries itself, usual while workers of several hosts find each other.
#: Source: Kafka's ``DistributedHerder`` and ``AbstractWorkerSourceTask``.
TRIED_AGAIN = re.compile(r"retry|Request to leader to reconfigure connector tasks failed", re.IGNORECASE)


class Entry(NamedTuple):
    """A line of the journal. ``at``: seconds of the epoch."""

    at: float
    text: str


def errors(run: Run, now: float | None = None, uptime: float | None = None) -> list[dict[str, Any]]:
    """``text`` of each error since the service's start, and ``age`` in seconds; the last one last.

    `now`, `uptime`: seconds of the epoch and of the monotonic clock.
    """
    now = time.time() if now is None else now
    since = start(run, now, time.monotonic() if uptime is None else uptime)
    return [{"text": one.text, "age": round(now - one.at, 1)} for one in told(journal(run, since))]


def start(run: Run, now: float, uptime: float) -> float:
    """Return the start of the service; an earlier time if systemd restarts it every few seconds."""
    _, said, _ = run(["systemctl", "show", "--property", "NRestarts,ExecMainStartTimestampMonotonic", SERVICE])
    state = dict(line.split("=", 1) for line in said.splitlines() if "=" in line)
    began = int(state.get("ExecMainStartTimestampMonotonic") or 0) / 1e6
    return now - (uptime - began) if began and state.get("NRestarts", "0") == "0" else now - SECONDS


def journal(run: Run, since: float) -> list[Entry]:
    options = ["--quiet", "--no-pager", "--output=json", "--output-fields=MESSAGE", f"--lines={LINES}"]
    rc, out, _ = run(["journalctl", *options, f"--since=@{int(since)}", f"--unit={SERVICE}.service"])
    return [_entry(json.loads(line)) for line in out.splitlines() if line.startswith("{")] if rc == 0 else []


def _entry(given: dict[str, Any]) -> Entry:
    text = given.get("MESSAGE") or ""
    if isinstance(text, list):  # what is no UTF-8
        text = bytes(text).decode(errors="replace")
    return Entry(int(given["__REALTIME_TIMESTAMP"]) / 1e6, text)


def cause(trace: str) -> str:
    """The last cause of a Java trace, without what Connect's server adds to refused settings."""
    said = [line for line in trace.splitlines() if not line.startswith(("\t", "You can also find the above list"))]
    lines = [line.removeprefix("Caused by: ").strip() for line in said]
    return lines[-1] if lines else "no trace"


def told(entries: Iterable[Entry]) -> Iterator[Entry]:
    """Each error with its last cause, but for what Connect tries again."""
    found: list[list[Entry]] = []
    for one in entries:
        if LEVEL.match(one.text):
            found.append([one])
        elif found:
            found[-1].append(one)
    for first, *rest in found:
        if first.text.startswith(("ERROR ", "FATAL ")) and not TRIED_AGAIN.search(first.text):
            trace = "\n".join(line.text for line in rest)
            what = re.sub(r" \([\w.$]+\)$", "", first.text.partition(" ")[2])
            yield Entry(first.at, printable(f"{what}: {cause(trace)}" if trace else what))
