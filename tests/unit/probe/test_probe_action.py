"""The control side's half: the addresses of the probe's start, and silence as an error."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[3]
SPEC = importlib.util.spec_from_file_location("kafka_probe", ROOT / "plugins/action/kafka_probe.py")
assert SPEC is not None
assert SPEC.loader is not None
PROBE = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(PROBE)
WANTED = "k1:9192,k2:9192"


@pytest.mark.parametrize(
    ("now", "settings"),
    [
        ([], {"bootstrap_servers": WANTED}),
        (["k1:9192", "k2:9192"], {"bootstrap_servers": WANTED}),
        (["k1:9092", "k2:9092"], {"bootstrap_servers": "k1:9092,k2:9092", "moved_servers": WANTED}),
        (["k1:9192", "k2:9092"], {"bootstrap_servers": "k1:9192,k2:9092", "moved_servers": WANTED}),
    ],
)
def test_probe_begins_with_the_listeners_that_the_cluster_has_now(
    tmp_path: Path, now: list[str], settings: dict[str, Any]
) -> None:
    given = {"required": True, "now": now, "settings": {"bootstrap_servers": WANTED, "rate": "300"}}
    assert "--if-answers" not in PROBE.starting(tmp_path, given)
    assert json.loads((tmp_path / PROBE.WANTED).read_text()) == {**settings, "rate": 300}


def test_only_a_first_deployment_takes_silence_for_an_answer(tmp_path: Path) -> None:
    given = {"required": False, "now": [], "settings": {"bootstrap_servers": WANTED}}
    assert "--if-answers" in PROBE.starting(tmp_path, given)
