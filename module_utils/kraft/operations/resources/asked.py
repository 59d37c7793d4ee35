"""Desired resources from parameters of modules, for each kind of resource."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ansible.module_utils.kraft.cluster.client import Client
from ansible.module_utils.kraft.errors import RefusedError, refuse
from ansible.module_utils.kraft.operations.resources.acl_admin import AclAdmin
from ansible.module_utils.kraft.operations.resources.quota_admin import QuotaAdmin
from ansible.module_utils.kraft.operations.resources.run import Asked
from ansible.module_utils.kraft.operations.resources.user_admin import MECHANISMS, Credential, UserAdmin
from ansible.module_utils.kraft.problem import Problem
from ansible.module_utils.kraft.spec.resources import acls as acl_rules
from ansible.module_utils.kraft.spec.resources import quotas as quota_rules
from ansible.module_utils.kraft.spec.resources.acls import ALLOW, DENY, EVERY_HOST, LITERAL, PREFIXED, Acl
from ansible.module_utils.kraft.spec.resources.quotas import UNITS, Quota

USERS: dict[str, Any] = {
    "type": "list",
    "elements": "dict",
    "options": {
        "name": {"type": "str", "required": True},
        "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
        "mechanism": {"type": "str", "choices": list(MECHANISMS), "default": "SCRAM-SHA-512"},
        "password": {"type": "str", "no_log": True},
    },
}

ACLS: dict[str, Any] = {
    "type": "list",
    "elements": "dict",
    "options": {
        "principal": {"type": "str", "required": True},
        "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
        "topic": {"type": "str"},
        "group": {"type": "str"},
        "transactional_id": {"type": "str"},
        "delegation_token": {"type": "str"},
        "user": {"type": "str"},
        "cluster": {"type": "bool", "default": False},
        "pattern": {"type": "str", "choices": [LITERAL, PREFIXED], "default": LITERAL},
        "operations": {"type": "list", "elements": "str", "default": []},
        "permission": {"type": "str", "choices": [ALLOW, DENY], "default": ALLOW},
        "host": {"type": "str", "default": EVERY_HOST},
    },
}

QUOTAS: dict[str, Any] = {
    "type": "list",
    "elements": "dict",
    "options": {
        "user": {"type": "str"},
        "client_id": {"type": "str"},
        "ip": {"type": "str"},
        "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
        **{kind: {"type": "float"} for kind in UNITS},
    },
}
#: Mechanism -> how a listener is reached that takes it.
LOGINS: dict[str, Any] = {"type": "dict", "default": {}}


def users(client: Client, params: Mapping[str, Any]) -> Asked[Credential]:
    """Convert ``users``, ``logins``, ``client`` and ``check_mode``. RefusedError: one has no password."""
    users = params["users"]
    passwords = {Credential(one["name"], one["mechanism"]): one["password"] for one in users if one["password"]}
    lacking = [one["name"] for one in users if one["state"] == "present" and not one["password"]]
    if lacking and not params["check_mode"]:
        problems = (
            Problem("user_password", "The user has no password", "give one", f"user {name}") for name in lacking
        )
        raise RefusedError([*problems])
    absent = {one["name"] for one in users if one["state"] == "absent"}
    wanted = {Credential(one["name"], one["mechanism"]): True for one in users if one["name"] not in absent}
    node = params["client"].get("node") or ""
    admin = UserAdmin(client, passwords, params["logins"], awaited=params["check_mode"], node=node)
    return Asked(admin, wanted, lambda credential: credential.user in absent)


def acls(client: Client, params: Mapping[str, Any]) -> Asked[Acl]:
    """Convert ``acls`` and ``check_mode``. RefusedError: entries that Kafka would not take."""
    entries = params["acls"]
    gone = {one["principal"] for one in entries if acl_rules.is_of_all(one)}
    others = [one for one in entries if not acl_rules.is_of_all(one)]
    wrong = [
        Problem("acl", message, remedy, f"ACL of {one['principal']}")
        for one in others
        for message, remedy in acl_rules.faults(one)
    ]
    refuse(wrong)
    wanted = {acl: True for one in others if one["state"] == "present" for acl in acl_rules.expanded(one)}
    absent = {acl for one in others if one["state"] == "absent" for acl in acl_rules.expanded(one)}
    return Asked(
        AclAdmin(client, awaited=params["check_mode"]), wanted, lambda acl: acl in absent or acl.principal in gone
    )


def quotas(client: Client, params: Mapping[str, Any]) -> Asked[Quota]:
    """Convert ``quotas``. RefusedError: entries that Kafka would not take."""
    entries = params["quotas"]
    gone = {quota_rules.entity(one) for one in entries if one["state"] == "absent"}
    present = [one for one in entries if one["state"] == "present"]
    wrong = [
        Problem("quota", message, remedy, f"quota {number}")
        for number, one in enumerate(entries, 1)
        for message, remedy in quota_rules.faults(one)
    ]
    refuse(wrong)
    wanted = {quota: value for one in present for quota, value in quota_rules.expanded(one).items()}
    return Asked(QuotaAdmin(client), wanted, lambda quota: quota.entity in gone)
