"""The whole check of an inventory: read, then every rule, then how grave it is."""

from __future__ import annotations

import dataclasses
from collections.abc import Container, Mapping, Sequence

from ansible.module_utils.kraft.problem import Problem
from ansible.module_utils.kraft.spec import rules
from ansible.module_utils.kraft.spec.desired.model import Cluster
from ansible.module_utils.kraft.spec.inventory.reading import HostVariables, read
from ansible.module_utils.kraft.spec.inventory.severity import assign_severities
from ansible.module_utils.kraft.spec.inventory.spec import Option
from ansible.module_utils.kraft.spec.rules.subject import Subject


@dataclasses.dataclass(frozen=True)
class Surroundings:
    """What rules need beside the hosts' variables.

    ``names``: every known variable; ``used``: host -> names of the ``kafka_*`` variables that somebody set for it;
    ``readable``: host -> settings whose secret stands unencrypted in the inventory;
    ``foreign_reports``: directories for this cluster's reports that hold those of another cluster;
    ``archive_exists``: whether ``kafka_archive`` is a file of the control machine, None for a URL;
    ``archive_digest``: what its checksum should say, empty where nobody has computed it;
    ``client_exists``: whether ``kafka_client_archive`` is a file of the control machine, None where no run needs it;
    ``spark_lacks``: what is missing to start Spark, empty where nobody starts it;
    ``key_faults``: host -> why ssh cannot use the private key that the inventory names;
    ``plan_faults``: variable -> why the plan that it names cannot be used;
    ``client_options``: variable -> options of each client of ours that will connect to the client listener.
    """

    names: frozenset[str] = frozenset()
    used: Mapping[str, frozenset[str]] = dataclasses.field(default_factory=dict)
    archive_exists: bool | None = None
    archive_digest: str = ""
    client_exists: bool | None = None
    spark_lacks: str = ""
    key_faults: Mapping[str, str] = dataclasses.field(default_factory=dict)
    plan_faults: Mapping[str, str] = dataclasses.field(default_factory=dict)
    readable: Mapping[str, frozenset[str]] = dataclasses.field(default_factory=dict)
    foreign_reports: tuple[str, ...] = ()
    client_options: Mapping[str, Mapping[str, str]] = dataclasses.field(default_factory=dict)


_FIELDS = dataclasses.fields(Surroundings)


def nowhere(hosts: Sequence[str], known: Container[str]) -> list[Problem]:
    """No host at all, or hosts that the inventory does not have: nothing can be read of them."""
    if not hosts:
        message = "No host to validate: the group is empty or has another name"
        return [Problem("no_host", message, "name the inventory with -i, and put the nodes into its group kafka")]
    message, remedy = "is not a host of the inventory", "add it, or correct its name"
    return [Problem("unknown_host", message, remedy, "hosts", host) for host in hosts if host not in known]


def validate(
    hosts: Sequence[HostVariables], specs: Mapping[str, Option], surroundings: Surroundings
) -> tuple[Cluster, list[Problem]]:
    """The cluster that the hosts' variables describe, and everything that is wrong with it, the gravest first."""
    cluster, problems = read(hosts, specs)
    subject = Subject(cluster, **{field.name: getattr(surroundings, field.name) for field in _FIELDS})
    return cluster, assign_severities([*problems, *rules.check(subject)], cluster)
