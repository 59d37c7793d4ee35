"""The files of a node's start, in their three rooms below the install directory.

``next`` holds the files of the next start; a change there affects nothing that runs or could run. A start puts those
files in place (the release's ``config/`` and the unit), with the same owner and mode. So a node that crashes or reboots
while it waits for its turn in a roll comes back with its old files. ``previous`` holds the files of the process before
a restart, for the rollback of a failed restart.
Files that other roles contribute go the same way; a list names them, so that only those are removed.
"""

from __future__ import annotations

import dataclasses
import glob
import hashlib
import os
import shutil
import stat
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from ansible.module_utils.kraft.difference import CONTRIBUTED, JVM_OPTIONS, PROPERTIES
from ansible.module_utils.kraft.node import certificate, plugins
from ansible.module_utils.kraft.node.files.apply import make_directory, read, remove, write_file
from ansible.module_utils.kraft.node.release.manifest import MANIFEST, parse_manifest, read_text, release_dir
from ansible.module_utils.kraft.node.service.differences import CONFIG_FILES, contributed
from ansible.module_utils.kraft.node.service.record import started_files

NEXT, CURRENT, PREVIOUS = "next", "current", "previous"
UNIT_DIR = "/etc/systemd/system"
MANIFEST_MODE, DIGESTS_MODE = 0o644, 0o600
DIGESTS = "SHA256SUMS"  #: in PREVIOUS, in the format of sha256sum


@dataclasses.dataclass(frozen=True)
class Place:
    """A node's files: its unit (without ``.service``), the install dir, the version to run ('' if irrelevant).

    ``room``: source of the files to start with: NEXT, PREVIOUS, or CURRENT for those that are in place.
    ``contributed``: names of the files that other roles contribute, their list first; none without any.
    """

    unit: str
    install_dir: str
    release: str
    room: str = NEXT
    contributed: tuple[str, ...] = ()

    @property
    def service(self) -> str:
        return f"{self.unit}.service"

    @property
    def unit_file(self) -> str:
        return f"{UNIT_DIR}/{self.service}"

    @property
    def release_dir(self) -> str:
        return release_dir(self.install_dir, self.release)

    def sources(self) -> dict[str, str]:
        """Return name -> path of the file to start with."""
        found = self.destinations()
        return found if self.room == CURRENT else {name: f"{self.install_dir}/{self.room}/{name}" for name in found}

    def destinations(self) -> dict[str, str]:
        """Return name -> path of the file when it is in place."""
        config = {name: f"{self.release_dir}/config/{name}" for name in (*self.contributed, *CONFIG_FILES)}
        return {**config, self.service: self.unit_file}


def to_start_with(place: Place, given: Mapping[str, str]) -> dict[str, str]:
    """Return name -> text of the next start's files; `given` replaces what check mode has not written."""
    return {name: given.get(name, read_text(path)) for name, path in place.sources().items()}


def not_in_place(place: Place, given: Mapping[str, str]) -> tuple[str, ...]:
    """Return names of the files whose installed copy is missing, or has other content, owner or mode."""
    wanted, sources = to_start_with(place, given), place.sources()
    found = place.destinations().items()
    waiting = [name for name, path in found if wanted[name] and differs(wanted[name], sources[name], path)]
    return (*waiting, *withdrawn(place))


def listed(directory: str) -> tuple[str, ...]:
    """Return the contributed files that a directory holds, their list first; none without a list."""
    text = read_text(f"{directory}/{CONTRIBUTED}")
    return (CONTRIBUTED, *contributed(text)) if text else ()


def withdrawn(place: Place) -> tuple[str, ...]:
    """Return files that an earlier start put in place and that no role contributes any more."""
    return tuple(name for name in listed(f"{place.release_dir}/config") if name not in place.contributed)


def strangers(directory: str, names: Iterable[str]) -> tuple[str, ...]:
    """Return paths of the files in one of our own rooms that have none of `names`."""
    found = sorted(os.listdir(directory)) if os.path.isdir(directory) else []
    return tuple(f"{directory}/{name}" for name in found if name not in names and not name.startswith("."))


