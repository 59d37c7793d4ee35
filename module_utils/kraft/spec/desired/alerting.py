"""Receivers of alerts: the variables of role kafka_metrics that a cluster's inventory sets. Pure."""

from __future__ import annotations

import re
import urllib.parse
from collections.abc import Mapping
from typing import Any

ALERTMANAGER = "kafka_metrics_alertmanager"
PROMETHEUS = "kafka_prometheus_url"
#: Receiver -> variable that names it.
RECEIVERS = {
    "page": "kafka_metrics_page_receiver",
    "ticket": "kafka_metrics_ticket_receiver",
    "watchdog": "kafka_metrics_watchdog_receiver",
}
ADDRESS = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9_.-]+):(\d{1,5})")
LARGEST_PORT = 65535


def alerting(variables: Mapping[str, Any]) -> dict[str, str]:
    """Return those that are set, by the names of the variables."""
    names = (*RECEIVERS.values(), ALERTMANAGER)
    return {name: str(variables[name]) for name in names if variables.get(name)}


def url_fault(url: str) -> str:
    """Return why a URL is no address of a Prometheus; empty if it is one."""
    try:
        parts = urllib.parse.urlsplit(url)
        port = parts.port
    except ValueError:
        return "The value is not a URL"
    if parts.scheme not in ("http", "https") or not parts.hostname or port == 0:
        return "The URL must begin with http:// or https://"
    if parts.username is not None or parts.password is not None:
        return "The URL contains a login, which the status would show"
    if parts.query or parts.fragment or not url.isprintable() or " " in url:
        return "The URL contains more than scheme, host, port and path"
    return ""


def is_address(text: str) -> bool:
    """Check for the form ``host:port``."""
    found = ADDRESS.fullmatch(text)
    return found is not None and 0 < int(found[2]) <= LARGEST_PORT
