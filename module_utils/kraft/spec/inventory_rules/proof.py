"""Numbers of the proof with Spark and of the probe, within which these can work, and the name of the proof's topic.

Both refuse such values themselves, but only when a deployment has changed its hosts.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ansible.module_utils.kraft.problem import WARNING, Problem
from ansible.module_utils.kraft.spec.desired.listener_protocols import SMOKE as OPTIONS
from ansible.module_utils.kraft.spec.desired.numbers import OF_SMOKE, PROBE, SMOKE
from ansible.module_utils.kraft.spec.inventory_rules.subject import Subject
from ansible.module_utils.kraft.spec.resources import topics

LIMITS = {**SMOKE, **PROBE}
TOPIC = "kafka_smoke_topic"
RUN_ID = "-261127T1422abcde"  #: as long as any
LONGEST = 249  #: letters of a topic's name


def check_node_variables(subject: Subject) -> Iterator[Problem]:
    """Check the nodes' variables."""
    for variable in LIMITS:
        for node in subject.sound(variable):
            yield from judged(variable, node.variables.get(variable), node.host)


def check_control_variables(subject: Subject) -> Iterator[Problem]:
    """Check the variables of this machine, on which the proof runs."""
    for variable in SMOKE:
        value = subject.surroundings.smoke.get(variable)
        judged_already = [node.variables[variable] for node in subject.sound(variable) if variable in node.variables]
        if whole(value) not in judged_already:
            yield from judged(variable, value, "localhost")


def check_unread_variables(subject: Subject) -> Iterator[Problem]:
    """Report variables only in the nodes' group: Spark runs on this machine, which does not read them."""
    for node in subject.cluster.nodes:
        for variable, value in node.variables.items():
            here = subject.surroundings.smoke.get(variable)
            if not variable.startswith(OF_SMOKE) or variable == OPTIONS or as_text(value) == as_text(here):
                continue
            message = "The variable has no effect here: Spark runs on this machine, which does not read host variables"
            yield Problem("smoke_variable", message, "move it to group_vars/all", variable, node.host, severity=WARNING)


def as_text(value: Any) -> str:
    """Return a text for comparison: the command line gives everything as text."""
    return str(value).lower()


def judged(variable: str, value: Any, host: str) -> Iterator[Problem]:
    """Report a value out of range, with the range; None is the default."""
    least, most = LIMITS[variable]
    number = whole(value)
    if value is not None and (number is None or not least <= number <= most):
        message = f"The value is {'out of range' if number is not None else 'not a whole number'}"
        yield Problem("limit", message, f"give a number from {least} to {most}", variable, host, value)


def whole(value: Any) -> int | None:
    """Parse a number, also one that the command line gave as text."""
    try:
        return None if isinstance(value, (bool, float)) else int(value)
    except (TypeError, ValueError):
        return None


def topic(subject: Subject) -> Iterator[Problem]:
    """Check the topic's name together with the run's id: Kafka must take both."""
    name = subject.surroundings.smoke.get(TOPIC)
    if name is not None and not (str(name) and topics.NAME.fullmatch(f"{name}{RUN_ID}")):
        most = LONGEST - len(RUN_ID)
        remedy = f"use 1 to {most} letters, digits, dots, _ and -: the run's id follows"
        yield Problem("smoke_topic", "A topic's name cannot begin with this value", remedy, TOPIC, "localhost", name)


RULES = (check_node_variables, check_control_variables, check_unread_variables, topic)
