"""Limits that a killed run of moves has left on brokers. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from ansible.module_utils.kraft.cluster.health import listed
from ansible.module_utils.kraft.problem import WARNING, Problem
from ansible.module_utils.kraft.spec.host_rules.subject import Subject
from ansible.module_utils.kraft.wording import limited

REMEDY = "run playbooks/rebalance.yml, which finishes the moves and removes the limit"


UNKNOWN = "see playbooks/cluster_status.yml; run playbooks/rebalance.yml if a run of it was killed"


def check(subject: Subject) -> Iterator[Problem]:
    """Warn about a limit: replicas that restarted nodes fetch are slowed, so each wait may be long."""
    looks = {host.node["node_id"]: facts.get("health") or {} for host, facts in subject.seen}
    rates = {node_id: rate for node_id, look in looks.items() if (rate := look.get("rate_left", 0))}
    if rates:
        message = f"{limited(rates)}, but no partition is being moved"
        yield Problem("throttle_left", message, REMEDY, value=sorted(rates), severity=WARNING)
    unknown = sorted(node_id for node_id, look in looks.items() if look.get("rate_left", 0) is None)
    if unknown and not subject.silence:  # members_unknown is reported for it
        message = f"Kraftwright cannot tell whether a killed run has left a limit on brokers {listed(unknown)}"
        yield Problem("throttle_unknown", message, UNKNOWN, value=unknown, severity=WARNING)
