"""Hosts compared with the desired state: every problem of every host, before the first change. Pure.

Each part is a function ``Subject -> problems``. Severities are those of the inventory's rules: RISK stops in
production unless its rule is accepted.
"""

from __future__ import annotations

from collections.abc import Collection

from ansible.module_utils.kraft.problem import Problem
from ansible.module_utils.kraft.spec.desired.model import Cluster
from ansible.module_utils.kraft.spec.host_rules import (
    accounts,
    clocks,
    cross_host,
    devices,
    disk,
    identity,
    issuers,
    jvm,
    limits,
    machine,
    members,
    metrics_proxy,
    migration,
    network,
    node_exporter_package,
    presence,
    renamed,
)
from ansible.module_utils.kraft.spec.host_rules.subject import Subject
from ansible.module_utils.kraft.spec.inventory.severity import assign_severities

OF_HOSTS = (
    presence,
    cross_host,
    clocks,
    identity,
    renamed,
    migration,
    members,
    accounts,
    machine,
    devices,
    disk,
    network,
)
#: If one of these is found on a host, no other remedy applies to it: it is no node of this cluster.
OF_ANOTHER_CLUSTER = ("foreign_host", "foreign_cluster_id")
PARTS = (*OF_HOSTS, jvm, issuers, node_exporter_package, metrics_proxy, limits)


def check(subject: Subject, accepted_risks: tuple[str, ...] = ()) -> list[Problem]:
    """Return all problems, the gravest first."""
    found = [problem for part in PARTS for problem in part.check(subject)]
    others = {one.host for one in found if one.rule in OF_ANOTHER_CLUSTER}
    told = [one for one in found if one.host not in others or one.rule in OF_ANOTHER_CLUSTER]
    return assign_severities(told, context(subject, accepted_risks))


def identified(
    subject: Subject, leaving: Collection[str] = (), silence: bool = True, ending: bool = False
) -> list[Problem]:
    """Check identities for operations without further checks: silent hosts, other nodes, and no Kafka on any host.

    `leaving`: names that the run removes. `silence`: whether a host of the run must answer. `ending`: whether the run
    ends the cluster.
    """
    hosts = [host for host in subject.hosts if host.in_run and host.silence]
    missing = [presence.unreachable(host, presence.is_member(subject, host)) for host in hosts]
    found = [*(missing if silence else ()), *identity.judge(subject, leaving, ending)]
    if found or ending or not subject.seen or any(map(identity.has_kafka, subject.seen)):
        return found
    return [*missing, *(presence.without_kafka(host) for host, _ in subject.seen)]


def context(subject: Subject, accepted_risks: tuple[str, ...]) -> Cluster:
    """Return the part of the cluster that decides over a risk."""
    cluster = subject.cluster
    return Cluster(
        name=cluster["name"],
        cluster_id=cluster["cluster_id"],
        version=cluster["version"],
        nodes=(),
        profile=cluster["profile"],
        accepted_risks=accepted_risks,
    )
