"""Kills every node at once, and waits until each is back by itself: ``python kill_nodes.py PROJECT SCENARIO HOST...``

For the moment in a run at which files of the next start are there, and units and processes are still the old ones.
"""

from __future__ import annotations

import sys
from pathlib import Path

from hosts import Hosts

SECONDS = 90
#: A node is back when systemd has started it again, and its listener for clients is open.
KILL = f"""before=$(systemctl show kafka --property=MainPID --value)
systemctl kill --signal=KILL kafka
for _ in $(seq {SECONDS}); do
    sleep 1
    now=$(systemctl show kafka --property=MainPID --value)
    [ "$now" = 0 ] || [ "$now" = "$before" ] || [ -z "$(ss -Hltn 'sport = :9092')" ] || exit 0
done
systemctl status --no-pager kafka
exit 1"""


def main(project: str, scenario: str, *names: str) -> None:
    Hosts.of(Path(project), scenario, names).everywhere(KILL)


if __name__ == "__main__":
    main(*sys.argv[1:])
