"""Logins that a listener configures itself: SCRAM, and tokens of an external issuer (``oauth``)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ansible.module_utils.kraft.kafka_terms import CLIENT, OAUTHBEARER, SASL_PLAINTEXT
from ansible.module_utils.kraft.problem import Problem
from ansible.module_utils.kraft.secret_values import HIDDEN, is_secret
from ansible.module_utils.kraft.spec.desired.access import SUPER_USERS, enabled_mechanisms
from ansible.module_utils.kraft.spec.desired.model import Listener, Node
from ansible.module_utils.kraft.spec.desired.oauth import ALLOWED, server_of, with_tokens
from ansible.module_utils.kraft.spec.inventory_rules.authorizer import BUILDER, principals
from ansible.module_utils.kraft.spec.inventory_rules.subject import RISK, Subject, placed
from ansible.module_utils.kraft.wording import named

VARIABLE = "kafka_listeners"
#: An address that fits into a list with commas, in an option of the JVM.
UNVERIFIED = re.compile(r"(?:.*\.)?sasl\.oauthbearer\.allow\.unverified\.(audience|issuer)")
URL = re.compile(r"https://[^\s,\"'\\]+")


def _each(subject: Subject) -> Iterator[tuple[Node, Listener, str]]:
    for node in subject.cluster.nodes:
        for listener in node.own_listeners:
            yield node, listener, f"{VARIABLE}[{listener.name}]"


def mechanisms(subject: Subject) -> Iterator[Problem]:
    """Allow mechanisms only on a client listener with SASL, and tokens only with ``oauth``."""
    for node, listener, where in _each(subject):
        takes, given = OAUTHBEARER in listener.mechanisms, listener.oauth is not None
        if listener.mechanisms and (listener.purpose != CLIENT or not listener.protocol.startswith("SASL")):
            message = f"The key needs a client listener with SASL; this is {listener.purpose} with {listener.protocol}"
            remedy = "remove it; or use protocol: SASL_SSL, if the listener is for clients"
            yield Problem("listener_login", message, remedy, f"{where}.mechanisms", node.host)
        if given and not takes:
            message = f"The listener accepts no tokens: {OAUTHBEARER} is not one of its mechanisms"
            yield Problem("listener_login", message, f"set mechanisms: [{OAUTHBEARER}]", f"{where}.oauth", node.host)
        if takes and not given:
            remedy = "give oauth: {issuer: ..., audience: ..., jwks: ...}"
            yield Problem(
                "oauth", "The key is missing: any token would be accepted", remedy, f"{where}.oauth", node.host
            )
        if takes and listener.protocol == SASL_PLAINTEXT:
            message = "The listener sends tokens unencrypted: a token that is read can be used until it expires"
            yield Problem("oauth_open", message, "use SASL_SSL", f"{where}.protocol", node.host, severity=RISK)


def key_sets(subject: Subject) -> Iterator[Problem]:
    """Require keys from an address with https, or from an existing file."""
    for node, listener, where in _each(subject):
        if not listener.oauth:
            continue
        jwks, at = listener.oauth.jwks, f"{where}.oauth.jwks"
        remedy = "give the issuer's address that begins with https://, or the absolute path of a file on this machine"
        if listener.oauth.is_file:
            found = subject.surroundings.key_set_faults.get(jwks)
            if found:
                yield Problem("oauth_keys", found, "give the file with the issuer's public keys", at, node.host, jwks)
        elif is_secret("", jwks):
            message = "The address contains a secret, which the node's process list would show"
            yield Problem("oauth_keys", message, "give an address without one, or a file", at, node.host, HIDDEN)
        elif not URL.fullmatch(jwks) or not server_of(jwks):
            message = "The value is neither an https address nor an absolute path"
            yield Problem("oauth_keys", message, remedy, at, node.host, jwks)


def allowed(subject: Subject) -> Iterator[Problem]:
    """Refuse a second allow-list of addresses: Java would take the one given by hand."""
    for node in subject.cluster.nodes:
        if with_tokens(node) and any(option.startswith(ALLOWED) for option in node.jvm_options):
            message, remedy = f"The option sets {ALLOWED}, which is derived from {VARIABLE}", "remove it"
            yield Problem("oauth_allowed", message, remedy, "kafka_jvm_options", node.host)


def unverified(subject: Subject) -> Iterator[Problem]:
    """Report two settings that disable the check of issuer and audience, mandatory from 4.4 on."""
    for node in subject.cluster.nodes:
        for key, value in subject.settings[node.host].items():
            left_out = UNVERIFIED.fullmatch(key)
            if left_out and value.strip().lower() == "true":
                message = (
                    f"The listener accepts tokens of any {left_out[1]}, including those issued for another service"
                )
                remedy = "remove it, and name issuer and audience in oauth of the listener"
                yield Problem("oauth_unverified", message, remedy, placed(node, key), node.host, value, severity=RISK)


def super_users(subject: Subject) -> Iterator[Problem]:
    """Refuse super users by token: names in tokens are compared like certificates' names, so one could be a node's."""
    for node in subject.cluster.nodes:
        settings = subject.settings[node.host]
        names = [each for each in principals(settings.get(SUPER_USERS, "")) if "=" in each]
        if not names or BUILDER in settings:
            continue
        for listener in node.listeners_for(CLIENT):
            if OAUTHBEARER in enabled_mechanisms(settings, listener.name):
                message = f"The listener accepts tokens: one with sub {names[0].partition(':')[2]} is a super user"
                remedy = "have the issuer refuse '=' in sub, then list oauth_super_users in kafka_accepted_risks"
                where = f"{VARIABLE}[{listener.name}].mechanisms"
                yield Problem("oauth_super_users", message, remedy, where, node.host, severity=RISK)


def own_clients(subject: Subject) -> Iterator[Problem]:
    """Refuse tokens for the smoke test and the probe, which have none."""
    listener = next(filter(None, map(subject.cluster.client_listener, subject.cluster.brokers)), None)
    if listener and listener.mechanisms == (OAUTHBEARER,) and subject.surroundings.client_options:
        message = (
            f"The listener accepts tokens only, but {named(sorted(subject.surroundings.client_options))} connect to it"
        )
        remedy = "put a client listener before it that accepts a password or a certificate"
        yield Problem("oauth_own_clients", message, remedy, f"{VARIABLE}[{listener.name}].mechanisms")


RULES = (mechanisms, key_sets, allowed, unverified, super_users, own_clients)
