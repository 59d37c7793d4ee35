"""The page of a rehearsal: predicted answers of the real run. Pure; control side."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ansible.module_utils.kraft.spec.inventory.definitions import load, nearest_version, versions
from ansible.module_utils.kraft.spec.inventory.removed import LIVE_ONLY, removal

Result = Mapping[str, Any]
NAMED = 10  #: resources with unknown settings on the page
METADATA_VERSION = "metadata.version"


def known_settings(version: str) -> dict[str, list[str]]:
    """Return kind of resource -> names of the settings that `version` has."""
    known = load(nearest_version(version))
    return {"topic": sorted(known.topic), "broker": sorted({*known.server, *LIVE_ONLY})}


def page(result: Result, about: Mapping[str, Any]) -> list[str]:
    """Return the lines. `about`: as ``asked.about`` gives it."""
    return [
        f"Rehearsal of Kafka {about['version']} on the metadata of {about['name']}: {result['topics']} topics, "
        f"{result['copied_bytes'] / 1e6:.1f} MB from {about['source']}",
        *feature_lines(result),
        *finalisation(result, about),
        *ghosts(result, about),
        *unknown(result, about["version"]),
        f"Nodes: broker {result['added_broker']} joined the new release, and was removed.",
        f"Time: {', '.join(f'{name} {seconds:g} s' for name, seconds in result['seconds'].items())}.",
        "Not rehearsed: the restart of each node, TLS and logins (all listeners were PLAINTEXT), records and clients.",
    ]


def feature_lines(result: Result) -> list[str]:
    """Return a line for each feature that changes."""
    before, after = result["before"], result["after"]
    changed = [name for name in sorted(after) if after[name] != before.get(name, 0)]
    if not changed:
        return ["Features: none changes."]
    return ["Features, now -> after:", *(f"  {name}: {before.get(name, 0)} -> {after[name]}" for name in changed)]


def refusals(result: Result, about: Mapping[str, Any]) -> list[str]:
    """Return what refuses the real run: departed controllers that run, and the refusals of the first attempt."""
    return [*(f"{one} and is in no inventory" for one in about["running"]), *result["attempts"][0]["refusals"]]


def finalisation(result: Result, about: Mapping[str, Any]) -> list[str]:
    """Return the result of each attempt to finalise."""
    lines = [f"Finalisation: REFUSED, {one} and is in no inventory" for one in about["running"]]
    for attempt in result["attempts"]:
        removed = attempt["without"]
        when = "Finalisation" if removed is None else f"Finalisation without the registration of broker {removed}"
        if attempt["refusals"]:
            lines += [f"{when}: REFUSED", *(f"  {one}" for one in attempt["refusals"])]
        else:
            lines += [f"{when}: succeeds", *(f"  {one}" for one in attempt["steps"])]
    return lines


def bars(ghost: Mapping[str, Any], after: Mapping[str, int], wanted: int) -> bool:
    return not ghost["minimum"] <= max(after.get(METADATA_VERSION, 0), wanted) <= ghost["maximum"]


def ghosts(result: Result, about: Mapping[str, Any]) -> list[str]:
    """Return a line for each registered node that is no more."""
    lines = []
    wanted = about["features"].get(METADATA_VERSION, 0)
    for kind, remedy in (
        ("broker", "remove its registration first (module kafka_registration)"),
        ("controller", "finalize_upgrade.yml renews its registration"),
    ):
        for one in result[f"ghost_{kind}s"]:
            can = f"supports {METADATA_VERSION} {one['minimum']} to {one['maximum']}"
            barring = bars(one, result["after"], wanted)
            effect = f"bars {wanted} -> {remedy}" if barring else "bars nothing"
            lines.append(f"  {kind} {one['node_id']} is registered and not in the inventory; it {can}; it {effect}")
    return ["Ghosts:", *lines] if lines else ["Ghosts: none."]


def unknown(result: Result, version: str) -> list[str]:
    """Return a line for each setting that the release does not have."""
    found = result["unknown_settings"]
    if not found:
        return [f"Settings: {version} has every dynamic setting of topics and brokers."]
    lines = [
        f"  {where(one['kind'], one['name'])}: {name} ({origin(one['kind'], name, version)})"
        for one in found[:NAMED]
        for name in one["settings"]
    ]
    more = [f"  and {len(found) - NAMED} more"] if len(found) > NAMED else []
    refused = [f"  changes of topic {name} are refused: {why}" for name, why in result["refused_topics"].items()][
        :NAMED
    ]
    return [f"Settings that {version} does not have (delete them before the upgrade):", *lines, *more, *refused]


def where(kind: str, name: str) -> str:
    return f"{kind} {name}" if name else f"all {kind}s"


def origin(kind: str, name: str, version: str) -> str:
    """Return which releases knew it, and what takes its place."""
    knew = [one for one in versions() if one != version and name in known_settings(one)[kind]]
    why = removal(name)
    words = [f"known in {', '.join(knew)}" if knew else "unknown to every release", *(why or ())]
    return "; ".join(words)
