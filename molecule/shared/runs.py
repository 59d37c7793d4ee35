"""Runs of playbooks for a driver: started like an operator's, ended at a moment, and read by their timeline."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PATIENCE = 1500.0  #: seconds after which a run is taken to hang; a busy machine needs ten times as long as a quiet one


@dataclass(frozen=True)
class Outcome:
    """End of a run: negative codes are signals. ``lines`` are those of its timeline."""

    code: int
    output: str
    seconds: float
    lines: tuple[Mapping[str, Any], ...] = ()

    @property
    def changed(self) -> tuple[str, ...]:
        """Return ``host: task`` of everything that it changed."""
        return tuple(f"{line['host']}: {line['task']}" for line in self.lines if line["changed"])

    def hosts_of(self, task: str) -> list[frozenset[str]]:
        """Return the hosts of each task of that name, in order; together if it is a loop over hosts."""
        return [frozenset(line["host"].split(", ")) for line in self.lines if line["task"] == task]

    def last_lines(self, count: int = 40) -> str:
        return "\n".join(self.output.splitlines()[-count:])


def hold(truth: bool, what: str, run: Outcome) -> None:
    """Assert, and show the run that it is about."""
    if not truth:
        raise AssertionError(f"{what}\n{run.last_lines()}")


def end(process: subprocess.Popen[bytes], name: str = "KILL") -> None:
    """Send the signal to the run's group, unless the run has ended."""
    if process.poll() is None:
        os.killpg(process.pid, getattr(signal, f"SIG{name}"))


def with_time(process: subprocess.Popen[bytes], seconds: float) -> None:
    """Let a run work for `seconds`, or to its end."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(seconds)


def until_said(process: subprocess.Popen[bytes], log: Path, said: str) -> None:
    """Let a run work until the regular expression `said` matches its output, or to its end."""
    while process.poll() is None and not re.search(said, log.read_text(errors="replace")):
        time.sleep(0.05)


def workers_of(variable: str) -> Iterator[int]:
    """Yield ids of ``ansible-playbook`` processes with ``NAME=value`` in their environment; ssh's stay a while."""
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # ended meanwhile, or of another user
            environment = (process / "environ").read_bytes().split(b"\0")
            if variable.encode() in environment and b"ansible-playbook" in (process / "cmdline").read_bytes():
                yield int(process.name)


class Runs:
    """Starts ``ansible-playbook`` in `project`; `directory` takes logs and timelines, `more` is environment."""

    def __init__(self, project: Path, directory: Path, more: Mapping[str, str] | None = None) -> None:
        self._project, self.directory, self._more = project, directory, more or {}
        self._timeline = directory / "timeline.jsonl"

    def environment(self, moment: Mapping[str, Any]) -> dict[str, str]:
        """Return the environment; `moment`: see molecule/shared/callback/kill_at.py."""
        return {
            **os.environ,
            "MOLECULE_PROJECT_DIRECTORY": str(self._project),
            "ANSIBLE_CALLBACK_PLUGINS": f"{Path(__file__).parent}/callback:{self._project}/plugins/callback",
            "ANSIBLE_CALLBACKS_ENABLED": "kraft_timeline,kill_at,note_problems",
            "ANSIBLE_FORCE_COLOR": "0",  # molecule's own is 1
            "ANSIBLE_NOCOLOR": "1",
            "KRAFTWRIGHT_KILL_AT": json.dumps(moment),
            "KRAFTWRIGHT_TIMELINE": str(self._timeline),
            **self._more,
        }

    @contextmanager
    def begun(
        self, words: Sequence[str], moment: Mapping[str, Any] | None = None
    ) -> Iterator[tuple[subprocess.Popen[bytes], Path]]:
        """Start a run in a separate process group; yield it and its output's file; the group is gone afterwards."""
        with tempfile.NamedTemporaryFile("wb", dir=self.directory, suffix=".log", delete=False) as log:
            process = subprocess.Popen(  # noqa: S603 - a list, no shell
                ["ansible-playbook", *words],  # noqa: S607 - the one of this environment
                cwd=self._project,
                env=self.environment(moment or {}),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        try:
            yield process, Path(log.name)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
            Path(log.name).unlink()

    def run(self, words: Sequence[str], moment: Mapping[str, Any] | None = None) -> Outcome:
        """Run to the end, or to the moment at which it and all its children are killed.

        That is the moment of a task, of a ``said`` output, or a number of seconds (``after``).
        """
        began, moment = time.monotonic(), moment or {}
        self._timeline.unlink(missing_ok=True)
        with self.begun(words, moment if "task" in moment else {}) as (process, log):
            if "said" in moment:
                until_said(process, log, moment["said"])
            if "after" in moment:
                with_time(process, moment["after"])
            if "task" not in moment and moment:
                end(process)
            code = process.wait(PATIENCE)
            return Outcome(code, log.read_text(), time.monotonic() - began, self._lines())

    def await_workers(self) -> None:
        """Wait for Ansible's workers of killed runs: each lives to the end of its task, in a separate session."""
        deadline = time.monotonic() + PATIENCE
        while workers := [*workers_of(f"KRAFTWRIGHT_TIMELINE={self._timeline}")]:
            if time.monotonic() > deadline:
                raise AssertionError(f"workers of a killed run do not end: {workers}")
            time.sleep(0.1)

    def _lines(self) -> tuple[Mapping[str, Any], ...]:
        """Return the lines of the last run's timeline."""
        text = self._timeline.read_text() if self._timeline.is_file() else ""
        return tuple(json.loads(line) for line in text.splitlines())
