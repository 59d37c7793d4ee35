"""The files of an authority that is being replaced, in its directory on the control machine.

``<root>.next.key`` and ``.pem`` are the new one. ``<root>.pem`` says what is trusted, and its first certificate signs.
So one written file takes each step. ``<root>.key`` and ``<root>.old.pem`` keep the old authority until the end.
"""

from __future__ import annotations

import contextlib
import datetime
import os
from pathlib import Path

from ansible.module_utils.kraft.control import authority
from ansible.module_utils.kraft.control.authority import NEXT, Place
from ansible.module_utils.kraft.errors import RefusedError
from ansible.module_utils.kraft.node.certificate import CERTIFICATE
from ansible.module_utils.kraft.node.files import apply as file_io
from ansible.module_utils.kraft.operations.certificates.phases import (
    BEGIN,
    BOTH,
    DROP,
    FINISH,
    IDLE,
    ISSUE,
    ISSUED,
    NEW_ONLY,
)

OLD = ".old"


def split(text: str) -> tuple[str, ...]:
    """Split a PEM text into its certificates."""
    return tuple(CERTIFICATE.findall(text))


def phase(directory: Path, root: str) -> str:
    """Return the phase of the authority's replacement."""
    trusted, new = split(_text(directory / f"{root}.pem")), following(directory, root)
    if not new or not trusted:
        return IDLE
    if len(trusted) == 1:
        return NEW_ONLY if trusted[0] == new else IDLE
    return ISSUED if trusted[0] == new else BOTH


def following(directory: Path, root: str) -> str:
    """Return the certificate of the new authority as PEM; empty while none replaces the present one."""
    found = split(_text(directory / f"{root}{NEXT}.pem")) if (directory / f"{root}{NEXT}.key").is_file() else ()
    return found[0] if found else ""


def previous(directory: Path, root: str) -> str:
    """Return the certificate of the replaced authority as PEM; empty if none is."""
    new, known = following(directory, root), _known(directory, root)
    return next((each for each in known if each != new), "") if new else ""


def known(directory: Path, root: str) -> frozenset[str]:
    """Return every certificate of this authority that nodes may trust."""
    return frozenset(_known(directory, root))


def take(place: Place, root: str, step: str, cluster: str) -> None:
    """Take one step. A killed one leaves the phase as it was, and is taken again."""
    directory = place.directory
    with file_io.locked(str(directory)):
        if step == BEGIN:
            _begin(place, root, cluster)
        elif step == ISSUE:
            _trust(directory, root, (following(directory, root), previous(directory, root)))
        elif step == DROP:
            old = previous(directory, root)
            authority.write(directory / f"{root}{OLD}.pem", old.encode(), 0o644)
            _trust(directory, root, (following(directory, root),))
        elif step == FINISH:
            _remove(directory / f"{root}{OLD}.pem")
            os.replace(directory / f"{root}{NEXT}.key", directory / f"{root}.key")
            _remove(directory / f"{root}{NEXT}.pem")


def _begin(place: Place, root: str, cluster: str) -> None:
    trusted = split(_text(place.directory / f"{root}.pem"))
    if not trusted:
        raise RefusedError([f"there is no authority in {place.directory}: deploy the cluster first"])
    for kind in ("pem", "key"):
        _remove(place.directory / f"{root}{NEXT}.{kind}")
    moment = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    name = authority.name_of(cluster, f"authorities since {moment}", f"{cluster} {root}")
    authority.make(place, f"{root}{NEXT}", name)
    _trust(place.directory, root, (trusted[0], following(place.directory, root)))


def _trust(directory: Path, root: str, certificates: tuple[str, ...]) -> None:
    authority.write(directory / f"{root}.pem", "".join(certificates).encode(), 0o644)


def _known(directory: Path, root: str) -> tuple[str, ...]:
    files = (root, f"{root}{NEXT}", f"{root}{OLD}")
    return tuple(each for name in files for each in split(_text(directory / f"{name}.pem")))


def _text(path: Path) -> str:
    return path.read_text() if path.is_file() else ""


def _remove(path: Path) -> None:
    with contextlib.suppress(FileNotFoundError):
        path.unlink()
