"""Every request names its cluster: modules refuse another one, and roles name theirs."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ansible.module_utils.kraft.cluster.connections import CLIENT_SPEC

from tests.contract.test_modules import argument_spec
from tests.integration.client_calls import CALLS

ROOT = Path(__file__).resolve().parents[2]
WRITTEN = [path for folder in ("roles", "playbooks") for path in (ROOT / folder).rglob("*.yml")]


def clients(spec: dict[str, Any]) -> Iterator[Any]:
    """Each ``client`` of a module's parameters, at any depth."""
    for name, option in spec.items():
        if name == "client":
            yield option
        yield from clients(option.get("options") or {})


def test_each_module_with_a_client_is_tried_with_another_cluster() -> None:
    found = {path.stem for path in (ROOT / "library").glob("*.py") if list(clients(argument_spec(path.stem)))}
    assert found == set(CALLS), "a row in tests/integration/client_calls.py for each module with a client"


@pytest.mark.parametrize("module", sorted(set(CALLS) - {"kafka_host_info"}))
def test_a_client_takes_the_id_that_the_cluster_must_have(module: str) -> None:
    assert [one["options"] for one in clients(argument_spec(module))] == [CLIENT_SPEC]
    assert CLIENT_SPEC["cluster_id"] == {"type": "str"}


def test_a_module_warns_of_servers_that_its_client_skips() -> None:
    for path in (ROOT / "library").glob("*.py"):
        for call in ast.walk(ast.parse(path.read_text())):
            if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "Client":
                assert "warn" in [one.arg for one in call.keywords], path


def test_roles_write_no_client_without_the_id_of_their_cluster() -> None:
    """They take `node_client` of the desired state, or of the cluster as it was found."""
    for path in WRITTEN:
        text = path.read_text()
        assert not re.search(r"^\s+client: *\n\s+bootstrap_servers", text, re.MULTILINE), path
