"""The account that Kafka is to run as, where it is there already: used as it is or refused, never rewritten."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ansible.module_utils.kraft.problem import WARNING, Problem
from ansible.module_utils.kraft.spec.preflight.subject import Facts, Host, Subject

#: Shells of accounts without a login.
CLOSED = ("nologin", "false", "true", "sync", "halt", "shutdown")
OWN = "give an account of its own, such as kafka"


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
        yield Problem("account", "is root by another name", OWN, **problem)
    elif found["uid"] == login["uid"]:
        yield Problem("account", f"is what Ansible logs in with ({login['name']}): it stays as it is", OWN, **problem)
    elif shell.rpartition("/")[2] not in CLOSED and shell:
        message = f"is an account that can log in ({shell}); it is used as it is, and Kafka gets all of its rights"
        yield Problem("account_shell", message, OWN, severity=WARNING, **problem)


def group(host: Host, facts: Facts) -> Iterator[Problem]:
    """Require neither root's group nor that of the login; an existing user must be in it, since no task adds it."""
    found, wanted, login = facts["user"], facts["group"], facts["login"]

    def problem(rule: str, message: str, remedy: str) -> Problem:
        return Problem(rule, message, remedy, "kafka_group", host.name, wanted["name"])

    value: Any = wanted["gid"]
    if value == 0:
        yield problem("account", "is root's group by another name", OWN)
    elif wanted["exists"] and value == login["gid"]:
        yield problem("account", f"is the group of {login['name']}, with whom Ansible logs in", OWN)
    elif found["exists"] and wanted["name"] not in found["groups"]:
        remedy = f"give kafka_group: {found['group']}, or add {found['name']} to {wanted['name']} by hand"
        message = f"is no group of {found['name']}, a user that exists and is not changed"
        yield problem("account_group", message, remedy)