def differs(text: str, source: str, path: str) -> bool:
    """Check whether `path` lacks the `text`, or the owner and mode of `source` (which check mode may not have)."""
    if read_text(path) != text:
        return True
    return os.path.exists(source) and attributes(source) != attributes(path)


def attributes(path: str) -> tuple[int, int, int]:
    """Return owner, group and mode."""
    status = os.stat(path)
    return status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode)


def edited(
    place: Place, names: Iterable[str], given: Mapping[str, str], record: Mapping[str, bytes]
) -> tuple[str, ...]:
    """Return those of `names` whose installed file matches neither the next start nor the process of that `record`."""
    wanted, places = to_start_with(place, given), place.destinations()
    known = {name: record[name].decode("utf-8", "replace") for name in names if name in record and name in places}
    return tuple(name for name, started in known.items() if read_text(places[name]) not in (wanted[name], started))


def put_in_place(place: Place, names: Collection[str] | None = None) -> None:
    """Copy every file of the room, or `names`, to its place, each in one step, the unit last.

    Withdrawn files stay, and so does the list that names them: the loaded unit needs them until `withdraw`.
    """
    if names is None:
        carry(place)
    later = (CONTRIBUTED,) if withdrawn(place) else ()
    for name, source in place.sources().items():
        if (names is None or name in names) and name not in later:
            copy(source, place.destinations()[name])


def carry(place: Place) -> None:
    """Copy contributed files of another current release, the list first: its unit finds them when the link moves."""
    current, config = f"{place.install_dir}/current/config", f"{place.release_dir}/config"
    if os.path.realpath(current) != os.path.realpath(config) and listed(config) in ((), listed(current)):
        for name in listed(current):
            if not os.path.lexists(f"{config}/{name}"):  # a killed run may have begun
                copy(f"{current}/{name}", f"{config}/{name}")


def withdraw(place: Place, names: Collection[str] | None = None) -> None:
    """Remove files that no role contributes any more, or those of `names`. The list of our files goes last."""
    gone = withdrawn(place)
    for name in reversed(gone):
        if names is None or name in names:
            remove(f"{place.release_dir}/config/{name}")
    if gone and CONTRIBUTED in place.contributed and (names is None or CONTRIBUTED in names):
        copy(place.sources()[CONTRIBUTED], place.destinations()[CONTRIBUTED])


def copy(source: str, path: str) -> None:
    """Copy with owner and mode. An equal file is not written again: systemd would require a reload."""
    content = read(source)
    if not os.path.isfile(path) or content != read(path) or attributes(source) != attributes(path):
        write_file(path, content, *attributes(source))


def restore(place: Place, names: Iterable[str], record: Mapping[str, bytes]) -> None:
    """Restore the files that the running process was started with."""
    for name in names:
        write_file(place.destinations()[name], record[name], *attributes(place.sources()[name]))


def clean_other_releases(place: Place) -> None:
    """Remove contributed files, which may be private keys, from releases that no start takes them from any more."""
    for found in glob.glob(f"{place.install_dir}/releases/*/config/{CONTRIBUTED}"):
        config = os.path.dirname(found)
        for name in reversed(listed(config) if config != f"{place.release_dir}/config" else ()):
            remove(f"{config}/{name}")


def clean_plugins(place: Place) -> None:
    """Remove plugins that neither the next start, nor the unit in place, nor a way back names.

    A unit that cannot be read may name any of them, so then all stay.
    """
    rooms = (f"{place.install_dir}/{room}/{place.service}" for room in (NEXT, PREVIOUS))
    units: list[str] = []
    for path in (*rooms, place.unit_file):
        try:
            units.append(read(path).decode("utf-8", "replace"))
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError:
            return
    plugins.prune(place.install_dir, units)


