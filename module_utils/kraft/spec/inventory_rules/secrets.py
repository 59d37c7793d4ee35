"""Secrets: long enough, not published, and not readable in the inventory."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ansible.module_utils.kraft.problem import WARNING, Problem
from ansible.module_utils.kraft.secret_values import HIDDEN, is_secret
from ansible.module_utils.kraft.spec.desired.java_properties import value_text
from ansible.module_utils.kraft.spec.inventory.setting_values import PLACEHOLDER
from ansible.module_utils.kraft.spec.inventory_rules.subject import RISK, Subject

SHORTEST, LEAST_DIFFERENT = 8, 4
#: Passwords of examples, and therefore the first ones that are tried.
GUESSED = frozenset(
    {
        "admin",
        "admin-secret",
        "alice-secret",
        "changeit",
        "changeme",
        "client-secret",
        "confluent",
        "kafka",
        "kafka-secret",
        "password",
        "password123",
        "secret",
        "server-secret",
        "test",
        "test1234",
        "12345678",
        "123456789",
    }
)
JAAS_PASSWORD = re.compile(r"""\b(?:password|user_\w+|clientSecret)\s*=\s*(?:"([^"]*)"|'([^']*)')""")


def weak(subject: Subject) -> Iterator[Problem]:
    """Refuse passwords that can be guessed."""
    for node in subject.cluster.nodes:
        for layer in node.layers:
            for key, value in layer.settings.items():
                if isinstance(value, (dict, list)) or not is_secret(str(key)):
                    continue
                message = next(filter(None, map(weakness, passwords(str(key), value_text(value)))), "")
                if message:
                    remedy = "draw one at random, such as with `openssl rand -base64 24`"
                    yield Problem("weak_secret", message, remedy, f"{layer.variable}[{key}]", node.host, HIDDEN, RISK)


def passwords(key: str, text: str) -> list[str]:
    """Return the passwords in a value: those of a login's line, else the text; none for looked-up ones."""
    if PLACEHOLDER.search(text):
        return []
    if key.endswith("sasl.jaas.config"):
        return ["".join(found) for found in JAAS_PASSWORD.findall(text)]
    return [text] if "password" in key or "secret" in key else []


def weakness(password: str) -> str:
    """Return why a password can be guessed; empty if no reason is found."""
    if not password:
        return "The password is empty"
    if password.lower() in GUESSED:
        return "The password is one of examples"
    if len(set(password)) < LEAST_DIFFERENT:
        return f"The password has fewer than {LEAST_DIFFERENT} different characters"
    return f"The password is shorter than {SHORTEST} characters" if len(password) < SHORTEST else ""


def readable(subject: Subject) -> Iterator[Problem]:
    """Warn about secrets in plain text: all readers of the inventory's files, or its repository, can read them."""
    if not subject.cluster.in_production:
        return
    for node in subject.cluster.nodes:
        for where in sorted(subject.surroundings.readable.get(node.host, ())):
            message = "The secret is readable in the inventory"
            remedy = "encrypt it with ansible-vault, look it up, or give ${provider:path:key} for the node to resolve"
            yield Problem("readable_secret", message, remedy, where, node.host, HIDDEN, WARNING)


RULES = (weak, readable)
