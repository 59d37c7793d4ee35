"""Releases of Kafka side by side on a host: completeness, and the content that an archive must have.

``<install dir>/releases/<version>/MANIFEST`` is written last. A release is complete if its MANIFEST is there and every
file in it has the recorded size. ``config/`` is not in it: those files become the node's configuration.
"""

from __future__ import annotations

import dataclasses
import json
import os
import re
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from ansible.module_utils.kraft.errors import RefusedError

MANIFEST = "MANIFEST"
CLASSPATH = "classpath.options"
#: The AppCDS archive of all that Kafka loads at a start: specific to one JVM build, no part of a release.
APPCDS_ARCHIVE = "classes.jsa"
#: An archive below the install dir's ``.incoming`` was transferred by us, so we may remove it.
INCOMING = ".incoming"
#: The name of a directory of ``releases``.
VERSION = re.compile(r"[0-9A-Za-z][0-9A-Za-z.+_-]*")
CHECKSUM_LENGTH = {"sha256": 64, "sha512": 128}


@dataclasses.dataclass(frozen=True)
class FileRecord:
    """Size in bytes and sha256 (hex) of one file."""

    size: int
    sha256: str


@dataclasses.dataclass(frozen=True)
class Manifest:
    """Origin and files of a release. ``archive``: algorithm -> hex digest; ``files``: path in the release -> record."""

    version: str
    archive: Mapping[str, str]
    files: Mapping[str, FileRecord]

    def text(self) -> str:
        """Return its canonical text: the same release gives the same bytes on every host."""
        files = {path: dataclasses.asdict(record) for path, record in self.files.items()}
        content = {"version": self.version, "archive": dict(self.archive), "files": files}
        return json.dumps(content, indent=1, sort_keys=True) + "\n"


@dataclasses.dataclass(frozen=True)
class ReleaseState:
    """A release as it is on disk. ``damage``: path in it -> what is wrong.

    ``partial``: a killed run left something; ``rest``: incomplete archives are in ``.incoming``.
    """

    exists: bool = False
    manifest: Manifest | None = None
    damage: Mapping[str, str] = dataclasses.field(default_factory=dict)
    partial: bool = False
    rest: bool = False

    @property
    def complete(self) -> bool:
        return self.manifest is not None and not self.damage


def release_dir(install_dir: str, version: str) -> str:
    return f"{install_dir}/releases/{version}"


def partial_dir(install_dir: str, version: str) -> str:
    return f"{install_dir}/releases/.partial-{version}"


def replaced_dir(install_dir: str, version: str) -> str:
    """Return where a damaged release waits while the new one takes its name, on file systems without an exchange."""
    return f"{install_dir}/releases/.replaced-{version}"


def remains(install_dir: str, version: str) -> list[str]:
    """Return the directories that a killed run has left."""
    every = (partial_dir(install_dir, version), replaced_dir(install_dir, version))
    return [one for one in every if os.path.lexists(one)]


