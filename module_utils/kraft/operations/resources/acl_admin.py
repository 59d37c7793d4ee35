"""ACLs of a running cluster."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ansible.module_utils.kraft.cluster.client import ApiError, Client
from ansible.module_utils.kraft.cluster.portions import each_one
from ansible.module_utils.kraft.operations.resources.run import Asker
from ansible.module_utils.kraft.spec.resources.acls import ALLOW, DENY, LITERAL, PREFIXED, Acl

#: Words -> numbers of the protocol. Source: Kafka's ResourceType, PatternType, AclOperation, AclPermissionType.
RESOURCES = {"topic": 2, "group": 3, "cluster": 4, "transactional_id": 5, "delegation_token": 6, "user": 7}
PATTERNS = {LITERAL: 3, PREFIXED: 4}
PERMISSIONS = {DENY: 2, ALLOW: 3}
OPERATIONS = {
    "all": 2,
    "read": 3,
    "write": 4,
    "create": 5,
    "delete": 6,
    "alter": 7,
    "describe": 8,
    "cluster_action": 9,
    "describe_configs": 10,
    "alter_configs": 11,
    "idempotent_write": 12,
    "create_tokens": 13,
    "describe_tokens": 14,
    "two_phase_commit": 15,
}
ANY = 1
NO_AUTHORIZER = "SecurityDisabled"  #: Kafka's word if no authorizer runs


class AclAdmin(Asker):
    """Key: an ACL; value: True. `awaited`: whether the authorizer may still be to come, as in check mode."""

    name = "ACLs"

    def __init__(self, client: Client, awaited: bool = False) -> None:
        super().__init__(client)
        self._awaited = awaited

    def read_current(self, _: Mapping[Acl, bool]) -> dict[Acl, bool]:
        try:
            resources = self._described()
        except ApiError as error:
            if error.name != NO_AUTHORIZER or not self._awaited:
                raise
            resources = []
        return {
            Acl(
                principal=one["principal"],
                resource=_word(RESOURCES, resource["resource_type"]),
                name=resource["resource_name"],
                operation=_word(OPERATIONS, one["operation"]),
                permission=_word(PERMISSIONS, one["permission_type"]),
                pattern=_word(PATTERNS, resource["pattern_type"]),
                host=one["host"],
            ): True
            for resource in resources
            for one in resource["acls"]
        }

    def _described(self) -> list[Any]:
        """Return all ACLs, by resource."""
        anything = dict.fromkeys(("resource_type_filter", "pattern_type_filter", "operation", "permission_type"), ANY)
        anybody = dict.fromkeys(("resource_name_filter", "principal_filter", "host_filter"))
        return list(self.send("DescribeAclsRequest", **anything, **anybody)["resources"])

    def put(self, values: Mapping[Acl, bool]) -> list[str]:
        found: list[str] = []
        for some in each_one(values):
            answer = self.send("CreateAclsRequest", creations=[_numbers(each) for each in some])
            found += [text for acl, one in zip(some, answer["results"]) if (text := self.refusal(acl, one))]
        return found

    def remove(self, keys: tuple[Acl, ...]) -> list[str]:
        found: list[str] = []
        for some in each_one(keys):
            answer = self.send("DeleteAclsRequest", filters=[_numbers(each) for each in some])
            found += [text for acl, one in zip(some, answer["filter_results"]) if (text := self.refusal(acl, one))]
        return found


def _numbers(acl: Acl) -> tuple[int, str, int, str, str, int, int]:
    """Return the values in the order of the protocol's fields."""
    where = (RESOURCES[acl.resource], acl.name, PATTERNS[acl.pattern])
    return (*where, acl.principal, acl.host, OPERATIONS[acl.operation], PERMISSIONS[acl.permission])


def _word(words: Mapping[str, int], number: int) -> str:
    return next((word for word, each in words.items() if each == number), f"number {number}")
