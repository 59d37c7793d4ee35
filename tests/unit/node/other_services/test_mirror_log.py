"""Errors of MirrorMaker's service, from lines of a journal."""

from __future__ import annotations

import json
from typing import Any

from ansible.module_utils.kraft.node.other_services import mirror_log

NOW = 1_000_000.0
LINES = [
    (NOW - 30, "INFO Kafka MirrorMaker starting (org.apache.kafka.connect.mirror.MirrorMaker)"),
    (NOW - 20, "ERROR Failed to reconfigure connector's tasks (x), retrying after backoff. (a.b.C)"),
    (NOW - 20, "java.lang.RuntimeException: not yet"),
    (NOW - 12, "ERROR Failed to configure MirrorSourceConnector connector for old->target (org.apache.M)"),
    (NOW - 12, "org.apache.kafka.connect.errors.ConnectException: outer"),
    (NOW - 12, "\tat a.b(C.java:1)"),
    (NOW - 12, "Caused by: org.apache.kafka.common.config.ConfigException: must not be duplicated"),
    (NOW - 11, "WARN something (a.b.C)"),
    (NOW - 11, "Caused by: of a warning"),
    (NOW - 2, "ERROR Stopping due to error\x1b[31m (a.b.C)"),
]
SAID = [
    {
        "text": "Failed to configure MirrorSourceConnector connector for old->target: "
        "org.apache.kafka.common.config.ConfigException: must not be duplicated",
        "age": 12.0,
    },
    {"text": "Stopping due to error?[31m", "age": 2.0},
]


class Host:
    """Runs ``systemctl`` and ``journalctl`` as a host with this journal."""

    def __init__(self, restarts: int) -> None:
        self.restarts, self.asked = restarts, list[list[str]]()

    def __call__(self, command: list[str], **_: object) -> tuple[int, str, str]:
        self.asked.append(command)
        if command[0] == "systemctl":
            return 0, f"NRestarts={self.restarts}\nExecMainStartTimestampMonotonic=60000000\n", ""
        entries: list[dict[str, Any]] = [
            {"__REALTIME_TIMESTAMP": str(int(at * 1e6)), "MESSAGE": text} for at, text in LINES
        ]
        entries.append({"__REALTIME_TIMESTAMP": str(int(NOW * 1e6)), "MESSAGE": [73, 78, 70, 79, 32, 255]})
        return 0, "".join(json.dumps(one) + "\n" for one in entries), ""


def test_each_error_is_one_line_with_its_last_cause_but_for_what_is_tried_again() -> None:
    host = Host(0)
    assert mirror_log.errors(host, NOW, 100.0) == SAID
    assert f"--since=@{int(NOW) - 40}" in host.asked[-1]  # what an earlier start said is over


def test_a_setting_that_connect_refuses_is_its_cause() -> None:
    refused = (
        "a.BadRequestException: Connector configuration is invalid and contains the following 1 error(s):\n"
        "Configuration 'x' values must not be duplicated.\n"
        "You can also find the above list of errors at the endpoint `/connector-plugins/{type}/config/validate`\n"
        "\tat a.b(C.java:1)"
    )
    assert mirror_log.cause(refused) == "Configuration 'x' values must not be duplicated."


def test_a_service_that_ends_and_starts_again_is_read_before_its_last_start() -> None:
    host = Host(3)
    assert mirror_log.errors(host, NOW, 100.0) == SAID
    assert "--unit=kafka-mirror.service" in host.asked[-1]
    assert f"--since=@{int(NOW) - mirror_log.SECONDS}" in host.asked[-1]


def test_a_host_without_the_service_has_no_errors() -> None:
    assert mirror_log.errors(lambda _command, **_: (1, "", "no such unit"), NOW) == []
