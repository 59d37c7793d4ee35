"""TLS in front of the exporters (``kafka_metrics_tls``): a certificate to show, and a user to admit."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator

from ansible.module_utils.kraft.problem import Problem
from ansible.module_utils.kraft.spec.desired.model import Node
from ansible.module_utils.kraft.spec.inventory_rules.resources import USERS, given_of
from ansible.module_utils.kraft.spec.inventory_rules.subject import Subject
from ansible.module_utils.kraft.spec.resources import users

VARIABLE, USER = "kafka_metrics_tls", "kafka_metrics_user"


def exporters(subject: Subject) -> Iterator[Problem]:
    """Require exporters on all nodes alike: Prometheus scrapes all of them in one way."""
    asked = [node for node in subject.sound(VARIABLE) if node.variables.get(VARIABLE)]
    publishing = [node for node in subject.cluster.nodes if any(each.ports for each in node.effective_contributions)]
    for node in asked:
        if not node.proxied and (node.is_broker or not node.variables.get("kafka_collector")):
            message, remedy = (
                "The variable has no effect: no exporter is switched on",
                "set kafka_metrics, or leave it out",
            )
            yield Problem("metrics_tls_alone", message, remedy, VARIABLE, node.host, True)
    found = {bool(node.proxied) for node in publishing if _publishes(node)}
    if len(found) > 1:
        message, remedy = "The value differs between nodes that publish metrics", "set it once, for all nodes"
        yield Problem("metrics_tls_differs", message, remedy, VARIABLE)


def _publishes(node: Node) -> bool:
    names = ("kafka_contribution_metrics", "kafka_contribution_collector")
    return any(each.variable in names for each in node.effective_contributions)


def certificates(subject: Subject) -> Iterator[Problem]:
    """Require the node's certificate, and the authority for clients."""
    for node in subject.sound(VARIABLE, "kafka_tls"):
        if node.proxied and not node.tls:
            message = "The proxy needs certificates, but the cluster has no authority to issue them"
            remedy = "set kafka_tls; kafka_security: plaintext may stay"
            yield Problem("metrics_tls_authority", message, remedy, VARIABLE, node.host, True)
        elif node.proxied and node.tls and node.tls.given and not node.tls.given.clients:
            message = "The file is missing, but the proxy needs these roots to verify clients"
            remedy, path = "put the roots of clients there", f"{node.tls.authority}/clients.pem"
            yield Problem("certificate_file", message, remedy, "kafka_tls.directory", node.host, path)


def scrapers(subject: Subject) -> Iterator[Problem]:
    """Require a user with a certificate for scraping."""
    there = {user["name"]: user for user in users.present(given_of(subject, USERS))}
    for node in subject.sound(USER, USERS):
        for name in sorted({each.proxy["user"] for each in node.proxied}):
            given = node.tls.given if node.tls else None
            remedy = f"add {{name: {name}, authentication: tls}} to kafka_users, or name a user that has it"
            if not name[:1].isalnum():
                message, remedy = "The name does not begin with a letter or a digit", "give the user another name"
                yield Problem("metrics_tls_user", message, remedy, USER, node.host, name)
            elif name not in there or not users.has_certificate(there[name]):
                message = "The user is not one of kafka_users with a certificate, and only such users may scrape"
                yield Problem("metrics_tls_user", message, remedy, USER, node.host, name)
            elif given and name not in given.users:
                message = "The user has no certificate among those that you provide"
                remedy = f"put key and certificate, with CN={name} in its subject and without DNS names, into one file"
                path = users.user_certificate(node.tls.authority if node.tls else "", name)
                yield Problem("certificate_file", message, remedy, USER, node.host, path)


def twins(subject: Subject) -> Iterator[Problem]:
    """Report names that differ only in case: stunnel ignores it (X509_check_host)."""
    named = [user["name"] for user in users.present(given_of(subject, USERS)) if users.has_certificate(user)]
    for node in subject.sound(USER, USERS):
        for name in sorted({each.proxy["user"] for each in node.proxied}):
            for twin in (each for each in named if each != name and each.lower() == name.lower()):
                message = f"The name differs from {name} only in case: the proxy would admit both users"
                remedy = "give one of the two users another name"
                yield Problem("metrics_tls_twin", message, remedy, USERS, node.host, twin)


def addresses(subject: Subject) -> Iterator[Problem]:
    """Require two addresses, since exporter and proxy have one port."""
    for node in subject.cluster.nodes:
        for each in node.proxied:
            for address in filter(_is_loopback, each.addresses):
                message = "The address is loopback, where the exporter listens behind the proxy"
                remedy = "give the node's private address"
                yield Problem("metrics_tls_address", message, remedy, f"{each.variable}.addresses", node.host, address)


def _is_loopback(text: str) -> bool:
    try:
        return ipaddress.ip_address(text).is_loopback
    except ValueError:
        return text.lower() == "localhost"


RULES = (exporters, certificates, scrapers, twins, addresses)
