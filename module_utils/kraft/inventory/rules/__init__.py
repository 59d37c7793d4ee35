"""What a desired state must fulfil: small pure rules by theme, each a function ``Subject -> problems``.

Severities: ERROR always stops; RISK (what endangers data) stops in production unless its rule is listed in
``kafka_accepted_risks``, and is a warning in a test profile; WARNING never stops.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ansible.module_utils.kraft.inventory.rules import (
    accounts,
    archive,
    authorizer,
    control_files,
    identity,
    listeners,
    names,
    providers,
    relations,
    remote_access,
    replication,
    secrets,
    security,
    settings,
    sizing,
    storage,
    topology,
)
from ansible.module_utils.kraft.inventory.rules.subject import Subject
from ansible.module_utils.kraft.problem import Problem

Rule = Callable[[Subject], Iterable[Problem]]

#: In the order in which a person would look.
RULES: tuple[Rule, ...] = (
    *names.RULES,
    *identity.RULES,
    *topology.RULES,
    *listeners.RULES,
    *storage.RULES,
    *replication.RULES,
    *settings.RULES,
    *providers.RULES,
    *relations.RULES,
    *security.RULES,
    *authorizer.RULES,
    *remote_access.RULES,
    *secrets.RULES,
    *archive.RULES,
    *control_files.RULES,
    *sizing.RULES,
    *accounts.RULES,
)


def check(subject: Subject) -> list[Problem]:
    """Every problem that any rule finds."""
    return [problem for rule in RULES for problem in rule(subject)]
