"""One run for kinds of resources: look, plan, change, and look again until the cluster shows it."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, Generic, Protocol, TypeVar

from ansible.module_utils.kraft.cluster.client import Client
from ansible.module_utils.kraft.cluster.gather import checked
from ansible.module_utils.kraft.errors import RefusedError, ToolError, refuse
from ansible.module_utils.kraft.operations.resources.plan import Plan, Prune, plan, result

Key = TypeVar("Key", bound=Hashable)
REQUEST_SECONDS = 15.0
POLL_SECONDS = 0.1


class Admin(Protocol[Key]):
    """A kind of resource on a running cluster."""

    name: str

    def begin(self, desired: Mapping[Key, Any]) -> None:
        """Begin what may take long while others ask the cluster."""

    def read_current(self, desired: Mapping[Key, Any]) -> dict[Key, Any]:
        """Return the present state."""

    def put(self, values: Mapping[Key, Any]) -> list[str]:
        """Set `values`; gives what Kafka refuses."""

    def remove(self, keys: tuple[Key, ...]) -> list[str]:
        """Take `keys` away; gives what Kafka refuses."""


@dataclasses.dataclass(frozen=True)
class Asked(Generic[Key]):
    """Desired state by a module's parameters: ``wanted`` keys with their values, and the keys that must go."""

    admin: Admin[Key]
    wanted: Mapping[Key, Any]
    is_absent: Callable[[Key], bool]

    def plan(self, current: Mapping[Key, Any], prune: Prune) -> Plan[Key]:
        return plan(self.wanted, current, self.is_absent, prune)


Made = Callable[[Client, Mapping[str, Any]], Asked[Key]]


class KindRun(Generic[Key]):
    """A run of one kind. Its first plan is reported, however often the connection broke."""

    def __init__(self, client: Client, made: Made[Key], params: Mapping[str, Any], prune: Prune) -> None:
        """Store the parameters. `params`: of the module, and ``check_mode``."""
        self._client, self._made, self._params, self._prune = client, made, params, prune
        self._reported: dict[str, Any] = {}

    def begin(self) -> None:
        """Read what is asked for, and begin what takes long. RefusedError: what is asked for cannot be."""
        self._asked = self._made(self._client, self._params)
        self._asked.admin.begin(self._asked.wanted)

    def plan(self) -> None:
        """Look, and compare. RefusedError: all that forbids it."""
        current = self._asked.admin.read_current(self._asked.wanted)
        self._found = self._asked.plan(current, self._prune)
        self._reported = self._reported or result(self._found, current, self._asked.admin.name)

    def add(self) -> None:
        """Set what is new or differs."""
        refuse(self._asked.admin.put(self._found.put))

    def remove(self) -> None:
        """Take away what must go. Ends when the cluster shows all of the plan."""
        asked, found, timeout = self._asked, self._found, self._params["timeout"]
        refuse(asked.admin.remove(found.remove))
        deadline = time.monotonic() + timeout
        while found.changes and not is_seen(found, asked.admin.read_current(asked.wanted)):
            if time.monotonic() >= deadline:
                raise ToolError(f"{asked.admin.name}: changed, but not all of it is seen after {timeout:g} s")
            time.sleep(POLL_SECONDS)

    def result(self) -> dict[str, Any]:
        """Return the result of a module."""
        return self._reported


class TopicPart(Protocol):
    """Topics, which have a separate order of changes (``operations/topics/run.py``)."""

    def plan(self) -> None:
        """Look, and compare. RefusedError: all that forbids it."""

    def result(self) -> dict[str, Any]:
        """Return the result of a module."""

    def apply(self) -> None:
        """Apply the plan, and wait until every broker shows it."""


@dataclasses.dataclass(frozen=True)
class Resources:
    """Resources of one run."""

    topics: Sequence[TopicPart] = ()
    kinds: Sequence[KindRun[Any]] = ()

    def attempt(self, check_mode: bool = False) -> None:
        """Plan every part, and only then change anything: topics first, then new access of every kind, then the old.

        RefusedError: what forbids any of them. May be tried again if the connection broke.
        """
        plan_all(self.topics, self.kinds)
        if check_mode:
            return
        for topics in self.topics:
            topics.apply()
        for kind in self.kinds:
            kind.add()
        for kind in self.kinds:
            kind.remove()


def plan_all(topics: Sequence[TopicPart], kinds: Sequence[KindRun[Any]]) -> None:
    """Plan all of them. RefusedError: all that forbids one of them."""
    problems: list[object] = []

    def succeeds(step: Callable[[], None]) -> bool:
        try:
            step()
        except RefusedError as error:
            problems.extend(error.problems)
            return False
        return True

    begun = [kind for kind in kinds if succeeds(kind.begin)]
    for step in [*(part.plan for part in topics), *(kind.plan for kind in begun)]:
        succeeds(step)
    refuse(problems)


def is_seen(found: Plan[Key], current: Mapping[Key, Any]) -> bool:
    """Check that a plan is carried out."""
    there = all(current.get(key) == value for key, value in found.put.items())
    return there and not any(key in current for key in found.remove)


class Asker:
    """Questions to one broker; brokers pass on what only the active controller can do."""

    def __init__(self, client: Client) -> None:
        self._client, self._address = client, client.reach()

    def begin(self, desired: Mapping[Any, Any]) -> None:
        """Begin nothing: no change takes long."""

    def send(self, name: str, **fields: Any) -> dict[str, Any]:
        answer = self._client.send(self._address, self._client.request(name, **fields), REQUEST_SECONDS)
        return checked(self._client, name, answer)

    def refusal(self, what: object, answer: Mapping[str, Any]) -> str:
        """Return Kafka's refusal; a retriable error is raised, so that the whole is tried again."""
        error = self._client.error(str(what), answer["error_code"], answer.get("error_message"))
        if error is not None and error.retriable:
            raise error
        return str(error) if error else ""
