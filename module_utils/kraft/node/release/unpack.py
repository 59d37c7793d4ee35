"""Unpack an archive into a release: beside its place, checked, synced, and only then renamed into it."""

from __future__ import annotations

import ctypes
import errno
import hashlib
import os
import shutil
import tarfile
import zlib
from collections.abc import Iterator

from ansible.module_utils.kraft.errors import RefusedError
from ansible.module_utils.kraft.node.files.apply import fsync_directory, write_file
from ansible.module_utils.kraft.node.release import manifest as release
from ansible.module_utils.kraft.node.release.manifest import FileRecord, Manifest

CHUNK = 1 << 20
AT_FDCWD, RENAME_EXCHANGE = -100, 2
#: Errors of a file system that cannot exchange two names, such as NFS (renameat2(2)).
NO_EXCHANGE = (errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP)


def hash_archive(path: str) -> dict[str, str]:
    """Return sha256 and sha512 of a file in one pass. Both are recorded, so that either can be compared later."""
    digests = {name: hashlib.new(name) for name in release.CHECKSUM_LENGTH}
    with open(path, "rb") as file:
        while chunk := file.read(CHUNK):
            for digest in digests.values():
                digest.update(chunk)
    return {name: digest.hexdigest() for name, digest in digests.items()}


def verified_archive(path: str, checksum: str) -> dict[str, str]:
    """Return the archive's digests. Raises RefusedError if it is not the requested archive."""
    algorithm, wanted = release.parse_checksum(checksum)
    digests = hash_archive(path)
    if digests[algorithm] != wanted:
        raise RefusedError(
            [
                f"{path} has {algorithm} {digests[algorithm]}, the inventory says {wanted}: the archive is damaged or "
                "another one. Nothing was unpacked; get it again, or correct the checksum"
            ]
        )
    return digests


def copy_member(archive: tarfile.TarFile, member: tarfile.TarInfo, target: str) -> FileRecord:
    """Write one file and hash it; never through a link, never over an existing file, never setuid."""
    source = archive.extractfile(member)
    if source is None:
        raise ValueError(f"the archive holds {member.name!r}, which cannot be read")
    digest = hashlib.sha256()
    handle = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    with source, open(handle, "wb") as file:
        while chunk := source.read(CHUNK):
            digest.update(chunk)
            file.write(chunk)
        file.flush()
        os.fchmod(handle, 0o755 if member.mode & 0o111 else 0o644)
        os.utime(handle, (member.mtime, member.mtime))  # an AppCDS archive identifies jars by their time
    return FileRecord(member.size, digest.hexdigest())


def members(archive: tarfile.TarFile) -> Iterator[tuple[str, tarfile.TarInfo]]:
    """Yield path below the release and member. Raises ValueError for what a release cannot hold."""
    tops = set()
    for member in archive:
        top, path = release.member_path(member.name)
        tops.add(top)
        if len(tops - {""}) > 1:
            raise ValueError(f"the archive has more than one top directory: {', '.join(sorted(tops - {''}))}")
        if member.issym() and not release.link_stays_inside(path, member.linkname):
            raise ValueError(f"the archive holds the link {member.name!r} to {member.linkname!r}, outside of it")
        if not (member.isdir() or member.isreg() or member.issym()):
            raise ValueError(f"the archive holds {member.name!r}, which is no file, directory or symbolic link")
        if path:
            yield path, member


def make_directories(path: str) -> None:
    os.makedirs(path, mode=0o755, exist_ok=True)


def extract(archive_path: str, directory: str) -> dict[str, FileRecord]:
    """Unpack into the new `directory`; links come last, so that nothing is written through one."""
    records, links = {}, []
    with tarfile.open(archive_path, "r:gz") as archive:
        for path, member in members(archive):
            target = os.path.join(directory, path)
            if member.isdir():
                make_directories(target)
                continue
            make_directories(os.path.dirname(target))
            if member.issym():
                links.append((target, member.linkname))
            else:
                records[path] = copy_member(archive, member, target)
    for target, name in links:
        os.symlink(name, target)
    return records


