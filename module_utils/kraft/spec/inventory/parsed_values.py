"""Values that Kafka takes apart by itself, after its definitions have accepted them as mere text.

Sources, all of Kafka 4.3.1: org.apache.kafka.common.security.ssl.SslPrincipalMapper,
org.apache.kafka.common.security.kerberos.KerberosRule, org.apache.kafka.server.config.AbstractKafkaConfig
(max.connections.per.ip.overrides); names of algorithms: Java 17's "Standard Algorithm Names".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

Fault = tuple[str, str]
FINE: Fault = ("", "")
PART = r"(?:\\.|[^\\/])*"
MAPPING = re.compile(rf"(DEFAULT)|RULE:({PART})/({PART})/[LU]?")
KERBEROS = re.compile(r"DEFAULT|RULE:\[(\d*):([^\]]*)\](\(([^)]*)\))?(s/([^/]*)/([^/]*)/(g)?)?/?[LU]?")
CIPHER = re.compile(r"(TLS|SSL)_[A-Z0-9_]+")
HOST_LIMIT = re.compile(r"\S+:\d{1,10}", re.ASCII)
PROTOCOLS = ("TLS", "TLSv1.1", "TLSv1.2", "TLSv1.3")
GIVE_RULE = "write DEFAULT, or RULE:pattern/replacement/ with L or U at its end, and commas between rules"


def principal_rules(text: str) -> Fault:
    """Check that each rule of ``ssl.principal.mapping.rules`` is whole, with the groups of its replacement."""
    at = 0
    while at < len(text):
        rule = MAPPING.match(text, at)
        rest = re.compile(r"\s*(,\s*|$)").match(text, rule.end()) if rule else None
        if rule is None or rest is None:
            return f"The value has no valid rule at {text[at:][:20]!r}", GIVE_RULE
        if fault := _pattern_fault(rule[2] or "", rule[3] or ""):
            return fault, GIVE_RULE
        at = rest.end()
    return FINE


def _pattern_fault(pattern: str, replacement: str) -> str:
    """Check a pattern; Java's named groups are written without P; the rest is alike in Python."""
    try:
        groups = re.compile(re.sub(r"\(\?<(?![=!])", "(?P<", pattern)).groups
    except re.error as error:
        return f"A pattern is not a valid regular expression: {error.msg}"
    beyond = [number for number in re.findall(r"(?<!\\)\$(\d)", replacement) if int(number) > groups]
    return f"The value refers to group ${beyond[0]} of a pattern that has {groups}" if beyond else ""


def _each(fits: Callable[[str], object], message: str, remedy: str) -> Callable[[str], Fault]:
    """Return a check of lists with commas, which shows the first wrong element."""

    def judge(text: str) -> Fault:
        wrong = next((part for part in map(str.strip, text.split(",")) if part and not fits(part)), None)
        return FINE if wrong is None else (message.format(wrong), remedy)

    return judge


def _one_of(*known: str) -> Callable[[str], Fault]:
    return _each(
        lambda part: part in known,
        "The value contains {}, which Java does not know",
        f"give {' or '.join(filter(None, known))}",
    )


#: Setting -> what is wrong with its text, and what to give.
JUDGES: Mapping[str, Callable[[str], Fault]] = {
    "max.connections.per.ip.overrides": _each(
        HOST_LIMIT.fullmatch,
        "The value contains {}, which is not a host with a number",
        "write host:number, such as 10.0.0.1:100",
    ),
    "sasl.kerberos.principal.to.local.rules": _each(
        KERBEROS.fullmatch,
        "The value contains {}, which is not a rule",
        "write DEFAULT, or RULE:[n:format](pattern)s/from/to/",
    ),
    "ssl.cipher.suites": _each(
        CIPHER.fullmatch,
        "The value contains {}, which is not the name of a cipher in Java",
        "write it as TLS_AES_256_GCM_SHA384",
    ),
    "ssl.enabled.protocols": _one_of(*PROTOCOLS[1:]),
    "ssl.endpoint.identification.algorithm": _one_of("https", "HTTPS"),
    "ssl.keymanager.algorithm": _one_of("SunX509", "NewSunX509", "PKIX"),
    "ssl.principal.mapping.rules": principal_rules,
    "ssl.protocol": _one_of(*PROTOCOLS),
    "ssl.trustmanager.algorithm": _one_of("PKIX", "SunX509", "SunPKIX", "X509", "X.509"),
}


def parsed_fault(key: str, text: str) -> Fault:
    """Return the fault of a setting's text (without its listener), and the remedy; two empty texts if there is none."""
    judge = JUDGES.get(key)
    return judge(text) if judge and text else FINE
