"""The files that a node is started with, in their three rooms below the install directory.

``next`` holds what the next start is to use; whoever writes there changes nothing that runs or could run. A start puts
those files in place (the release's ``config/`` and the unit), with the owner and mode that they have there. So a node
that crashes or reboots while it waits for its turn in a roll comes back with what it ran with. ``previous`` holds what
the process before a restart was started with: what a failed restart goes back to.
Files that other roles give the node go the same way; a list names them, so that only those are removed.
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
from ansible.module_utils.kraft.node import certificate
from ansible.module_utils.kraft.node.files.apply import make_directory, read, remove, write_file
from ansible.module_utils.kraft.node.release.manifest import MANIFEST, parse_manifest, read_text, release_dir
from ansible.module_utils.kraft.node.service.differences import CONFIG_FILES, contributed
from ansible.module_utils.kraft.node.service.record import started_files

NEXT, CURRENT, PREVIOUS = "next", "current", "previous"
UNIT_DIR = "/etc/systemd/system"
MANIFEST_MODE, DIGESTS_MODE = 0o644, 0o600
DIGESTS = "SHA256SUMS"  #: in PREVIOUS, as sha256sum writes them


@dataclasses.dataclass(frozen=True)
class Place:
    """Which node: its unit (without ``.service``), where releases live, the version to run ('' when none matters).

    ``room``: where the files to start with are taken from: NEXT, PREVIOUS, or CURRENT for those that are in place.
    ``contributed``: names of the files that other roles give, their list first; none where no role gives any.
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
        """Name -> where the file to start with lies."""
        found = self.destinations()
        return found if self.room == CURRENT else {name: f"{self.install_dir}/{self.room}/{name}" for name in found}

    def destinations(self) -> dict[str, str]:
        """Name -> where the file lies when it is in place."""
        config = {name: f"{self.release_dir}/config/{name}" for name in (*self.contributed, *CONFIG_FILES)}
        return {**config, self.service: self.unit_file}


def to_start_with(place: Place, given: Mapping[str, str]) -> dict[str, str]:
    """Name -> text of what the next start would use; `given` replaces what check mode has not written."""
    return {name: given.get(name, read_text(path)) for name, path in place.sources().items()}


def not_in_place(place: Place, given: Mapping[str, str]) -> tuple[str, ...]:
    """Names of the files whose place holds something else, or nothing, or belongs to somebody else."""
    wanted, sources = to_start_with(place, given), place.sources()
    found = place.destinations().items()
    waiting = [name for name, path in found if wanted[name] and differs(wanted[name], sources[name], path)]
    return (*waiting, *withdrawn(place))


def listed(directory: str) -> tuple[str, ...]:
    """The contributed files that a directory holds, their list first; none without a list."""
    text = read_text(f"{directory}/{CONTRIBUTED}")
    return (CONTRIBUTED, *contributed(text)) if text else ()


def withdrawn(place: Place) -> tuple[str, ...]:
    """Files that an earlier start put in place and that nobody gives any more."""
    return tuple(name for name in listed(f"{place.release_dir}/config") if name not in place.contributed)


def strangers(directory: str, names: Iterable[str]) -> tuple[str, ...]:
    """Paths of the files in one of our own rooms that have none of `names`."""
    found = sorted(os.listdir(directory)) if os.path.isdir(directory) else []
    return tuple(f"{directory}/{name}" for name in found if name not in names and not name.startswith("."))


def differs(text: str, source: str, path: str) -> bool:
    """Whether `path` lacks the `text`, or the owner and mode of `source` (check mode may have none to look at)."""
    if read_text(path) != text:
        return True
    return os.path.exists(source) and attributes(source) != attributes(path)


def attributes(path: str) -> tuple[int, int, int]:
    """Owner, group and mode."""
    status = os.stat(path)
    return status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode)


def edited(
    place: Place, names: Iterable[str], given: Mapping[str, str], record: Mapping[str, bytes]
) -> tuple[str, ...]:
    """Those of `names` whose place holds neither what waits nor what the process of that `record` was started with."""
    wanted, places = to_start_with(place, given), place.destinations()
    known = {name: record[name].decode("utf-8", "replace") for name in names if name in record and name in places}
    return tuple(name for name, started in known.items() if read_text(places[name]) not in (wanted[name], started))


