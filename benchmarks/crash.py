"""The cost of a crash, with Kafka's own timeouts and with shorter ones: ``python -m benchmarks.crash`` prints a table.

Three combined nodes under a client that writes to every partition (acks=all, idempotent). A host is killed without
warning (`podman kill`), once with the active controller on it and once without; then it comes back. *Leaders*: seconds
until every partition is led by a running node, as reported by one. *Writes*: the longest time for which any partition
acknowledged nothing. Every acknowledged record is read back by its partition and sequence number. Then the idle cluster
is observed: with short timeouts nothing may be fenced or elected.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.figures import Promise, Series, paired, table
from benchmarks.lab import Lab
from benchmarks.machine import busy_cores, described, log_progress
from benchmarks.traffic import STEADY, Cluster, Reconciled, Traffic, reconcile

DETECTIONS = ("default", "fast")
VICTIMS = ("a broker", "the active controller and its broker")
LIMITS = {"a broker": Promise(3), "the active controller and its broker": Promise(4)}


@dataclass(frozen=True)
class Crash:
    """Seconds without leaders and without acknowledgements; the reconciled records."""

    leaders: float
    writes: float
    records: Reconciled


Crashes = dict[tuple[str, str], list[Crash]]


def crash(lab: Lab, with_controller: bool, name: str) -> Crash:
    """Kill a host under traffic, wait until all partitions acknowledge again, restart the host."""
    cluster = Cluster(lab)
    cluster.make_topic(name)
    victim = cluster.victim(with_controller)
    traffic = Traffic(",".join(cluster.servers()), name)
    with traffic.flowing():
        traffic.wait(time.monotonic() + STEADY)
        began = time.monotonic()
        lab.power(cluster.host_of(victim), on=False)
        leaders = cluster.led_without(victim, began)
        traffic.wait(time.monotonic())
    lab.power(cluster.host_of(victim), on=True)
    cluster.wait_until_whole()
    return Crash(leaders, traffic.longest_silence(), reconcile(traffic.sequences, cluster.read_back(name)))


def rounds(lab: Lab, detection: str, number: int, crashes: Crashes) -> None:
    """Crash every victim `number` times with the timeouts of `detection`. A change of them needs a roll."""
    lab.deploy("--extra-vars", json.dumps({"kafka_failure_detection": detection}))
    lab.await_archives()
    for turn, victim in itertools.product(range(number), VICTIMS):
        found = crash(lab, victim != VICTIMS[0], f"crash-{detection}-{turn}-{VICTIMS.index(victim)}")
        crashes[victim, detection].append(found)
        times = f"leaders after {found.leaders:.1f} s, writes after {found.writes:.1f} s"
        log_progress(f"{victim}, {detection}: {times}, {len(found.records.lost)} of {found.records.acknowledged} lost")


def rows(crashes: Crashes) -> list[list[str]]:
    """Return one line for each victim and figure, default against fast."""
    out = []
    for victim in VICTIMS:
        for figure in ("leaders", "writes"):
            slow, fast = ([getattr(one, figure) for one in crashes[victim, each]] for each in DETECTIONS)
            promise = LIMITS[victim]
            verdict = f"{promise.text()} s: {promise.verdict(Series(tuple(fast)).median)}"
            values = [Series(tuple(each)).text("s") for each in (slow, fast)]
            out.append([victim, figure, *values, paired(slow, fast).text(digits=2), verdict])
    return out


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="python -m benchmarks.crash", description=(__doc__ or "").splitlines()[0])
    made.add_argument("--rounds", type=int, default=3, help="how often each crash is measured (default: 3)")
    made.add_argument(
        "--idle", type=float, default=2, help="minutes for which the cluster is then watched (default: 2)"
    )
    return made


def main(arguments: Sequence[str]) -> int:
    given, before = parser().parse_args(arguments), busy_cores()
    lab = Lab("crash")
    crashes: dict[tuple[str, str], list[Crash]] = {(victim, each): [] for victim in VICTIMS for each in DETECTIONS}
    try:
        lab.make()
        for detection in DETECTIONS:
            rounds(lab, detection, given.rounds, crashes)
        elections, fenced = Cluster(lab).watched(given.idle)
    finally:
        lab.remove()
    heading = ["killed", "back are", *DETECTIONS, "ratio", "promise of fast"]
    records = [one.records for found in crashes.values() for one in found]
    acknowledged, lost, twice = (
        sum(one.acknowledged for one in records),
        sum(len(one.lost) for one in records),
        sum(len(one.duplicated) for one in records),
    )
    sys.stdout.write(f"{described('benchmarks.crash', before, given.rounds)}\n{table(heading, rows(crashes))}\n")
    sys.stdout.write(
        f"{acknowledged:,} records were acknowledged. Read back: {lost} are lost, {twice} are duplicates. "
    )
    sys.stdout.write(
        f"{given.idle:g} idle minutes with fast: {elections} elections, {fenced} looks with a fenced broker.\n"
    )
    return 0 if lost == elections == fenced == 0 else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
