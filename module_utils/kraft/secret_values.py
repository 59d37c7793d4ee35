"""What must not be shown, decided in one place for every variable, file, log, report and message.

By name: settings of Kafka and of its listeners (``listener.name.…``), options of clients (``kafka.…``), system
properties of Java, variables. By value: an address with credentials, a login's line, a private key.
Kafka's definitions do not travel to the hosts; a test holds them against the names: no password of Kafka's is missed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

HIDDEN = "(hidden)"

WORDS = r"pass?w|passphrase|pwd|secret|jaas|credential|token|(?:api|access|account|encryption|private|shared)[._-]?key"
NAMED = re.compile(rf"{WORDS}|\.key$|certificate\.chain$|truststore\.certificates$", re.IGNORECASE)
#: What stands beside a secret and is none: where it lies, of which kind it is, how long it holds.
PUBLIC = re.compile(
    r"[._-](?:algorithm|class|file|location|ms|path|type|url)$|(?<=[a-z])(?:Algorithm|Class|File|Location|Path|Type|Url)$"
)
#: Kafka's own names that the words above would take for secrets.
NO_SECRETS = ("sasl.oauthbearer.client.credentials.client.id",)
#: Kafka's settings that begin with a listener's name, which may be PRIVATE, before a colon.
LISTENERS = ("listeners", "advertised.listeners", "listener.security.protocol.map")
ADDRESS = re.compile(r"([a-z][a-z0-9+.-]*://)(?!\(hidden\)@)[^/\s@]+@", re.IGNORECASE)
PRIVATE_KEY = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY")
PAIR = re.compile(r"([^\s=:]+)(\s*[=:]\s*|\s+)(.*)", re.DOTALL)
VALUE = re.compile(
    rf"""\w*(?:{WORDS})\w*["']?\s*[=:]\s*["']?[^\s"';,&]  # password="…", "token": "…", ?sig_token=…
    |-----BEGIN\ [A-Z ]*PRIVATE\ KEY
    |\b(?:Bearer|Basic)\s+[A-Za-z0-9+/_.=-]{{8}}
    |\bAKIA[0-9A-Z]{{16}}\b
    |\beyJ[\w-]+\.[\w-]+\.""",
    re.IGNORECASE | re.VERBOSE,
)


def is_secret(key: str, value: object = "") -> bool:
    """Whether the value of `key` must not be shown; an empty `key` where there is only a value."""
    text = str(value)
    return _is_named(key) or bool(ADDRESS.search(text) or (key not in LISTENERS and VALUE.search(text)))


def _is_named(key: str) -> bool:
    return bool(NAMED.search(key) and not PUBLIC.search(key) and not key.lower().endswith(NO_SECRETS))


def shown(value: Any, key: str = "") -> Any:
    """Plain data with every secret in it hidden; of an address only the credentials. `key`: whose value it is."""
    if _is_named(key):
        return HIDDEN
    if isinstance(value, Mapping):
        return {name: shown(each, str(name)) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [shown(each, key) for each in value]
    if not is_secret(key, value):
        return value
    without = ADDRESS.sub(rf"\1{HIDDEN}@", str(value))
    return HIDDEN if is_secret(key, without) else without


def shown_line(line: str) -> str:
    """A line of a ``.properties`` file (separators: ``=``, ``:``, blanks), or an option such as ``-Dname=value``."""
    if PRIVATE_KEY.match(line):
        return HIDDEN
    parts = PAIR.fullmatch(line)
    return f"{parts[1]}{parts[2]}{shown(parts[3], parts[1])}" if parts else str(shown(line))


def secret_keys(settings: Mapping[str, Any]) -> list[str]:
    """The settings of a file whose values must not be shown."""
    return sorted(key for key, value in settings.items() if is_secret(key, value))


def shown_text(text: str) -> str:
    """The text of a file of settings or options, line by line; what continues a line is hidden with it."""
    return "".join(_lines(text))


def _lines(text: str) -> Iterator[str]:
    hidden = continues = in_key = False
    for line in text.splitlines(keepends=True):
        body = line.rstrip("\r\n")
        written = HIDDEN if continues and hidden else body
        if not continues:
            written = shown_line(body)
            hidden = written != body
        yield written + line[len(body) :]
        in_key = (in_key or bool(PRIVATE_KEY.search(body))) and "-----END" not in body
        continues = in_key or (body.endswith("\\") and not body.endswith("\\\\"))


def differing(before: str, after: str) -> tuple[str, str]:
    """Both sides of a diff with secrets hidden; where nothing else differs, the second one says so."""
    sides = shown_text(before), shown_text(after)
    same = sides[0] == sides[1] and before != after
    return (sides[0], f"{sides[1]}# {HIDDEN} values differ\n") if same else sides
