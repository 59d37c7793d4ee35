"""Rules for a desired state: small pure rules by theme, each a function ``Subject -> problems``.

Severities: ERROR always stops; RISK (data loss) stops in production unless its rule is listed in
``kafka_accepted_risks``, and is a warning in a test profile; WARNING never stops.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator

from ansible.module_utils.kraft.problem import ERROR, Problem
from ansible.module_utils.kraft.spec.inventory_rules import (
    accounts,
    alerting,
    archive,
    authorizer,
    contributions,
    control_files,
    disks,
    given,
    identity,
    inventory_files,
    listeners,
    metrics_tls,
    metrics_topics,
    mirror,
    names,
    oauth,
    plugins,
    proof,
    providers,
    relations,
    remote_access,
    replication,
    reports,
    resources,
    secrets,
    security,
    settings,
    sizing,
    storage,
    tls,
    tls_names,
    topic_risks,
    topics,
    topology,
)
from ansible.module_utils.kraft.spec.inventory_rules.subject import Subject

Rule = Callable[[Subject], Iterable[Problem]]
#: A setting of server.properties in one of its layers.
SETTING = re.compile(r"kafka_(?:|group_|host_)config\[.*\]", re.DOTALL)

#: In the order in which a person would look.
RULES: tuple[Rule, ...] = (
    *inventory_files.RULES,
    *names.RULES,
    *identity.RULES,
    *topology.RULES,
    *listeners.RULES,
    *storage.RULES,
    *disks.RULES,
    *settings.RULES,
    *plugins.RULES,
    *replication.RULES,
    *providers.RULES,
    *relations.RULES,
    *security.RULES,
    *oauth.RULES,
    *tls.RULES,
    *tls_names.RULES,
    *given.RULES,
    *authorizer.RULES,
    *resources.RULES,
    *topics.RULES,
    *topic_risks.RULES,
    *mirror.RULES,
    *remote_access.RULES,
    *secrets.RULES,
    *archive.RULES,
    *control_files.RULES,
    *sizing.RULES,
    *proof.RULES,
    *contributions.RULES,
    *metrics_tls.RULES,
    *metrics_topics.RULES,
    *alerting.RULES,
    *reports.RULES,
    *accounts.RULES,
)


#: Variable -> rules that depend on it: if it could not be read, they would report correct values.
FOLLOWING: dict[str, frozenset[str]] = {
    "kafka_listeners": frozenset({"acl_authorizer", "user_mechanism"}),
    "kafka_security": frozenset(
        {"acl_authorizer", "client_user", "listener_key", "node_certificate", "plaintext", "user_mechanism"}
    ),
    "kafka_tls": frozenset({"listener_key", "node_certificate", "user_certificate"}),
    "kafka_topics": frozenset({"topic_undeclared"}),
    "kafka_users": frozenset({"client_user", "metrics_tls_user"}),
    "kafka_version": frozenset({"archive_version"}),
}


def check(subject: Subject) -> list[Problem]:
    """Return every problem of any rule, without those that only follow from an unreadable variable."""
    broken = {name for node in subject.cluster.nodes for name in node.broken}
    silent = frozenset().union(*(FOLLOWING.get(name, frozenset()) for name in broken))
    found = (problem for rule in RULES for problem in rule(subject) if problem.rule not in silent)
    return list(once(found, subject.cluster.accepted_risks))


def once(problems: Iterable[Problem], accepted: Container[str] = ()) -> Iterator[Problem]:
    """Keep the errors of a setting's first rule: others build on a value that must change, and advise on nothing.

    `accepted`: rules that an inventory accepts, which hold nothing back.
    """
    first: dict[tuple[str, str], str] = {}
    for problem in problems:
        counts = problem.severity == ERROR and SETTING.fullmatch(problem.variable) and problem.rule not in accepted
        if not counts or first.setdefault((problem.host, problem.variable), problem.rule) == problem.rule:
            yield problem
