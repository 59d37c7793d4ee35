"""Issuers of tokens: hosts that fetch their keys must reach them."""

from __future__ import annotations

from collections.abc import Iterator

from ansible.module_utils.kraft.problem import Problem
from ansible.module_utils.kraft.spec.host_rules.subject import Subject

OPEN = "open"


def check(subject: Subject) -> Iterator[Problem]:
    """Report unreachable issuers: a broker needs their keys to start (Kafka's RefreshingHttpsJwks.init)."""
    for host, facts in subject.seen:
        for each in host.node.get("key_servers", ()):
            answer = facts["reach"].get(each["server"], OPEN)
            if answer != OPEN:
                reason = "connection refused" if answer == "refused" else answer
                message = f"The host cannot reach the issuer, whose keys the node needs to start: {reason}"
                remedy = "open the way, wait for the issuer, or give its keys as a file"
                variable = f"kafka_listeners[{each['listener']}].oauth.jwks"
                yield Problem("issuer_unreachable", message, remedy, variable, host.name, each["server"])
