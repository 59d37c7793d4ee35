"""Routing of alerts, as Alertmanager takes it: routes by severity, and inhibitions. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ansible.module_utils.kraft.monitoring.rules import PAGE, TICKET

#: The third receiver: it alarms when it receives nothing any more.
WATCHDOG = "watchdog"
RECEIVERS = (PAGE, TICKET, WATCHDOG)
#: Alertmanager's wait for alerts of a group, then between messages with new ones, then until a repetition.
WAITS = {
    PAGE: {"group_wait": "30s", "group_interval": "5m", "repeat_interval": "4h"},
    TICKET: {"group_wait": "5m", "group_interval": "30m", "repeat_interval": "1d"},
    WATCHDOG: {"group_wait": "0s", "group_interval": "1m", "repeat_interval": "1m"},
}
MATCHERS = {
    PAGE: [f'severity="{PAGE}"'],
    TICKET: [f'severity="{TICKET}"'],
    WATCHDOG: ['alertname="KafkaWatchdog"'],
}
OURS, OF_LOG_DIR = "Kafka.+", "KafkaLogDir.+"


def config(cluster: str, receivers: Mapping[str, str]) -> dict[str, Any]:
    """Return a whole configuration; `receivers`: severity, or ``watchdog`` -> name. A bare receiver sends nothing.

    For an existing Alertmanager, copy the one route below ``routes``, and the inhibitions.
    """
    own = {
        "matchers": [f'cluster="{cluster}"'],
        "receiver": receivers[TICKET],
        "group_by": ["cluster"],
        "routes": [
            {"matchers": MATCHERS[each], "receiver": receivers[each], **WAITS[each]}
            for each in (WATCHDOG, PAGE, TICKET)
        ],
    }
    names = dict.fromkeys(receivers[each] for each in RECEIVERS)
    return {
        "route": {"receiver": receivers[TICKET], "routes": [own]},
        "inhibit_rules": inhibitions(),
        "receivers": [{"name": name} for name in names],
    }


def inhibitions() -> list[dict[str, Any]]:
    """Return the inhibitions, the same for every cluster.

    A node that is down explains its other alerts. Those of its log dirs may explain why it is down: they stay. A page
    for a log dir makes its ticket superfluous.
    """
    return [
        {
            "source_matchers": ['alertname="KafkaNodeDown"'],
            "target_matchers": [f'alertname=~"{OURS}"', f'alertname!~"KafkaNodeDown|{OF_LOG_DIR}"'],
            "equal": ["cluster", "host"],
        },
        {
            "source_matchers": [f'alertname=~"{OF_LOG_DIR}"', f'severity="{PAGE}"'],
            "target_matchers": [f'alertname=~"{OF_LOG_DIR}"', f'severity="{TICKET}"'],
            "equal": ["cluster", "host", "log_dir"],
        },
    ]
