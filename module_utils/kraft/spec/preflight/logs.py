"""Shipping of log files: its programs, and its port."""

from __future__ import annotations

from collections.abc import Iterator

from ansible.module_utils.kraft.problem import Problem
from ansible.module_utils.kraft.spec.preflight.subject import Subject

PRESENT = "present"


def check(subject: Subject) -> Iterator[Problem]:
    for host, facts in subject.seen:
        logs = host.node.get("logs") or {}
        step = (facts.get("steps") or {}).get("logs") or {}
        if logs and logs["packages"] == PRESENT and step.get("missing"):
            message = f"there is no {', no '.join(step['missing'])}, which ship log files"
            remedy = "copy the packages to the host and install them; with a way to a mirror set distribution"
            yield Problem("logs_packages", message, remedy, "kafka_logs_packages", host.name, PRESENT)
        for found in facts["ports"] if logs else ():
            if found["port"] == logs["port"] and found["pid"] not in step.get("pids", ()):
                message = f"is taken by {found['process'] or 'a process that is hidden from this user'}"
                remedy = "stop that process, or give another port"
                yield Problem("logs_port", message, remedy, "kafka_logs_port", host.name, found["port"])
