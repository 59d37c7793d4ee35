"""Has the AppCDS archive made, brings it into place, and tells the JVM of it only when the JVM takes it."""

from __future__ import annotations

import contextlib
import gzip
import os
import shutil
import subprocess
import zlib
from collections.abc import Sequence

from ansible.module_utils.kraft.errors import ToolError
from ansible.module_utils.kraft.node.files.apply import fsync_directory, write_file
from ansible.module_utils.kraft.node.files.plan import temporary
from ansible.module_utils.kraft.node.release import manifest as release
from ansible.module_utils.kraft.node.release.appcds_archive import (
    REASON,
    RECORD,
    REFUSED,
    TAKEN,
    UNIT,
    WORK,
    AppCdsArchive,
    java_home,
    jvm_identity,
    key_of,
    making_script,
    parse_record,
    record_text,
)
from ansible.module_utils.kraft.node.release.manifest import read_manifest, read_text
from ansible.module_utils.kraft.node.service.state import Run

VERIFY = "-XX:+VerifySharedSpaces"
DUMP_OPTIONS = ("-Xshare:dump", VERIFY, "-Xmx256m", "-XX:+UseG1GC", "-XX:TieredStopAtLevel=1", "-Xlog:disable")
#: Whatever else wants the processor or the disk goes first. A host that goes down does not wait for it either: Java
#: would go on with its dump at idle priority, and systemd waits for it. What is half made is in use by nobody.
UNIT_PROPERTIES = (
    "Nice=19",
    "CPUSchedulingPolicy=idle",
    "IOSchedulingClass=idle",
    "CPUWeight=1",
    "RuntimeMaxSec=900",
    "KillSignal=SIGKILL",
)
TRY_SECONDS = 30.0
CHUNK = 1 << 20


def observe(run: Run, java: str, install_dir: str, version: str, checksum: str) -> AppCdsArchive:
    """The AppCDS archive of an installed release, as it is and as it could be.

    Whether it is being made is asked first: what ends after that has left its record.
    """
    directory = release.release_dir(install_dir, version)
    making = os.path.isdir(f"{directory}/{WORK}") and run(["systemctl", "is-active", "--quiet", UNIT])[0] == 0
    record = parse_record(read_text(f"{directory}/{RECORD}"))
    state = AppCdsArchive(
        tried=str(record.get("key", "")),
        usable=record.get("usable") is True,
        reason=str(record.get("reason", "")),
        exists=os.path.isfile(f"{directory}/{release.APPCDS_ARCHIVE}"),
        enabled=read_text(f"{directory}/{release.CLASSPATH}").startswith("-XX:SharedArchiveFile="),
        making=making,
    )
    try:
        key = key_of(jvm_identity(java_home(java)), install_dir, version, checksum)
    except OSError as error:
        return AppCdsArchive(**{**vars(state), "reason": f"no JVM that could use the AppCDS archive: {error}"})
    return AppCdsArchive(**{**vars(state), "key": key})


def run_java(command: Sequence[str], seconds: float) -> str:
    """Run to the end, with the least claim to the processor; gives what went wrong, '' where nothing did."""
    try:
        done = subprocess.run(  # noqa: S603 - a list, no shell; java and release come from the role
            ["nice", "-n", "19", *command],  # noqa: S607
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd="/",
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"not done after {seconds:.0f} s"
    said = done.stdout.decode(errors="replace").strip().splitlines()
    return "" if done.returncode == 0 else "; ".join(said[-3:]) or f"exit code {done.returncode}"


def class_path(directory: str) -> str:
    manifest = read_manifest(directory)
    return release.class_path(directory, manifest.files if manifest else ())


def refusal(java: str, directory: str, path: str) -> str:
    """Why the JVM does not take the AppCDS archive in `path`; '' where it does. Costs a tenth of a second."""
    return run_java(trial(java, directory, path), TRY_SECONDS)


def trial(java: str, directory: str, path: str) -> list[str]:
    """A JVM that ends at once, with an error where it does not take the AppCDS archive."""
    options = ["-Xshare:on", VERIFY, "-XX:-UsePerfData", f"-XX:SharedArchiveFile={path}"]
    return [java, *options, "-cp", class_path(directory), "-version"]


def enable(directory: str, enabled: bool) -> None:
    """Tell JVMs of the AppCDS archive, or no longer. A running one is not touched."""
    manifest = read_manifest(directory)
    text = release.classpath_options(directory, manifest.files if manifest else (), enabled)
    write_file(f"{directory}/{release.CLASSPATH}", text.encode(), os.geteuid(), os.getegid(), 0o644)


def fresh(directory: str) -> str:
    """Where a new AppCDS archive is written before it is put into place; what a killed run left there is removed."""
    path = temporary(f"{directory}/{release.APPCDS_ARCHIVE}")
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)
    return path


