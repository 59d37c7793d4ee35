"""kafka_ec2 ends an audit with every finding; the findings themselves are tested in test_exposure.py."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

from plugins.action import kafka_ec2

PLAN: dict[str, Any] = {"between": {"k1": {}, "k2": {}}, "hidden": {"k1": [], "k2": []}}
READ: dict[str, Any] = {"reachable": [], "unjustified": []}


def audited(**found: Any) -> dict[str, Any]:
    seen = {host: {"exposure": READ, "from_here": None, "from_node": None, **found} for host in PLAN["between"]}
    args = {"operation": "audit", "seen": seen}
    task: Any = SimpleNamespace(args=args, check_mode=False, async_val=0, diff=False, environment=[], action="x")
    plugin: Any = kafka_ec2
    made = plugin.ActionModule(task, *[MagicMock()] * 5)
    made.validate_argument_spec = lambda *_, **__: (None, args)
    return dict(made.run(task_vars={"ansible_facts": {"kafka_ec2": PLAN}}))


def test_an_audit_without_a_finding_succeeds() -> None:
    assert not audited().get("failed")


def test_an_audit_that_read_nothing_fails() -> None:
    assert audited(exposure=None)["failed"]


def test_an_audit_fails_with_every_finding() -> None:
    found = audited(from_here={"reached": {"192.0.2.1:9093": "open"}})
    assert found["failed"]
    assert [line.split()[0] for line in found["msg"].splitlines()] == ["192.0.2.1:9093"] * 2
