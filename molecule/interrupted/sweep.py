"""Kill deployments at every point of vars/points.yml, chain by chain: each run continues where the one before died.

After the last point of a chain the next run must finish, and the one after it find nothing to do. After all of them the
cluster is destroyed, which is killed, too (ending.py; not in the short sweep).

``python sweep.py PROJECT``; ``KRAFT_SWEEP`` is short, long or all (the default; see sweeps.py), ``KRAFT_SWEEP_SEED``
repeats the random moments of an earlier sweep, ``KRAFT_SWEEP_ONLY`` takes the points whose names match that regular
expression.
Exit code 0 if every point held; the first failure ends the sweep with the observations.
"""

from __future__ import annotations

import os
import random
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import yaml
from deployments import Deployments, Point
from ending import Ending
from lab import STARTS, Lab
from rivals import rivals
from runs import Outcome, hold
from sweeps import asked_for, taken

HERE = Path(__file__).parent
ATTEMPTS = 10  #: a run is observed from outside: some moments are over before the kill
LOG = HERE.parents[1] / ".kraftwright/molecule/interrupted/sweep.log"


def print_line(text: str) -> None:
    """Print a line at once, and into a file for observers: molecule shows them only at the end."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
    with LOG.open("a") as log:
        log.write(text + "\n")


def points() -> list[Point]:
    """Return the requested points, in their order."""
    every = taken(yaml.safe_load((HERE / "vars/points.yml").read_text())["points"])
    return [Point.from_entry(entry) for entry in every if asked_for(entry["name"])]


def chains(chosen: Sequence[Point]) -> list[list[Point]]:
    """Group points in their order; one that goes on joins those before it, if they have the same beginning."""
    found: list[list[Point]] = []
    for point in chosen:
        if point.goes_on and found and found[-1][-1].begin == point.begin:
            found[-1].append(point)
        else:
            found.append([point])
    return found


class Sweep:
    """`durations`: seconds of an undisturbed run of each beginning; random moments are drawn from them."""

    def __init__(self, lab: Lab, deployments: Deployments, seed: int) -> None:
        self._lab, self._runs = lab, deployments
        self._random = random.Random(seed)  # noqa: S311 - moments, not secrets
        self.durations = {"empty": 15.0, "changed": 25.0}

    def go_through(self, chain: Sequence[Point]) -> Iterator[str]:
        """Run a chain from its beginning to an idle run; yield a line about each point, then one more."""
        known: dict[str, str] = {}
        for point in chain:
            before, killed = self.hit(point, known if point is not chain[0] else None)
            if point.power:
                self.without(point.host)
            known = before | self._lab.identity()
            yield f"{point.name}: killed after {killed.seconds:4.1f} s"
        second, third = self.finish(known), self.idle()
        yield f"finished in {second.seconds:4.1f} s, idle {third.seconds:4.1f} s"

    def hit(self, point: Point, left: dict[str, str] | None) -> tuple[dict[str, str], Outcome]:
        """Return the identity before, and the run that was ended at the point; a missed point is repeated.

        `left`: the identity that the killed run before has left; None: the point starts from its beginning.
        """
        for _ in range(ATTEMPTS):
            before = self.begin(point) if left is None or point.begin == "changed" else left
            killed = self._runs.killed(point, self._random.uniform(1, self.durations[point.begin]))
            missed = self.missed(point, killed)
            if not missed:
                return (left or {}) | before, killed
            print_line(f"missed {point.name}: {missed}")
            left = None
            if point.power:
                self._lab.power(point.host, on=True)
        raise AssertionError(f"missed {ATTEMPTS} times: {missed}\n{killed.last_lines()}")

    def missed(self, point: Point, killed: Outcome) -> str:
        """Return why the run was not ended at the point; '' if it was."""
        if killed.code == 0 and not point.random:
            return "the run went on to its end"
        seen = self._lab.run(point.host or next(iter(self._lab.known)), point.left, check=False) if point.left else None
        return f"not so: {point.left}" if seen and seen.returncode else ""

    def begin(self, point: Point) -> dict[str, str]:
        """Prepare the hosts for the point's beginning; return the identity that must survive."""
        if point.begin == "empty":
            self._lab.reset()
            return {}
        self._runs.requests += 1
        return self._lab.identity()

    def without(self, dead: str) -> None:
        """Check that a run without a host stops, names it, and leaves the others alone; then restart the host."""
        state = "find /opt/kafka /etc/systemd/system/kafka.service -printf '%p %s %T@ %i\\n' | sort | sha256sum"
        others = [host for host in self._lab.known if host != dead]
        before = [self._lab.run(host, state).stdout for host in others]
        run = self._runs.whole()
        hold(run.code != 0 and dead in run.output, f"a run without {dead} does not stop with its name", run)
        hold(before == [self._lab.run(host, state).stdout for host in others], "the other hosts were changed", run)
        self._lab.power(dead, on=True)

    def finish(self, known: dict[str, str]) -> Outcome:
        """Check the next run: it succeeds, the cluster is whole, and configuration and identity are as expected."""
        run = self._runs.whole()
        hold(run.code == 0, f"the next run failed (exit code {run.code})", run)
        self.hold_whole(run)
        running = self._lab.everywhere("grep '^queued.max.requests=' /run/kafka-started/server.properties", check=False)
        wanted = f"queued.max.requests={self._runs.requests}\n"
        hold(set(running.values()) == {wanted}, f"some node runs with something older: {running}", run)
        now = self._lab.identity()
        lost = {key: (value, now.get(key)) for key, value in known.items() if now.get(key) != value}
        hold(not lost, f"the identity changed: {lost}", run)
        hold(len(now) == 3 * 2 * len(self._lab.known), f"the identity is not whole: {now}", run)
        return run

    def idle(self) -> Outcome:
        """Check the run after that: nothing to do, nothing restarted."""
        starts = self._lab.everywhere(STARTS)
        run = self._runs.whole()
        hold(run.code == 0, f"the third run failed (exit code {run.code})", run)
        hold(not run.changed, f"the third run changed something: {', '.join(run.changed)}", run)
        hold(starts == self._lab.everywhere(STARTS), "the third run restarted a node", run)
        self.hold_whole(run)
        return run

    def hold_whole(self, run: Outcome) -> None:
        problem = self._lab.trouble()
        hold(not problem, f"the cluster is not whole: {problem}", run)


