"""The whole check of an inventory: read, then every rule, then how grave it is."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

from ansible.module_utils.kraft.problem import Problem
from ansible.module_utils.kraft.spec import inventory_rules
from ansible.module_utils.kraft.spec.desired.model import Cluster
from ansible.module_utils.kraft.spec.inventory.reading import HostVariables, read
from ansible.module_utils.kraft.spec.inventory.severity import assign_severities
from ansible.module_utils.kraft.spec.inventory.spec import Option
from ansible.module_utils.kraft.spec.inventory_rules.subject import Subject, Surroundings


def nowhere(hosts: Sequence[str], known: Container[str]) -> list[Problem]:
    """Report a run without hosts, or with hosts that the inventory lacks: nothing can be read of them."""
    if not hosts:
        message = "No host to validate: the group is empty or has another name"
        return [Problem("no_host", message, "name the inventory with -i, and put the nodes into its group kafka")]
    message, remedy = "The host is not in the inventory", "add it, or correct its name"
    return [Problem("unknown_host", message, remedy, "hosts", host) for host in hosts if host not in known]


def kept_facts(plugin: str) -> list[Problem]:
    """Report a cache `plugin` that keeps facts between runs: facts decide about nodes, and would be old."""
    if plugin.rpartition(".")[2] == "memory":
        return []
    message = "Ansible keeps facts between runs, so what an earlier run has seen of a host would count as seen now"
    return [Problem("fact_cache", message, "run with ANSIBLE_CACHE_PLUGIN=memory", "fact_caching", value=plugin)]


def validate(
    hosts: Sequence[HostVariables], specs: Mapping[str, Option], surroundings: Surroundings
) -> tuple[Cluster, list[Problem]]:
    """Return the cluster that the hosts' variables describe, and all its problems, the gravest first."""
    cluster, problems = read(hosts, specs)
    subject = Subject(cluster, surroundings)
    return cluster, assign_severities([*problems, *inventory_rules.check(subject)], cluster)
