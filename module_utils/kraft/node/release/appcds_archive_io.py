"""Build the AppCDS archive in a unit without rights, and enable it only if the JVM accepts it.

The unit runs Java as a user who owns nothing, in a separate directory. Kafka's user could access a process of the same
user, and root starts tools with the archive. Root copies the file once that unit is gone.
"""

from __future__ import annotations

import gzip
import os
import pwd
import shutil

from ansible.module_utils.kraft.errors import RefusedError, ToolError
from ansible.module_utils.kraft.node.files.apply import write_file
from ansible.module_utils.kraft.node.release import manifest as release
from ansible.module_utils.kraft.node.release.appcds_archive import (
    MADE,
    REASON,
    RECORD,
    REFUSED,
    TAKEN,
    UNIT,
    WORK,
    AppCdsArchive,
    finishing_script,
    java_home,
    jvm_identity,
    key_of,
    making_script,
    parse_record,
    record_text,
)
from ansible.module_utils.kraft.node.release.manifest import read_manifest, read_text
from ansible.module_utils.kraft.node.service.unit_state import Run

USER = "nobody"  #: the user of the build
VERIFY = "-XX:+VerifySharedSpaces"
DUMP_OPTIONS = ("-Xshare:dump", VERIFY, "-Xmx256m", "-XX:+UseG1GC", "-XX:TieredStopAtLevel=1", "-Xlog:disable")
#: Any other use of processor or disk has priority. A host that goes down does not wait for it either: Java would
#: continue its dump at idle priority, and systemd would wait. A half-built archive is not in use.
UNIT_PROPERTIES = (
    "Nice=19",
    "CPUSchedulingPolicy=idle",
    "IOSchedulingClass=idle",
    "CPUWeight=1",
    "RuntimeMaxSec=900",
    "KillSignal=SIGKILL",
    f"User={USER}",
    "CapabilityBoundingSet=",
    "NoNewPrivileges=true",
    "PrivateDevices=true",
    "PrivateTmp=true",
    "ProtectHome=read-only",
    "ProtectSystem=strict",
)
CHUNK = 1 << 20


def observe(run: Run, java: str, install_dir: str, version: str, checksum: str) -> AppCdsArchive:
    """Inspect the AppCDS archive of an installed release: its state, and the key it could have.

    A running build is checked first: one that ends after that has left its record.
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


def class_path(directory: str) -> str:
    manifest = read_manifest(directory)
    return release.class_path(directory, manifest.files if manifest else ())


def trial(java: str, directory: str, path: str) -> list[str]:
    """Return the command of a JVM that ends at once, with an error if it rejects the AppCDS archive."""
    options = ["-Xshare:on", VERIFY, "-XX:-UsePerfData", f"-XX:SharedArchiveFile={path}"]
    return [java, *options, "-cp", class_path(directory), "-version"]


def enable(directory: str, enabled: bool) -> None:
    """Add the AppCDS archive to the options of JVMs, or remove it. A running one is not touched."""
    manifest = read_manifest(directory)
    text = release.classpath_options(directory, manifest.files if manifest else (), enabled)
    write_file(f"{directory}/{release.CLASSPATH}", text.encode(), os.geteuid(), os.getegid(), 0o644)


def prepare(directory: str, java: str, key: str, packed_list: str) -> str:
    """Write everything that the build needs, and what root installs afterwards. Returns the directory."""
    work = f"{directory}/{WORK}"
    shutil.rmtree(work, ignore_errors=True)
    os.mkdir(work, 0o755)
    with gzip.open(packed_list, "rb") as source, open(f"{work}/list", "wb") as file:
        shutil.copyfileobj(source, file, CHUNK)
    manifest = read_manifest(directory)
    dump = [java, *DUMP_OPTIONS, "-XX:SharedClassListFile=../list", f"-XX:SharedArchiveFile={release.APPCDS_ARCHIVE}"]
    making = making_script([*dump, "-cp", class_path(directory)], trial(java, directory, release.APPCDS_ARCHIVE))
    texts = {
        release.CLASSPATH: release.classpath_options(directory, manifest.files if manifest else (), True),
        TAKEN: record_text(key, True, ""),
        REFUSED: record_text(key, False, REASON),
        "make.sh": making,
        "finish.sh": finishing_script(release.APPCDS_ARCHIVE, release.CLASSPATH),
    }
    for name, text in texts.items():
        write_file(f"{work}/{name}", text.encode(), os.geteuid(), os.getegid(), 0o644)
    os.mkdir(f"{work}/{MADE}", 0o755)
    if os.geteuid() == 0:
        os.chown(f"{work}/{MADE}", _user_id(), -1)
    return work


def _user_id() -> int:
    try:
        return pwd.getpwnam(USER).pw_uid
    except KeyError:
        raise RefusedError([f"user {USER} does not exist on this host"]) from None


def begin(run: Run, work: str) -> None:
    """Start the build as a separate unit, which outlives this run. Raises ToolError if systemd does not start it."""
    places = (f"WorkingDirectory={work}/{MADE}", f"ReadWritePaths={work}/{MADE}")
    last = f"ExecStopPost=+/bin/sh {work}/finish.sh"
    properties = [f"--property={each}" for each in (*UNIT_PROPERTIES, *places, last)]
    words = ["--quiet", "--collect", f"--unit={UNIT}", "--description=Makes the AppCDS archive of a release of Kafka"]
    rc, out, err = run(["systemd-run", *words, *properties, "/bin/sh", f"{work}/make.sh"])
    if rc != 0:
        raise ToolError(f"systemd-run: {(err or out).strip() or f'exit code {rc}'}")
