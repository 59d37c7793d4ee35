"""What making three machines on EC2 costs against moto's server: ``python -m benchmarks.provision`` prints a table.

Ansible's part only: moto keeps books and boots nothing, so what AWS itself would take is not in these seconds.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.figures import Promise, Series, table
from benchmarks.machine import busy_cores, described, say
from tests.integration.ec2_account import Account, account

NAME, CLUSTER_ID = "orders", "b3JkZXJzLW9yZGVycy1vcg"
PROMISES = {"first run": Promise(25), "run without work": Promise(15)}


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="python -m benchmarks.provision", description=(__doc__ or "").splitlines()[0].partition(":")[0]
    )
    made.add_argument("--rounds", type=int, default=3, help="how often both runs are measured (default: 3)")
    return made


def measured(aws: Account, inventory: Path) -> float:
    """Seconds of one run."""
    began = time.monotonic()
    aws.play("provision_ec2", inventory)
    return time.monotonic() - began


def main(arguments: Sequence[str]) -> int:
    given, before = parser().parse_args(arguments), busy_cores()
    seconds: dict[str, list[float]] = {name: [] for name in PROMISES}
    for _ in range(given.rounds):
        with tempfile.TemporaryDirectory() as directory, account(Path(directory)) as aws:
            inventory = aws.inventory(NAME, kafka_cluster_id=CLUSTER_ID)
            for found in seconds.values():
                found.append(measured(aws, inventory))
        say("; ".join(f"{name} {found[-1]:.1f} s" for name, found in seconds.items()))
    rows = [
        [
            name,
            Series(tuple(seconds[name])).text("s"),
            f"{promise.text()} s: {promise.verdict(Series(tuple(seconds[name])).median)}",
        ]
        for name, promise in PROMISES.items()
    ]
    heading = ["three machines", "seconds", "promise"]
    sys.stdout.write(f"{described('benchmarks.provision', before, given.rounds)}\n{table(heading, rows)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
