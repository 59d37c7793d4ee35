"""Conditions for closing the old listeners of a cluster, and the reminder to do it."""

from __future__ import annotations

from collections.abc import Iterator

from ansible.module_utils.kraft.kafka_terms import CLIENT
from ansible.module_utils.kraft.problem import WARNING, Problem
from ansible.module_utils.kraft.spec.desired.migration import split
from ansible.module_utils.kraft.spec.desired.model import CLOSE, OPEN, SWITCH
from ansible.module_utils.kraft.spec.host_rules.subject import Facts, Host, Subject
from ansible.module_utils.kraft.spec.inventory_rules.subject import RISK

VARIABLE = "kafka_listeners"
NAMED = 5  #: addresses that are said


def check(subject: Subject) -> Iterator[Problem]:
    phase = subject.cluster.get("migration")
    for host, facts in subject.seen:
        if phase in (OPEN, SWITCH):
            message = "Unsecured listeners are still open: every client that reaches them has all rights"
            remedy = "go on with playbooks/migrate_security.yml, which closes them"
            yield Problem("migration_unfinished", message, remedy, VARIABLE, host.name, phase, WARNING)
        if phase == CLOSE:
            yield from clients_left(subject, host, facts)


def clients_left(subject: Subject, host: Host, facts: Facts) -> Iterator[Problem]:
    """Report clients that are connected to a listener that this run closes."""
    staying = {*(one["name"] for one in host.node["listeners"]), facts["deployed"]["old_inter_broker"]}
    nodes = addresses(subject)
    for one in facts["deployed"]["listeners"]:
        port = split(one["bind"])[1]
        found = sorted(set(facts["connections"].get(str(port), ())) - nodes)
        if found and one["name"] not in staying and one["purpose"] == CLIENT:
            more = f" and {len(found) - NAMED} more" if len(found) > NAMED else ""
            message = f"Clients are connected to the old listeners: {', '.join(found[:NAMED])}{more}"
            remedy = "move them to a secured listener: this run cuts them off"
            where = f"{VARIABLE}[{one['name']}]"
            yield Problem("old_connections", message, remedy, where, host.name, port, severity=RISK)


def addresses(subject: Subject) -> frozenset[str]:
    """Return the addresses of the cluster's own machines, as the hosts resolve their names."""
    names = (answer["addresses"] for _, facts in subject.seen for answer in facts["names"].values())
    advertised = (split(one["address"])[0] for _, facts in subject.seen for one in facts["deployed"]["listeners"])
    return frozenset([*(one for found in names for one in found), *advertised])