def sync_tree(directory: str) -> None:
    """Flush everything below `directory`, file by file: sync() would wait for a broker's whole cache."""
    for top, _, names in os.walk(directory):
        for name in names:
            path = os.path.join(top, name)
            if not os.path.islink(path):
                handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
                os.fsync(handle)
                os.close(handle)
        fsync_directory(top)


def write_own_files(directory: str, final: str, manifest: Manifest) -> None:
    """Write the class path, then MANIFEST as the last of all; `final` is the later path of `directory`."""
    uid, gid = os.geteuid(), os.getegid()
    write_file(
        f"{directory}/{release.CLASSPATH}", release.classpath_options(final, manifest.files).encode(), uid, gid, 0o644
    )
    write_file(f"{directory}/{release.MANIFEST}", manifest.text().encode(), uid, gid, 0o644)


def unpack_beside(archive: str, digests: dict[str, str], install_dir: str, version: str) -> Manifest:
    """Unpack to the partial directory, refuse other versions, sync. Remains of a killed run are replaced."""
    partial = release.partial_dir(install_dir, version)
    shutil.rmtree(partial, ignore_errors=True)
    umask = os.umask(0o022)
    try:
        os.makedirs(partial, mode=0o755)
        records = extract(archive, partial)
        problems = release.layout_problems(records, version)
    except (ValueError, tarfile.TarError, EOFError, zlib.error) as error:
        problems = [str(error)]
    except OSError as error:
        problems = [f"unpacking into {partial} failed: {error.strerror or error}"]
    finally:
        os.umask(umask)
    if problems:
        shutil.rmtree(partial, ignore_errors=True)
        raise RefusedError([f"{archive}: {problem}" for problem in problems])
    sync_tree(partial)
    files = {path: record for path, record in records.items() if not path.startswith("config/")}
    return Manifest(version, digests, files)


def install(install_dir: str, manifest: Manifest) -> None:
    """Make the partial directory the release. A damaged release is replaced by it.

    The node's ``config/`` is carried over, even if a killed run has put the damaged release aside. A process that
    runs from the damaged release keeps its open files.
    """
    partial = release.partial_dir(install_dir, manifest.version)
    final = release.release_dir(install_dir, manifest.version)
    aside = release.replaced_dir(install_dir, manifest.version)
    if os.path.lexists(final):
        shutil.rmtree(aside, ignore_errors=True)
    carry_config(final if os.path.lexists(final) else aside, partial)
    write_own_files(partial, final, manifest)
    if os.path.lexists(final):
        replace(partial, final, aside)
    else:
        os.rename(partial, final)
    fsync_directory(os.path.dirname(final))
    for path in release.remains(install_dir, manifest.version):
        shutil.rmtree(path, ignore_errors=True)


def carry_config(old: str, partial: str) -> None:
    """Link the files in ``config/`` of a damaged release, with owner and mode, in place of the archive's samples."""
    if os.path.isdir(f"{old}/config"):
        shutil.rmtree(f"{partial}/config")
        shutil.copytree(f"{old}/config", f"{partial}/config", symlinks=True, copy_function=os.link)


def replace(partial: str, final: str, aside: str) -> None:
    """Exchange both by one rename, or by two if the file system cannot do that: `final` is missing in between."""
    try:
        exchange(partial, final)
    except OSError as error:
        if error.errno not in NO_EXCHANGE:
            raise
        os.rename(final, aside)
        os.rename(partial, final)


def exchange(one: str, other: str) -> None:
    """Exchange two directories by one rename, so that neither is missing at any moment. Raises OSError."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.renameat2(AT_FDCWD, one.encode(), AT_FDCWD, other.encode(), RENAME_EXCHANGE):
        number = ctypes.get_errno()
        raise OSError(number, f"exchanging {one} and {other} failed: {os.strerror(number)}")


def incoming_rest(install_dir: str, archive: str) -> list[str]:
    """Return the other files in ``.incoming``: incomplete archives of runs that were killed."""
    directory = f"{install_dir}/{release.INCOMING}"
    names = sorted(os.listdir(directory)) if os.path.isdir(directory) else []
    return [f"{directory}/{name}" for name in names if name != os.path.basename(archive)]
