"""The probe's commands.

    python -m spark_jobs.probe start --home DIRECTORY --config probe.json [--if-answers]
    python -m spark_jobs.probe stop --home DIRECTORY          ends it and accounts for its records
    python -m spark_jobs.probe audit --directory DIRECTORY    accounts for a probe's records, again or later

``home`` is the directory of one cluster's probes, each in a separate directory below it. Exit codes: 0 proven, or
started; 1 something is lost, duplicated, out of order or misplaced, or undecided, since the probe did not see the end;
2 the cluster cannot be reached; 3 usage or installation; 4 a defect.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from spark_jobs.cli import Parser, guarded
from spark_jobs.probe import commands


def main(arguments: Sequence[str]) -> int:
    """Parse and do it; the exit code."""
    return guarded(lambda: _run(arguments))


def _run(arguments: Sequence[str]) -> int:
    options = parser().parse_args(arguments)
    if options.command == "start":
        return commands.start(options.home.resolve(), options.config, options.if_answers)
    if options.command == "stop":
        return commands.stop(options.home.resolve())
    if options.command == "audit":
        return commands.account_for(options.directory.resolve())
    return commands.run(options.home.resolve(), options.config)


def parser() -> Parser:
    made = Parser(prog="probe", description="A client that works through an operation, and the account of its records.")
    verbs = made.add_subparsers(dest="command", required=True)
    for verb in ("start", "stop", "audit", "run"):
        one = verbs.add_parser(verb)
        if verb == "audit":
            one.add_argument("--directory", type=Path, required=True, help="the probe's own directory")
        else:
            one.add_argument("--home", type=Path, required=True, help="where the cluster's probes live")
        if verb in ("start", "run"):
            one.add_argument("--config", type=Path, required=True, help="JSON, as spark_jobs/probe/settings.py has it")
        if verb == "start":
            one.add_argument(
                "--if-answers", action="store_true", help="for a first deployment: no error if no broker answers"
            )
    return made


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