def parse_manifest(text: str) -> Manifest | None:
    """Parse a manifest; None for anything else (a half-written file, an older form, a name that leads elsewhere)."""
    try:
        content = json.loads(text)
        files = {path: FileRecord(int(r["size"]), str(r["sha256"])) for path, r in content["files"].items()}
        for path in files:
            member_path(path)
        version = str(content["version"])
        return Manifest(version, dict(content["archive"]), files) if VERSION.fullmatch(version) else None
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def read_manifest(directory: str) -> Manifest | None:
    try:
        return parse_manifest((Path(directory) / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError):
        return None


def parse_checksum(text: str) -> tuple[str, str]:
    """Parse ``sha512:AB…`` -> ``("sha512", "ab…")``. Raises ValueError for any other form."""
    algorithm, _, digest = text.strip().lower().partition(":")
    length = CHECKSUM_LENGTH.get(algorithm, 0)
    if not length or not re.fullmatch(f"[0-9a-f]{{{length}}}", digest):
        raise ValueError(f"checksum {text!r}: give 'sha256:' and 64 or 'sha512:' and 128 hexadecimal digits")
    return algorithm, digest


def member_path(name: str) -> tuple[str, str]:
    """Return the archive's top directory and the member's path below it, '' for the top directory itself.

    Raises ValueError for a path that leads out of the archive.
    """
    parts = [part for part in name.split("/") if part not in ("", ".")]
    if name.startswith("/") or ".." in parts:
        raise ValueError(f"the archive holds {name!r}, which leads out of it")
    return "".join(parts[:1]), "/".join(parts[1:])


def link_stays_inside(path: str, target: str) -> bool:
    """Check that a link at `path` (below the release) to `target` ends below the release, too."""
    resolved = os.path.normpath(os.path.join(os.path.dirname(path), target))
    return not target.startswith("/") and resolved != ".." and not resolved.startswith("../")


def layout_problems(paths: Collection[str], version: str) -> list[str]:
    """Return what an unpacked archive lacks to be Kafka `version`; `paths` are those of its files."""
    found = (re.fullmatch(r"libs/kafka-clients-(\d.*)\.jar", path) for path in paths)
    versions = sorted(match[1] for match in found if match)
    if versions != [version]:
        held = f"Kafka {', '.join(versions)}" if versions else "no libs/kafka-clients-*.jar"
        return [f"the archive holds {held}, but version {version} is configured"]
    missing = [name for name in ("bin/", "config/") if not any(path.startswith(name) for path in paths)]
    return [f"the archive has no {name}" for name in missing]


def jars(paths: Iterable[str]) -> list[str]:
    return sorted(path for path in paths if path.startswith("libs/") and path.endswith(".jar"))


def class_path(directory: str, paths: Iterable[str]) -> str:
    """Return the class path: absolute, sorted, no wildcard; always the same, as an AppCDS archive demands.

    It names the release and not ``current``, so that a running JVM never loads a class of the next release.
    """
    return ":".join(f"{directory}/{path}" for path in jars(paths))


def classpath_options(directory: str, paths: Iterable[str], appcds_archive: bool = False) -> str:
    """Return a java @argfile with the class path, and with the AppCDS archive if it is usable.

    The JVM checks the archive first. It starts without one that is missing, damaged or of another JVM.
    """
    shared = f"-XX:SharedArchiveFile={directory}/{APPCDS_ARCHIVE}\n-XX:+VerifySharedSpaces\n" if appcds_archive else ""
    return f'{shared}-cp "{class_path(directory, paths)}"\n'


def file_damage(directory: str, manifest: Manifest) -> dict[str, str]:
    """Return files of the manifest that are missing or have another size."""
    damage = {}
    for path, record in manifest.files.items():
        try:
            size = os.stat(os.path.join(directory, path), follow_symlinks=False).st_size
        except OSError:
            damage[path] = "missing"
        else:
            if size != record.size:
                damage[path] = f"{size} bytes instead of {record.size}"
    return damage


def read_text(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def observe_release(install_dir: str, version: str) -> ReleaseState:
    """Inspect a release by its sizes; contents are hashed only on request (``release_unpack.content_damage``)."""
    directory = release_dir(install_dir, version)
    partial = bool(remains(install_dir, version))
    if not os.path.lexists(directory):
        return ReleaseState(partial=partial)
    manifest = read_manifest(directory)
    if manifest is None:
        return ReleaseState(exists=True, damage={MANIFEST: "missing or unreadable"}, partial=partial)
    damage = file_damage(directory, manifest)
    right = [classpath_options(directory, manifest.files, appcds_archive) for appcds_archive in (False, True)]
    if read_text(f"{directory}/{CLASSPATH}") not in right:
        damage[CLASSPATH] = "not the one of this release"
    return ReleaseState(exists=True, manifest=manifest, damage=damage, partial=partial)


def observe_releases(install_dir: str) -> dict[str, ReleaseState]:
    """Return every release of the install dir by version; unfinished ones (names with a leading dot) are left out."""
    try:
        names = sorted(os.listdir(f"{install_dir}/releases"))
    except OSError:
        return {}
    return {name: observe_release(install_dir, name) for name in names if not name.startswith(".")}


def archive_mismatch(state: ReleaseState, checksum: str) -> str:
    """Return why the release on disk is not the requested one: another archive is its origin; '' if it is."""
    algorithm, digest = parse_checksum(checksum)
    if state.manifest is None or state.manifest.archive.get(algorithm) == digest:
        return ""
    return (
        f"release {state.manifest.version} was unpacked from another archive: {algorithm} "
        f"{state.manifest.archive.get(algorithm, 'not recorded')}, the inventory says {digest}. Correct the checksum, "
        "or, once no node runs from this release, move its directory away"
    )


@dataclasses.dataclass(frozen=True)
class Plan:
    """``action``: none, unpack (a damaged release, too) or classpath (only that file is wrong).

    ``clean``: ours to remove, the transferred archive or remains of a killed run (partial, rest).
    """

    action: str
    clean: tuple[str, ...] = ()

    @property
    def changed(self) -> bool:
        return self.action != "none" or bool(self.clean)


def choose_action(state: ReleaseState) -> str:
    if state.complete:
        return "none"
    if state.manifest is not None and set(state.damage) == {CLASSPATH}:
        return "classpath"
    return "unpack"


def describe_damage(damage: Mapping[str, str], shown: int = 5) -> str:
    """Return ``libs/a.jar: missing; ...`` and the number of further ones."""
    texts = [f"{path}: {what}" for path, what in sorted(damage.items())]
    more = [f"and {len(texts) - shown} more"] if len(texts) > shown else []
    return "; ".join(texts[:shown] + more)


def plan_release(state: ReleaseState, checksum: str, archive: str, archive_found: bool, ours: bool) -> Plan:
    """Plan the steps. Raises RefusedError if they are impossible. `ours`: the archive is in our ``.incoming``."""
    mismatch = archive_mismatch(state, checksum)
    if mismatch:
        raise RefusedError([mismatch])
    action = choose_action(state)
    if action == "unpack" and not archive_found:
        why = f"it is damaged ({describe_damage(state.damage)})" if state.exists else "it is not installed"
        raise RefusedError(
            [f"{why}, and there is no archive at {archive or '(none given)'}: bring it to the host first"]
        )
    partial = ("partial",) if state.partial and action in ("none", "classpath") else ()
    return Plan(action, partial + (("archive",) if ours and archive_found else ()) + (("rest",) if state.rest else ()))
