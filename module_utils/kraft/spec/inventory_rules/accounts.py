"""The user and group of Kafka's process: unprivileged, and used by nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ansible.module_utils.kraft.node.other_services import collector_service, metrics_proxy, mirror_service
from ansible.module_utils.kraft.problem import Problem
from ansible.module_utils.kraft.spec.desired.model import Node
from ansible.module_utils.kraft.spec.inventory_rules.subject import Subject

#: Role kafka's variable -> role kafka_host's, which follows it.
ACCOUNTS = {"kafka_user": "kafka_host_user", "kafka_group": "kafka_host_group"}
ACCOUNT = re.compile(r"[a-z_][a-z0-9_-]{0,31}")
#: Groups whose members can become root, by sudo, by a daemon that is root, or by the bare disk.
POWERFUL = frozenset({"admin", "disk", "docker", "kmem", "libvirt", "lxd", "root", "shadow", "sudo", "wheel"})
#: Accounts of services beside Kafka. Deployments make them, and delete them with the service.
SERVICES = frozenset({collector_service.USER, metrics_proxy.USER, mirror_service.USER})
#: Variables for the login account, the stronger first (``kafka_desired`` adds ansible.cfg's and ``--user``).
LOGIN = ("ansible_user", "ansible_ssh_user", "remote_user")
OWN = "give a separate account, such as kafka"


def accounts(subject: Subject) -> Iterator[Problem]:
    """Require an unprivileged account for Kafka, and not the one that Ansible logs in with."""
    for node in subject.cluster.nodes:
        for variable, follower in ACCOUNTS.items():
            name, other = node.variables.get(variable), node.variables.get(follower)
            if name is None or node.broken.intersection((variable, follower)):
                continue
            message, remedy = account_problem(str(name), variable == "kafka_group", login(node))
            if message:
                yield Problem("account", message, remedy, variable, node.host, name)
            if other not in (None, name):
                message, remedy = f"The value differs from {variable}, {name}", f"leave it out: it follows {variable}"
                yield Problem("account_differs", message, remedy, follower, node.host, other)


def login(node: Node) -> str:
    """Return the account that Ansible logs in with, if it is set; empty if ssh decides."""
    return next((str(node.connection[name]) for name in LOGIN if node.connection.get(name)), "")


def account_problem(name: str, is_group: bool, used_for_login: str) -> tuple[str, str]:
    """Return the fault of a name, and the remedy; two empty texts if there is none."""
    faults = (
        (name == "root", "The account has all privileges", OWN),
        (is_group and name in POWERFUL, "Members of this group can become root", OWN),
        (name in SERVICES, "Another service uses this account, and deletes it when the service is removed", OWN),
        (
            not ACCOUNT.fullmatch(name),
            "The value is not a valid account name",
            "use lower case letters, digits, '_' and '-', beginning with a letter",
        ),
        (name == used_for_login, "Ansible logs in with this account: Kafka would run with its rights", OWN),
    )
    return next(((message, remedy) for wrong, message, remedy in faults if wrong), ("", ""))


RULES = (accounts,)
