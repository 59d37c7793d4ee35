"""One run for a kind of resource: look, plan, change, and look again until the cluster shows it."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Hashable, Mapping
from typing import Any, Generic, Protocol, TypeVar

from ansible.module_utils.kraft.cluster.client import Client
from ansible.module_utils.kraft.cluster.gather import checked
from ansible.module_utils.kraft.errors import RefusedError, ToolError
from ansible.module_utils.kraft.operations.resources.plan import Plan, Prune, plan, result

Key = TypeVar("Key", bound=Hashable)
REQUEST_SECONDS = 15.0
POLL_SECONDS = 0.1


class Admin(Protocol[Key]):
    """A kind of resource on a running cluster."""

    name: str

    def look(self, desired: Mapping[Key, Any]) -> dict[Key, Any]:
        """What there is now."""

    def put(self, values: Mapping[Key, Any]) -> list[str]:
        """Set `values`; gives what Kafka refuses."""

    def remove(self, keys: tuple[Key, ...]) -> list[str]:
        """Take `keys` away; gives what Kafka refuses."""


@dataclasses.dataclass(frozen=True)
class Asked(Generic[Key]):
    """What a module's parameters ask for: ``wanted`` keys with their values, and which keys must go."""

    admin: Admin[Key]
    wanted: Mapping[Key, Any]
    is_absent: Callable[[Key], bool]

    def plan(self, current: Mapping[Key, Any], prune: Prune) -> Plan[Key]:
        return plan(self.wanted, current, self.is_absent, prune)


Made = Callable[[Client, Mapping[str, Any]], Asked[Key]]


class Run(Generic[Key]):
    """What was planned first is what is reported, however often the connection broke."""

    def __init__(self, client: Client, made: Made[Key], params: Mapping[str, Any]) -> None:
        """`params`: of the module, and ``check_mode``."""
        self._client, self._made, self._params = client, made, params
        self._reported: dict[str, Any] = {}

    def __call__(self) -> dict[str, Any]:
        asked = self._made(self._client, self._params)
        current = asked.admin.look(asked.wanted)
        found = asked.plan(current, Prune(self._params["prune"], self._params["prune_most"]))
        self._reported = self._reported or result(found, current, asked.admin.name)
        if found.changes and not self._params["check_mode"]:
            apply(asked, found, self._params["timeout"])
        return self._reported


def apply(asked: Asked[Key], found: Plan[Key], timeout: float) -> None:
    """New access comes before old access goes. Ends when the cluster shows all of it."""
    for refusals in (asked.admin.put(found.put), asked.admin.remove(found.remove)):
        if refusals:
            raise RefusedError(refusals)
    deadline = time.monotonic() + timeout
    while not is_seen(found, asked.admin.look(asked.wanted)):
        if time.monotonic() >= deadline:
            raise ToolError(f"{asked.admin.name}: changed, but not all of it is seen after {timeout:g} s")
        time.sleep(POLL_SECONDS)


def is_seen(found: Plan[Key], current: Mapping[Key, Any]) -> bool:
    """Whether a plan is carried out."""
    there = all(current.get(key) == value for key, value in found.put.items())
    return there and not any(key in current for key in found.remove)


class Asker:
    """Questions to one broker; brokers pass on what only the active controller can do."""

    def __init__(self, client: Client) -> None:
        self._client, self._address = client, client.reach()

    def ask(self, name: str, **fields: Any) -> dict[str, Any]:
        answer = self._client.ask(self._address, self._client.request(name, **fields), REQUEST_SECONDS)
        return checked(self._client, name, answer)

    def refusal(self, what: object, answer: Mapping[str, Any]) -> str:
        """What Kafka said against it; an error that passes is raised, so that the whole is tried again."""
        error = self._client.error(str(what), answer["error_code"], answer.get("error_message"))
        if error is not None and error.retriable:
            raise error
        return str(error) if error else ""
