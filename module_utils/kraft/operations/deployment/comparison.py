"""Comparison of an approved plan with a fresh one. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ansible.module_utils.kraft.operations.deployment.plan import changes
from ansible.module_utils.kraft.operations.resources import reviewed
from ansible.module_utils.kraft.problem import Problem

NOTHING = "nothing"
RESOURCES = "resources"
#: Entries of a list that are shown.
SHOWN = 6


def moved(approved: Mapping[str, Any], fresh: Mapping[str, Any]) -> list[Problem]:
    """Return one problem for each leaf that differs, or is in one plan alone. ``variable``: its place in the plan.

    A leaf can be None (an override that is removed), which is not the same as no leaf.
    """
    old, new = dict(leaves(approved)), dict(leaves(fresh))
    every = dict.fromkeys([*old, *new])
    places = [one for one in every if (one in old, old.get(one)) != (one in new, new.get(one))]
    return [_problem(place, old.get(place, NOTHING), new.get(place, NOTHING)) for place in places]


def outdated(approved: Mapping[str, Any], fresh: Mapping[str, Any], declared: Mapping[str, Any]) -> list[Problem]:
    """Return deviations of a run from an approved plan. A run without changes needs no approval.

    `declared`: the resources as for a cluster that is still to be deployed, with which such a plan is compared.
    """
    found: list[Problem] = []
    if changes(fresh):
        found += moved(_without(approved), _without(fresh))
    named, now = approved[RESOURCES], fresh[RESOURCES]
    if reviewed.works(now) and named.get("found") == reviewed.NEW and now["found"] == reviewed.RUNNING:
        found += [*moved({RESOURCES: named}, {RESOURCES: declared}), *reviewed.beyond(named, now)]
    elif reviewed.works(now):
        found += moved({RESOURCES: named}, {RESOURCES: now})
    return found


def _without(plan: Mapping[str, Any]) -> dict[str, Any]:
    return {part: value for part, value in plan.items() if part != RESOURCES}


def leaves(value: Any, place: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield (place, value) of every leaf. A list is one leaf: its entries belong together."""
    if isinstance(value, Mapping) and value:
        for key in sorted(value):
            yield from leaves(value[key], (*place, str(key)))
    elif value not in ({}, []):
        yield place, value


def _problem(place: tuple[str, ...], old: Any, new: Any) -> Problem:
    host, where = (place[1], place[2:]) if place[0] == "hosts" else ("", place)
    message = f"approved: {_text(old, new)}; now: {_text(new, old)}"
    return Problem("plan_moved", message, "", " > ".join(where), host)


def _text(value: Any, other: Any = None) -> str:
    """Format a value for people; for two lists the entries that only this one has."""
    if isinstance(value, list):
        own = [each for each in value if each not in other] if isinstance(other, list) else value
        more = [f"{len(own) - SHOWN} more"] if len(own) > SHOWN else []
        return " and ".join([*map(_text, own[:SHOWN]), *more]) or "no more than that"
    return value if isinstance(value, str) else repr(value) if value is not None else "unset"
