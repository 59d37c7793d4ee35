"""node_exporter of the distribution: a package that only one family of distributions has."""

from __future__ import annotations

from collections.abc import Iterator

from ansible.module_utils.kraft.node.other_services.collector_service import OF_DISTRIBUTION
from ansible.module_utils.kraft.problem import Problem
from ansible.module_utils.kraft.spec.host_rules.subject import Subject


def check(subject: Subject) -> Iterator[Problem]:
    for host, facts in subject.seen:
        binary = ((host.node.get("collector") or {}).get("exporter") or {}).get("binary")
        step = (facts.get("steps") or {}).get("collector") or {}
        if binary == OF_DISTRIBUTION and facts["os"]["family"] != "Debian" and not step.get("exporter"):
            name = facts["os"]["distribution"] or "this distribution"
            message = f"There is no node_exporter, and no package of {name} is known"
            remedy = "give the path of its archive on your machine, or present if one runs already"
            yield Problem("exporter_package", message, remedy, "kafka_collector_exporter", host.name, "distribution")
