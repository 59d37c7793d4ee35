"""Changes of overrides from the described to the desired state. Pure."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ansible.module_utils.kraft.operations.config.settings import BROKER, TOPIC, Entity, Setting, Settings, same, shown
from ansible.module_utils.kraft.operations.topics.plan import config_value
from ansible.module_utils.kraft.problem import Problem
from ansible.module_utils.kraft.secret_values import is_secret

#: Pools of threads: one change may at most double or halve them (kafka.server.DynamicThreadPool).
THREADS = re.compile(r"\.threads(\.per\.data\.dir)?$|thread\.pool\.size$|^num\.replica\.fetchers$")
LISTENER = "listener.name."


@dataclasses.dataclass(frozen=True)
class Desired:
    """Desired overrides of an entity; a value of None means none. Other keys stay as they are."""

    entity: Entity
    config: Mapping[str, str | None]


@dataclasses.dataclass(frozen=True)
class Change:
    """One override that is set, or with ``after`` None removed. ``before``: the entity's own override, None without.

    ``value``: what counts now, wherever it comes from. ``beneath``: what would count without the override.
    """

    entity: Entity
    key: str
    before: str | None
    after: str | None
    value: str | None = None
    beneath: str | None = None
    secret: bool = False

    def __str__(self) -> str:
        if self.after is None:
            return f"{self.entity}: {self.key}: override {shown(self.before, self.secret)} removed"
        return f"{self.entity}: {self.key} {shown(self.value, self.secret)} -> {shown(self.after, self.secret)}"

    @property
    def matters(self) -> bool:
        """Check whether another value is in effect afterwards."""
        return not same(self.value, self.beneath if self.after is None else self.after)

    def steps(self) -> tuple[str | None, ...]:
        """Return the values to set one after the other; several if Kafka changes threads only in steps."""
        goal = self.beneath if self.after is None else self.after
        if not THREADS.search(self.key):
            return (self.after,)
        try:
            path = paced(int(self.value or ""), int(goal or ""))
        except ValueError:
            return (self.after,)
        return (*map(str, path[:-1]), self.after)


def paced(now: int, wanted: int) -> list[int]:
    """Return the steps from `now` (not included) to `wanted`, never more than doubled or halved at once."""
    out = []
    while now >= 1 and not now / 2 <= wanted <= now * 2:
        now = now * 2 if wanted > now else -(-now // 2)
        out.append(now)
    return [*out, wanted]


def desired(data: Mapping[str, Any]) -> Desired:
    """Convert a module's parameters; values of any YAML type become Kafka's strings."""
    config = {str(key): config_value(value) for key, value in data["config"].items()}
    return Desired(Entity(data["type"], str(data.get("name") or "")), config)


def plan(wanted: Desired, settings: Settings) -> tuple[Change, ...]:
    """Plan changes. `settings`: Kafka's description. A secret cannot be read back, so it is set each time."""
    out = []
    for key, after in wanted.config.items():
        now = settings.get(key)
        layer = now.layer(wanted.entity.source) if now else None
        secret = now.secret if now else is_secret(key)
        if (layer is None) if after is None else (layer is not None and layer.value == after and not secret):
            continue
        out.append(change(wanted.entity, key, after, now, secret))
    return tuple(out)


def change(entity: Entity, key: str, after: str | None, now: Setting | None, secret: bool = False) -> Change:
    """Return the change of one override to `after` (None: none), from the described setting (None: none)."""
    layer = now.layer(entity.source) if now else None
    before = layer.value if layer else None
    value, beneath = (now.value, now.beneath(entity.source, key)) if now else (None, None)
    hidden = secret or any(is_secret(key, one) for one in (before, after, value, beneath))
    return Change(entity, key, before, after, value=value, beneath=beneath, secret=hidden)


def config_refusals(wanted: Desired, settings: Settings, known: Settings) -> tuple[Problem, ...]:
    """Return reasons against it. `known`: settings that any entity of its kind describes."""
    entity = wanted.entity
    if entity.kind == TOPIC and not entity.name:
        return (_problem(entity, "", "Topics have no common settings", "name the topic"),)
    if entity.kind == BROKER and entity.name and not entity.name.isdigit():
        return (_problem(entity, "", "A broker is identified by its node id", "give a number, or '' for all brokers"),)
    found = (_key(entity, key, settings.get(key) or known.get(key), wanted.config[key]) for key in wanted.config)
    return tuple(one for one in found if one)


def _key(entity: Entity, key: str, setting: Setting | None, value: str | None) -> Problem | None:
    if setting is None and not (key.startswith(LISTENER) and entity.kind == BROKER):
        owner = "Topics have" if entity.kind == TOPIC else "Kafka has"
        return _problem(entity, key, f"{owner} no such setting", "correct the name", value)
    if setting is not None and setting.read_only:
        text = "Kafka reads this setting only when it starts"
        return _problem(entity, key, text, "put it into kafka_config; the nodes are restarted one by one", value)
    return None


def _problem(entity: Entity, key: str, message: str, remedy: str, value: Any = None) -> Problem:
    variable = f"{entity}: {key}" if key else str(entity)
    return Problem(rule="config", message=message, remedy=remedy, variable=variable, value=value)


def twice(entries: Sequence[Desired]) -> tuple[Problem, ...]:
    """Report entities that are listed more than once."""
    names = [one.entity for one in entries]
    found = sorted({one for one in names if names.count(one) > 1})
    return tuple(_problem(one, "", "The entry is listed more than once", "keep one of the entries") for one in found)


def diff(entity: Entity, changes: Iterable[Change]) -> dict[str, str]:
    """Return Ansible's diff of an entity's overrides."""
    made = list(changes)
    before = "".join(f"{one.key}={shown(one.before, one.secret)}\n" for one in made if one.before is not None)
    after = "".join(f"{one.key}={shown(one.after, one.secret)}\n" for one in made if one.after is not None)
    return {"before_header": str(entity), "after_header": str(entity), "before": before, "after": after}