def put_in_place(place: Place, names: Collection[str] | None = None) -> None:
    """Copy every file of the room, or `names`, to its place, each in one step, the unit last.

    Files that are withdrawn stay, and so does the list that names them: the unit that systemd has loaded needs them
    until `withdraw`.
    """
    if names is None:
        carry(place)
    later = (CONTRIBUTED,) if withdrawn(place) else ()
    for name, source in place.sources().items():
        if (names is None or name in names) and name not in later:
            copy(source, place.destinations()[name])


def carry(place: Place) -> None:
    """Copy contributed files of another release that is current: its unit finds them although the link moves."""
    current, config = f"{place.install_dir}/current/config", f"{place.release_dir}/config"
    if os.path.realpath(current) != os.path.realpath(config) and not listed(config):
        for name in listed(current):
            copy(f"{current}/{name}", f"{config}/{name}")


def withdraw(place: Place, names: Collection[str] | None = None) -> None:
    """Remove files that no role gives any more, or those of `names`. The list, which says what is ours, goes last."""
    gone = withdrawn(place)
    for name in reversed(gone):
        if names is None or name in names:
            remove(f"{place.release_dir}/config/{name}")
    if gone and CONTRIBUTED in place.contributed and (names is None or CONTRIBUTED in names):
        copy(place.sources()[CONTRIBUTED], place.destinations()[CONTRIBUTED])


def copy(source: str, path: str) -> None:
    """With owner and mode. A file that is the same already is not written again: systemd would ask for a reload."""
    content = read(source)
    if not os.path.isfile(path) or content != read(path) or attributes(source) != attributes(path):
        write_file(path, content, *attributes(source))


def restore(place: Place, names: Iterable[str], record: Mapping[str, bytes]) -> None:
    """Put what the running process was started with back in place."""
    for name in names:
        write_file(place.destinations()[name], record[name], *attributes(place.sources()[name]))


def clean_other_releases(place: Place) -> None:
    """Remove contributed files, which may be private keys, from releases that no start takes them from any more."""
    for found in glob.glob(f"{place.install_dir}/releases/*/config/{CONTRIBUTED}"):
        config = os.path.dirname(found)
        for name in reversed(listed(config) if config != f"{place.release_dir}/config" else ()):
            remove(f"{config}/{name}")


def delete_secrets(install_dir: str, check_mode: bool) -> dict[str, Any]:
    """Delete what a node that has left must not keep: keys, passwords, and contributed files, which may be keys.

    Gives ``changed`` and ``changed_paths`` of the module. What each list names goes before the list.
    """
    configs = sorted(glob.glob(f"{install_dir}/releases/*/config"))
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
    """Keep what the running process was started with, and the digests of all of it.

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
    """Whether a room that ``keep`` wrote holds the very files whose digests it noted, and they are root's."""
    found = started_files(room)
    lines = found.get(DIGESTS, b"").decode("utf-8", "replace").splitlines()
    noted = {name: told for told, _, name in (line.partition("  ") for line in lines)}
    return MANIFEST in noted and all(name in found and digest(found[name]) == told for name, told in noted.items())


def of_record(record: Mapping[str, bytes]) -> tuple[str, ...]:
    """The contributed files of a process and their list; none of one that was started without."""
    return (CONTRIBUTED, *contributed(record[CONTRIBUTED].decode())) if CONTRIBUTED in record else ()


def can_keep(place: Place, record: Mapping[str, bytes]) -> bool:
    """Whether the record says all that is needed to start the same process again."""
    return all(name in record for name in (*CONFIG_FILES, place.service, MANIFEST, *of_record(record)))


def previous_release(install_dir: str) -> str:
    """Version of the process that ``previous`` holds; '' where it holds none, or something else than was noted."""
    room = f"{install_dir}/{PREVIOUS}"
    manifest = parse_manifest(read_text(f"{room}/{MANIFEST}")) if is_as_noted(room) else None
    return manifest.version if manifest else ""


def kept_at(install_dir: str) -> float:
    """When ``previous`` was written, in seconds of the epoch; 0 where it holds nothing."""
    try:
        return os.stat(f"{install_dir}/{PREVIOUS}/{MANIFEST}").st_mtime
    except FileNotFoundError:
        return 0.0
