"""Try, as Kafka's user inside the sandbox of its unit, to write what root acts on. Every attempt must be refused.

``python intruder.py PROJECT SCENARIO``. Exit code 0 if no attempt succeeded, and the record is unchanged.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from hosts import Hosts

HOST = "kafka1"
#: The view of a compromised process: its mounts, its user, no capability.
INSIDE = """
pid=$(systemctl show --property=MainPID --value kafka)
exec nsenter --target=$pid --mount -- setpriv --reuid=kafka --regid=kafka --init-groups --no-new-privs \\
  --bounding-set=-all sh -c "$TRIED"
"""
RECORD = "/run/kafka-started"
TRIES = {
    "a forged unit in the record": f"echo evil >>{RECORD}/kafka.service",
    "a file of the record read": f"cat {RECORD}/server.properties",
    "a link to a file of root's": f"ln -sf /etc/shadow {RECORD}/server.properties",
    "a FIFO in the record": f"mkfifo {RECORD}/fifo",
    "an endless file in the record": f"ln -s /dev/zero {RECORD}/endless",
    "a manifest that leads elsewhere": f"echo {{}} >{RECORD}/MANIFEST",
    "the record's directory exchanged": f"mv {RECORD} {RECORD}.old",
    "the directory of older units": "mkdir /run/kafka",
    "the unit itself": "echo evil >>/etc/systemd/system/kafka.service",
    "what waits for a start": "echo evil >>/opt/kafka/next/kafka.service",
    "the way back": "mkdir -p /opt/kafka/previous/x",
    "a release": "touch /opt/kafka/current/MANIFEST",
}
#: This one proves the sandbox: the user writes where the unit permits it.
ALLOWED = "touch /var/log/kafka/intruder && rm /var/log/kafka/intruder"
WATCHED = f"{RECORD} /opt/kafka/next /etc/systemd/system/kafka.service"
STATE = f"find {WATCHED} -type f -exec sha256sum {{}} +; stat -c '%U %a' {RECORD}"


def tried(hosts: Hosts, command: str) -> subprocess.CompletedProcess[str]:
    """Run `command` there and return its result."""
    line = [*hosts.inside(HOST), f"TRIED={command}", "sh", "-euc", INSIDE]
    return subprocess.run(line, stdin=subprocess.DEVNULL, check=False, capture_output=True, text=True)  # noqa: S603


def main(project: Path, scenario: str) -> int:
    hosts = Hosts.from_inventory(project, scenario, (HOST,))
    before = hosts.run(HOST, STATE).stdout
    allowed = tried(hosts, ALLOWED)
    if allowed.returncode or not before.endswith("root 700\n"):
        raise AssertionError(f"not the sandbox that is meant: {allowed.stderr}{before}")
    came_through = [name for name, command in TRIES.items() if tried(hosts, command).returncode == 0]
    if came_through or hosts.run(HOST, STATE).stdout != before:
        raise AssertionError(f"came through: {', '.join(came_through) or 'something changed'}")
    sys.stdout.write(f"{len(TRIES)} tries of the service's user, none came through\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve(), sys.argv[2]))
