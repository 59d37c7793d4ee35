"""Recording rules and alerts of one cluster, as Prometheus takes them. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ansible.module_utils.kraft.monitoring.catalogue import read
from ansible.module_utils.kraft.spec.inventory.advisories import known, pattern

#: Placeholders in the data for the name of the cluster, and for the releases of Kafka with a known advisory.
CLUSTER, AFFECTED = "CLUSTER", "AFFECTED"
RUNBOOK = "docs/runbooks/alerts.md"
#: Severities in the order of reading; `none` is the watchdog's.
PAGE, TICKET, NONE = SEVERITIES = ("page", "ticket", "none")
EVALUATED = "30s"

Rule = Mapping[str, Any]


def data(cluster: str) -> Any:
    """Return the rules of a cluster. Its name has no letter with a meaning in YAML or PromQL."""
    return named(read("rules"), {AFFECTED: pattern(known()), CLUSTER: cluster})


def named(part: Any, meanings: Mapping[str, str]) -> Any:
    """Replace the placeholders in a part of the data."""
    if isinstance(part, Mapping):
        return {named(key, meanings): named(value, meanings) for key, value in part.items()}
    if isinstance(part, list):
        return [named(each, meanings) for each in part]
    if isinstance(part, str):
        for word, meaning in meanings.items():
            part = part.replace(word, meaning)
    return part


def groups(rules: Rule) -> dict[str, Any]:
    """Return a file of rules: recorded series, then the alerts of each severity."""
    found = [group("kafka-records", [{"record": one["record"], "expr": one["expr"]} for one in rules["records"]])]
    for severity in SEVERITIES:
        chosen = [alert(one) for one in rules["alerts"] if one["severity"] == severity]
        found.append(group(f"kafka-{severity}", chosen))
    return {"groups": found}


def group(name: str, rules: list[dict[str, Any]]) -> dict[str, Any]:
    return {"name": name, "interval": EVALUATED, "rules": rules}


def alert(one: Rule) -> dict[str, Any]:
    """Return an alert without its proof."""
    return {
        "alert": one["alert"],
        "expr": expression(one),
        "for": one["for"],
        "labels": {"severity": one["severity"]},
        "annotations": described(one),
    }


def expression(one: Rule) -> str:
    """Return the expression; for an alert that yields, without the nodes on which work is planned."""
    found = str(one["expr"])
    return f"({found}) unless on (cluster, host) kafka:planned_work" if one.get("yields") else found


def described(one: Rule) -> dict[str, str]:
    """Return the texts for people, and the section of the runbook with the remedy."""
    anchor = f"{RUNBOOK}#{one['alert'].lower()}"
    return {"summary": one["summary"], "description": one["description"], "runbook_url": anchor}
