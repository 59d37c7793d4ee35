"""Topics that smoke tests left behind: their runs were killed, or kept them. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import datetime, timedelta, timezone
from typing import Any

#: The role's own prefix and the id of a run: its minute (UTC), and five letters by chance (``kafka_report``).
NAME = re.compile(r"kraftwright-smoke-(\d{6}T\d{4})[a-z2-9]{5}")
#: Younger ones may be of a run that goes on. The command takes the run lock, which such a run shares.
AGE = timedelta(days=1)


def left_over(snapshot: Mapping[str, Any] | None, now: datetime, inventory: str = "") -> str:
    """Return a note with the command that deletes them; empty without any. `snapshot`: as ``Snapshot.to_dict``."""
    topics = (snapshot or {}).get("topics") or ()
    names = sorted(one["name"] for one in topics if (made := _made(one["name"])) and made < now - AGE)
    if not names:
        return ""
    given = {"kafka_topics": [{"name": one, "state": "absent"} for one in names], "kafka_delete_topics": names}
    words = ["ansible-playbook", inventory, "playbooks/apply_resources.yml", f"-e '{json.dumps(given)}'"]
    command = " ".join(word for word in words if word)
    return f"topics of smoke tests that were killed, or that kept them: {', '.join(names)}. Delete them: {command}"


def _made(name: str) -> datetime | None:
    """Return the minute in which a smoke test made the topic `name`; None for any other topic."""
    found = NAME.fullmatch(name)
    try:
        return datetime.strptime(found[1], "%y%m%dT%H%M").replace(tzinfo=timezone.utc) if found else None
    except ValueError:
        return None