def sync(path: str) -> None:
    os.chmod(path, 0o644)
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def put_into_use(directory: str, key: str, reason: str) -> str:
    """Put what was written into place and use, or away if there is a `reason`; recorded last. Gives the reason."""
    path = f"{directory}/{release.APPCDS_ARCHIVE}"
    if reason:
        fresh(directory)
    else:
        os.rename(temporary(path), path)
        fsync_directory(directory)
    enable(directory, not reason)
    text = record_text(key, not reason, reason)
    write_file(f"{directory}/{RECORD}", text.encode(), os.geteuid(), os.getegid(), 0o644)
    return reason


def install(directory: str, java: str, key: str, packed: str) -> str:
    """Unpack the archive that another host made and put it to use. A damaged file leaves everything as it was."""
    target = fresh(directory)
    try:
        with gzip.open(packed, "rb") as source, open(target, "xb") as file:
            shutil.copyfileobj(source, file, CHUNK)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        fresh(directory)
        return f"the AppCDS archive that was brought is damaged: {error}"
    sync(target)
    return put_into_use(directory, key, refusal(java, directory, target))


def prepare(directory: str, java: str, key: str, packed_list: str) -> str:
    """Lay out all that the making needs, and what it puts into place afterwards; gives the script's path."""
    work = f"{directory}/{WORK}"
    shutil.rmtree(work, ignore_errors=True)
    os.mkdir(work, 0o755)
    with gzip.open(packed_list, "rb") as source, open(f"{work}/list", "wb") as file:
        shutil.copyfileobj(source, file, CHUNK)
    manifest = read_manifest(directory)
    dump = [java, *DUMP_OPTIONS, "-XX:SharedClassListFile=list", f"-XX:SharedArchiveFile={release.APPCDS_ARCHIVE}"]
    texts = {
        release.CLASSPATH: release.classpath_options(directory, manifest.files if manifest else (), True),
        TAKEN: record_text(key, True, ""),
        REFUSED: record_text(key, False, REASON),
        "make.sh": making_script(
            [*dump, "-cp", class_path(directory)],
            trial(java, directory, release.APPCDS_ARCHIVE),
            release.APPCDS_ARCHIVE,
            release.CLASSPATH,
        ),
    }
    for name, text in texts.items():
        write_file(f"{work}/{name}", text.encode(), os.geteuid(), os.getegid(), 0o644)
    return f"{work}/make.sh"


def begin(run: Run, script: str) -> None:
    """Start the making as a unit of its own, which outlives this run. Raises ToolError where systemd does not."""
    properties = [f"--property={each}" for each in UNIT_PROPERTIES]
    words = ["--quiet", "--collect", f"--unit={UNIT}", "--description=Makes the AppCDS archive of a release of Kafka"]
    rc, out, err = run(["systemd-run", *words, *properties, "/bin/sh", script])
    if rc != 0:
        raise ToolError(f"systemd-run: {(err or out).strip() or f'exit code {rc}'}")


def pack(directory: str, output: str) -> None:
    """A compressed copy for other hosts. Level 1: four times the time would save a tenth of the size."""
    path = f"{directory}/{release.APPCDS_ARCHIVE}"
    with open(path, "rb") as source, gzip.open(output, "wb", compresslevel=1) as file:
        shutil.copyfileobj(source, file, CHUNK)
    os.chmod(output, 0o644)
