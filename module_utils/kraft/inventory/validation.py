"""The whole check of an inventory: read, then every rule, then how grave it is."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from ansible.module_utils.kraft.desired.model import Cluster
from ansible.module_utils.kraft.inventory import rules
from ansible.module_utils.kraft.inventory.reading import HostVariables, read
from ansible.module_utils.kraft.inventory.rules.subject import Subject
from ansible.module_utils.kraft.inventory.severity import settle
from ansible.module_utils.kraft.inventory.spec import Option
from ansible.module_utils.kraft.problem import Problem


@dataclasses.dataclass(frozen=True)
class Surroundings:
    """What rules need beside the hosts' variables.

    ``names``: every known variable; ``used``: host -> names of the ``kafka_*`` variables that somebody set for it;
    ``readable``: host -> settings whose secret stands unencrypted in the inventory;
    ``archive_exists``: whether ``kafka_archive`` is a file of the control machine, None for a URL.
    """

    names: frozenset[str] = frozenset()
    used: Mapping[str, frozenset[str]] = dataclasses.field(default_factory=dict)
    archive_exists: bool | None = None
    readable: Mapping[str, frozenset[str]] = dataclasses.field(default_factory=dict)


_FIELDS = dataclasses.fields(Surroundings)


def validate(
    hosts: Sequence[HostVariables], specs: Mapping[str, Option], surroundings: Surroundings
) -> tuple[Cluster, list[Problem]]:
    """The cluster that the hosts' variables describe, and everything that is wrong with it, the gravest first."""
    cluster, problems = read(hosts, specs)
    subject = Subject(cluster, **{field.name: getattr(surroundings, field.name) for field in _FIELDS})
    return cluster, settle([*problems, *rules.check(subject)], cluster)
