"""Two runs at once: the second is refused, and the first named; locks of other machines are cleared by name."""

from __future__ import annotations

import json
import re
import shlex
import time

from deployments import Deployments
from lab import Lab
from runs import PATIENCE, hold

LOCK = "/run/kraftwright.lock"
ELSEWHERE = {
    "run": "pc-7-abc",
    "who": "ann@pc",
    "machine": "another machine",
    "process": "7 1",
    "since": "2026-01-01T00:00:00Z",
}


def rivals(lab: Lab, deployments: Deployments) -> str:
    """Deploy from nothing while a second run tries to; then meet a lock from another machine. Returns a line."""
    with deployments.begun() as (first, log):
        hosts = list(lab.known)
        deadline = time.monotonic() + PATIENCE
        while lab.run(hosts[0], "test -d /opt/kafka/releases", check=False).returncode:
            if first.poll() is not None or time.monotonic() > deadline:
                raise AssertionError(f"the first run did not get as far as the installation\n{log.read_text()}")
        second = deployments.whole()
        refusal = rf"is being changed by another run: \S+@\S+, process {first.pid}, since \d{{4}}-\d\d-\d\dT"
        hold(second.code != 0 and bool(re.search(refusal, second.output)), "the second run was not refused", second)
        if first.wait(PATIENCE):
            raise AssertionError(f"the first run failed beside the second\n{log.read_text()}")
    lab.run(hosts[1], f"echo {shlex.quote(json.dumps(ELSEWHERE))} > {LOCK}")
    refused = deployments.whole()
    told = "-e kafka_break_lock=pc-7-abc" in refused.output
    hold(refused.code != 0 and told, "a lock from another machine does not hold", refused)
    cleared = deployments.whole("-e", "kafka_break_lock=pc-7-abc")
    hold(not cleared.code and not cleared.changed, "the lock of a dead run elsewhere cannot be cleared", cleared)
    return (
        f"the second was refused after {second.seconds:.1f} s and told of the first; another machine's cleared by name"
    )
