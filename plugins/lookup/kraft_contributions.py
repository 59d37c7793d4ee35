"""Contributions of other roles to the node of the host in play, by the variables that ``kafka_desired`` found."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import ansible.module_utils
from ansible.plugins.lookup import LookupBase
from ansible.template import Templar

ansible.module_utils.__path__.append(str(Path(__file__).resolve().parents[2] / "module_utils"))

from ansible.module_utils.kraft.spec.inventory.role_variables import role_variables


class LookupModule(LookupBase):
    """Sees what ``kafka_desired`` sees: every role's own contribution, whether or not the play has that role."""

    def run(self, terms: list[str], variables: Mapping[str, Any] | None = None, **_: Any) -> list[Any]:
        if not terms:
            return []
        merged = {**role_variables(self._loader), **(variables or {})}
        templar = Templar(loader=self._loader, variables=merged)
        return [templar.template(merged[name]) for name in terms]
