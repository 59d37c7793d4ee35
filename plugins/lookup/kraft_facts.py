"""One fact of many hosts, read where Ansible keeps it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ansible.plugins.lookup import LookupBase


class LookupModule(LookupBase):
    """Terms: the name of a fact, and hosts. Result: the fact of each host in their order; ``{}`` for one without it.

    ``hostvars[host]`` would merge all variables of that host and copy all its facts, for one of them. An expression
    over all hosts that each host evaluates costs the square of their number.
    """

    def run(self, terms: list[Any], variables: Mapping[str, Any] | None = None, **_: Any) -> list[Any]:
        name, *hosts = terms
        hostvars = (variables or {})["hostvars"]
        return [facts(hostvars, host).get(name, {}) for host in hosts]


def facts(hostvars: Any, host: str) -> Mapping[str, Any]:
    """Return the facts of a host, none if nothing was found out about it."""
    cache = getattr(hostvars._variable_manager, "_fact_cache", None)
    if cache is None:  # another release of Ansible
        return hostvars.raw_get(host).get("ansible_facts") or {}
    try:
        return cache.get(host) or {}
    except KeyError:
        return {}
