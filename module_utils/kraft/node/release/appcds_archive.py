"""The AppCDS archive: what a JVM makes of Kafka's classes when it loads them, kept in a file that the next JVM maps.

It halves the processor time of a start (Kafka 4.3.1 on OpenJDK 17: 7.6 -> 3.9 s) and of a tool (1.7 -> 0.9 s). The JVM
takes such a file only from the same build of the JVM, for the same class path and jars of the same size and time.
Its sums must be right as well (``-XX:+VerifySharedSpaces``). Otherwise the JVM starts as without one.
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

#: Beside the AppCDS archive: for which key it was made or tried, and whether the JVM took it.
RECORD = "classes.json"
NONE, MAKE, ENABLE, DISABLE = "none", "make", "enable", "disable"
#: Below the release: what is renamed from there once the JVM has taken the archive; below that, where it is made.
WORK, MADE = ".classes", "made"
#: The transient unit that makes it, beside everything else that the host does.
UNIT = "kafka-appcds-archive"
#: In that directory: the record for either end.
TAKEN, REFUSED = "taken.json", "refused.json"
REASON = f"the JVM made no AppCDS archive that it takes; journalctl -u {UNIT} says more"
#: What of a JVM's home decides whether it takes the file.
JVM_FILES = ("lib/server/libjvm.so", "lib/modules")


@dataclasses.dataclass(frozen=True)
class AppCdsArchive:
    """The AppCDS archive as a host has it.

    ``key``: of what this host's JVM would take, '' where that cannot be told (``reason`` says why). ``tried``: key of
    what was last made, with its ``usable``. ``exists``: the file is there.
    ``enabled``: the JVM has the option. ``making``: it is being made at this moment.
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
        """Whether this key was tried already: where the JVM takes none, it is not made again."""
        return bool(self.key) and self.tried == self.key and (self.exists or not self.usable)


def java_home(java: str) -> str:
    """Home of the JVM that the command starts: ``/usr/bin/java`` -> ``/usr/lib/jvm/java-17-openjdk-amd64``."""
    return os.path.dirname(os.path.dirname(os.path.realpath(java)))


def jvm_identity(home: str) -> list[object]:
    """What tells one build of the JVM from another. Raises OSError where something is missing."""
    release = Path(home, "release").read_text(encoding="utf-8")
    status = [os.stat(os.path.join(home, name)) for name in JVM_FILES]
    return [release, *([s.st_size, int(s.st_mtime)] for s in status)]


def key_of(identity: list[object], install_dir: str, version: str, checksum: str) -> str:
    """For what an AppCDS archive was made on this host. Earlier versions used those of other hosts, with other keys."""
    text = json.dumps(["made here", identity, install_dir, version, checksum.lower()])
    return f"{version}-{hashlib.sha256(text.encode()).hexdigest()[:32]}"


def parse_record(text: str) -> dict[str, Any]:
    """The record, empty for what is not one."""
    try:
        content = json.loads(text)
    except ValueError:
        return {}
    return content if isinstance(content, dict) else {}


def record_text(key: str, usable: bool, reason: str) -> str:
    return json.dumps({"key": key, "usable": usable, "reason": reason}, indent=1, sort_keys=True) + "\n"


def plan_appcds_archive(found: AppCdsArchive) -> str:
    """One action. What was tried for this key stays; data of another key is out of use until its own is made."""
    if found.making:
        return NONE
    if found.settled:
        return NONE if found.enabled == found.usable else (ENABLE if found.usable else DISABLE)
    if found.key:
        return MAKE
    return DISABLE if found.enabled else NONE


def described(found: AppCdsArchive) -> Mapping[str, Any]:
    """What a caller needs: whether it is in use, is being made, or should still be made."""
    in_use = found.settled and found.usable and found.enabled
    return {
        "in_use": in_use,
        "missing": bool(found.key) and not found.settled and not found.making,
        "making": found.making,
        "reason": found.reason,
    }


def making_script(dump: Sequence[str], trial: Sequence[str]) -> str:
    """What the transient unit runs in ``MADE``, without rights."""
    return f"{shlex.join(dump)} && {shlex.join(trial)}\n"


def finishing_script(data: str, options: str) -> str:
    """What root runs when all processes of the unit are gone. The record is renamed last.

    A making that was killed has no record, and is begun again.
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
