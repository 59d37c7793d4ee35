"""From how grave a problem is to whether it stops a run."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from ansible.module_utils.kraft.problem import ERROR, WARNING, Problem
from ansible.module_utils.kraft.secret_values import shown
from ansible.module_utils.kraft.spec.desired.model import Cluster
from ansible.module_utils.kraft.spec.inventory_rules.risks import ACCEPTABLE
from ansible.module_utils.kraft.spec.inventory_rules.subject import RISK

ACCEPT = "; to accept the risk, list {rule} in kafka_accepted_risks"


def assign_severities(problems: Iterable[Problem], cluster: Cluster) -> list[Problem]:
    """Make risks errors in production, and warnings elsewhere or if accepted; the gravest come first.

    Whatever a rule shows, secrets go no further than here.
    """
    assigned = [_without_secrets(_assigned(problem, cluster)) for problem in problems]
    return sorted(assigned, key=lambda problem: problem.severity != ERROR)


def _assigned(problem: Problem, cluster: Cluster) -> Problem:
    if problem.rule in ACCEPTABLE and problem.rule in cluster.accepted_risks:
        return dataclasses.replace(problem, severity=WARNING)
    if problem.severity != RISK:
        return problem
    if not cluster.in_production:
        return dataclasses.replace(problem, severity=WARNING)
    return dataclasses.replace(problem, severity=ERROR, remedy=problem.remedy + ACCEPT.format(rule=problem.rule))


def _without_secrets(problem: Problem) -> Problem:
    """Hide secrets: ``kafka_config[ssl.key.password]`` is about that key, ``kafka_jvm_options[2]`` about any."""
    key = problem.variable.rstrip("]").rpartition("[")[2]
    return dataclasses.replace(problem, value=shown(problem.value, key))
