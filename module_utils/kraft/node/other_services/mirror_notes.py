"""Ids of the source's topics when their copy began, in a file beside MirrorMaker's, which does not read it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

NOTED = "topics.json"


def wanted(home: str, ids: Mapping[str, str]) -> dict[str, Any]:
    """The file as ``ensure_files`` takes it. `ids`: of topics by name."""
    roots = {"owner": "root", "group": "root"}
    content = json.dumps(dict(sorted(ids.items())), indent=0)
    return {
        "directories": [{"path": home, "mode": "0755", **roots}],
        "files": [{"path": f"{home}/{NOTED}", "content": content, "sensitive": False, "mode": "0644", **roots}],
    }


def noted(home: str) -> dict[str, str]:
    """Topic -> its id when its copy began; none on a host on which no copy runs."""
    try:
        with open(f"{home}/{NOTED}", encoding="utf-8") as file:
            return {str(name): str(one) for name, one in json.load(file).items()}
    except (OSError, ValueError):
        return {}
