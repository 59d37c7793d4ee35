"""kafka_client_files: what a user's directory holds in the end."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import pytest

from plugins.action import kafka_client_files, kafka_report, kafka_support_bundle
from plugins.action.kafka_client_files import left_behind


def test_files_of_a_listener_that_is_gone_are_left_behind(tmp_path: Path) -> None:
    for name in (
        "ann/OLD.properties",
        "ann/OLD.kcat.conf",
        "ann/NEW.properties",
        "ann/notes.txt",
        "bob/OLD.properties",
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "OLD.properties").touch()
    names = ["ann/NEW.properties", "ann/NEW.kcat.conf", "cid/NEW.properties"]
    assert left_behind(tmp_path, names) == {"ann/OLD.kcat.conf": None, "ann/OLD.properties": None}


def test_files_of_a_listener_that_is_gone_are_left_behind_in_the_directory_of_the_run(tmp_path: Path) -> None:
    kinds = ("properties", "kcat.conf", "librdkafka.json")
    other = ("smoke.json", "report.json", "page.html", "source.properties", "NEW.properties", "nodes.pem")
    for name in (*(f"CLIENT.{kind}" for kind in kinds), *other):
        (tmp_path / name).touch()
    names = [*(f"CLIENT_TLS.{kind}" for kind in kinds), *(f"NEW.{kind}" for kind in kinds), "nodes.pem"]
    assert left_behind(tmp_path, names) == {f"CLIENT.{kind}": None for kind in kinds}
    assert left_behind(tmp_path, ["source.properties", "proof.json"]) == {}


def acted(plugin: Any, **given: Any) -> dict[str, Any]:
    """Return the result of a module's action; it reaches no host."""
    task: Any = SimpleNamespace(args=given, check_mode=False, async_val=0, diff=False, environment=[], action="x")
    made = plugin.ActionModule(task, *[MagicMock()] * 5)
    made.validate_argument_spec = lambda *_, **__: (None, {"mode": "0600", "beside": [], "log_dirs": None, **given})
    made._execute_module = lambda **_: {"files": {}}
    answer: dict[str, Any] = made.run(task_vars={"inventory_hostname": "kafka1"})
    return answer


@pytest.mark.parametrize(
    ("plugin", "given"),
    [
        (kafka_client_files, {"path": "{}/.kraftwright/../../x", "files": {"a.properties": "x"}}),
        (kafka_client_files, {"path": "{}/.kraftwright/a", "files": {"../../a.properties": "x"}}),
        (kafka_client_files, {"path": "{}/.kraftwright/a", "files": {"/etc/a.properties": "x"}}),
        (kafka_report, {"kind": "directory", "directory": "{}/.kraftwright/../x", "cluster_id": "x"}),
        (kafka_support_bundle, {"directory": "{}/.kraftwright/../x/support", "log_dirs": ["/data"]}),
        (kafka_support_bundle, {"directory": "{}/.kraftwright/../x", "cluster": {"name": "a"}}),
        (kafka_support_bundle, {"directory": "{}/.kraftwright/a/support", "cluster": {"name": "/../../a"}}),
    ],
)
def test_no_name_leads_out_of_the_clusters_directory(tmp_path: Path, plugin: Any, given: dict[str, Any]) -> None:
    placed = {key: value.format(tmp_path) if isinstance(value, str) else value for key, value in given.items()}
    answer = acted(plugin, **placed)
    assert answer["failed"]
    assert "leads out of" in answer["msg"]
    assert list(tmp_path.iterdir()) == []
