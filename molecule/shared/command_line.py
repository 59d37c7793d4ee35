"""The command line of an operation: what the ones before have settled, and what is wanted of this one alone."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml
from operations import Operation


class CommandLine:
    """Of ``ansible-playbook``, for a `scenario`'s inventories; `directory` takes what they have not."""

    def __init__(self, scenario: Path, directory: Path) -> None:
        self._scenario, self._directory_ids = scenario, directory / "directories.yml"
        self._settings: dict[str, Any] = {}
        self._inventories = [str(scenario / "inventory")]
        self._forgotten = ""

    def set_up(self, operation: Operation) -> None:
        """What the operation wants from now on."""
        self._settings.update(operation.settings)
        kept = [one for one in self._inventories if one != self._forgotten]
        beside = [str(self._scenario / operation.beside)] if operation.beside else []
        adopted = [str(self._directory_ids)] if operation.adopt else []
        self._inventories = [*kept, *beside, *adopted]
        self._forgotten = str(self._scenario / operation.forget) if operation.forget else self._forgotten

    def adopt(self, directory_ids: Mapping[str, str]) -> None:
        """What a refusal tells the operator to do: each host's own directory id into the inventory."""
        known = {host: {"kafka_directory_id": text.strip()} for host, text in directory_ids.items() if text.strip()}
        self._directory_ids.write_text(yaml.safe_dump({"kafka": {"hosts": known}}))

    def of(self, operation: Operation, more: Mapping[str, Any] | None = None) -> list[str]:
        """An operation's own, with `more` variables."""
        variables = {"kafka_probe": operation.probed, **self._settings, **operation.once, **(more or {})}
        limit = ["--limit", f"!{operation.gone}"] if operation.gone else []
        return [*limit, *self._words(operation.playbook, variables)]

    def once_more(self, operation: Operation) -> list[str]:
        """Of the run that finds nothing to do: the same one, or another playbook with what is settled."""
        if operation.idle == operation.playbook:
            return self.of(operation, {**operation.anew, "kafka_probe": False})
        return self._words(operation.idle, self._settings)

    def _words(self, playbook: str, variables: Mapping[str, Any]) -> list[str]:
        inventories = [word for one in self._inventories for word in ("-i", one)]
        return [*inventories, "-e", json.dumps(variables), f"playbooks/{playbook}.yml"]
