"""Open debug and JMX ports of the JVM: anyone who reaches them runs code as Kafka's user.

Source: JDK 17, "Monitoring and Management Using JMX Technology" and "jdwp"; a port without an address is open on all.
``JMX_PORT`` is read by Kafka's start scripts only, which the unit does not use.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from ansible.module_utils.kraft.problem import WARNING, Problem
from ansible.module_utils.kraft.spec.inventory_rules.listeners import is_loopback
from ansible.module_utils.kraft.spec.inventory_rules.subject import RISK, Subject

OPTIONS = "kafka_jvm_options"
JMX = "com.sun.management.jmxremote."
#: Without it, JMX answers with the host's own address, where nothing listens.
RMI = "java.rmi.server.hostname"
DEBUGGER = re.compile(r"-(?:agentlib:jdwp=|Xrunjdwp:)(.*)")
#: The debugger's address: a port alone is loopback's, ``*`` stands for all.
ADDRESS = re.compile(r"(?:^|,)address=(?:(\*|[^,]+):)\d+")


def jmx(subject: Subject) -> Iterator[Problem]:
    """Report a remote JMX port without authentication."""
    for node in subject.sound(OPTIONS):
        given = system_properties(node.jvm_options)
        if is_open(given):
            port = given[f"{JMX}port"]
            message = f"The options open JMX on port {port} without a login"
            remedy = (
                f"remove -D{JMX}port, and read metrics by kafka_metrics: true;"
                f" or add -D{JMX}host=127.0.0.1 and -D{RMI}=127.0.0.1, and read on the node"
            )
            yield Problem("jmx_open", message, remedy, OPTIONS, node.host, port, RISK)
        elif (
            given.get(f"{JMX}port") and is_loopback(given.get(f"{JMX}host", "")) and not is_loopback(given.get(RMI, ""))
        ):
            message = f"JMX listens on {given[f'{JMX}host']} only, but sends clients to the host's own address"
            remedy = f"add -D{RMI}={given[f'{JMX}host']}"
            yield Problem("jmx_unreadable", message, remedy, OPTIONS, node.host, given[f"{JMX}port"], WARNING)


def system_properties(options: Sequence[str]) -> dict[str, str]:
    """Parse ``-Dname=value`` by name; the JVM takes the last of several."""
    pairs = (option[2:].partition("=") for option in options if option.startswith("-D"))
    return {name: value.strip() for name, _, value in pairs}


def is_open(given: Mapping[str, str]) -> bool:
    """Check whether JMX listens for other machines and requires neither a password nor a client's certificate."""
    if not given.get(f"{JMX}port") or is_loopback(given.get(f"{JMX}host", "")):
        return False
    encrypted = given.get(f"{JMX}ssl", "true").lower() != "false"
    certificate = encrypted and given.get(f"{JMX}ssl.need.client.auth", "").lower() == "true"
    return given.get(f"{JMX}authenticate", "true").lower() == "false" and not certificate


def debugger(subject: Subject) -> Iterator[Problem]:
    """Report a debugger's port for other machines; it never requires a password."""
    for node in subject.sound(OPTIONS):
        for match in filter(None, map(DEBUGGER.fullmatch, node.jvm_options)):
            address = ADDRESS.search(match.group(1))
            if address and address.group(1) and not is_loopback(address.group(1).strip("[]")):
                message = "The option lets every client of the port run code in the node"
                remedy = "remove it, or give address=127.0.0.1:PORT"
                yield Problem("debugger_open", message, remedy, OPTIONS, node.host, match.group(0), RISK)
                break


RULES = (jmx, debugger)
