"""Modules as Ansible sends them, kept on the control machine for later runs.

Ansible sends a module in a zip with every file that it imports. In each run it parses all these files again, module by
module, while the hosts wait. Here a run takes the zips of an earlier run. The name of their directory is the digest of
all sources. Only zips with nothing else are kept. So a changed file, or another ansible-core, never gets an older zip.

Ansible unpickles these files. So the directory must belong to this user, who alone can read and write it.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import io
import os
import pickle
import shutil
import stat
import tempfile
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from ansible import constants
from ansible.executor import module_common
from ansible.plugins.loader import module_loader, module_utils_loader

DIRECTORY = ".cache/modules"  #: in the project's directory
SOURCES = ("library", "module_utils", "plugins")  #: of the project, or of it as a collection
BUILT = "ansiballz_cache"  #: in Ansible's directory of a run
MADE = ("ansible/__init__.py", "ansible/module_utils/__init__.py")  #: in each zip, written by Ansible itself
UNFINISHED = (".lock", "-part")
MOST = 4  #: sets of modules, for two versions of ansible-core and of the project
#: What a file in another form raises, as of a later ansible-core.
OTHER_FORM = (AttributeError, EOFError, ImportError, TypeError, ValueError, pickle.UnpicklingError, zipfile.BadZipFile)
DIGEST = 32  #: bytes before the content: a file that was not written to its end is not used
MODE = 0o700


@dataclass(frozen=True)
class BuiltModules:
    """``kept``: the directory of this version's modules; ``built``: the directory in which Ansible looks for them.

    ``sources``: the digests of all files that a zip may contain.
    """

    kept: Path
    built: Path
    sources: frozenset[bytes]

    def take(self) -> None:
        """Give the kept modules to Ansible, before the first task."""
        if not _of_this_user_alone(self.kept):
            return
        with contextlib.suppress(OSError):
            os.utime(self.kept)
            self.built.mkdir(mode=MODE, parents=True, exist_ok=True)
            for path in self.kept.iterdir():
                content = path.read_bytes()
                if not path.name.endswith(UNFINISHED) and hashlib.sha256(content[DIGEST:]).digest() == content[:DIGEST]:
                    _write(self.built / path.name, content[DIGEST:])

    def keep(self) -> None:
        """Keep what Ansible has built, after the last task. Without room for it, the next run builds it again."""
        with contextlib.suppress(OSError):
            new = [path for path in self.built.iterdir() if not (self.kept / path.name).exists()]
            contents = {path.name: path.read_bytes() for path in new if not path.name.endswith(UNFINISHED)}
            known = {name: content for name, content in contents.items() if self._is_known(content)}
            if not known or not _made(self.kept):
                return
            for name, content in known.items():
                _write(self.kept / name, hashlib.sha256(content).digest() + content)
            _remove_oldest(self.kept)

    def _is_known(self, content: bytes) -> bool:
        """Check that a built module has nothing but sources as they were before the first task."""
        try:
            zipped = base64.b64decode(pickle.loads(content).zip_data)  # noqa: S301 - written by Ansible in this run
            with zipfile.ZipFile(io.BytesIO(zipped)) as archive:
                found = (archive.read(name) for name in archive.namelist() if name not in MADE)
                return all(not each or hashlib.sha256(each).digest() in self.sources for each in found)
        except OTHER_FORM:
            return False


def of_project(root: Path) -> BuiltModules:
    """Return the modules of the project in `root`, with the versions that this process uses.

    Raises OSError if a source cannot be read.
    """
    utilities = module_utils_loader._get_paths(subdirs=False)
    ours = (str(root / name) for name in SOURCES)
    name, sources = digest([*utilities, *module_loader._get_paths(), *ours, str(module_common.__file__)])
    return BuiltModules(root / DIRECTORY / name, Path(str(vars(constants)["DEFAULT_LOCAL_TMP"])) / BUILT, sources)


def digest(places: Iterable[str]) -> tuple[str, frozenset[bytes]]:
    """Return the digest of the Python files in `places`, with their paths, and the digest of each of them.

    Each place counts once, in this order.
    """
    found, sources = hashlib.sha256(), set[bytes]()
    for place in dict.fromkeys(os.path.realpath(each) for each in places):
        files = [Path(place)] if place.endswith(".py") else sorted(Path(place).rglob("*.py"))
        for file in files:
            one = hashlib.sha256(file.read_bytes()).digest()
            found.update(b"%b\0%b" % (os.fsencode(file), one))
            sources.add(one)
    return found.hexdigest(), frozenset(sources)


def _of_this_user_alone(directory: Path) -> bool:
    try:
        found = [path.lstat() for path in (directory, directory.parent)]
    except OSError:
        return False
    return all(stat.S_ISDIR(one.st_mode) and one.st_uid == os.geteuid() and not one.st_mode & 0o077 for one in found)


def _made(directory: Path) -> bool:
    """Create the directory and its parent in a project of this user; False if others may open them."""
    cache = directory.parent.parent
    if cache.parent.stat().st_uid != os.geteuid():
        return False
    cache.mkdir(exist_ok=True)
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
