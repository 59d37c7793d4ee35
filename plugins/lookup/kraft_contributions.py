"""Files and unit lines that other roles give the node of the host in play, by the variables of ``kafka_desired``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import ansible.module_utils
from ansible.plugins.loader import lookup_loader
from ansible.plugins.lookup import LookupBase
from ansible.template import Templar

ansible.module_utils.__path__.append(str(Path(__file__).resolve().parents[2] / "module_utils"))

from ansible.module_utils.kraft.spec.desired.contributions import contributed
from ansible.module_utils.kraft.spec.inventory.role_variables import role_variables


class LookupModule(LookupBase):
    """Term: the node, as ``kafka_desired`` describes it. Result: ``files``, with those of its keys, and ``unit_lines``.

    Sees what ``kafka_desired`` sees: every role's own contribution, whether or not the play has that role.
    """

    def run(self, terms: list[Any], variables: Mapping[str, Any] | None = None, **_: Any) -> list[Any]:
        (node,) = terms
        given = self._given(node["contributions"], variables or {}) if node["contributions"] else []
        sources = [one["source"] for one in node["key_sets"]]
        files = lookup_loader.get("ansible.builtin.file", loader=self._loader, templar=self._templar)
        texts = files.run(sources, variables) if sources else []
        return [contributed(given, node, texts)]

    def _given(self, names: list[str], variables: Mapping[str, Any]) -> list[Any]:
        merged = {**role_variables(self._loader), **variables}
        templar = Templar(loader=self._loader, variables=merged)
        return [templar.template(merged[name]) for name in names]
