"""Processor time of each program during a run: ``python -m benchmarks.profile`` prints a Markdown table.

Kafka's own part is that of Java: the nodes, and the tools that format and that create the AppCDS archive. In the roll,
Java has Spark, too, and the other Python is the probe. Rows are the runs of ``benchmarks.deploy``, the roll of
``benchmarks.roll``, and a maintenance that reboots each host, all on the same three hosts. It needs root.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence

from benchmarks import floor
from benchmarks.accounting import Spent, accounted
from benchmarks.deploy import LIVE_SETTING
from benchmarks.figures import table
from benchmarks.lab import Lab
from benchmarks.machine import busy_cores, described, log_progress
from benchmarks.roll import roll

#: Part → begin of the names of its programs; a program is of the first part that fits.
PARTS: Mapping[str, tuple[str, ...]] = {
    "Java": ("java",),
    "modules on the hosts": ("python3",),
    "Ansible and ssh on the control machine": ("ansible", "ssh\0", "sftp\0"),
    "other Python on the control machine": ("python\0",),
    "logins on the hosts": ("sshd", "sudo", "sftp-server", "systemd-logind", "dbus"),
}
REST = "the rest"
REBOOTS = ("--extra-vars", json.dumps({"kafka_reboot": True}))


def parts(spent: Spent) -> dict[str, float]:
    """Return the seconds of processor of each part; what no part has is the rest."""
    found = dict.fromkeys(PARTS, 0.0)
    for name, seconds in spent.programs.items():
        part = next((part for part, begins in PARTS.items() if f"{name}\0".startswith(begins)), None)
        if part:
            found[part] += seconds
    return {**found, REST: max(0.0, spent.processor - sum(found.values()))}


def row(name: str, spent: Spent) -> list[str]:
    """Return one line of the table."""
    shares = [f"{seconds:.1f} s ({seconds / spent.processor:.0%})" for seconds in parts(spent).values()]
    return [name, f"{spent.seconds:.1f} s", f"{spent.processor:.1f} s", *shares]


def measured(lab: Lab) -> dict[str, Spent]:
    """Measure each kind of run once."""
    found: dict[str, Spent] = {}
    lab.make()
    with accounted() as spent:
        floor.measured(lab)
    found["floor"] = spent[0]
    lab.make()
    for name, words in {"cold": (), "re-run": (), "live setting": LIVE_SETTING}.items():
        with accounted() as spent:
            lab.deploy(*words)
        found[name] = spent[0]
        log_progress(f"{name}: {spent[0].seconds:.1f} s")
        lab.await_archives()
    with accounted() as spent:
        roll(lab, [])
    found["roll under the probe"] = spent[0]
    with accounted() as spent:
        lab.run(*REBOOTS, "playbooks/maintain_hosts.yml")
    found["maintenance with reboots"] = spent[0]
    return found


def main(arguments: Sequence[str]) -> int:
    made = argparse.ArgumentParser(prog="python -m benchmarks.profile", description=(__doc__ or "").splitlines()[0])
    made.parse_args(arguments)
    before, lab = busy_cores(), Lab("profile")
    try:
        found = measured(lab)
    finally:
        lab.remove()
    heading = ["run", "seconds", "processor", *PARTS, REST]
    lines = [row(name, spent) for name, spent in found.items()]
    sys.stdout.write(f"{described('benchmarks.profile', before, 1)}\n{table(heading, lines)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
