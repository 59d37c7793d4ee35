"""Reports are kept by the cluster's name; those of two clusters must not get mixed up."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ansible.module_utils.kraft.control import reports
from ansible.module_utils.kraft.problem import Problem
from ansible.module_utils.kraft.spec.inventory_rules.subject import Subject


def foreign(subject: Subject) -> Iterator[Problem]:
    """Refuse a directory of this name that holds another cluster's reports."""
    for directory in subject.surroundings.foreign_reports:
        message, remedy = reports.refusal(Path(directory), subject.cluster.cluster_id)
        yield Problem("reports_foreign", message, remedy, "kafka_cluster_name", value=subject.cluster.name)


RULES = (foreign,)
