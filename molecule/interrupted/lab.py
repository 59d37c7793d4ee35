"""What the sweep knows of its hosts: where a deployment leaves things, who a node is, and how to begin anew."""

from __future__ import annotations

from hosts import Hosts

INSTALL = "/opt/kafka"
LOG_DIRS = f"{INSTALL}/kraft-logs/kafka-logs1 {INSTALL}/kraft-logs/kafka-logs2"
#: Everything that a deployment brings to a host is gone after this, and nothing else.
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
        """``host path key`` -> value of every meta.properties that is there."""
        found = {}
        for host, text in self.everywhere(IDENTITY).items():
            for line in text.splitlines():
                name, _, value = line.partition("=")
                found[f"{host} {name}"] = value
        return found

    def reset(self) -> None:
        """Hosts that never saw Kafka, but for what a killed run may have left in memory and in /tmp."""
        self.everywhere(RESET, check=False)
