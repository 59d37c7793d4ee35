"""The command line of an operation: settings of earlier operations, and those of this one alone."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml
from operations import Operation


class CommandLine:
    """Command line of ``ansible-playbook``, for a `scenario`'s inventories; `directory` takes additional ones."""

    def __init__(self, scenario: Path, directory: Path) -> None:
        self._scenario, self._directory_ids = scenario, directory / "directories.yml"
        self._settings: dict[str, Any] = {}
        self._inventories = [str(scenario / "inventory")]
        self._forgotten = ""

    def set_up(self, operation: Operation) -> None:
        """Apply the settings of the operation from now on."""
        self._settings.update(operation.settings)
        kept = [one for one in self._inventories if one != self._forgotten]
        beside = [str(self._scenario / operation.beside)] if operation.beside else []
        adopted = [str(self._directory_ids)] if operation.adopt else []
        self._inventories = [*kept, *beside, *adopted]
        self._forgotten = str(self._scenario / operation.forget) if operation.forget else self._forgotten

    def adopt(self, directory_ids: Mapping[str, str]) -> None:
        """Do as a refusal advises: write each host's directory id into the inventory."""
        known = {host: {"kafka_directory_id": text.strip()} for host, text in directory_ids.items() if text.strip()}
        self._directory_ids.write_text(yaml.safe_dump({"kafka": {"hosts": known}}))

    def arguments(self, operation: Operation, more: Mapping[str, Any] | None = None) -> list[str]:
        """Return the words of an operation, with `more` variables."""
        variables = {"kafka_probe": operation.probed, **self._settings, **operation.once, **(more or {})}
        limit = ["--limit", f"!{operation.gone}"] if operation.gone else []
        return [*limit, *self._words(operation.playbook, variables)]

    def once_more(self, operation: Operation) -> list[str]:
        """Return the words of the idle run: the same one, or another playbook with the current settings."""
        if operation.idle == operation.playbook:
            return self.arguments(operation, {**operation.rerun, "kafka_probe": False})
        return self._words(operation.idle, self._settings)

    def _words(self, playbook: str, variables: Mapping[str, Any]) -> list[str]:
        inventories = [word for one in self._inventories for word in ("-i", one)]
        return [*inventories, "-e", json.dumps(variables), f"playbooks/{playbook}.yml"]
