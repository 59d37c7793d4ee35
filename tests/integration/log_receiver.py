"""A receiver of log files, as the runbook configures it."""

from __future__ import annotations

import re
from pathlib import Path

RUNBOOK = Path(__file__).resolve().parents[2] / "docs/runbooks/ship_logs.md"
RAW = 'template(name="raw" type="string" string="%rawmsg%\\n")'


def receiver(home: Path, address: str, port: int, roots: Path, pair: Path) -> str:
    """The configuration that the runbook has, with places of a test; it also keeps whole messages."""
    (text,) = re.findall(r"^```\n(global.*?)^```$", RUNBOOK.read_text(), re.MULTILINE | re.DOTALL)
    places = {
        'port="20514"': f'address="{address}" port="{port}"',
        "/etc/rsyslog/nodes.pem": roots,
        "/etc/rsyslog/logs.pem": pair,
        "/etc/rsyslog/logs.key": pair,
        "/var/log/kafka.json": home / "json",
        "{ action(": f'{{ action(type="omfile" file="{home}/raw" template="raw") action(',
    }
    for place, here in places.items():
        assert place in text
        text = text.replace(place, str(here))
    return f'{RAW}\nglobal(workDirectory="{home}")\n{text}'
