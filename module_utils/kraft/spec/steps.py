"""The plan of a deployment: which steps each host has to do, by what was seen there. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

#: Step of the plan -> the questions of the look (``node/steps.py``) that decide over it.
STEPS = {
    "kernel": ("kernel",),
    "install": ("directories", "release", "client", "agents", "plugins"),
    "certificate": ("certificate",),
    "format": ("storage",),
    "metrics_proxy": ("metrics_proxy",),
    "collector": ("collector",),
    "appcds_archive": ("appcds_archive",),
}
#: Questions about what not every node has.
OPTIONAL = tuple(STEPS[each] for each in ("certificate", "metrics_proxy", "collector", "appcds_archive"))


def due(facts: Mapping[str, Any] | None) -> list[str]:
    """Return the steps that a host has to do, in their order; `facts`: of ``kafka_host_info``, None without inspection.

    A step that was not inspected is due: it inspects by itself. Optional parts of a node are excepted.
    ``host`` is role kafka_host, with ``kernel`` as a part.
    """
    found = (facts or {}).get("steps") or {}
    steps = [step for step, questions in STEPS.items() if is_due(found, questions)]
    return ["host", *steps] if "kernel" in steps or lacks(facts or {}) else steps


def lacks(facts: Mapping[str, Any]) -> bool:
    """Check for a missing Java or account, or for disks: role kafka_host inspects those by itself."""
    accounts = [facts.get(kind) or {} for kind in ("user", "group")]
    return not facts.get("java") or bool(facts.get("disks")) or not all(one.get("exists") for one in accounts)


def is_due(found: Mapping[str, Mapping[str, Any]], questions: tuple[str, ...]) -> bool:
    answers = [found[each] for each in questions if each in found]
    return any(each["changed"] for each in answers) if answers else questions not in OPTIONAL
