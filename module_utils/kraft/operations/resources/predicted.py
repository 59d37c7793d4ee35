"""Predicted resources of a cluster that is still to be deployed. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ansible.module_utils.kraft.operations.resources.plan import put_step
from ansible.module_utils.kraft.operations.resources.user_admin import Credential
from ansible.module_utils.kraft.spec.resources import acls as acl_rules
from ansible.module_utils.kraft.spec.resources import quotas as quota_rules

ABSENT = "absent"
Entries = Iterable[Mapping[str, Any]]


def steps(topics: Entries, users: Entries, acls: Entries, quotas: Entries) -> list[str]:
    """Describe the steps, as ``kafka_resources`` reports them for the same entries. Absent entries need none."""
    found: list[tuple[object, Any]] = [(f"topic {each['name']}", True) for each in _present(topics)]
    found += [(Credential(each["name"], each["mechanism"]), True) for each in _present(users)]
    found += dict.fromkeys((acl, True) for each in _present(acls) for acl in acl_rules.expanded(each))
    found += [one for each in _present(quotas) for one in quota_rules.expanded(each).items()]
    return [put_step(key, value) for key, value in found]


def _present(entries: Entries) -> Iterator[Mapping[str, Any]]:
    return (each for each in entries if each.get("state") != ABSENT)
