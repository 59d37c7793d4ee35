"""Predicted resources of a cluster that is still to be deployed. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ansible.module_utils.kraft.operations.resources.user_admin import Credential
from ansible.module_utils.kraft.spec.resources import acls as acl_rules
from ansible.module_utils.kraft.spec.resources import quotas as quota_rules

ABSENT = "absent"
Entries = Iterable[Mapping[str, Any]]


def steps(topics: Entries, users: Entries, acls: Entries, quotas: Entries) -> list[str]:
    """Describe the steps, as ``kafka_resources`` reports them for the same entries. Absent entries need none."""
    found = [f"topic {each['name']}" for each in _present(topics)]
    found += [str(Credential(each["name"], each["mechanism"])) for each in _present(users)]
    found += dict.fromkeys(str(acl) for each in _present(acls) for acl in acl_rules.expanded(each))
    found += [str(quota) for each in _present(quotas) for quota in quota_rules.expanded(each)]
    return [f"add {each}" for each in found]


def _present(entries: Entries) -> Iterator[Mapping[str, Any]]:
    return (each for each in entries if each.get("state") != ABSENT)
