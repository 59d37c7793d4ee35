"""Makes class data, brings it into place, and tells the JVM of it only when the JVM takes it."""

from __future__ import annotations

import contextlib
import gzip
import os
import shutil
import subprocess
import tempfile
import zlib
from collections.abc import Sequence

from ansible.module_utils.kraft.host.file_io import fsync_directory, write_file
from ansible.module_utils.kraft.host.files import temporary
from ansible.module_utils.kraft.release import manifest as release
from ansible.module_utils.kraft.release.class_data import (
    RECORD,
    ClassData,
    java_home,
    jvm_identity,
    key_of,
    parse_record,
    record_text,
)
from ansible.module_utils.kraft.release.manifest import read_manifest, read_text

DUMP_OPTIONS = ("-Xshare:dump", "-Xmx256m", "-XX:+UseG1GC", "-XX:TieredStopAtLevel=1", "-Xlog:disable")
DUMP_SECONDS = 300.0
TRY_SECONDS = 30.0
CHUNK = 1 << 20


def observe(directory: str, java: str, install_dir: str, version: str, checksum: str) -> ClassData:
    """Class data of the release in `directory`, as it is and as it could be."""
    record = parse_record(read_text(f"{directory}/{RECORD}"))
    state = ClassData(
        tried=str(record.get("key", "")),
        usable=record.get("usable") is True,
        reason=str(record.get("reason", "")),
        exists=os.path.isfile(f"{directory}/{release.CLASS_DATA}"),
        enabled=read_text(f"{directory}/{release.CLASSPATH}").startswith("-XX:SharedArchiveFile="),
    )
    try:
        key = key_of(jvm_identity(java_home(java)), install_dir, version, checksum)
    except OSError as error:
        return ClassData(**{**vars(state), "reason": f"no JVM that could use class data: {error}"})
    return ClassData(**{**vars(state), "key": key})


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
    """Why the JVM does not take the class data in `path`; '' where it does. Costs a tenth of a second."""
    options = ["-Xshare:on", "-XX:-UsePerfData", f"-XX:SharedArchiveFile={path}"]
    return run_java([java, *options, "-cp", class_path(directory), "-version"], TRY_SECONDS)


def enable(directory: str, enabled: bool) -> None:
    """Tell JVMs of the class data, or no longer. A running one is not touched."""
    manifest = read_manifest(directory)
    text = release.classpath_options(directory, manifest.files if manifest else (), enabled)
    write_file(f"{directory}/{release.CLASSPATH}", text.encode(), os.geteuid(), os.getegid(), 0o644)


def fresh(directory: str) -> str:
    """Where new class data is written before it is put into place; what a killed run left there is removed."""
    path = temporary(f"{directory}/{release.CLASS_DATA}")
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


def settle(directory: str, key: str, reason: str) -> str:
    """Put what was written into place and use, or away if there is a `reason`; recorded last. Gives the reason."""
    path = f"{directory}/{release.CLASS_DATA}"
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
    """Unpack class data that another host made and put it to use. A damaged file leaves everything as it was."""
    target = fresh(directory)
    try:
        with gzip.open(packed, "rb") as source, open(target, "xb") as file:
            shutil.copyfileobj(source, file, CHUNK)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        fresh(directory)
        return f"the class data that was brought is damaged: {error}"
    sync(target)
    return settle(directory, key, refusal(java, directory, target))


def make(directory: str, java: str, key: str, packed_list: str) -> str:
    """Have the JVM make class data of the listed classes: some ten seconds of one processor, at the lowest priority."""
    target = fresh(directory)
    with tempfile.NamedTemporaryFile() as listed:
        with gzip.open(packed_list, "rb") as source:
            shutil.copyfileobj(source, listed, CHUNK)
        listed.flush()
        files = [f"-XX:SharedClassListFile={listed.name}", f"-XX:SharedArchiveFile={target}"]
        problem = run_java([java, *DUMP_OPTIONS, *files, "-cp", class_path(directory)], DUMP_SECONDS)
    if problem or not os.path.isfile(target):
        return settle(directory, key, f"the JVM made no class data: {problem or 'it gave no reason'}")
    sync(target)
    return settle(directory, key, refusal(java, directory, target))


def pack(directory: str, output: str) -> None:
    """A compressed copy for other hosts. Level 1: four times the time would save a tenth of the size."""
    with open(f"{directory}/{release.CLASS_DATA}", "rb") as source, gzip.open(output, "wb", compresslevel=1) as file:
        shutil.copyfileobj(source, file, CHUNK)
    os.chmod(output, 0o644)
