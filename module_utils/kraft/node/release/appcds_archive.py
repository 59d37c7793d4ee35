"""The AppCDS archive: Kafka's classes as a JVM has loaded them, in a file that the next JVM maps.

It halves the processor time of a start (Kafka 4.3.1 on OpenJDK 17: 7.6 -> 3.9 s) and of a tool (1.7 -> 0.9 s). The JVM
accepts it only from the same build of the JVM, for the same class path and jars of the same size and time. Its
checksums must match (``-XX:+VerifySharedSpaces``). Otherwise the JVM starts without it.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

#: Beside the AppCDS archive: the key it was made or tried for, and whether the JVM accepted it.
RECORD = "classes.json"
NONE, MAKE, ENABLE, DISABLE = "none", "make", "enable", "disable"
#: Below the release: files that are renamed from there once the JVM accepts the archive; below that, the build.
WORK, MADE = ".classes", "made"
#: The transient unit that builds it, at the lowest priority.
UNIT = "kafka-appcds-archive"
#: In that directory: the record for success and for failure.
TAKEN, REFUSED = "taken.json", "refused.json"
REASON = f"the JVM made no AppCDS archive that it takes; journalctl -u {UNIT} says more"
#: Files of a JVM's home that decide whether it accepts the archive.
JVM_FILES = ("lib/server/libjvm.so", "lib/modules")


@dataclasses.dataclass(frozen=True)
class AppCdsArchive:
    """The AppCDS archive on a host.

    ``key``: of an archive that this host's JVM would accept, '' if unknown (``reason`` explains it). ``tried``: key of
    the last build, with its ``usable``. ``exists``: the file is there.
    ``enabled``: the JVM has the option. ``making``: it is being built at this moment.
    """

    key: str = ""
    tried: str = ""
    usable: bool = False
    reason: str = ""
    exists: bool = False
    enabled: bool = False
    making: bool = False

    @property
    def settled(self) -> bool:
        """Check that this key was tried already: an archive that the JVM rejects is not built again."""
        return bool(self.key) and self.tried == self.key and (self.exists or not self.usable)


def java_home(java: str) -> str:
    """Return the home of a JVM's command: ``/usr/bin/java`` -> ``/usr/lib/jvm/java-17-openjdk-amd64``."""
    return os.path.dirname(os.path.dirname(os.path.realpath(java)))


def jvm_identity(home: str) -> list[object]:
    """Return what identifies a build of the JVM. Raises OSError if a file is missing."""
    release = Path(home, "release").read_text(encoding="utf-8")
    status = [os.stat(os.path.join(home, name)) for name in JVM_FILES]
    return [release, *([s.st_size, int(s.st_mtime)] for s in status)]


def key_of(identity: list[object], install_dir: str, version: str, checksum: str) -> str:
    """Return the key of an archive built on this host. Earlier versions used other hosts' archives, with other keys."""
    text = json.dumps(["made here", identity, install_dir, version, checksum.lower()])
    return f"{version}-{hashlib.sha256(text.encode()).hexdigest()[:32]}"


def parse_record(text: str) -> dict[str, Any]:
    """Parse the record; empty if it is none."""
    try:
        content = json.loads(text)
    except ValueError:
        return {}
    return content if isinstance(content, dict) else {}


def record_text(key: str, usable: bool, reason: str) -> str:
    return json.dumps({"key": key, "usable": usable, "reason": reason}, indent=1, sort_keys=True) + "\n"


def plan_appcds_archive(found: AppCdsArchive) -> str:
    """Return one action. A key is tried once; an archive of another key is unused until its own is built."""
    if found.making:
        return NONE
    if found.settled:
        return NONE if found.enabled == found.usable else (ENABLE if found.usable else DISABLE)
    if found.key:
        return MAKE
    return DISABLE if found.enabled else NONE


def described(found: AppCdsArchive) -> Mapping[str, Any]:
    """Return the state for callers: in use, being built, or still to be built."""
    in_use = found.settled and found.usable and found.enabled
    return {
        "in_use": in_use,
        "missing": bool(found.key) and not found.settled and not found.making,
        "making": found.making,
        "reason": found.reason,
    }


def making_script(dump: Sequence[str], trial: Sequence[str]) -> str:
    """Return the script that the transient unit runs in ``MADE``, without privileges."""
    return f"{shlex.join(dump)} && {shlex.join(trial)}\n"


def finishing_script(data: str, options: str) -> str:
    """Return the script that root runs when all processes of the unit are gone. It renames the record last.

    A build that was killed has no record, and is repeated.
    """
    return f"""cd "$(dirname "$0")" || exit 1
chown 0:0 {MADE}
if [ "$SERVICE_RESULT" = success ] && [ -f {MADE}/{data} ] && [ ! -L {MADE}/{data} ]; then
    cat {MADE}/{data} >{data} && chmod 644 {data} && sync {data} \\
        && mv -f {data} .. && mv -f {options} .. && mv -f {TAKEN} ../{RECORD}
elif [ "$SERVICE_RESULT" = exit-code ]; then
    mv -f {REFUSED} ../{RECORD}
fi
rm -rf "../{WORK}"
"""
