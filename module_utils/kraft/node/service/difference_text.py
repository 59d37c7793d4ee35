"""Differences as text. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from ansible.module_utils.kraft.difference import (
    MANIFEST_MISSING,
    OTHER_FILES,
    RECORD,
    RELEASE,
    REQUEST,
    UNIT,
    Difference,
)
from ansible.module_utils.kraft.node.service.change_text import SEPARATORS, UNSET, change_text
from ansible.module_utils.kraft.secret_values import HIDDEN

NO_RECORD = "there is no record of what the running process was started with"


def sentence(one: Difference) -> str:
    """Return ``server.properties: num.io.threads 8 -> 16``; of a long value only the part that changes."""
    if one.file == RECORD:
        return NO_RECORD
    if one.file == RELEASE:
        return release_sentence(one)
    if one.file == REQUEST:
        return f"asked for: it was started {one.old}, before {one.new}"
    if one.file == UNIT:
        return unit_sentence(one)
    return f"{one.file}: {one.key} {values(one)}" if one.key else one.file


def sentences(differences: Iterable[Difference]) -> list[str]:
    return [sentence(one) for one in differences]


def values(one: Difference) -> str:
    if one.secret:
        return " -> ".join(UNSET if value is None else HIDDEN for value in (one.old, one.new))
    return change_text(one.old, one.new, SEPARATORS.get(one.key, ","))


def release_sentence(one: Difference) -> str:
    if one.key == MANIFEST_MISSING:
        return "release: the running process has no record"
    if one.key == OTHER_FILES:
        return f"release {one.new}: other files than those that the process was started with"
    return f"release {one.old} -> {one.new}"


def unit_sentence(one: Difference) -> str:
    """Return the removed and the added lines, if both units are known."""
    lines = [f"- {line}" for line in (one.old or "").splitlines()]
    lines += [f"+ {line}" for line in (one.new or "").splitlines()]
    return f"{UNIT}: {'; '.join(lines)}" if lines else UNIT
