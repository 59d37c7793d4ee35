"""Names in certificates: Java's TLS takes letters, digits, hyphens and dots alone (javax.net.ssl.SNIHostName)."""

from __future__ import annotations

from collections.abc import Iterator

from ansible.module_utils.kraft.problem import ERROR, WARNING, Problem
from ansible.module_utils.kraft.spec.inventory_rules.listeners import ADDRESS, VARIABLE, is_host
from ansible.module_utils.kraft.spec.inventory_rules.subject import Subject


def tls_names(subject: Subject) -> Iterator[Problem]:
    """Check advertised names, and the other names in certificates."""
    pairs = ((node, each) for node in subject.cluster.nodes for each in node.own_listeners)
    for node, listener in pairs:
        text = listener.advertised_host
        if "_" in text and is_host(text):
            where = f"{VARIABLE}[{listener.name}].advertised.host" if listener.advertised_given else ADDRESS
            message = f"The name contains an underscore, and {listener.name} has TLS: Java refuses such a name"
            remedy = "give an address, or a name without it: kafka_address, or advertised.host of the listener"
            if not listener.uses_tls:
                message = (
                    "The name contains an underscore, which no host name may have: Java clients refuse it with TLS"
                )
            severity = ERROR if listener.uses_tls else WARNING
            yield Problem("tls_name", message, remedy, where, node.host, text, severity)
    for node in subject.sound("kafka_tls"):
        for name in sorted({each for names in node.tls.names.values() for each in names} if node.tls else ()):
            if "_" in name:
                message, remedy = (
                    "The name contains an underscore: Java refuses such a name with TLS",
                    "give a name without it",
                )
                yield Problem("tls_name", message, remedy, "kafka_tls.names", node.host, name)


RULES = (tls_names,)
