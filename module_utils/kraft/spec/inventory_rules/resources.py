"""Users, ACLs and quotas, before any host is asked: names, passwords, and what Kafka would not take."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from ansible.module_utils.kraft.kafka_terms import CLIENT
from ansible.module_utils.kraft.problem import WARNING, Problem
from ansible.module_utils.kraft.secret_values import HIDDEN
from ansible.module_utils.kraft.spec.desired.access import (
    AUTHORIZER,
    SUPER_USERS,
    enabled_mechanisms,
    mechanisms_taken,
)
from ansible.module_utils.kraft.spec.inventory_rules.authorizer import LOOSE_NAME, PATTERN, principal_fault, principals
from ansible.module_utils.kraft.spec.inventory_rules.secrets import weakness
from ansible.module_utils.kraft.spec.inventory_rules.subject import RISK, Subject
from ansible.module_utils.kraft.spec.resources import acls, quotas, users
from ansible.module_utils.kraft.wording import named

TOPICS, USERS, ACLS, QUOTAS = "kafka_topics", "kafka_users", "kafka_acls", "kafka_quotas"
CLIENT_USER, PRUNE, MOST = "kafka_client_user", "kafka_prune", "kafka_prune_most"
PRUNABLE = ("users", "acls", "quotas")
NOBODY = "ANONYMOUS"  #: the name of who does not log in
CONTROL = re.compile(r"[\x00-\x1f\x7f]")
EVERYBODY = "User:*"
SCRAM = ("SCRAM-SHA-256", "SCRAM-SHA-512")
Entry = Mapping[str, Any]


def given_of(subject: Subject, variable: str) -> list[Entry]:
    """Return the entries of a variable, which all hosts share, without unreadable ones."""
    if not subject.cluster.nodes:
        return []
    return list(subject.cluster.nodes[0].variables.get(variable) or ())


def alike(subject: Subject) -> Iterator[Problem]:
    """Require equal values on all hosts: the cluster has one set."""
    for variable in (TOPICS, USERS, ACLS, QUOTAS, CLIENT_USER):
        found = [node.variables.get(variable) or None for node in subject.sound(variable)]
        if any(each != found[0] for each in found):
            message, remedy = (
                "The value differs between hosts, but the cluster has one set",
                "set it once, for all nodes",
            )
            yield Problem("resources_differ", message, remedy, variable)


def people(subject: Subject) -> Iterator[Problem]:
    """Require for each user a unique name, and a password that is hard to guess or a certificate."""
    given = given_of(subject, USERS)
    yield from twice(USERS, (user["name"] for user in given))
    offered = {one for each in mechanisms_taken(subject.cluster, subject.settings).values() for one in each}
    for user in given:
        where, name = f"{USERS}[{user['name']}]", user["name"]
        if not users.NAME.fullmatch(name):
            remedy = "use 1 to 64 letters, digits, dots, @, _ and -, and not dots alone"
            yield Problem("user_name", "Some clients cannot log in with this name", remedy, where)
        if name == NOBODY:
            message = "This is Kafka's name for every client that does not log in"
            yield Problem("user_name", message, "give the user another name", where)
        if user.get("state") == users.ABSENT:
            continue
        if users.has_certificate(user):
            yield from _certificate(subject, user, where)
            continue
        if users.is_generated(user):
            yield from _generated(subject, f"{where}.password")
        else:
            yield from _password(str(user.get("password") or ""), name, f"{where}.password")
        if users.mechanism(user) not in offered:
            yield _not_taken(users.mechanism(user), sorted(offered), f"{where}.authentication")


def _not_taken(mechanism: str, offered: list[str], where: str) -> Problem:
    """Report a mechanism that no client listener takes."""
    own = [each.lower() for each in offered if each in SCRAM]
    other = f"set {' or '.join(own)}" if own else "use kafka_security: tls_scram"
    message = f"The user logs in with {mechanism}, which no client listener accepts"
    remedy = f"{other}; or name {mechanism} among the mechanisms of a client listener with SASL"
    return Problem("user_mechanism", message, remedy, where, value=mechanism.lower())


def _generated(subject: Subject, where: str) -> Iterator[Problem]:
    """Check that the run can keep the generated password of a user without one."""
    if subject.surroundings.password_fault:
        message = f"The password is not set, and {subject.surroundings.password_fault}"
        remedy = "give a password; or start the run with your vault's (--vault-password-file), to generate and keep one"
        yield Problem("user_password", message, remedy, where)


def _password(given: str, name: str, where: str) -> Iterator[Problem]:
    remedy = "draw one at random, such as with `openssl rand -base64 24`, and keep it in a vault"
    weak = "The password is the user's name" if given.lower() == name.lower() else weakness(given)
    if CONTROL.search(given):
        message = "The password contains a control character, which RFC 5802 forbids"
        yield Problem("user_password", message, remedy, where, value=HIDDEN)
    elif weak:
        yield Problem("weak_secret", weak, remedy, where, value=HIDDEN, severity=RISK)


def _certificate(subject: Subject, user: Entry, where: str) -> Iterator[Problem]:
    """Check a user with a certificate: the cluster's authority can issue it, and a client listener requests it."""
    cluster, how = subject.cluster, f"{where}.authentication"
    if user.get("password"):
        remedy = "remove the password, or log in with it: authentication: scram-sha-512"
        yield Problem(
            "user_password",
            "The password has no effect: the user logs in with a certificate",
            remedy,
            f"{where}.password",
        )
    if not any(node.tls for node in cluster.nodes):
        remedy = "set kafka_tls; with certificates that you bring, name their owners in kafka_acls"
        yield Problem(
            "user_certificate",
            "The user needs a certificate, but the cluster has no authority to issue it",
            remedy,
            how,
        )
    elif user["name"] in {each.proxy["user"] for node in cluster.nodes for each in node.proxied}:
        return
    elif not any(each.client_auth for node in cluster.brokers for each in node.listeners_for(CLIENT)):
        remedy = "use kafka_security: mtls, or client_auth: required of a client listener with SSL"
        message = "The user logs in with a certificate, but no client listener requests one"
        yield Problem("user_mechanism", message, remedy, how, severity=WARNING)


