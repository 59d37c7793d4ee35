"""Holds what ``--check`` foretells against what then happens, and the hosts against what they were."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from hosts import Hosts
from runs import Outcome, Runs, hold

STATE = (Path(__file__).parent / "host_state.py").read_text()
#: What changes a host by itself: the archive of classes, what a killed run left at work, a job of systemd. The brackets
#: keep sudo out, which has this very command in its environment.
BUSY = """systemctl is-active --quiet kafka-appcds-archive \\
|| grep --quiet --text KRAFTWRIGHT_RU[N]= /proc/[0-9]*/environ 2>/dev/null \\
|| systemctl list-jobs --no-legend | grep --quiet ."""


def foretell(hosts: Hosts, runs: Runs, words: Sequence[str]) -> Outcome:
    """The run in check mode, after which every host must be as before."""
    runs.await_workers()
    hosts.everywhere(f"timeout 900 sh -c 'while {BUSY}; do sleep 0.5; done'")
    hosts.everywhere("python3 - remember", given=STATE)
    run = runs.run([*words, "--check", "--diff"])
    hold(run.code == 0, f"--check failed (exit code {run.code})", run)
    said = hosts.everywhere("python3 - compare", check=False, given=STATE)
    differing = {host: text for host, text in said.items() if ", 0 of them changed" not in text}
    hold(not differing, f"--check changed hosts: {differing}", run)
    return run


def hold_foretold(foretold: Outcome, run: Outcome, left: bool) -> None:
    """What the run that followed has changed, task by task and host by host, is what was foretold.

    `left`: and it is something; runs that were killed before may have left nothing to do.
    """
    predicted, real = set(foretold.changed), set(run.changed)
    hold(not predicted - real, f"foretold, but did not happen: {sorted(predicted - real)}", run)
    hold(not real - predicted, f"happened, but was not foretold: {sorted(real - predicted)}", run)
    hold(bool(real) or not left, "nothing was foretold, and nothing happened", run)
