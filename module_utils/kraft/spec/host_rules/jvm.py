"""Options with which the host's Java does not start."""

from __future__ import annotations

from collections.abc import Iterator

from ansible.module_utils.kraft.problem import Problem
from ansible.module_utils.kraft.spec.host_rules.subject import Subject

OPTIONS = "kafka_jvm_options"


def check(subject: Subject) -> Iterator[Problem]:
    for host, facts in subject.seen:
        if said := ((facts.get("steps") or {}).get("jvm") or {}).get("refused"):
            message = f"This host's Java refuses the option: {said}"
            remedy = "correct or remove the option; one option is one element of the list"
            yield Problem("jvm_option_refused", message, remedy, OPTIONS, host.name)
