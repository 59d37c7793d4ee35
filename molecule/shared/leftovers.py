"""Leftovers that a run, ended or killed and followed by another, must not leave behind."""

from __future__ import annotations

from collections.abc import Collection

from hosts import Hosts
from kafka.admin import ConfigResource, ConfigResourceType, KafkaAdminClient

#: Locks, halves of files and releases, and running processes of a killed run.
ON_HOST = """
test ! -s /run/kraftwright.lock || echo "the lock of $(cat /run/kraftwright.lock)"
find {install} /etc/systemd/system -xdev -regex '.*/\\.\\(kraftwright\\|partial\\|replaced\\)-[^/]*' 2>/dev/null
for one in /proc/[0-9]*; do
  grep -q kafka-appcds-archive $one/cgroup 2>/dev/null && continue # the AppCDS archive is made behind all else
  tr '\\0' '\\n' <$one/environ 2>/dev/null | grep -q '^KRAFTWRIGHT_RUN=.' || continue
  echo "at work: $(tr '\\0' ' ' <$one/cmdline)"
done
"""
#: Installed files are those of the process's start; live changes wait in `next`.
IN_PLACE = """
systemctl is-active --quiet kafka || exit 0
for file in server.properties jvm.options; do cmp /run/kafka-started/$file {install}/config/$file 2>&1; done
"""

#: The throttle of moves from disk to disk; the others have one word in common.
BETWEEN_DISKS = "replica.alter.log.dirs.io.max.bytes.per.second"


def leftovers(hosts: Hosts, brokers: Collection[int], install: str) -> list[str]:
    """Return one line for each leftover on `hosts`, and in the cluster whose brokers these are."""
    said = hosts.everywhere((ON_HOST + IN_PLACE).replace("{install}", install), check=False)
    found = [f"{host}: {line}" for host, text in said.items() for line in text.splitlines()]
    return [*found, *_in_cluster([f"{hosts.address(host)}:{hosts.port}" for host in hosts.known], brokers)]


def _in_cluster(bootstrap: list[str], brokers: Collection[int]) -> list[str]:
    """Return throttles, and moves that no run waits for."""
    with KafkaAdminClient(bootstrap_servers=bootstrap) as admin:
        wanted = [ConfigResource(ConfigResourceType.BROKER, str(one)) for one in brokers]
        wanted += [ConfigResource(ConfigResourceType.TOPIC, name) for name in admin.list_topics()]
        configs = admin.describe_configs(wanted)
        moves = admin.list_partition_reassignments()
    throttled = [
        f"{kind} {name}: {key}={setting['value']}"
        for kind, named in configs.items()
        for name, settings in named.items()
        for key, setting in settings.items()
        if ".replication.throttled." in key or key == BETWEEN_DISKS
    ]
    return [*throttled, *(f"on the move: {move}" for move in moves)]
