"""Compiled code of modules, kept on a host until its next reboot.

Ansible sends sources in a zip. Python compiles each of them twice there: once for its path, and once to execute it.
Here a path costs nothing. Code is kept if this process is root, in a directory that root alone can read and write.
The name of a file is the digest of its source and of Python's version. So another source never gets that code.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import marshal
import os
import stat
import sys
import tempfile
import zipimport
from types import CodeType

DIRECTORY = "/run/kraftwright.bytecode"
MOST = 2000  #: files; beyond that, all of them go
DIGEST = 32  #: bytes before the code of a file: a file that was not written to its end is compiled again
MODE = 0o700
VERSION = b"%b-%d" % (importlib.util.MAGIC_NUMBER, sys.flags.optimize)


class Importer(zipimport.zipimporter):
    """Loads modules from a place in a zip, with the code in `directory`; without a directory, none is kept."""

    def __init__(self, place: str, directory: str) -> None:
        super().__init__(place)
        self._directory = directory

    def get_filename(self, fullname: str) -> str:
        """Return the path of a module. Python's own function compiles the module first."""
        place = os.path.join(self.archive, self.prefix, fullname.rpartition(".")[2])
        return os.path.join(place, "__init__.py") if self.is_package(fullname) else f"{place}.py"

    def get_code(self, fullname: str) -> CodeType:
        """Return the code of a module; its own path begins in the zip, whose path differs each time."""
        source = self.get_source(fullname) or ""
        name = self.get_filename(fullname)[len(self.archive) :]
        digest = hashlib.sha256(b"\0".join((VERSION, name.encode(), source.encode()))).hexdigest()
        path = os.path.join(self._directory, digest) if self._directory else ""
        found = _read(path) if path else None
        if found is None:
            found = compile(source, name, "exec", dont_inherit=True)
            if path:
                _write(path, found)
        return found


def _read(path: str) -> CodeType | None:
    try:
        with open(path, "rb") as file:
            content = file.read()
    except OSError:
        return None
    code = content[DIGEST:]
    if hashlib.sha256(code).digest() != content[:DIGEST]:
        return None
    found: CodeType = marshal.loads(code)  # noqa: S302 - written by root, see `of_root_alone`
    return found


def _write(path: str, code: CodeType) -> None:
    """Keep the code. Without room for it, the next module compiles again."""
    content, directory = marshal.dumps(code), os.path.dirname(path)
    with contextlib.suppress(OSError):
        kept = os.listdir(directory)
        for each in kept if len(kept) >= MOST else ():
            os.unlink(os.path.join(directory, each))
        number, temporary = tempfile.mkstemp(dir=directory)
        with os.fdopen(number, "wb") as file:
            file.write(hashlib.sha256(content).digest() + content)
        os.rename(temporary, path)


def of_root_alone(directory: str) -> bool:
    """Check that root alone can read and write the directory, which is created if it is missing."""
    if os.geteuid():
        return False
    try:
        with contextlib.suppress(FileExistsError):
            os.mkdir(directory, MODE)
        found = os.lstat(directory)
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == 0 and stat.S_IMODE(found.st_mode) == MODE


def install(places: list[str], directory: str = DIRECTORY) -> None:
    """Load the modules at `places` and below by ``Importer``, if they are in a zip. Needs Python 3.10."""
    known = sys.path_importer_cache
    inside = [one for one in places if isinstance(known.get(os.path.dirname(one)), zipimport.zipimporter)]
    if not inside or sys.version_info < (3, 10):
        return
    kept = directory if of_root_alone(directory) else ""

    def hook(place: str) -> Importer:
        if not any(place == one or place.startswith(one + os.sep) for one in inside):
            raise ImportError(place)
        return Importer(place, kept)

    sys.path_hooks.insert(0, hook)
    for one in inside:
        known.pop(one, None)
