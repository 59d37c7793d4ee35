"""Users as the inventory writes them: a name, a password, what they may do, and how much of it. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from ansible.module_utils.kraft.spec.resources.quotas import UNITS

NAME = re.compile(r"(?!\.+$)[A-Za-z0-9._@-]{1,64}")  #: also of a directory
ABSENT, TLS = "absent", "tls"
Entry = Mapping[str, Any]
#: ACLs of the smoke test and the probe: their topics and groups, and the groups of Spark's readers.
OWN_CLIENTS: tuple[Entry, ...] = (
    {"topic": "kraftwright-", "pattern": "prefixed", "operations": ["all"]},
    {"group": "kraftwright-", "pattern": "prefixed", "operations": ["all"]},
    {"group": "spark-kafka-", "pattern": "prefixed", "operations": ["read"]},
)


def mechanism(user: Entry) -> str:
    """Return the mechanism of a user's login, as Kafka writes it; empty for a user with a certificate."""
    return "" if has_certificate(user) else str(user.get("authentication") or "scram-sha-512").upper()


def has_certificate(user: Entry) -> bool:
    """Check whether a user shows a certificate in place of a password."""
    return user.get("authentication") == TLS


def certified(users: Iterable[Entry]) -> list[str]:
    """Return the names of ``kafka_users`` with a certificate, those to be removed included."""
    return [user["name"] for user in users if has_certificate(user)]


def is_generated(user: Entry) -> bool:
    """Check whether a user logs in with a password that is not given, so that one is generated and kept."""
    return user.get("state") != ABSENT and not has_certificate(user) and user.get("password") is None


def generated(users: Iterable[Entry]) -> list[str]:
    """Return the names of users with a generated password."""
    return [str(user["name"]) for user in users if is_generated(user)]


def passwords_kept(users: Iterable[Entry], kept: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return `users` with their `kept` passwords (user -> password), if these are generated."""
    return [{**user, "password": kept.get(str(user["name"]))} if is_generated(user) else dict(user) for user in users]


def user_certificate(authority: str, name: str) -> str:
    """Return the file with a user's certificate and key, below the `authority`, on the control machine."""
    return f"{authority}/users/{name}.pem"


def kinds(given: Any) -> list[str] | None:
    """Parse ``kafka_prune`` or ``kafka_delete_topics``: a list or a text with commas; None for other types."""
    if isinstance(given, str):
        return [each.strip() for each in given.split(",") if each.strip()]
    return list(map(str, given or ())) if given is None or isinstance(given, (list, tuple)) else None


def principal(user: Entry) -> str:
    """Return the principal of a user who logged in."""
    return f"User:{user['name']}"


def present(users: Iterable[Entry]) -> list[Entry]:
    """Return the users that are to be present."""
    return [user for user in users if user.get("state") != ABSENT]


def credentials(users: Iterable[Entry]) -> list[dict[str, Any]]:
    """Return the users for ``kafka_user``; users with a certificate have no password."""
    return [
        {"name": user["name"], "state": ABSENT}
        if user.get("state") == ABSENT
        else {"name": user["name"], "mechanism": mechanism(user), "password": user.get("password")}
        for user in users
        if not has_certificate(user) or user.get("state") == ABSENT
    ]


def acls(users: Iterable[Entry], others: Iterable[Entry], client_user: str = "") -> list[dict[str, Any]]:
    """Return the ACLs for ``kafka_acl``: those of users, then those of `others`; all of a removed user.

    `client_user`: the user of our own clients; they get the ACLs that they need.
    """
    found = [{**entry, "principal": f"User:{client_user}"} for entry in OWN_CLIENTS if client_user]
    for user in users:
        if user.get("state") == ABSENT:
            found.append({"principal": principal(user), "state": ABSENT})
            continue
        found += [{**entry, "principal": principal(user)} for entry in user.get("allow") or ()]
    return [*found, *map(dict, others)]


def quotas(users: Iterable[Entry], others: Iterable[Entry]) -> list[dict[str, Any]]:
    """Return the quotas for ``kafka_quota``: those of users, then `others`; none remains for a removed user."""
    found: list[dict[str, Any]] = []
    for user in users:
        if user.get("state") == ABSENT:
            found.append({"user": user["name"], "state": ABSENT})
        elif user.get("quotas"):
            found.append({"user": user["name"], **{kind: user["quotas"].get(kind) for kind in UNITS}})
    return [*found, *map(dict, others)]
