"""Every problem of a proof's configuration is in one message."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from spark_jobs.proof.config import load, proof_config_errors

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


def test_a_side_is_reached_as_its_client_file_says(tmp_path: Path) -> None:
    """Only what secures the connection is taken, and no secret is shown."""
    (tmp_path / "client.properties").write_text("security.protocol=SASL_SSL\ngroup.id=g\nsasl.mechanism = PLAIN\n")
    path = tmp_path / "proof.json"
    side = {"bootstrap_servers": "old:9092", "client_file": str(tmp_path / "client.properties")}
    path.write_text(
        json.dumps({**GOOD, "source": {**side, "client_options": {"kafka.sasl.mechanism": "SCRAM-SHA-512"}}})
    )
    found = load(path).source
    assert found.client_options == {
        "kafka.security.protocol": "SASL_SSL",
        "kafka.sasl.mechanism": "SCRAM-SHA-512",
    }
    assert "SCRAM" not in repr(found)


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"run_id": ""}, "run_id"),
        ({"source": {"client_options": {}}}, "source"),
        ({"target": {"bootstrap_servers": "new"}}, "target"),
        ({"target": {"bootstrap_servers": "new:1", "client_options": {"kafka.isolation.level": "x"}}}, "target"),
        ({"source": {"bootstrap_servers": "old:9092", "client_file": "/nowhere"}}, "source"),
        ({"topics": {}}, "topics"),
        ({"set_offsets": True}, "set_offsets"),
        ({"topics": {"a": "c", "b": "c"}}, "topics"),
        ({"topics": {"a/b": "c"}}, "topics"),
        ({"topics": ["a"]}, "topics"),
        ({"groups": "billing"}, "groups"),
        ({"duplicates_allowed": "yes"}, "duplicates_allowed"),
        ({"before_switch": 1}, "before_switch"),
        ({"colour": 1}, "colour"),
    ],
)
def test_what_is_wrong_is_named(change: dict[str, Any], name: str) -> None:
    found = proof_config_errors({**GOOD, **change})
    assert len(found) == 1
    assert found[0].startswith(f"{name}:")


def test_all_problems_come_at_once() -> None:
    assert len(proof_config_errors({})) == 5
    assert proof_config_errors([]) != []
