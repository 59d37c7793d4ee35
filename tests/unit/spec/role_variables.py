"""Variables of roles, as their tasks see them."""

from __future__ import annotations

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
