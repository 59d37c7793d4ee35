"""TLS in front of the exporters: its program, and an exporter of another origin."""

from __future__ import annotations

from collections.abc import Iterator

from ansible.module_utils.kraft.node.other_services.stunnel_common import PROGRAMS
from ansible.module_utils.kraft.problem import Problem
from ansible.module_utils.kraft.spec.host_rules.network import is_loopback
from ansible.module_utils.kraft.spec.host_rules.subject import Facts, Host, Subject

PRESENT = "present"


def check(subject: Subject) -> Iterator[Problem]:
    for host, facts in subject.seen:
        proxies = (host.node.get("metrics_proxy") or {}).get("proxies", ())
        step = (facts.get("steps") or {}).get("metrics_proxy") or {}
        if proxies and host.node["stunnel"] == PRESENT and not step.get("program", True):
            message = f"There is no stunnel ({' or '.join(PROGRAMS)}), the proxy of kafka_metrics_tls"
            remedy = "copy its package to the host and install it; with a way to a mirror set distribution"
            yield Problem("stunnel_missing", message, remedy, "kafka_metrics_stunnel", host.name, PRESENT)
        for port in (each["port"] for each in proxies if not each["behind"]):
            yield from _exposed(host, facts, port)


def _exposed(host: Host, facts: Facts, port: int) -> Iterator[Problem]:
    """Report an older node_exporter that occupies the proxy's address."""
    for found in facts["ports"]:
        is_exporter = found["process"] in ("prometheus-node", "node_exporter")
        if found["port"] == port and is_exporter and not is_loopback(found["address"]):
            message = f"The address of the proxy, {found['address'] or 'every address'}, is in use by node_exporter"
            remedy = f"start it with --web.listen-address=127.0.0.1:{port}"
            yield Problem("exporter_exposed", message, remedy, "kafka_collector_exporter", host.name, port)
