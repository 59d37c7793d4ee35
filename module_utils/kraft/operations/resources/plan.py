"""Values to set and to remove, for any kind of resource that is a table of keys and values. Pure.

A kind: credentials (user and mechanism -> password is the desired one), ACLs (line -> True), quotas (entity and kind
-> number). Undeclared keys are drift: they are shown, and removed only if the run requests it (``prune``).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Hashable, Mapping
from typing import Any, Generic, TypeVar

from ansible.module_utils.kraft.errors import RefusedError
from ansible.module_utils.kraft.problem import Problem

Key = TypeVar("Key", bound=Hashable)
#: A run removes at most this fraction (1/SHARE) of a kind's keys as undeclared, and always may remove one.
SHARE = 10
SHOWN = 10


@dataclasses.dataclass(frozen=True)
class Prune:
    """Removal of undeclared keys; ``most``: their largest number, if the operator has counted them."""

    asked: bool = False
    most: int | None = None


@dataclasses.dataclass(frozen=True)
class Plan(Generic[Key]):
    """``put``: keys to set, with their values; ``remove``: keys that go; ``drift``: undeclared keys."""

    put: Mapping[Key, Any]
    remove: tuple[Key, ...]
    drift: tuple[Key, ...]

    @property
    def changes(self) -> bool:
        return bool(self.put or self.remove)


def plan(
    desired: Mapping[Key, Any],
    current: Mapping[Key, Any],
    is_absent: Callable[[Key], bool],
    prune: Prune = Prune(),
) -> Plan[Key]:
    """Plan a kind. `is_absent`: checks whether the inventory requires that a key of `current` is absent.

    Raises RefusedError if more than allowed would be pruned.
    """
    put = {key: value for key, value in desired.items() if current.get(key) != value}
    others = [key for key in current if key not in desired]
    gone = [key for key in others if is_absent(key)]
    drift = [key for key in others if not is_absent(key)]
    if not prune.asked:
        return Plan(put, tuple(gone), tuple(drift))
    most = max(1, len(current) // SHARE) if prune.most is None else prune.most
    if len(drift) > most:
        message = f"would remove {len(drift)} of {len(current)}, and at most {most} may go at once: "
        named = "; ".join(map(str, drift[:SHOWN])) + (" ..." if len(drift) > SHOWN else "")
        remedy = f"declare them, or say how many may go: -e kafka_prune_most={len(drift)}"
        raise RefusedError([Problem("prune_share", message + named, remedy, "kafka_prune")])
    return Plan(put, tuple(gone + drift), ())


def result(found: Plan[Key], current: Mapping[Key, Any], name: str) -> dict[str, Any]:
    """Return a plan as modules return it. `name`: of the kind, for the diff's heading."""
    steps = [put_step(key, value, current.get(key)) for key, value in found.put.items()]
    steps += [f"remove {key}{_value(current.get(key))}" for key in found.remove]
    shown: dict[str, Any] = {"changed": found.changes, "steps": steps, "drift": [str(key) for key in found.drift]}
    if not found.changes:
        return shown
    before = {key: current[key] for key in (*found.put, *found.remove) if key in current}
    diff = {"before_header": name, "after_header": name, "before": _text(before), "after": _text(found.put)}
    return {**shown, "diff": diff}


def put_step(key: object, value: Any, old: Any = None) -> str:
    """Describe a key that is set, with its value and the one that it replaces. `old`: None if there is no such key."""
    if old is None:
        return f"add {key}{_value(value)}"
    return f"set {key}" if isinstance(value, bool) else f"set {key}: {number(old)} -> {number(value)}"


def _text(values: Mapping[Key, Any]) -> str:
    """Return one line for each."""
    return "".join(sorted(f"{key}{_value(value)}\n" for key, value in values.items()))


def _value(value: Any) -> str:
    """Return a value behind its key; nothing unless it is a number. The value of a password is not shown."""
    return "" if value is None or isinstance(value, bool) else f" = {number(value)}"


def number(value: float) -> str:
    """Format a number with all of its digits, because near numbers differ in the last ones."""
    return str(int(value)) if float(value).is_integer() else repr(float(value))
