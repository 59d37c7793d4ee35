"""Facts of many hosts, from Ansible's own store of them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from ansible.inventory.manager import InventoryManager
from ansible.parsing.dataloader import DataLoader
from ansible.vars.hostvars import HostVars
from ansible.vars.manager import VariableManager

from plugins.lookup.kraft_facts import LookupModule

FOUND = {"kafka_now": {"running": ["a"]}}


@pytest.fixture
def hostvars() -> Any:
    loader = DataLoader()
    inventory = InventoryManager(loader=loader, sources=["a,b,"])
    variables = VariableManager(loader=loader, inventory=inventory)
    variables.set_host_facts("a", FOUND)
    return HostVars(inventory=inventory, variable_manager=variables, loader=loader)


class Unlike:
    """The variables of hosts in a release of Ansible that keeps facts elsewhere."""

    _variable_manager = SimpleNamespace()

    def raw_get(self, host: str) -> dict[str, Any]:
        return {"a": {"ansible_facts": FOUND}}.get(host, {})


def asked(hostvars: Any, *terms: str) -> list[Any]:
    return LookupModule().run(list(terms), {"hostvars": hostvars})


def test_each_host_has_its_fact_or_an_empty_one(hostvars: Any) -> None:
    assert asked(hostvars, "kafka_now", "b", "a", "nowhere") == [{}, FOUND["kafka_now"], {}]
    assert asked(hostvars, "kafka_host", "a") == [{}]


def test_no_variables_are_merged(hostvars: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hostvars, "raw_get", lambda _: pytest.fail("that costs each host what all hosts have"))
    assert asked(hostvars, "kafka_now", "a") == [FOUND["kafka_now"]]


def test_another_release_of_ansible_gives_the_same() -> None:
    assert asked(Unlike(), "kafka_now", "a", "b") == [FOUND["kafka_now"], {}]