def main(project: Path) -> int:
    seed = int(os.environ.get("KRAFT_SWEEP_SEED") or random.SystemRandom().randrange(1 << 16))
    lab = Lab.from_inventory(project, "interrupted")
    deployments = Deployments(lab, LOG.parent)
    chosen, began = points(), time.monotonic()
    every = chains(chosen)
    LOG.unlink(missing_ok=True)
    print_line(f"{len(chosen)} points in {len(every)} chains, seed {seed} (KRAFT_SWEEP_SEED)")
    sweep = Sweep(lab, deployments, seed)
    lab.everywhere("rm -f /run/kraftwright.lock")  # of a sweep that was ended; points leave theirs for the next run
    lab.reset()
    if not os.environ.get("KRAFT_SWEEP_ONLY"):
        print_line(f"two runs at once: {rivals(lab, deployments)}")
    for number, chain in enumerate(every, 1):
        line = f"{number}/{len(every)} {chain[0].name}"
        try:
            if chain[0].begin == "changed" and lab.trouble():
                sweep.finish({})
            for line in sweep.go_through(chain):
                print_line(f"{number}/{len(every)} {line}")
        except AssertionError as error:
            print_line(f"{number}/{len(every)} FAILED after {line} (seed {seed})\n{error}")
            return 1
    if os.environ.get("KRAFT_SWEEP", "all") != "short":
        try:
            for line in Ending(lab, LOG.parent, random.Random(seed)).go_through():  # noqa: S311 - moments, not secrets
                print_line(f"the end: {line}")
        except AssertionError as error:
            print_line(f"the end: FAILED (seed {seed})\n{error}")
            return 1
    print_line(f"{len(chosen)} points held, {time.monotonic() - began:.0f} s, seed {seed}")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
