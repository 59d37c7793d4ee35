"""The filters of a drill."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest
from ansible.errors import AnsibleFilterError

SOURCE = Path(__file__).resolve().parents[3] / "plugins/filter/kraft_drill.py"
SPEC = importlib.util.spec_from_file_location("kraft_drill_filters", SOURCE)
assert SPEC is not None
assert SPEC.loader is not None
FILTERS = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(FILTERS)


def test_a_cluster_without_an_active_controller_is_not_broken() -> None:
    snapshot: dict[str, object] = {"cluster_id": "a3JhZnR3cmlnaHQtZGVtbw", "brokers": [], "topics": [], "quorum": None}
    with pytest.raises(AnsibleFilterError, match="no leader"):
        FILTERS.kraft_drill_hosts("broker_killed", snapshot, {"nodes": {"k1": {"node_id": 1}}})
