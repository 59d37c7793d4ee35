"""A project of two hosts on this machine. The Python of the first answers for every module with what it is given."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
SHOWN = "FACTS "
#: Results as JSON, so that facts are in one line.
SETTINGS = {"NO_COLOR": "1", "ANSIBLE_CONFIG": str(ROOT / "ansible.cfg"), "ANSIBLE_CALLBACK_RESULT_FORMAT": "json"}


@dataclasses.dataclass(frozen=True)
class Run:
    """``facts``: of each host at the end of the run, by its name."""

    text: str
    facts: dict[str, dict[str, Any]]


class LyingProject:
    """Its plays have the project's ansible.cfg; ``liar`` and ``honest`` are its hosts."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.pattern = "kafka"  #: hosts of its play
        liar = directory / "python"
        liar.write_text(f"#!/bin/sh\ncat {directory}/answer.json\n")
        liar.chmod(0o755)
        python = "ansible_python_interpreter"
        self.hosts(f"liar {python}={liar}", f"honest {python}={ROOT}/.venv/bin/python")

    def hosts(self, *lines: str) -> None:
        """The inventory's group `kafka`."""
        text = "\n".join(f"{line} ansible_connection=local" for line in lines)
        (self.directory / "inventory").write_text(f"[kafka]\n{text}\n")

    def run(self, tasks: list[dict[str, Any]], answer: Any, **settings: str) -> Run:
        """Each host has a fact `kafka_desired` before the tasks; `settings`: more of Ansible's environment."""
        (self.directory / "answer.json").write_text(json.dumps(answer))
        before = {"ansible.builtin.set_fact": {"kafka_desired": "{{ inventory_hostname }}'s", "cacheable": True}}
        after = {"ansible.builtin.debug": {"msg": SHOWN + "{{ {inventory_hostname: ansible_facts} | to_json }}"}}
        play = {"hosts": self.pattern, "gather_facts": False, "tasks": [before, *tasks, after]}
        (self.directory / "play.yml").write_text(json.dumps([play]))
        kept = {name: value for name, value in os.environ.items() if not name.startswith("ANSIBLE_")}
        done = subprocess.run(
            [ROOT / ".venv/bin/ansible-playbook", "-i", "inventory", "play.yml"],
            cwd=self.directory,
            env={**kept, **SETTINGS, **settings},
            capture_output=True,
            text=True,
            check=False,
        )
        said = [line.partition(": ")[2] for line in done.stdout.splitlines() if SHOWN in line]
        facts: dict[str, dict[str, Any]] = {}
        for line in said:
            facts |= json.loads(json.loads(line).removeprefix(SHOWN))
        return Run(done.stdout + done.stderr, facts)
