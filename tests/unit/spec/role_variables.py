"""Variables of roles, as their tasks see them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ansible.parsing.dataloader import DataLoader
from ansible.template import Templar

from tests.unit.spec.inventories import ROOT, load_plugins


def rendered(role: str, name: str, **given: Any) -> Any:
    """A variable of a role's vars/main.yml."""
    load_plugins()
    loader = DataLoader()
    own = loader.load_from_file(str(ROOT / f"roles/{role}/vars/main.yml"), trusted_as_template=True)
    return Templar(loader=loader, variables={**own, **given}).template(own[name])


def rendered_in_task(path: str, task: str, *keys: str, **given: Any) -> Any:
    """Render the value below `keys` of one task of a role, with the variables of that task."""
    load_plugins()
    loader = DataLoader()
    [own] = [each for each in tasks_of(loader, path) if each["name"] == task]
    source: Any = own
    for key in keys:
        source = source[key]
    return Templar(loader=loader, variables={**own.get("vars", {}), **given}).template(source)


def tasks_of(loader: DataLoader, path: str) -> Iterator[dict[str, Any]]:
    """Every task of a role's file, with those in blocks."""
    left = list(loader.load_from_file(str(ROOT / "roles" / path), trusted_as_template=True))
    while left:
        task = left.pop(0)
        yield task
        left = [*task.get("block", ()), *task.get("rescue", ()), *task.get("always", ()), *left]
