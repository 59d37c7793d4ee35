"""Many users, ACLs and topics: ``python -m benchmarks.resources --rounds 2`` prints a Markdown table.

A secured cluster of three nodes has 1,000 users with passwords, 3,000 ACLs and 500 topics as data. *First* creates
them. *Check* is the same run in check mode afterwards, and *re-run* is the run itself: both find nothing to do, and
follow each other several times in each round.
These are whole runs of ``playbooks/apply_resources.yml``, from the start of ansible-playbook to its end. *Plan* is the
task of the check that reads everything from the cluster, compares and plans it.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from benchmarks.figures import Promise, Series, table
from benchmarks.lab import FailedError, Lab
from benchmarks.machine import busy_cores, described, log_progress

USERS, TOPICS = 1000, 500
LOOKS = 5  #: checks and re-runs in a round: the first ones meet brokers that have just made 500 topics
SETTINGS: dict[str, Any] = {
    "kafka_security": "tls_scram",
    "kafka_tls": {"passphrase": "only-for-this-benchmark"},
    "kafka_host_partition_budget": 4 * TOPICS,
    "kafka_topics": [{"name": f"topic-{number}", "partitions": 1} for number in range(TOPICS)],
    "kafka_users": [
        {
            "name": f"user-{number}",
            "password": f"of-a-lab-that-ends-soon-{number}",
            "allow": [
                {"topic": f"topic-{number % TOPICS}", "operations": ["read", "write"]},
                {"group": f"group-{number}", "operations": ["read"]},
            ],
        }
        for number in range(USERS)
    ],
}
APPLY = "playbooks/apply_resources.yml"
PLANNING = "Apply the declared topics, users, ACLs and quotas"
PROMISES = {"plan": Promise(5), "re-run": Promise(10)}


def one_round(lab: Lab) -> dict[str, list[float]]:
    """Return the seconds of each run, on new hosts."""
    lab.make()
    lab.deploy()
    lab.await_archives()
    found: dict[str, list[float]] = {"first": [lab.run(APPLY).seconds], "check": [], "plan": [], "re-run": []}
    for _ in range(LOOKS):
        check = lab.run("--check", APPLY)
        found["plan"].append(max(one["end"] - one["start"] for one in lab.timeline() if one["task"] == PLANNING))
        rerun = lab.run(APPLY)
        if check.changed or rerun.changed:
            raise FailedError(f"changed although nothing was to do: {check.changed} predicted, {rerun.changed} done")
        found["check"].append(check.seconds)
        found["re-run"].append(rerun.seconds)
    return found


def kept(name: str, seconds: float) -> str:
    """Return whether a run keeps its promise."""
    promise = PROMISES.get(name)
    return f"{promise.text()}: {promise.verdict(seconds)}" if promise else "-"


def main(arguments: Sequence[str]) -> int:
    made = argparse.ArgumentParser(prog="python -m benchmarks.resources", description=(__doc__ or "").splitlines()[0])
    made.add_argument("--rounds", type=int, default=2, help="how often it is measured (default: 2)")
    given, before = made.parse_args(arguments), busy_cores()
    found: dict[str, list[float]] = defaultdict(list)
    lab = Lab("resources", settings=SETTINGS)
    try:
        for number in range(1, given.rounds + 1):
            seconds = one_round(lab)
            log_progress(
                f"round {number}: "
                + "; ".join(f"{name} {Series(tuple(each)).text()} s" for name, each in seconds.items())
            )
            for name, each in seconds.items():
                found[name] += each
    finally:
        lab.remove()
    rows = [[name, Series(tuple(each)).text(), kept(name, Series(tuple(each)).median)] for name, each in found.items()]
    heading = ["run", "s", "promise"]
    sys.stdout.write(f"{described('benchmarks.resources', before, given.rounds)}\n{table(heading, rows)}")
    return 0


if __name__ == "__main__":
    os.umask(0o077)
    sys.exit(main(sys.argv[1:]))
