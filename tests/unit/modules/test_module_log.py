"""A module's entries in its host's journal: that it ran, and no value of a parameter."""

from __future__ import annotations

from pathlib import Path

import pytest
from ansible.module_utils import basic

from tests.unit.modules.module_runner import RunModule

VALUE = "geheim-5f"


@pytest.fixture
def journal(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return Ansible's lines for the journal, with all their fields, or for syslog."""
    lines: list[str] = []

    class Journal:
        @staticmethod
        def send(**fields: object) -> None:
            lines.append(repr(fields))

    monkeypatch.setattr(basic, "has_journal", True)
    monkeypatch.setattr(basic, "journal", Journal, raising=False)
    return lines


def test_the_content_of_a_file_is_not_in_the_journal(tmp_path: Path, run_module: RunModule, journal: list[str]) -> None:
    file = {"path": f"{tmp_path}/server.properties", "content": f"adv.plugin.password={VALUE}\n"}
    assert run_module("kafka_files", check_mode=True, files=[file])["changed"]
    assert [line for line in journal if VALUE in line] == []
    assert len(journal) == 1
    assert "Invoked" in journal[0]


def test_nor_is_a_setting_or_a_password_that_was_given(run_module: RunModule, journal: list[str]) -> None:
    client = {"bootstrap_servers": ["127.0.0.1:1"], "password": VALUE}
    entities = [{"type": "broker", "name": "1", "settings": {"adv.plugin": VALUE}}]
    run_module("kafka_config", client=client, entities=entities, timeout=0)
    assert [line for line in journal if VALUE in line] == []


def test_nor_does_a_debugging_run_show_a_command(tmp_path: Path, run_module: RunModule, journal: list[str]) -> None:
    told = {"_ansible_debug": True, "state": "reported", "release": "4.3.1", "install_dir": str(tmp_path)}
    run_module("kafka_node", unit=VALUE, timeout=1, cluster_id="c", node_id=1, **told)
    assert journal
    assert [line for line in journal if VALUE in line] == []
