"""The account that Kafka is to run as, if it exists already: used as it is or refused, never rewritten."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ansible.module_utils.kraft.problem import WARNING, Problem
from ansible.module_utils.kraft.spec.host_rules.subject import Facts, Host, Subject

#: Shells of accounts without a login.
CLOSED = ("nologin", "false", "true", "sync", "halt", "shutdown")
OWN = "give a separate account, such as kafka"


def check(subject: Subject) -> Iterator[Problem]:
    for host, facts in subject.seen:
        yield from user(host, facts)
        yield from group(host, facts)


def user(host: Host, facts: Facts) -> Iterator[Problem]:
    """Refuse root and the login account; warn about a person's account, which keeps its shell and home."""
    found, login = facts["user"], facts["login"]
    name, shell = found["name"], found["shell"] or ""
    problem = {"variable": "kafka_user", "host": host.name, "value": name}
    if not found["exists"]:
        return
    if found["uid"] == 0:
        yield Problem("account", "The account is root under another name", OWN, **problem)
    elif found["uid"] == login["uid"]:
        yield Problem(
            "account", f"Ansible logs in with this account ({login['name']}), which must stay unchanged", OWN, **problem
        )
    elif shell.rpartition("/")[2] not in CLOSED and shell:
        message = f"The account can log in ({shell}), and Kafka gets all of its rights"
        yield Problem("account_shell", message, OWN, severity=WARNING, **problem)


def group(host: Host, facts: Facts) -> Iterator[Problem]:
    """Require neither root's group nor that of the login; an existing user must be in it, since no task adds it."""
    found, wanted, login = facts["user"], facts["group"], facts["login"]

    def problem(rule: str, message: str, remedy: str) -> Problem:
        return Problem(rule, message, remedy, "kafka_group", host.name, wanted["name"])

    value: Any = wanted["gid"]
    if value == 0:
        yield problem("account", "The group is root's group under another name", OWN)
    elif wanted["exists"] and value == login["gid"]:
        yield problem("account", f"The group belongs to {login['name']}, the account that Ansible logs in with", OWN)
    elif found["exists"] and wanted["name"] not in found["groups"]:
        remedy = f"give kafka_group: {found['group']}, or add {found['name']} to {wanted['name']} by hand"
        message = f"The existing user {found['name']} is not in this group, and no task changes it"
        yield problem("account_group", message, remedy)
