"""Connection options of the smoke test and the probe, as their roles will see them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any

from ansible.errors import AnsibleError
from ansible.module_utils.kraft.client_config import from_java, spark
from ansible.module_utils.kraft.spec.desired import numbers
from ansible.module_utils.kraft.spec.desired.listener_protocols import PROBE, SMOKE, as_texts
from ansible.template import Templar

TRUE = ("true", "yes", "on", "1")


def client_options(hostvars: Any, loader: Any, first: str, smoke: bool = True) -> dict[str, dict[str, str]]:
    """Return variable -> options of each client that this run may start.

    The smoke test, if the run has one, is on this machine, which reads nothing of the nodes' group; the probe, if
    it is enabled, takes the variables of the `first` node. Values that are no mapping are refused by their role.
    """
    hosts = {SMOKE: "localhost"} if smoke else {}
    if str(_value(hostvars, loader, first, "kafka_probe")).lower() in TRUE:
        hosts[PROBE] = first
    found = {name: _value(hostvars, loader, host, name) or {} for name, host in hosts.items()}
    return {name: as_texts(options) for name, options in found.items() if isinstance(options, Mapping)}


def smoke(hostvars: Any, loader: Any, names: Iterable[str]) -> dict[str, Any]:
    """Return the variables of the smoke test, of `names`, that are set for this machine."""
    found = {name: _value(hostvars, loader, "localhost", name) for name in names if name.startswith(numbers.OF_SMOKE)}
    return {name: value for name, value in found.items() if value is not None}


def with_login(options: Mapping[str, str], users: Any, name: str) -> dict[str, str]:
    """Return `options` of Spark's client with the password of the user `name`, one of ``kafka_users``."""
    found = next((user for user in users or () if str(user.get("name")) == str(name)), None) if name else None
    if not options or not found:
        return dict(options)
    name, password = str(found["name"]), str(found.get("password") or "")
    config = dataclasses.replace(from_java(options), username=name, password=password)
    return {key: value for key, value in spark(config).items() if value}


def _value(hostvars: Any, loader: Any, host: str, name: str) -> Any:
    """Return a variable of any host; None if it is not given or cannot be resolved."""
    given = hostvars.raw_get(host)
    try:
        return Templar(loader=loader, variables={"hostvars": hostvars, **given}).template(given.get(name))
    except AnsibleError:
        return None
