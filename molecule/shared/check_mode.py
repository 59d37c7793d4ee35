"""Compare predictions of ``--check`` with the changes of the run after it, and the hosts with their state before."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from hosts import Hosts
from runs import Outcome, Runs, hold

STATE = (Path(__file__).parent / "host_state.py").read_text()
#: Changes of a host outside of a run: the archive of classes, workers of a killed run, a job of systemd. The brackets
#: exclude sudo, which has this very command in its environment.
BUSY = """systemctl is-active --quiet kafka-appcds-archive \\
|| grep --quiet --text KRAFTWRIGHT_RU[N]= /proc/[0-9]*/environ 2>/dev/null \\
|| systemctl list-jobs --no-legend | grep --quiet ."""


def predict(hosts: Hosts, runs: Runs, words: Sequence[str]) -> Outcome:
    """Run in check mode, after which every host must be as before."""
    runs.await_workers()
    hosts.everywhere(f"timeout 900 sh -c 'while {BUSY}; do sleep 0.5; done'")
    hosts.everywhere("python3 - remember", given=STATE)
    run = runs.run([*words, "--check", "--diff"])
    hold(run.code == 0, f"--check failed (exit code {run.code})", run)
    said = hosts.everywhere("python3 - compare", check=False, given=STATE)
    differing = {host: text for host, text in said.items() if ", 0 of them changed" not in text}
    hold(not differing, f"--check changed hosts: {differing}", run)
    return run


def hold_prediction(prediction: Outcome, run: Outcome, left: bool) -> None:
    """Check that the run's changes, by task and host, are those of the prediction.

    `left`: and that there are any; killed runs before may have left nothing to do.
    """
    predicted, real = set(prediction.changed), set(run.changed)
    hold(not predicted - real, f"predicted, but did not happen: {sorted(predicted - real)}", run)
    hold(not real - predicted, f"happened, but was not predicted: {sorted(real - predicted)}", run)
    hold(bool(real) or not left, "nothing was predicted, and nothing happened", run)
