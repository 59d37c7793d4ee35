"""Facts of the sweep's hosts: paths of a deployment, identity of the nodes, and their reset."""

from __future__ import annotations

from hosts import Hosts

INSTALL = "/opt/kafka"
LOG_DIRS = f"{INSTALL}/kraft-logs/kafka-logs1 {INSTALL}/kraft-logs/kafka-logs2"
#: Removes everything that a deployment installs on a host, and nothing else.
RESET = f"""
systemctl kill --signal=KILL kafka kafka-appcds-archive; systemctl disable --now kafka
systemctl stop kafka-appcds-archive
rm -rf {INSTALL} /var/log/kafka /etc/systemd/system/kafka.service /etc/sysctl.d/90-kafka.conf /run/kafka-started
systemctl daemon-reload; systemctl reset-failed kafka
if getent passwd kafka; then userdel kafka; fi
if getent group kafka; then groupdel kafka; fi
"""
IDENTITY = f"for d in {LOG_DIRS}; do grep -H -s -E '^(cluster.id|node.id|directory.id)=' $d/meta.properties; done; true"
STARTS = "systemctl show --property=InvocationID,MainPID,NRestarts kafka"


class Lab(Hosts):
    """The scenario's hosts."""

    def identity(self) -> dict[str, str]:
        """Return ``host path key`` -> value of every existing meta.properties."""
        found = {}
        for host, text in self.everywhere(IDENTITY).items():
            for line in text.splitlines():
                name, _, value = line.partition("=")
                found[f"{host} {name}"] = value
        return found

    def reset(self) -> None:
        """Reset the hosts, except for remains of a killed run in memory and in /tmp."""
        self.everywhere(RESET, check=False)
