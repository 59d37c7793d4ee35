"""The inventory's own files: read by Ansible, for the hosts that are meant, and with an effect."""

from __future__ import annotations

from collections.abc import Iterator

from ansible.module_utils.kraft.problem import ERROR, WARNING, Problem
from ansible.module_utils.kraft.spec.inventory.definitions import load, nearest_version
from ansible.module_utils.kraft.spec.inventory.removed import removal
from ansible.module_utils.kraft.spec.inventory.spec import nearest
from ansible.module_utils.kraft.spec.inventory_rules.resources import ACLS, QUOTAS, TOPICS, USERS
from ansible.module_utils.kraft.spec.inventory_rules.subject import Replaced, Subject

#: Variables that a narrower place replaces as a whole, where most expect an addition.
WHOLE = frozenset({"kafka_config", "kafka_group_config", TOPICS, USERS, ACLS, QUOTAS})


def unread(subject: Subject) -> Iterator[Problem]:
    """Report files of group_vars and host_vars that Ansible does not read."""
    for each in subject.surroundings.files.unread:
        severity = ERROR if each.error else WARNING
        yield Problem("file_unread", each.reason, each.remedy, each.path, severity=severity)


def replaced(subject: Subject) -> Iterator[Problem]:
    """Report values replaced by a wider place, by a second one of the same group, or silently as a whole."""
    for each in subject.surroundings.files.replaced:
        if each.narrower:
            message = f"The value has no effect at {each.lost}: files of group_vars win, here {each.won}"
            remedy = f"move it to group_vars or host_vars of {each.owner}"
            yield Problem("variable_replaced", message, remedy, each.variable, each.host, source=each.lost)
        elif each.same_owner or each.variable in WHOLE:
            yield _as_a_whole(each)


def _as_a_whole(each: Replaced) -> Problem:
    message = f"The value has no effect at {each.lost}: {each.won} replaces all of it"
    remedy = "keep one of the two"
    if each.variable == "kafka_config":
        remedy = "keep one of the two; or use kafka_group_config or kafka_host_config, which add to it"
    return Problem("variable_replaced", message, remedy, each.variable, each.host, None, WARNING, each.lost)


def beside(subject: Subject) -> Iterator[Problem]:
    """Report a setting of Kafka in place of a variable: Ansible takes it, and no role reads it."""
    definitions = load(nearest_version(subject.cluster.version))
    known = [*definitions.server, *definitions.topic]
    for host, names in subject.surroundings.files.dotted.items():
        for name in sorted(names):
            listener = name.startswith("listener.name.")
            near = name if name in known or listener or removal(name) else nearest(name, known, least=0.8)
            if near:
                message = f"The line has no effect here: it is a setting of Kafka ({near})" if near != name else BESIDE
                remedy = f"put it below kafka_config, indented by two blanks{'' if near == name else ', as ' + near}"
                yield Problem("setting_beside", message, remedy, name, host)


BESIDE = "The line has no effect here: it is a setting of Kafka, not a variable"


def groups(subject: Subject) -> Iterator[Problem]:
    """Report a file of variables among the hosts files: Ansible makes groups of its variables."""
    for name in sorted(subject.surroundings.files.groups & subject.surroundings.names):
        message = "The name is read as a group, because its file is among the hosts files"
        yield Problem("variable_as_group", message, "move the file to group_vars/kafka/", name)


RULES = (unread, replaced, beside, groups)
