"""The archive: a version that can be deployed, from a place that is said, with a checksum that proves it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ansible.module_utils.kraft.problem import ERROR, WARNING, Problem
from ansible.module_utils.kraft.spec.desired.model import Node
from ansible.module_utils.kraft.spec.inventory.advisories import affecting, outdated
from ansible.module_utils.kraft.spec.inventory.definitions import versions
from ansible.module_utils.kraft.spec.inventory_rules.subject import RISK, Subject

VERSION = re.compile(r"(\d+)\.(\d+)\.(\d+)(-[A-Za-z0-9.]+)?")
FIRST = (4, 0, 0)
NAME_VERSION = re.compile(r"kafka_\d+\.\d+-(\d+\.\d+\.\d+)")
SCHEMES = ("http", "https", "ftp", "file")
CHECKSUMS = {"sha256": 64, "sha512": 128}
HOW = "give sha256: or sha512: and the digest, as `sha512sum FILE` prints it"
#: Rules of what a deployment needs; without it, what the nodes should be is known all the same.
AWAITED = frozenset(
    {"archive_content", "archive_missing", "client_checksum", "client_content"}
    | {"client_missing", "private_key", "spark_missing"}
)
MAKE = "run `make archive`, or name the archive that you have"


def version(subject: Subject) -> Iterator[Problem]:
    """Require a release of Kafka without ZooKeeper."""
    text = subject.cluster.version
    match = VERSION.fullmatch(text)
    variable = "kafka_version"
    if not text or variable in subject.cluster.nodes[0].broken:
        return
    if not match:
        remedy = f'give three numbers as text, such as "{versions()[-1]}"'
        yield Problem("version", "The value is not a Kafka version", remedy, variable, value=text)
    elif tuple(int(part) for part in match.groups()[:3]) < FIRST:
        remedy = f"give 4.0.0 or newer; known here: {', '.join(versions())}"
        yield Problem(
            "version", "The version is older than 4.0, the first without ZooKeeper", remedy, variable, value=text
        )
    elif text not in versions():
        message = "The settings of this version are unknown"
        remedy = f"use one of {', '.join(versions())}; until then settings are validated against the nearest of them"
        yield Problem("version_unknown", message, remedy, variable, value=text, severity=WARNING)


def advisories(subject: Subject) -> Iterator[Problem]:
    """Report known advisories of the release. The rule has the advisory's name, so that each is accepted alone."""
    text = subject.cluster.version
    if any(version(subject)):  # it must change anyway
        return
    for one in affecting(text):
        message = f"The version is affected by {one.identifier}: {one.effect} ({one.reach})"
        yield Problem(one.identifier, message, one.remedy, "kafka_version", value=text, severity=RISK)


def advisories_checked(subject: Subject) -> Iterator[Problem]:
    """Warn about an old list of advisories: it may lack those of the release."""
    message = outdated(subject.surroundings.advisories_age)
    if message:
        remedy = "update Kraftwright, or compare advisories.yml with https://kafka.apache.org/cve-list"
        yield Problem("advisories_old", message, remedy, "kafka_version", severity=WARNING)


def place(subject: Subject) -> Iterator[Problem]:
    """Require a path of the control machine or a URL, of a gzipped tar of binaries."""
    text, variable = subject.cluster.archive, "kafka_archive"
    if not text:
        return
    path = re.split(r"[?#]", text)[0]
    message, remedy = place_problem(text, path)
    if message:
        yield Problem("archive", message, remedy, variable, value=text)
    named = NAME_VERSION.search(path.rpartition("/")[2])
    if named and named[1] != subject.cluster.version:
        message = f"The archive is Kafka {named[1]} by its name, but kafka_version is {subject.cluster.version}"
        yield Problem("archive_version", message, "give the archive of that version", variable, value=text)


def place_problem(text: str, path: str) -> tuple[str, str]:
    """Return the fault of an archive's location, and the remedy; `path`: without a URL's query."""
    scheme, separator, _ = text.partition("://")
    relative = not separator and not text.startswith("/")
    faults = (
        (
            separator and scheme not in SCHEMES,
            f"The URL scheme {scheme} is unknown",
            f"use one of {', '.join(SCHEMES)}, or a path",
        ),
        (
            relative,
            "The path is relative: it would depend on the playbook's folder",
            "begin it with {{ inventory_dir }}/",
        ),
        (
            not separator and not path.endswith((".tgz", ".tar.gz")),
            "The archive is not a .tgz file",
            "give Kafka's binary archive",
        ),
        (path.endswith(("-src.tgz", "-src.tar.gz")), "The archive contains source code", "give the binary archive"),
    )
    return next(((message, remedy) for wrong, message, remedy in faults if wrong), ("", ""))


def presence(subject: Subject) -> Iterator[Problem]:
    """Report a missing archive: an error if a host needs it, a warning before the hosts were inspected."""
    if subject.surroundings.archive_exists is False and is_awaited(subject):
        severity = ERROR if looked_at(subject) else WARNING
        message, text = "The file does not exist", subject.cluster.archive
        yield Problem("archive_missing", message, MAKE, "kafka_archive", value=text, severity=severity)


def looked_at(subject: Subject) -> list[Node]:
    """Return the hosts with known releases."""
    return [node for node in subject.cluster.nodes if node.facts.releases is not None]


def is_awaited(subject: Subject) -> bool:
    """Check whether a host lacks the release, as far as is known."""
    version_wanted, hosts = subject.cluster.version, looked_at(subject)
    complete = [(node.facts.releases or {}).get(version_wanted, {}).get("complete") for node in hosts]
    return not hosts or not all(complete)


def checksum(subject: Subject) -> Iterator[Problem]:
    """Require a checksum that proves the content."""
    text = subject.cluster.archive_checksum
    message = checksum_problem(text) if text else ""
    if message:
        yield Problem("checksum", message, HOW, "kafka_archive_checksum", value=text)


def checksum_problem(text: str) -> str:
    """Return the fault of a checksum; empty if there is none."""
    algorithm, _, digest = text.strip().lower().partition(":")
    length = CHECKSUMS.get(algorithm)
    if not digest:
        return "The checksum does not name its algorithm"
    if length is None:
        return f"The algorithm {algorithm} is weak or unknown"
    if not re.fullmatch(r"[0-9a-f]+", digest):
        return "The checksum contains characters that are not hexadecimal digits"
    return "" if len(digest) == length else f"The checksum has {len(digest)} digits, not the {length} of {algorithm}"


def content(subject: Subject) -> Iterator[Problem]:
    """Report a damaged archive here, before any host is changed. It is as bad as a missing one."""
    found = subject.surroundings.archive_digest
    wanted = subject.cluster.archive_checksum.strip().lower().partition(":")[2]
    if found and wanted and found != wanted and is_awaited(subject):
        message = f"The digest is {found[:12]}..., but kafka_archive_checksum says {wanted[:12]}..."
        remedy = "get the archive again, or give the checksum that its publisher gives"
        severity, text = ERROR if looked_at(subject) else WARNING, subject.cluster.archive
        yield Problem("archive_content", message, remedy, "kafka_archive", value=text, severity=severity)


RULES = (version, advisories, advisories_checked, place, presence, checksum, content)