def own_client(subject: Subject) -> Iterator[Problem]:
    """Require ``kafka_client_user`` among the users, with the login of our own clients' listener."""
    name, there = subject.cluster.client_user, users.present(given_of(subject, USERS))
    user = next((each for each in there if each["name"] == name), None)
    if name and not user:
        remedy = "add the user to kafka_users, or name one that is there"
        yield Problem("client_user", "The user is not one of kafka_users", remedy, CLIENT_USER, value=name)
    node = next(filter(subject.cluster.client_listener, subject.cluster.brokers), None)
    listener = subject.cluster.client_listener(node) if node else None
    if not user or not node or not listener:
        return
    scram = [each for each in enabled_mechanisms(subject.settings[node.host], listener.name) if each in SCRAM]
    other = listener.client_auth != users.has_certificate(user)
    if other or (scram and users.mechanism(user) not in scram):
        wanted = users.TLS if listener.client_auth else next(iter(scram), "SCRAM-SHA-512").lower()
        message = f"The user's login does not fit {listener.name}, the listener of the smoke test and the probe"
        remedy = f"set authentication: {wanted} for this user, or name another one"
        yield Problem("client_user", message, remedy, CLIENT_USER, value=name)


def access(subject: Subject) -> Iterator[Problem]:
    """Check ACLs: Kafka takes them, principals can exist, and none stops our own clients."""
    given = given_of(subject, ACLS)
    lines = [(f"{ACLS}[{number}]", entry) for number, entry in enumerate(given)]
    for where, entry in lines:
        who = str(entry["principal"])
        name, absent = who.partition(":")[2], entry.get("state") == users.ABSENT
        removed = absent and (LOOSE_NAME.search(name) or PATTERN.fullmatch(name))  # made by hand
        fault = "" if who == EVERYBODY or removed else principal_fault(who)
        if who in _super_users(subject):
            message, remedy = "The principal is a super user: ACLs have no effect on it", "remove the entry"
            yield Problem("acl_super_user", message, remedy, where, value=who, severity=WARNING)
        if fault:
            yield Problem(
                "acl_principal",
                f"The principal {fault}",
                "write it as User:NAME, or User:* for all users",
                where,
                value=who,
            )
    lines += [
        (f"{USERS}[{user['name']}].allow[{number}]", entry)
        for user in users.present(given_of(subject, USERS))
        for number, entry in enumerate(user.get("allow") or ())
    ]
    everything = [(where, entry) for where, entry in lines if entry.get("state") != users.ABSENT]
    yield from found_faults("acl", [(where, one) for where, one in lines if not acls.is_of_all(one)], acls.faults)
    without = [node.host for node in subject.cluster.nodes if not subject.settings[node.host].get(AUTHORIZER)]
    if everything and without:
        message = f"ACLs have no effect: {named(without)} has no authorizer"
        yield Problem("acl_authorizer", message, "use kafka_security: tls_scram", ACLS if given else USERS)
    for where, entry in everything:
        client = entry.get("principal") in (EVERYBODY, f"User:{subject.cluster.client_user}")
        if entry.get("permission") == acls.DENY and client and subject.cluster.client_user and _is_ours(entry):
            message = "The ACL denies kafka_client_user the topics or groups of the smoke test and the probe"
            yield Problem("acl_client_user", message, "leave out names that begin with kraftwright-", where)


