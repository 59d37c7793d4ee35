"""Modules as Ansible sends them, kept on the control machine for later runs.

Ansible sends a module in a zip with every file that it imports. In each run it parses all these files again, module by
module, while the hosts wait. Here a run takes the zips of an earlier run. The name of their directory is the digest of
all files that a zip can contain. So a changed file, or another ansible-core, never gets an older zip.

Ansible unpickles these files. So the directory must belong to this user, who alone can read and write it.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import stat
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from ansible import constants
from ansible.executor import module_common
from ansible.plugins.loader import module_loader, module_utils_loader

DIRECTORY = ".cache/modules"  #: in the project's directory
BUILT = "ansiballz_cache"  #: in Ansible's directory of a run
#: Beginnings of the names of modules whose sources are in the digest: Ansible's own, and this project's.
OURS = ("ansible.modules.", "ansible.legacy.kafka_", "ansible_collections.kraftwright.kafka.plugins.modules.")
UNFINISHED = (".lock", "-part")
MOST = 4  #: sets of modules, for two versions of ansible-core and of the project
DIGEST = 32  #: bytes before the content: a file that was not written to its end is not used
MODE = 0o700


@dataclass(frozen=True)
class BuiltModules:
    """``kept``: the directory of this version's modules; ``built``: the directory in which Ansible looks for them.

    ``places``: the sources of which the name of ``kept`` is the digest.
    """

    kept: Path
    built: Path
    places: tuple[str, ...]

    def take(self) -> None:
        """Give the kept modules to Ansible, before the first task."""
        if not _of_this_user_alone(self.kept):
            return
        with contextlib.suppress(OSError):
            self.built.mkdir(mode=MODE, parents=True, exist_ok=True)
            for path in self.kept.iterdir():
                content = path.read_bytes()
                if hashlib.sha256(content[DIGEST:]).digest() == content[:DIGEST]:
                    _write(self.built / path.name, content[DIGEST:])

    def keep(self) -> None:
        """Keep what Ansible has built, after the last task, unless a source has changed since the first one.

        Without room for it, the next run builds it again.
        """
        with contextlib.suppress(OSError):
            new = [path for path in self.built.iterdir() if _may_be_kept(path) and not (self.kept / path.name).exists()]
            if not new or digest(self.places) != self.kept.name or not _made(self.kept):
                return
            for path in new:
                content = path.read_bytes()
                _write(self.kept / path.name, hashlib.sha256(content).digest() + content)
            _remove_oldest(self.kept)


def of_project(root: Path) -> BuiltModules:
    """Return the modules of the project in `root`, with the versions that this process uses."""
    loaders = (module_utils_loader, module_loader)
    places = (*(path for loader in loaders for path in loader._get_paths(subdirs=False)), str(module_common.__file__))
    run = Path(str(vars(constants)["DEFAULT_LOCAL_TMP"]))
    return BuiltModules(root / DIRECTORY / digest(places), run / BUILT, places)


def digest(places: Iterable[str]) -> str:
    """Return the digest of the Python files in `places`, with their paths; each place counts once, in this order."""
    found = hashlib.sha256()
    for place in dict.fromkeys(os.path.realpath(each) for each in places):
        files = [Path(place)] if place.endswith(".py") else sorted(Path(place).rglob("*.py"))
        for file in files:
            found.update(b"%b\0%b" % (os.fsencode(file), hashlib.sha256(file.read_bytes()).digest()))
    return found.hexdigest()


def _may_be_kept(path: Path) -> bool:
    return path.name.startswith(OURS) and not path.name.endswith(UNFINISHED)


def _of_this_user_alone(directory: Path) -> bool:
    try:
        found = [path.lstat() for path in (directory, directory.parent)]
    except OSError:
        return False
    return all(stat.S_ISDIR(one.st_mode) and one.st_uid == os.geteuid() for one in found) and all(
        stat.S_IMODE(one.st_mode) == MODE for one in found
    )


def _made(directory: Path) -> bool:
    """Create the directory and its parent for this user alone; False if they belong to others."""
    directory.parent.parent.mkdir(exist_ok=True)
    for path in (directory.parent, directory):
        path.mkdir(mode=MODE, exist_ok=True)
    return _of_this_user_alone(directory)


def _write(path: Path, content: bytes) -> None:
    number, temporary = tempfile.mkstemp(dir=path.parent, suffix=UNFINISHED[1])
    try:
        with os.fdopen(number, "wb") as file:
            file.write(content)
        os.rename(temporary, path)
    except OSError:
        Path(temporary).unlink(missing_ok=True)
        raise


def _remove_oldest(directory: Path) -> None:
    others = sorted(
        (path for path in directory.parent.iterdir() if path != directory), key=lambda path: path.stat().st_mtime
    )
    for path in others[: max(0, len(others) + 1 - MOST)]:
        shutil.rmtree(path, ignore_errors=True)
