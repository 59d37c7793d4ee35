"""Monitoring and receivers of alerts: valid addresses, and a watchdog that pages no people."""

from __future__ import annotations

from collections.abc import Iterator

from ansible.module_utils.kraft.problem import Problem
from ansible.module_utils.kraft.spec.desired.alerting import ALERTMANAGER, PROMETHEUS, RECEIVERS, is_address, url_fault
from ansible.module_utils.kraft.spec.inventory_rules.subject import Subject


def alertmanager(subject: Subject) -> Iterator[Problem]:
    """Require an address, not a URL, as Prometheus does."""
    for node in subject.sound(ALERTMANAGER):
        value = str(node.variables.get(ALERTMANAGER) or "")
        if value and not is_address(value):
            remedy = "write host:port, such as alerts.example.com:9093"
            yield Problem(
                "alertmanager", "The value is not an address of Alertmanager", remedy, ALERTMANAGER, node.host, value
            )


def prometheus(subject: Subject) -> Iterator[Problem]:
    """Check the URL of the first node only: the status queries once."""
    for node in tuple(subject.sound(PROMETHEUS))[:1]:
        value = str(node.variables.get(PROMETHEUS) or "")
        fault = url_fault(value) if value else ""
        if fault:
            remedy = "write http://host:port, such as http://127.0.0.1:9090"
            shown = None if "@" in value else value
            yield Problem("prometheus_url", fault, remedy, PROMETHEUS, node.host, shown)


def watchdog(subject: Subject) -> Iterator[Problem]:
    """Refuse the watchdog's receiver for pages or tickets: the watchdog always fires."""
    own = RECEIVERS["watchdog"]
    for node in subject.sound(*RECEIVERS.values()):
        value = node.variables.get(own)
        for other in (RECEIVERS["page"], RECEIVERS["ticket"]):
            if value and value == node.variables.get(other):
                message = f"The receiver is also {other}, but the watchdog always fires"
                remedy = "name a receiver that raises an alarm when the watchdog's alert stops"
                yield Problem("watchdog_receiver", message, remedy, own, node.host, value)


def alike(subject: Subject) -> Iterator[Problem]:
    """Require equal values on all hosts: one file is written for the cluster."""
    for name in (*RECEIVERS.values(), ALERTMANAGER):
        found = [node.variables.get(name) for node in subject.sound(name)]
        if any(each != found[0] for each in found):
            message, remedy = (
                "The value differs between hosts, but the cluster has one file",
                "set it once, for all nodes",
            )
            yield Problem("alerting_differs", message, remedy, name)


RULES = (alertmanager, prometheus, watchdog, alike)
