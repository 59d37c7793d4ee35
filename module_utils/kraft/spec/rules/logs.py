"""Log files that are shipped (``kafka_logs``): a receiver, an authority to judge it by, a certificate, a place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ansible.module_utils.kraft.node.log_shipping import WORK
from ansible.module_utils.kraft.problem import Problem
from ansible.module_utils.kraft.spec.desired.alerting import is_address
from ansible.module_utils.kraft.spec.desired.model import Node
from ansible.module_utils.kraft.spec.rules.storage import EXAMPLE, directories, inside
from ansible.module_utils.kraft.spec.rules.subject import Subject

SWITCH, RECEIVER, AUTHORITY = "kafka_logs", "kafka_logs_receiver", "kafka_logs_authority"
QUEUE, PORT = "kafka_logs_queue_mb", "kafka_logs_port"
LEAST_MB, FIRST_PORT, LAST_PORT = 64, 1024, 65535


def _each(subject: Subject) -> Iterator[tuple[Node, Mapping[str, Any]]]:
    return ((node, each.logs) for node in subject.cluster.nodes for each in node.contributions if each.logs)


def receivers(subject: Subject) -> Iterator[Problem]:
    """Somebody who is reached, and whose certificate can be judged."""
    for node, asked in _each(subject):
        receiver = asked.get("receiver", "")
        if not is_address(receiver):
            message = "is no address of a receiver" if receiver else "is needed: kafka_logs ships to it"
            remedy = "write host:port, such as logs.example.com:20514"
            yield Problem("logs_receiver", message, remedy, RECEIVER, node.host, receiver or None)
        path = asked.get("authority", "")
        fault = subject.surroundings.log_authority_faults.get(path, "")
        if not path:
            message, remedy = "is needed: by it a receiver is judged", "give the path of the receiver's authority (PEM)"
            yield Problem("logs_authority", message, remedy, AUTHORITY, node.host)
        elif fault:
            remedy = "give a file of this machine with nothing but certificates of the receiver's authority (PEM)"
            yield Problem("logs_authority", fault, remedy, AUTHORITY, node.host, path)


def certificates(subject: Subject) -> Iterator[Problem]:
    """The receiver sees the node's certificate."""
    sound = {node.host for node in subject.sound("kafka_tls")}
    for node, _ in _each(subject):
        if node.host in sound and not node.tls:
            message = "needs certificates, and the cluster has no authority for them"
            remedy = "set kafka_tls; kafka_security: plaintext may stay"
            yield Problem("logs_certificate", message, remedy, SWITCH, node.host, True)


def limits(subject: Subject) -> Iterator[Problem]:
    """Room for what waits, and a port of loopback that nothing of the node has."""
    for node, asked in _each(subject):
        if asked["queue_mb"] < LEAST_MB:
            message, remedy = f"is below {LEAST_MB}", f"give {LEAST_MB} or more; 1024 is usual"
            yield Problem("logs_queue", message, remedy, QUEUE, node.host, asked["queue_mb"])
        port = asked["port"]
        if not FIRST_PORT <= port <= LAST_PORT:
            message, remedy = f"is not from {FIRST_PORT} to {LAST_PORT}", "give a port that nothing listens on"
            yield Problem("logs_port", message, remedy, PORT, node.host, port)
        elif port in _taken(node):
            message, remedy = f"is the port of {_taken(node)[port]}", "give a port that nothing listens on"
            yield Problem("logs_port", message, remedy, PORT, node.host, port)


def places(subject: Subject) -> Iterator[Problem]:
    """systemd gives the directory of the queue, with all that is in it, to the shipper's user."""
    for node, _ in _each(subject):
        others = [("kafka_install_dir", node.install_dir), ("kafka_log4j_dir", node.log4j_dir)]
        for variable, path in (*directories(node), *others):
            if inside(path, WORK):
                message = f"is in {WORK}, where kafka_logs keeps lines: its user would get all files there"
                remedy = f"give another directory, {EXAMPLE}, or leave kafka_logs out"
                yield Problem("logs_directory", message, remedy, variable, node.host, path)


def _taken(node: Node) -> dict[int, str]:
    contributed = {port: each.variable for each in node.contributions for port in each.ports}
    return {**{each.port: each.name for each in node.own_listeners}, **contributed}


RULES = (receivers, certificates, limits, places)
