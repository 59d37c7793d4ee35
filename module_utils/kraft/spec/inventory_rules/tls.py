"""Certificates of nodes: ``kafka_tls``. Those that the operator brings have separate rules (``given.py``)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ansible.module_utils.kraft.control.given import GIVEN
from ansible.module_utils.kraft.kafka_terms import CLIENT
from ansible.module_utils.kraft.problem import Problem
from ansible.module_utils.kraft.spec.desired.model import MTLS, TLS_SCRAM, Node
from ansible.module_utils.kraft.spec.inventory_rules.listeners import is_host
from ansible.module_utils.kraft.spec.inventory_rules.secrets import weakness
from ansible.module_utils.kraft.spec.inventory_rules.subject import RISK, Subject, placed
from ansible.module_utils.kraft.wording import named

VARIABLE = "kafka_tls"
SHORTEST_PASSPHRASE = 12
LONGEST_DAYS = 825  #: what Apple and browsers accept of a private authority, and long enough for anybody
SHORTEST_DAYS = 2  #: so that a run can renew it before it ends
LONGEST_SUBJECT = 64  #: characters of a name's part, by RFC 5280 (ub-common-name)
LONGEST_CLUSTER = LONGEST_SUBJECT - len(" clients")  #: the authorities are named after the cluster and what they sign
MAPPING, NAMES = "ssl.principal.mapping.rules", "ssl.endpoint.identification.algorithm"
LISTENER = re.compile(r"^listener\.name\.[^.]+\.")
OLD = re.compile(r"\b(SSLv2Hello|SSLv3|TLSv1(?:\.1)?(?![.\d]))")
#: Setting -> what no client should be offered. Source: RFC 8996 (old versions), RFC 7525 (ciphers).
WEAK = {
    "ssl.enabled.protocols": OLD,
    "ssl.protocol": OLD,
    "ssl.cipher.suites": re.compile(r"\w*(?:NULL|anon|EXPORT|RC4|_DES_|3DES)\w*"),
}
#: Settings that follow from ``kafka_tls``: on the node, or for one listener.
OURS = re.compile(r"(?:listener\.name\.[^.]+\.)?ssl\.(?:keystore|truststore|key)\..+")


def authority(subject: Subject) -> Iterator[Problem]:
    """Require one authority for all nodes, and a passphrase that opens it."""
    every = [node.variables.get(VARIABLE) or {} for node in subject.sound(VARIABLE)]
    given = [each for each in every if each.get("authority") != GIVEN]
    for part in ("authority", "passphrase", "directory"):
        if len({each.get(part) for each in every}) > 1:
            message, remedy = (
                "The value differs between hosts, but the cluster has one authority",
                "set it once, for all nodes",
            )
            yield Problem("tls_differs", message, remedy, f"{VARIABLE}.{part}")
    passphrases = [each.get("passphrase", "") for each in given if each]
    if any(len(each) < SHORTEST_PASSPHRASE for each in passphrases):
        message = f"The passphrase is missing or has fewer than {SHORTEST_PASSPHRASE} characters: it can be guessed"
        yield Problem("tls_passphrase", message, "give a longer one, from a vault", f"{VARIABLE}.passphrase")
    elif guessed := next(filter(None, map(weakness, passphrases)), ""):
        message = f"{guessed}: it can be guessed"
        yield Problem("tls_passphrase", message, "draw one with `openssl rand -base64 24`", f"{VARIABLE}.passphrase")
    if any(given) and len(subject.cluster.name) > LONGEST_CLUSTER:
        message = f"The name has more than the {LONGEST_CLUSTER} characters that a certificate can hold"
        yield Problem("tls_name", message, "give a shorter name", "kafka_cluster_name", value=subject.cluster.name)
    if subject.surroundings.tls_fault:
        remedy = "give the passphrase by which the authority was made, or restore its directory from a backup"
        yield Problem("tls_authority", subject.surroundings.tls_fault, remedy, VARIABLE)


def certificates(subject: Subject) -> Iterator[Problem]:
    """Check the duration, renewal and names of certificates."""
    for node in subject.sound(VARIABLE):
        tls = node.tls
        if not tls:
            continue
        if tls.is_given:
            pass
        elif not SHORTEST_DAYS <= tls.days <= LONGEST_DAYS:
            message = f"The number of days must be from {SHORTEST_DAYS} to {LONGEST_DAYS}"
            remedy = "give such a number; 397 days leave time for a yearly renewal"
            yield Problem("tls_days", message, remedy, f"{VARIABLE}.days", node.host, tls.days)
        elif not 1 <= tls.renew_before_days < tls.days:
            message = (
                f"The number must be from 1 to {tls.days - 1}: at 0 no run renews in time, above that each run renews"
            )
            remedy, where = "give a third of kafka_tls.days, or less", f"{VARIABLE}.renew_before_days"
            yield Problem("tls_days", message, remedy, where, node.host, tls.renew_before_days)
        elif (left := subject.surroundings.tls_days_left) is not None and 0 <= left < tls.days:
            message = (
                f"The number exceeds the {left} days that the authority is valid: no certificate is trusted longer"
            )
            remedy = f"give at most {left}, and renew_before_days below it, until the authority is replaced"
            yield Problem("tls_days", message, remedy, f"{VARIABLE}.days", node.host, tls.days)
        yield from _names(node)
        for layer in node.layers:
            for key in filter(OURS.fullmatch, layer.settings):
                message = f"The setting is derived from {VARIABLE}"
                remedy = f"remove it; {VARIABLE} with authority: given uses certificates that you provide"
                yield Problem("setting_derived", message, remedy, f"{layer.variable}[{key}]", node.host)


def strength(subject: Subject) -> Iterator[Problem]:
    """Refuse broken protocols and ciphers, and clients of nodes that do not compare names."""
    for node in subject.cluster.nodes:
        for key, value in subject.settings[node.host].items():
            setting, text = LISTENER.sub("", key), str(value)
            weak = WEAK[setting].findall(text) if setting in WEAK else []
            if setting == NAMES and not text.strip():
                message = (
                    "The setting is empty: names in certificates are not verified, so one stolen key can be any node"
                )
                remedy = "remove it; kafka_tls.names adds names that are missing"
                yield Problem("weak_tls", message, remedy, placed(node, key), node.host, severity=RISK)
            elif weak:
                message, remedy = (
                    f"The setting allows {named(weak)}, which is broken",
                    "remove it: the default is TLS 1.2 and 1.3",
                )
                yield Problem("weak_tls", message, remedy, placed(node, key), node.host, text, RISK)


def node_names(subject: Subject) -> Iterator[Problem]:
    """Require the whole names of the nodes' certificates in ``super.users``."""
    for node in subject.cluster.nodes if subject.cluster.security in (TLS_SCRAM, MTLS) else ():
        settings = subject.settings[node.host]
        own = {f"listener.name.{one.name.lower()}.{MAPPING}" for one in node.own_listeners if one.purpose != CLIENT}
        for key in sorted({MAPPING, *own} & settings.keys()):
            message = "The rules give nodes names that super.users lacks: nodes would refuse each other"
            remedy = "set it for client listeners alone: listener.name.<listener>.ssl.principal.mapping.rules"
            yield Problem("node_names", message, remedy, placed(node, key), node.host, settings[key])


def _names(node: Node) -> Iterator[Problem]:
    if len(node.host) > LONGEST_SUBJECT and not (node.tls and node.tls.is_given):
        message = f"The name has more than the {LONGEST_SUBJECT} characters that a certificate can hold"
        yield Problem("tls_name", message, "give the host a shorter name in the inventory", VARIABLE, node.host)
    known = [each.name for each in node.listeners]
    for listener, names in (node.tls.names if node.tls else {}).items():
        where = f"{VARIABLE}.names[{listener}]"
        if listener not in known:
            message, remedy = "The name is not that of a listener of this node", f"use one of {named(known)}"
            yield Problem("tls_name", message, remedy, where, node.host, listener)
        for name in names:
            if not is_host(name):
                remedy = "give names as clients write them"
                yield Problem(
                    "tls_name", "The value is neither a host name nor an IP address", remedy, where, node.host, name
                )


RULES = (authority, certificates, strength, node_names)
