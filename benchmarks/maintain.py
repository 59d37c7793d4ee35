"""The cost of maintenance with reboots beside plain reboots: ``python -m benchmarks.maintain`` prints a table.

Three combined nodes are rebooted, one host after the other, under the probe. *Plain*: ssh reboots a host, and the next
one follows when all brokers serve and every replica is in sync. *Maintenance*: ``playbooks/maintain_hosts.yml`` does so
with its checks, from the first shutdown check until the last leaders are back. *Stall*: the longest time for which any
partition acknowledged nothing. Each round has one of both, and the ratio is taken round by round.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Sequence

from benchmarks.figures import Promise, Series, paired, table
from benchmarks.lab import ROOT, SETTINGS, FailedError, Lab, play
from benchmarks.machine import busy_cores, described, say
from benchmarks.roll import PROBES, Roll, Steps, read
from benchmarks.traffic import Cluster

PLAIN, MAINTENANCE = "plain reboots", "maintenance"
RATIO, STALL = Promise(1.5), Promise(0.5)
#: First and last task of a maintenance in ``roles/kafka/tasks/maintain_batch.yml``.
FIRST, LAST = "Check that the nodes may be shut down now", "Return leadership to the preferred leaders"
#: Traffic of the role's probe, for the one beside plain reboots.
RATE, PARTITIONS, READY_SECONDS = 300, 6, 120


def maintained(lab: Lab) -> Roll:
    """Reboot all hosts by the playbook, under its probe."""
    before = set(PROBES.glob("*/audit.json"))
    words = ["--inventory", str(lab.directory / "inventory"), "playbooks/maintain_hosts.yml"]
    variables = {"kafka_reboot": True, "kafka_probe": True}
    play([*words, "--extra-vars", json.dumps(variables)], {}, lab.directory / "maintain.log")
    (account,) = set(PROBES.glob("*/audit.json")) - before
    return read(account, maintenance)


def maintenance(steps: Steps) -> Steps:
    """Return a run's steps from the first check to the last leaders. Raises FailedError if there are none."""
    begins = [step["start"] for step in steps if step["task"] == FIRST]
    ends = [step["end"] for step in steps if step["task"] == LAST]
    if not begins or not ends:
        raise FailedError(f"the run has no step {FIRST!r} or {LAST!r}")
    return [step for step in steps if min(begins) <= step["start"] and step["end"] <= max(ends)]


def plain(lab: Lab) -> Roll:
    """Reboot all hosts by ssh, one after the other, under a probe like the playbook's."""
    home, cluster = lab.directory / "probe", Cluster(lab)
    before = set(home.glob("*/audit.json"))
    config = lab.directory / "probe.json"
    wanted = {"cluster": SETTINGS["kafka_cluster_name"], "bootstrap_servers": ",".join(cluster.servers())}
    config.write_text(json.dumps({**wanted, "partitions": PARTITIONS, "rate": RATE, "ready_seconds": READY_SECONDS}))
    probe("start", "--home", str(home), "--config", str(config))
    began = time.time()
    for host in lab.hosts:
        reboot(lab, host)
        cluster.wait_until_away()
        cluster.wait_until_in_sync()
    span = {"start": began, "end": time.time()}
    probe("stop", "--home", str(home))
    (account,) = set(home.glob("*/audit.json")) - before
    return read(account, lambda _: [span])


def reboot(lab: Lab, host: str) -> None:
    """Reboot as an operator does. The connection ends with the host, so ssh's exit code is ignored."""
    known = lab.addresses()[host]
    options = ["-i", known["ansible_ssh_private_key_file"], *shlex.split(known["ansible_ssh_common_args"])]
    target = f"{known['ansible_user']}@{known['ansible_host']}"
    command = ["ssh", *options, target, "sudo systemctl reboot"]
    subprocess.run(command, check=False, capture_output=True)  # noqa: S603


def probe(*words: str) -> None:
    """Start a probe, or end and account for it. Raises FailedError with its output."""
    command = [sys.executable, "-m", "spark_jobs.probe", *words]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode:
        raise FailedError(f"{' '.join(words)}: exit code {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")


KINDS: dict[str, Callable[[Lab], Roll]] = {PLAIN: plain, MAINTENANCE: maintained}


def rows(found: dict[str, list[Roll]]) -> list[list[str]]:
    """Return one line for each kind; only the maintenance has promises."""
    out = []
    for kind, rounds in found.items():
        ratio = paired([one.seconds for one in rounds], [one.seconds for one in found[PLAIN]])
        stalls = Series(tuple(one.stall for one in rounds))
        promised = kind == MAINTENANCE
        out.append(
            [
                kind,
                Series(tuple(one.seconds for one in rounds)).text("s"),
                ratio.text(digits=2),
                f"{RATIO.text()}: {RATIO.verdict(ratio.median)}" if promised else "-",
                stalls.text("s", digits=2),
                f"{STALL.text()} s: {STALL.verdict(stalls.median)}" if promised else "-",
                f"{sum(one.acknowledged for one in rounds):,}",
            ]
        )
    return out


def main(arguments: Sequence[str]) -> int:
    made = argparse.ArgumentParser(prog="python -m benchmarks.maintain", description=(__doc__ or "").splitlines()[0])
    made.add_argument("--rounds", type=int, default=3, help="how many rounds, each with one of both (default: 3)")
    given, before = made.parse_args(arguments), busy_cores()
    lab, found = Lab("maintain"), {kind: list[Roll]() for kind in KINDS}
    try:
        lab.make()
        lab.deploy()
        for number in range(given.rounds):
            for kind, run in KINDS.items():
                found[kind].append(run(lab))
                say(f"round {number + 1}, {kind}: {found[kind][-1]}")
    finally:
        lab.remove()
    heading = [
        "three hosts, with reboot",
        "seconds",
        "ratio",
        "promise",
        "longest stall",
        "promise",
        "records, all proven",
    ]
    sys.stdout.write(f"{described('benchmarks.maintain', before, given.rounds)}\n{table(heading, rows(found))}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
