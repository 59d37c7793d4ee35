"""Quotas of a running cluster."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ansible.module_utils.kraft.cluster.portions import each_one
from ansible.module_utils.kraft.operations.resources.run import Asker
from ansible.module_utils.kraft.spec.resources.quotas import Quota

Entity = tuple[tuple[str, "str | None"], ...]
Op = tuple[str, float, bool]  #: kind, number, and whether it is taken away


class QuotaAdmin(Asker):
    """Key: entity and kind of quota; value: the number."""

    name = "quotas"

    def read_current(self, _: Mapping[Quota, float]) -> dict[Quota, float]:
        answer = self.send("DescribeClientQuotasRequest", components=[], strict=False)
        return {
            Quota(_entity(entry["entity"]), one["key"]): one["value"]
            for entry in answer["entries"] or ()
            for one in entry["values"]
        }

    def put(self, values: Mapping[Quota, float]) -> list[str]:
        return self._alter((quota, (quota.kind, value, False)) for quota, value in values.items())

    def remove(self, keys: tuple[Quota, ...]) -> list[str]:
        return self._alter((quota, (quota.kind, 0.0, True)) for quota in keys)

    def _alter(self, ops: Iterable[tuple[Quota, Op]]) -> list[str]:
        found: list[str] = []
        for some in each_one(ops):
            by_entity: dict[Entity, list[Op]] = {}
            for quota, op in some:
                by_entity.setdefault(quota.entity, []).append(op)
            entries: list[Any] = [(list(entity), each) for entity, each in by_entity.items()]
            answer = self.send("AlterClientQuotasRequest", entries=entries, validate_only=False)
            refusals = (self.refusal(f"quota of {_entity(one['entity'])}", one) for one in answer["entries"])
            found += [text for text in refusals if text]
        return found


def _entity(parts: Iterable[Mapping[str, Any]]) -> tuple[tuple[str, str | None], ...]:
    return tuple(sorted((one["entity_type"], one["entity_name"]) for one in parts))
