"""What a crash costs, with Kafka's own timeouts and with shorter ones: ``python -m benchmarks.crash`` prints a table.

Three combined nodes under a client that writes to every partition (acks=all, idempotent). A host is killed without
warning (`podman kill`), once with the active controller on it and once without; then it comes back.
*Leaders*: seconds until every partition is led by a living node, asked of one. *Writes*: the longest time for which any
partition acknowledged nothing. Then the cluster is watched idle: with short timeouts nothing may be fenced or elected.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.figures import Promise, Series, paired, table
from benchmarks.lab import Lab
from benchmarks.machine import described, say
from benchmarks.traffic import STEADY, Cluster, Traffic

DETECTIONS = ("default", "fast")
VICTIMS = ("a broker", "the active controller and its broker")
LIMITS = {"a broker": Promise(4), "the active controller and its broker": Promise(5)}


@dataclass(frozen=True)
class Crash:
    """Seconds without leaders and without acknowledgements; records that were acknowledged and are not in the log."""

    leaders: float
    writes: float
    acknowledged: int
    lost: int


def crash(lab: Lab, with_controller: bool, name: str) -> Crash:
    """Kill a host under traffic, wait until all partitions acknowledge again, bring the host back."""
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
    acknowledged = sum(len(times) for times in traffic.acknowledged.values())
    return Crash(leaders, traffic.longest_silence(), acknowledged, max(0, acknowledged - cluster.records(name)))


def one_round(lab: Lab, number: int, crashes: dict[tuple[str, str], list[Crash]]) -> None:
    """Every victim with either timeouts; the change from one to the other is a roll."""
    for detection in DETECTIONS:
        lab.deploy(True, "--extra-vars", json.dumps({"kafka_failure_detection": detection}))
        for victim in VICTIMS:
            name = f"crash-{number}-{detection}-{VICTIMS.index(victim)}"
            found = crash(lab, victim != VICTIMS[0], name)
            crashes[victim, detection].append(found)
            say(f"{victim}, {detection}: leaders after {found.leaders:.1f} s, writes after {found.writes:.1f} s")


def rows(crashes: dict[tuple[str, str], list[Crash]]) -> list[list[str]]:
    """One line for each victim and figure, default against fast."""
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
    made.add_argument("--rounds", type=int, default=1, help="how often each crash is measured (default: 1)")
    made.add_argument(
        "--idle", type=float, default=2, help="minutes for which the cluster is then watched (default: 2)"
    )
    return made


def main(arguments: Sequence[str]) -> int:
    given = parser().parse_args(arguments)
    lab = Lab("crash")
    crashes: dict[tuple[str, str], list[Crash]] = {(victim, each): [] for victim in VICTIMS for each in DETECTIONS}
    try:
        lab.make()
        for number in range(1, given.rounds + 1):
            one_round(lab, number, crashes)
        elections, fenced = Cluster(lab).watched(given.idle)
    finally:
        lab.remove()
    heading = ["killed", "back are", *DETECTIONS, "ratio", "promise of fast"]
    every = [one for found in crashes.values() for one in found]
    lost, acknowledged = sum(one.lost for one in every), sum(one.acknowledged for one in every)
    sys.stdout.write(f"{described('benchmarks.crash')}\n{table(heading, rows(crashes))}\n")
    sys.stdout.write(f"{acknowledged:,} records were acknowledged, {lost} of them are not in the log. ")
    sys.stdout.write(
        f"{given.idle:g} idle minutes with fast: {elections} elections, {fenced} looks with a fenced broker.\n"
    )
    return 0 if lost == elections == fenced == 0 else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