def _super_users(subject: Subject) -> set[str]:
    return {each for one in subject.settings.values() for each in principals(one.get(SUPER_USERS, ""))}


def contradictions(subject: Subject) -> Iterator[Problem]:
    """Refuse ACLs and quotas that are declared both present and absent."""
    given, people = given_of(subject, ACLS), users.present(given_of(subject, USERS))
    absent = [entry for entry in given if entry.get("state") == users.ABSENT]
    gone = {acl for entry in absent for acl in acls.expanded(entry)}
    nobody = {entry["principal"] for entry in absent if acls.is_of_all(entry)}
    declared = users.acls(people, [entry for entry in given if entry not in absent], subject.cluster.client_user)
    for acl in sorted({acl for entry in declared for acl in acls.expanded(entry)}):
        if acl in gone or acl.principal in nobody:
            message, remedy = "The entry is declared both present and absent", "keep one of the entries"
            yield Problem("resource_twice", message, remedy, ACLS, value=str(acl))
    yield from _contradicting_quotas(given_of(subject, QUOTAS), people)


def _contradicting_quotas(given: list[Entry], people: list[Entry]) -> Iterator[Problem]:
    lines = [entry for entry in given if entry.get("state") != users.ABSENT]
    lines += [{"user": user["name"], **user["quotas"]} for user in people if user.get("quotas")]
    declared = [quota for entry in lines for quota in quotas.expanded(entry)]
    yield from twice(QUOTAS, map(str, declared))
    gone = {quotas.entity(entry) for entry in given if entry.get("state") == users.ABSENT}
    for quota in dict.fromkeys(declared):
        if quota.entity in gone:
            message, remedy = "The entry is declared both present and absent", "keep one of the entries"
            yield Problem("resource_twice", message, remedy, QUOTAS, value=str(quota))


def prune(subject: Subject) -> Iterator[Problem]:
    """Check ``kafka_prune``: kinds that a run can remove; ``kafka_prune_most``: a number above 0."""
    node = next(iter(subject.cluster.nodes), None)
    given, most = (node.variables.get(name) for name in (PRUNE, MOST)) if node else (None, None)
    kinds = users.kinds(given)
    if kinds is None or set(kinds) - set(PRUNABLE):
        remedy = f"give {', '.join(PRUNABLE)}, or some of them, with commas between"
        yield Problem("prune", "The value is not a list of kinds that can be pruned", remedy, PRUNE, value=given)
    if isinstance(most, int) and most < 1:
        yield Problem("prune", "The number is less than one", "give how many may go, or leave it out", MOST, value=most)


def _is_ours(entry: Entry) -> bool:
    """Check whether an ACL covers a need of our own clients."""
    prefixed = entry.get("pattern") == acls.PREFIXED
    for own in users.OWN_CLIENTS:
        kind = "topic" if "topic" in own else "group"
        name = str(entry.get(kind) or "")
        if name == "*" or name.startswith(own[kind]) or (prefixed and name and own[kind].startswith(name)):
            return True
    return False


def limits(subject: Subject) -> Iterator[Problem]:
    """Check quotas: values that Kafka takes, for entities that it has."""
    lines = [(f"{QUOTAS}[{number}]", entry) for number, entry in enumerate(given_of(subject, QUOTAS))]
    lines += [
        (f"{USERS}[{user['name']}].quotas", {"user": user["name"], **user["quotas"]})
        for user in given_of(subject, USERS)
        if user.get("quotas")
    ]
    yield from found_faults("quota", lines, quotas.faults)


def twice(variable: str, names: Iterable[str]) -> Iterator[Problem]:
    for name, count in Counter(names).items():
        if count > 1:
            yield Problem(
                "resource_twice", f"The entry is listed {count} times", "keep one of the entries", f"{variable}[{name}]"
            )


def found_faults(
    rule: str, lines: Iterable[tuple[str, Entry]], judge: Callable[[Entry], Iterator[tuple[str, str]]]
) -> Iterator[Problem]:
    for where, entry in lines:
        for message, remedy in judge(entry):
            yield Problem(rule, message, remedy, where)


RULES = (alike, people, own_client, access, contradictions, limits, prune)
