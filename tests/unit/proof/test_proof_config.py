"""Every problem of a proof's configuration is in one message."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from spark_jobs.proof.config import load, problems

GOOD: dict[str, Any] = {
    "run_id": "p1",
    "source": {"bootstrap_servers": "old:9092", "client_options": {"kafka.client.id": "proof"}},
    "target": {"bootstrap_servers": "new:9092"},
    "topics": {"orders": "orders"},
    "output_dir": "/tmp/proof",  # noqa: S108
}


def test_a_good_configuration_is_loaded(tmp_path: Path) -> None:
    path = tmp_path / "proof.json"
    path.write_text(json.dumps({**GOOD, "groups": ["billing"]}))
    found = load(path)
    assert (found.source.bootstrap_servers, found.target.client_options) == ("old:9092", {})
    assert (found.groups, found.duplicates_allowed) == (("billing",), False)


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"run_id": ""}, "run_id"),
        ({"source": {"client_options": {}}}, "source"),
        ({"target": {"bootstrap_servers": "new"}}, "target"),
        ({"target": {"bootstrap_servers": "new:1", "client_options": {"kafka.isolation.level": "x"}}}, "target"),
        ({"source": {"bootstrap_servers": "new:9092"}}, "topics"),
        ({"topics": {}}, "topics"),
        ({"topics": {"a": "c", "b": "c"}}, "topics"),
        ({"topics": {"a/b": "c"}}, "topics"),
        ({"topics": ["a"]}, "topics"),
        ({"groups": "billing"}, "groups"),
        ({"duplicates_allowed": "yes"}, "duplicates_allowed"),
        ({"colour": 1}, "colour"),
    ],
)
def test_what_is_wrong_is_named(change: dict[str, Any], name: str) -> None:
    found = problems({**GOOD, **change})
    assert len(found) == 1
    assert found[0].startswith(f"{name}:")


def test_all_problems_come_at_once() -> None:
    assert len(problems({})) == 5
    assert problems([]) != []
