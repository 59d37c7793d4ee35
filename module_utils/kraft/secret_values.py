"""Rules for secret values, in one place for every variable, file, log, report and message.

By name: settings of Kafka and of its listeners (``listener.name.…``), options of clients (``kafka.…``), system
properties of Java, variables. By value: an address with credentials, a login's line, a private key.
Kafka's definitions do not travel to the hosts; a test compares them with the names: no password of Kafka's is missed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

HIDDEN = "(hidden)"

WORDS = (
    r"pass?w|passphrase|passcode|(?<![a-z])pass(?![a-z])|pwd|secret|jaas|credential|token|hmac|cookie|user[._]info"
    r"|(?:api|access|account|encryption|private|shared)[._-]?key|webhook[._-]?url|proxy-?auth(?![a-z])|(?<!client)[._-]auth(?![a-z._-])"
)
NAMED = re.compile(rf"{WORDS}|(?:^|[.\s])user_\w+$|\.key$|certificate\.chain$|truststore\.certificates$", re.IGNORECASE)
#: Properties of a secret that are none: its place, its kind, its lifetime.
PUBLIC = re.compile(
    r"[._-](?:algorithm|class|file|location|ms|path|type|url)$|(?<=[a-z])(?:Algorithm|Class|File|Location|Path|Type|Url)$"
)
#: An address that is a secret as a whole: anyone who has it may call it.
CALLED = re.compile(r"webhook[._-]?url$", re.IGNORECASE)
#: Kafka's own names that match the words above and are no secrets.
NO_SECRETS = ("sasl.oauthbearer.client.credentials.client.id",)
#: Kafka's settings that begin with a listener's name, which may be PRIVATE, before a colon.
LISTENERS = ("listeners", "advertised.listeners", "listener.security.protocol.map")
#: First words of Kafka's settings, of any version, and of our own; a test compares them with Kafka's definitions.
FIRST_WORDS = frozenset(
    """
    add advertised alter authorizer auto background broker cleanup client compression config connection connections
    controlled controller cordoned create default delegation delete early errors fetch file flush follower group index
    initial inter internal kafka kraftwright leader listener listeners local log max message metadata metric metrics min
    node num offset offsets preallocate principal process producer queued quota remote replica replication request
    retention sasl security segment server share socket ssl super telemetry transaction transactional unclean unstable
    """.split()  # noqa: SIM905 - a table to read
)
LISTENER_NAME = re.compile(r"^listener\.name\.[^.]+\.(?:(?:plain|gssapi|oauthbearer|scram-sha-\d+)\.)?")
#: Passed on to a provider of configuration, which is a plugin.
PARAMETER = re.compile(r"config\.providers\.[^.]+\.param\.")
#: Last words of settings of plugins that hold no secret.
HARMLESS = re.compile(
    r"[._-](?:enabled?|names?|size|bytes|count|interval|timeout|level|host|port|topics?|partitions|factor|threads|version"
    r"|region|bucket|prefix|policy|mode|retries|seconds|max|min|ratio|percent|dir|directory|format|classes)$"
)
ADDRESS = re.compile(r"([a-z][a-z0-9+.-]*://)(?!\(hidden\)@)[^/\s@]+@", re.IGNORECASE)
PRIVATE_KEY = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY")
PAIR = re.compile(r"([^\s=:]+)(\s*[=:]\s*|\s+)(.*)", re.DOTALL)
VALUE = re.compile(
    rf"""\w*(?:{WORDS})\w*["']?\s*[=:]\s*["']?(?!\(hidden\))[^\s"';,&]  # password="…", "token": "…", ?sig_token=…
    |\buser_\w+\s*=\s*["']?[^\s"';,&]
    |[?&](?:sig|signature|code|key)=[^\s&]
    |-----BEGIN\ [A-Z ]*PRIVATE\ KEY
    |\b(?:Bearer|Basic)\s+[A-Za-z0-9+/_.=-]{{8}}
    |\bAKIA[0-9A-Z]{{16}}\b
    |\beyJ[\w-]+\.[\w-]+\.""",
    re.IGNORECASE | re.VERBOSE,
)


def is_secret(key: str, value: object = "") -> bool:
    """Check that the value of `key` must not be shown; an empty `key` if there is only a value."""
    text = str(value)
    return _is_named(key) or bool(ADDRESS.search(text) or (key not in LISTENERS and VALUE.search(text)))


def _is_named(key: str) -> bool:
    public = PUBLIC.search(key) and not CALLED.search(key)
    return bool(NAMED.search(key) and not public and not key.lower().endswith(NO_SECRETS))


def is_secret_setting(key: str, value: object = "") -> bool:
    """Check a setting of a node, by Kafka's rules: only harmless ones of an unknown plugin are shown."""
    return is_secret(key, value) or (is_of_plugin(key) and not _is_harmless(key, str(value)))


def is_of_plugin(key: str) -> bool:
    """Check that no version of Kafka has such a setting: its first word is none of Kafka's."""
    return PARAMETER.match(key) is not None or LISTENER_NAME.sub("", key).partition(".")[0] not in FIRST_WORDS


def _is_harmless(key: str, value: str) -> bool:
    return bool(PUBLIC.search(key) or HARMLESS.search(key)) or value.strip().lower() in ("", "true", "false")


def shown(value: Any, key: str = "") -> Any:
    """Hide every secret in plain data; only the credentials of an address. `key`: the name of the value."""
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


def shown_line(line: str, settings: bool = False) -> str:
    """Hide secrets in a line of a ``.properties`` file (separators: ``=``, ``:``, blanks), or in ``-Dname=value``.

    `settings`: it is one of a node's settings, in which those of plugins are hidden as well.
    """
    if PRIVATE_KEY.match(line):
        return HIDDEN
    parts = PAIR.fullmatch(line)
    if not parts:
        return str(shown(line))
    if (
        settings
        and line[0] not in "#!"
        and parts[3]
        and not _is_named(parts[1])
        and is_secret_setting(parts[1], parts[3])
    ):
        of_plugin = is_of_plugin(parts[1]) and not is_secret("", parts[3])
        return f"{parts[1]}{parts[2]}{HIDDEN if of_plugin else shown(parts[3], parts[1])}"
    return f"{parts[1]}{parts[2]}{shown(parts[3], parts[1])}"


def secret_keys(settings: Mapping[str, Any]) -> list[str]:
    """Return the settings of a node whose values must not be shown."""
    return sorted(key for key, value in settings.items() if is_secret_setting(key, value))


def shown_text(text: str, settings: bool = False) -> str:
    """Hide secrets in a file of settings or options; continued lines are checked, and hidden, as one."""
    return "".join(line for group in _joined(text) for line in _shown_group(group, settings))


def _shown_group(lines: Sequence[str], settings: bool) -> Iterator[str]:
    bodies = [line.rstrip("\r\n") for line in lines]
    if any(PRIVATE_KEY.search(body) for body in bodies):
        written = [shown_line(bodies[0], settings), *[HIDDEN] * (len(bodies) - 1)]
    else:
        whole = (
            "".join([bodies[0], *(body.lstrip() for body in bodies[1:])]).replace("\\", "") if bodies[1:] else bodies[0]
        )
        judged = shown_line(whole, settings)
        written = bodies if judged == whole else [judged, *[HIDDEN] * (len(bodies) - 1)]
    return (shown + line[len(body) :] for shown, body, line in zip(written, bodies, lines))


def _joined(text: str) -> Iterator[list[str]]:
    """Yield lines that belong together: by a backslash at the end, or as one private key."""
    group: list[str] = []
    in_key = False
    for line in text.splitlines(keepends=True):
        body = line.rstrip("\r\n")
        group.append(line)
        in_key = (in_key or bool(PRIVATE_KEY.search(body))) and "-----END" not in body
        if not in_key and (len(body) - len(body.rstrip("\\"))) % 2 == 0:
            yield group
            group = []
    if group:
        yield group


def differing(before: str, after: str, settings: bool = False) -> tuple[str, str]:
    """Return both sides of a diff with secrets hidden; the second one notes if only secrets differ."""
    sides = shown_text(before, settings), shown_text(after, settings)
    same = sides[0] == sides[1] and before != after
    return (sides[0], f"{sides[1]}# {HIDDEN} values differ\n") if same else sides