def _configs(install_dir: str) -> list[str]:
    """Return ``config`` of each release, with those that a killed run left. Raises OSError if none can be listed."""
    releases = f"{install_dir}/releases"
    try:
        names = sorted(os.listdir(releases))
    except (FileNotFoundError, NotADirectoryError):
        return []
    return [path for path in (f"{releases}/{name}/config" for name in names) if os.path.lexists(path)]


def delete_secrets(install_dir: str, check_mode: bool) -> dict[str, Any]:
    """Delete what a node that has left must not keep: keys, passwords, and contributed files, which may be keys.

    Returns ``changed`` and ``changed_paths`` of the module. Files in a list go before the list. Raises OSError for a
    list that cannot be read: it may name keys.
    """
    configs = _configs(install_dir)
    for path in (f"{one}/{CONTRIBUTED}" for one in configs):
        if os.path.lexists(path):
            read(path)
    files = [f"{one}/{name}" for one in configs for name in (PROPERTIES, JVM_OPTIONS, *reversed(listed(one)))]
    rooms = [f"{install_dir}/{name}" for name in (certificate.DIRECTORY, NEXT, PREVIOUS)]
    found = [path for path in (*rooms, *files) if os.path.lexists(path)]
    for path in () if check_mode else found:
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path)
        else:
            remove(path)
    return {"changed": bool(found), "changed_paths": found}


def keep(place: Place, record: Mapping[str, bytes]) -> None:
    """Keep the files that the running process was started with, and their digests.

    The manifest goes last: without it the room counts as empty.
    """
    before, now = (f"{place.install_dir}/{room}" for room in (NEXT, PREVIOUS))
    owner, group, mode = attributes(before)
    make_directory(now, mode)
    os.chown(now, owner, group)
    for name in (MANIFEST, DIGESTS):
        remove(f"{now}/{name}")
    names = (*CONFIG_FILES, *of_record(record))
    for path in strangers(now, (*names, place.service)):
        remove(path)
    for name in (*names, place.service):
        like = place.service if name == place.service else PROPERTIES
        write_file(f"{now}/{name}", record[name], *attributes(f"{before}/{like}"))
    noted = "".join(f"{digest(record[name])}  {name}\n" for name in (*names, place.service, MANIFEST))
    write_file(f"{now}/{DIGESTS}", noted.encode(), owner, group, DIGESTS_MODE)
    write_file(f"{now}/{MANIFEST}", record[MANIFEST], owner, group, MANIFEST_MODE)


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def is_as_noted(room: str) -> bool:
    """Check that a room that ``keep`` wrote holds exactly the files of the recorded digests, and they are root's."""
    found = started_files(room)
    lines = found.get(DIGESTS, b"").decode("utf-8", "replace").splitlines()
    noted = {name: told for told, _, name in (line.partition("  ") for line in lines)}
    return MANIFEST in noted and all(name in found and digest(found[name]) == told for name, told in noted.items())


def of_record(record: Mapping[str, bytes]) -> tuple[str, ...]:
    """Return the contributed files of a process and their list; none if it was started without."""
    return (CONTRIBUTED, *contributed(record[CONTRIBUTED].decode())) if CONTRIBUTED in record else ()


def can_keep(place: Place, record: Mapping[str, bytes]) -> bool:
    """Check that the record has everything that is needed to start the same process again."""
    return all(name in record for name in (*CONFIG_FILES, place.service, MANIFEST, *of_record(record)))


def previous_release(install_dir: str) -> str:
    """Return the version of the process in ``previous``; '' if it holds none, or not the recorded files."""
    room = f"{install_dir}/{PREVIOUS}"
    manifest = parse_manifest(read_text(f"{room}/{MANIFEST}")) if is_as_noted(room) else None
    return manifest.version if manifest else ""


def kept_at(install_dir: str) -> float:
    """Return the time when ``previous`` was written, in seconds of the epoch; 0 if it holds nothing."""
    try:
        return os.stat(f"{install_dir}/{PREVIOUS}/{MANIFEST}").st_mtime
    except FileNotFoundError:
        return 0.0
