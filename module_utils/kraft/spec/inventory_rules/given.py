"""Certificates that the operator brings (``kafka_tls`` with ``authority: given``): each is judged before it is used."""

from __future__ import annotations

from collections.abc import Iterator

from ansible.module_utils.kraft.control import given as kinds
from ansible.module_utils.kraft.control.given import Fault, Given
from ansible.module_utils.kraft.kafka_terms import CLIENT
from ansible.module_utils.kraft.problem import Problem
from ansible.module_utils.kraft.spec.desired.describe import certificate
from ansible.module_utils.kraft.spec.desired.model import Node
from ansible.module_utils.kraft.spec.inventory_rules.resources import CLIENT_USER, USERS, given_of
from ansible.module_utils.kraft.spec.inventory_rules.subject import RISK, Subject
from ansible.module_utils.kraft.spec.resources import users
from ansible.module_utils.kraft.spec.resources.users import user_certificate
from ansible.module_utils.kraft.wording import named

VARIABLE = "kafka_tls.directory"


def files(subject: Subject) -> Iterator[Problem]:
    """Report the faults of a node's files, and of the roots, which are the same for all nodes."""
    shared: dict[Fault, None] = {}
    for node, given in _nodes(subject):
        shared |= dict.fromkeys(given.shared)
        yield from (_problem(fault, node.host) for fault in given.faults)
    yield from (_problem(fault) for fault in shared)


def _problem(fault: Fault, host: str = "") -> Problem:
    said = (fault.message, fault.remedy, VARIABLE, host, fault.path)
    made = {
        kinds.FILE: Problem("certificate_file", *said),
        kinds.KEY: Problem("certificate_key", *said),
        kinds.CHAIN: Problem("certificate_chain", *said),
        kinds.ROOT: Problem("certificate_root", *said),
        kinds.DATES: Problem("certificate_dates", *said),
        kinds.ENDS: Problem("certificate_ends", *said, severity=RISK),
        kinds.USAGE: Problem("certificate_usage", *said),
        kinds.WEAK: Problem("certificate_weak", *said),
        kinds.SUBJECT: Problem("certificate_subject", *said),
    }
    return made[fault.kind]


def names(subject: Subject) -> Iterator[Problem]:
    """Require certificates for the advertised names of a node's listeners."""
    for node, given in _nodes(subject):
        described = certificate(subject.cluster, node)
        lacking = given.lacks(described["node"]["names"]) if described and given.is_read else []
        if lacking:
            message = f"The certificate lacks {named(lacking)}, names that clients and nodes use for this node"
            remedy = "ask your authority for a certificate with these names (subjectAltName)"
            yield Problem("certificate_names", message, remedy, VARIABLE, node.host, named(sorted(given.names)) or None)


def clients(subject: Subject) -> Iterator[Problem]:
    """Require the clients' roots for client certificates, and a provided certificate for our own client."""
    found = list(_nodes(subject))
    mutual = any(each.client_auth for node, _ in found if node.is_broker for each in node.listeners_for(CLIENT))
    if not found or not mutual:
        return
    node, given = found[0]
    directory = node.tls.authority if node.tls else ""
    if not given.clients:
        message = "The file is missing, but a client listener requires certificates"
        remedy = "put the roots of the clients' certificates there"
        yield Problem("certificate_file", message, remedy, VARIABLE, value=f"{directory}/clients.pem")
    name = subject.cluster.client_user
    user = next((each for each in users.present(given_of(subject, USERS)) if each["name"] == name), None)
    missing = "The user has no certificate there, but the smoke test and the probe need it to connect"
    message = given.users.get(name, missing)
    if user and users.has_certificate(user) and message:
        remedy = (
            f"put key (PKCS#8, not encrypted) and certificate there, with CN={name} in its subject, as one PEM file"
        )
        yield Problem("certificate_file", message, remedy, CLIENT_USER, value=user_certificate(directory, name))


def _nodes(subject: Subject) -> Iterator[tuple[Node, Given]]:
    for node in subject.sound("kafka_tls"):
        tls = subject.cluster.tls_of(node)
        if tls and tls.given:
            yield node, tls.given


RULES = (files, names, clients)
